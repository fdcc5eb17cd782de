"""Exactness: which artifacts of a run differ from those of the accepted run, and through what.

An artifact is a function of its recipe (`tasks.artifacts.Recipe`), whose digest is its key. So three things can be told
apart: equal key and content (nothing happened), another key (a named ingredient changed: parameter, input, library or
code), and equal key but other content, which a deterministic stage may not give.

What changed is told where it began: an artifact whose content is another one although none of its inputs is.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from tasks.gate.changes import Change
from tasks.gate.expectations import ExactRule

Ingredients = Mapping[str, Mapping[str, Any]]
"""Of artifacts by key, as their manifests have them; those that left the store are absent."""
_METRICS = "measures/query_metrics"
_PLACES = ("protocol", "shard_index")


@dataclass(frozen=True, slots=True)
class Exactness:
    """How the artifacts of two runs compare.

    Attributes
    ----------
    n, n_same
        Artifacts of the run, and those that the accepted run has too: equal key and content.
    changes
        Where it began, each once, in the order of the data flow as far as it is known.
    n_unknown
        Artifacts of which it is not known what changed: their recipe left the store.
    unequal
        Steps of deterministic stages that gave other content for the same key.
    options
        Parameters that say what is measured, and are others.
    """

    n: int
    n_same: int
    changes: tuple[Change, ...] = ()
    n_unknown: int = 0
    unequal: tuple[str, ...] = ()
    options: tuple[Change, ...] = ()
    _causes: Callable[[str, str], tuple[Change, ...]] = field(default=lambda *_: (), repr=False, compare=False)

    @property
    def is_identical(self) -> bool:
        """Whether every artifact is that of the accepted run, bit by bit."""
        return self.n == self.n_same

    def causes(self, protocol: str, variant: str) -> tuple[Change, ...]:
        """Return the changes that a variant's values descend from; all of them where that is not known."""
        return self._causes(protocol, variant) or self.changes


def compare_artifacts(
    accepted: pl.DataFrame, run: pl.DataFrame, rule: ExactRule, ingredients: Ingredients, reasons: Mapping[str, str]
) -> Exactness:
    """Compare the artifacts of a run with those of the accepted one.

    Parameters
    ----------
    accepted, run
        Tables `artifacts`: stage, step, artifact_key, digest.
    rule
        Which stages are deterministic, and which parameters say what is measured.
    ingredients
        Of the artifacts of both.
    reasons
        Why the run computed an artifact, by key: what is told where the ingredients are not known.
    """
    return _Comparison(_by_key(accepted), _by_key(run), rule, ingredients, reasons).result()


_Rows = dict[str, tuple[str, str]]
"""Step (`stage/step`) and digest by key."""


def _by_key(artifacts: pl.DataFrame) -> _Rows:
    rows = artifacts.select("stage", "step", "artifact_key", "digest").iter_rows()
    return {key: (f"{stage}/{step}", digest) for stage, step, key, digest in rows}


@dataclass(frozen=True, slots=True)
class _Comparison:
    before: _Rows
    after: _Rows
    rule: ExactRule
    ingredients: Ingredients
    reasons: Mapping[str, str]

    def result(self) -> Exactness:
        shared = self.before.keys() & self.after.keys()
        same = {key for key in shared if self.before[key] == self.after[key]}
        others = sorted({self.after[key][0] for key in shared - same})
        found = {key: self._changes_of(key) for key in self._in_order()}
        options = [c for changes in found.values() for c in changes if c.kind == "param" and self._is_option(c.step)]
        return Exactness(
            n=len(self.after),
            n_same=len(same),
            changes=_told(change for changes in found.values() for change in changes),
            n_unknown=sum(change.kind == "unknown" for changes in found.values() for change in changes),
            unequal=tuple(step for step in others if step.partition("/")[0] not in self.rule.inexact_stages),
            options=_distinct(options),
            _causes=lambda protocol, variant: self._causes(protocol, variant, found),
        )

    def _is_option(self, step: str) -> bool:
        return bool({step, step.partition("/")[0]} & set(self.rule.measured_by))

    def _in_order(self) -> list[str]:
        """Return the keys of the run, each after those of its inputs."""
        makers = _makers(self.after)
        done: dict[str, None] = {}

        def visit(key: str) -> None:
            if key not in done:
                for digest in self._inputs(key).values():
                    for maker in makers.get(digest, ()):
                        if maker != key and maker not in done:
                            visit(maker)
                done[key] = None

        for key in sorted(self.after, key=lambda key: self.after[key]):
            visit(key)
        return list(done)

    def _inputs(self, key: str) -> dict[str, str]:
        return dict(self.ingredients.get(key, {}).get("inputs", {}))

    def _changes_of(self, key: str) -> list[Change]:
        """Return what is new in an artifact, apart from what came with its inputs."""
        step, digest = self.after[key]
        if key in self.before:
            return [] if self.before[key][1] == digest else [Change(step, "content")]
        partner = self._partner(key)
        if any(found == (step, digest) for found in self.before.values()):
            return []  # made in another way, but the same
        if key in self.ingredients and (partner in self.after or (partner is None and self._has_recipes(step))):
            return []  # one more of a step: another protocol, another variant
        if key not in self.ingredients or (partner is None and self._is_known(step)):
            reason = self.reasons.get(key, "")
            is_told = reason.startswith("changed: ") and "inputs" not in reason
            return [Change(step, "unknown", reason if is_told else "")]
        if partner is None:
            return [Change(step, "new")]
        return list(_differences(step, self.ingredients[partner], self.ingredients[key], self._is_own))

    def _is_known(self, step: str) -> bool:
        return any(found == step for found, _ in self.before.values())

    def _has_recipes(self, step: str) -> bool:
        return all(key in self.ingredients for key, (found, _) in self.before.items() if found == step) and (
            self._is_known(step)
        )

    def _is_own(self, digest: str) -> bool:
        """Say whether an artifact of the run has this content, or none is left (""): the change is told upstream."""
        return not digest or any(found == digest for _, found in self.after.values())

    def _partner(self, key: str) -> str | None:
        """Return the accepted run's artifact of the same step that is most alike; of these an unshared one."""
        step = self.after[key][0]
        new = self.ingredients.get(key)
        if new is None:
            return None
        there = [
            old
            for old, (found, _) in self.before.items()
            if found == step and old in self.ingredients and _place(self.ingredients[old]) == _place(new)
        ]
        if not there:
            return None
        return min(there, key=lambda old: (_distance(self.ingredients[old], new), old in self.after, old))

    def _causes(self, protocol: str, variant: str, found: Mapping[str, Sequence[Change]]) -> tuple[Change, ...]:
        makers = _makers(self.after)
        metrics = [
            key
            for key, (step, _) in self.after.items()
            if step == _METRICS and self.ingredients.get(key, {}).get("params", {}).get("protocol") == protocol
        ]
        own, others = f"rankings[{variant}]", "rankings["
        digests = [
            digest
            for key in metrics
            for name, digest in self._inputs(key).items()
            if name == own or not name.startswith(others)
        ]
        seen, todo = set(metrics), [maker for digest in digests for maker in makers.get(digest, ())]
        while todo:
            key = todo.pop()
            if key not in seen:
                seen.add(key)
                todo += [maker for digest in self._inputs(key).values() for maker in makers.get(digest, ())]
        return _told(change for key, changes in found.items() if key in seen for change in changes)


def _makers(rows: _Rows) -> dict[str, list[str]]:
    makers: dict[str, list[str]] = {}
    for key, (_, digest) in rows.items():
        makers.setdefault(digest, []).append(key)
    return makers


def _distinct(changes: Iterable[Change]) -> tuple[Change, ...]:
    return tuple(dict.fromkeys(changes))


def _told(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return each change once; those of which nothing is known only where nothing else is."""
    found = _distinct(changes)
    return tuple(change for change in found if change.kind != "unknown" or change.name) or found


def _differences(
    step: str, old: Mapping[str, Any], new: Mapping[str, Any], is_own: Callable[[str], bool]
) -> Iterator[Change]:
    """Yield the changed ingredients. Code is told where no input changed: else it may be shared code."""
    came_with_inputs = any(is_own(digest) for digest in _changed(old["inputs"], new["inputs"]).values())
    before, after = dict(_flat(old["params"])), dict(_flat(new["params"]))
    for name in _changed(before, after):
        yield Change(step, "param", name, repr(before.get(name)), repr(after.get(name)))
    for name in _changed(old["libraries"], new["libraries"]):
        yield Change(step, "library", name, str(old["libraries"].get(name)), str(new["libraries"].get(name)))
    for name, digest in _changed(old["inputs"], new["inputs"]).items():
        if not is_own(digest):
            yield Change(step, "input", name, str(old["inputs"].get(name))[:12], digest[:12])
    if old["code"] != new["code"] and not came_with_inputs:
        yield Change(step, "code")


def _place(ingredients: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the parameters that tell artifacts of one step apart: another protocol or shard is another thing."""
    return tuple(ingredients["params"].get(name) for name in _PLACES)


def _changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    return {name: new.get(name) or "" for name in sorted({*old, *new}) if old.get(name) != new.get(name)}


def _distance(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many parameters differ, and how many other ingredients: shards and protocols differ by parameters."""
    params = len(_changed(dict(_flat(old["params"])), dict(_flat(new["params"]))))
    others = sum(len(_changed(old[group], new[group])) for group in ("inputs", "libraries"))
    return params, others + (old["code"] != new["code"])


def _flat(params: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield parameters by dotted name; the group `params`, which every step has, is not named."""
    for name, value in params.items():
        if isinstance(value, Mapping):
            yield from _flat(value, above if name == "params" else f"{above}{name}.")
        else:
            yield f"{above}{name}", value

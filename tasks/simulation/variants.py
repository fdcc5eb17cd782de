"""Variants: what is compared. Each has one canonical string that parses back, and one label for people.

A variant's name is the same in every run that does the same: a first stage that is not the default one is in the name
too, so that `bm25` alone always means tokenizer regex, Lucene's idf, k1 1.5, b 0.75.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from tasks.records import BenchError, Params
from tasks.simulation.first_stage import DEFAULT_STAGE, FORCED, FirstStage, stage_names
from tasks.simulation.session_params import FusionParams, FusionRerankParams, SessionParams, session_labels
from tasks.simulation.suppression import RifParams, Rule, RuleSet

RIF = "rif"
ADAPTIVE = "adaptive-rerank"
SESSION, FUSION, FUSION_RERANK = "session", "fusion", "fusion-rerank"
STATELESS = (
    *("bm25", "dense", SESSION, "hybrid-rrf", "hybrid-fusion", FUSION),
    *("dense-rerank", "hybrid-rerank", FUSION_RERANK, ADAPTIVE),
)
"""Variants without suppression, in the order of a table."""

OF_SESSIONS = (SESSION, FUSION, FUSION_RERANK)
"""Variants that score whole sessions; the others rank lists of documents, or of sessions by their best turn."""

RERANKED = ("dense-rerank", "hybrid-rerank", FUSION_RERANK, ADAPTIVE, RIF)
"""Variants whose final order is the cross-encoder's."""

_RULE_SET_LABELS = {
    RuleSet.PAPER: "the paper's rules",
    RuleSet.PAPER_LITERAL: "the paper's rules to the letter",
}
_EXAMPLES = {
    RIF: "rif(rule=gap,clusters=30)",
    ADAPTIVE: "adaptive-rerank(k_deep=100)",
    **{name: f"{name}(pool=max)" for name in OF_SESSIONS},
}


class RerankParams(Params):
    """Parameters of a reranked list. `pool` is P: how many of the best of the list the reranker sees."""

    pool: Annotated[int, Field(ge=1)] | Literal["all"] = 30


class AdaptiveParams(Params):
    """Parameters of adaptive depth (protocols.md A.10).

    Attributes
    ----------
    k_deep
        Depth of each list, and of what is reranked, in the second pass.
    threshold
        A second pass is made where the best logit of the first is below.
    """

    k_deep: int = Field(default=100, ge=1)
    threshold: float = Field(default=4.0, allow_inf_nan=False)


_PARAMS: dict[str, type[Params]] = {
    RIF: RifParams,
    ADAPTIVE: AdaptiveParams,
    "dense-rerank": RerankParams,
    "hybrid-rerank": RerankParams,
    SESSION: SessionParams,
    FUSION: FusionParams,
    FUSION_RERANK: FusionRerankParams,
}
_ALWAYS_SHOWN: dict[type[Params], tuple[str, ...]] = {
    RifParams: ("rule", "clusters"),
    AdaptiveParams: ("k_deep",),
    **dict.fromkeys((SessionParams, FusionParams, FusionRerankParams), ("pool",)),
}


@dataclass(frozen=True, slots=True)
class Variant:
    """A retrieval variant; `params` are those of its own, where it has any, `first_stage` those of its lists.

    >>> str(Variant("rif", RifParams(rule=Rule.GAP, clusters=30, alpha=0.5)))
    'rif(rule=gap,clusters=30,alpha=0.5)'
    >>> str(Variant("bm25", first_stage=FirstStage(tokenizer="split", idf="okapi-floor")))
    'bm25(tokenizer=split,idf=okapi-floor)'
    """

    name: str
    params: Params | None = None
    first_stage: FirstStage = DEFAULT_STAGE

    def __post_init__(self) -> None:
        if self.params is None and self.name in {"dense-rerank", "hybrid-rerank"}:
            object.__setattr__(self, "params", RerankParams())
        if type(self.params) is not _PARAMS.get(self.name, type(None)) or self.name not in (*STATELESS, RIF):
            raise BenchError(f"variant {self.name!r} with parameters {self.params!r}; expected one of {_valid_names()}")
        if forced := FORCED.get(self.name):
            object.__setattr__(self, "first_stage", self.first_stage.model_copy(update=forced))

    def __str__(self) -> str:
        shown = (_shown(self.params) if self.params else {}) | self.stage_changes
        arguments = ",".join(f"{name}={_text(value)}" for name, value in shown.items())
        return f"{self.name}({arguments})" if shown else self.name

    @property
    def rif(self) -> RifParams | None:
        """The rules of suppression, where the variant suppresses."""
        return self.params if isinstance(self.params, RifParams) else None

    @property
    def adaptive(self) -> AdaptiveParams | None:
        """The second pass, where the variant has one."""
        return self.params if isinstance(self.params, AdaptiveParams) else None

    @property
    def session(self) -> SessionParams | None:
        """How sessions are scored, where the variant scores whole sessions."""
        return self.params if isinstance(self.params, SessionParams) else None

    @property
    def fusion(self) -> FusionParams | None:
        """How a session's scores are combined, where the variant does."""
        return self.params if isinstance(self.params, FusionParams) else None

    @property
    def is_reranked(self) -> bool:
        """Whether the final order is the cross-encoder's."""
        return self.name in RERANKED

    @property
    def pool(self) -> int | None:
        """How many candidates the reranker sees; None for all, and where nothing is reranked."""
        if isinstance(self.params, RerankParams):
            return None if self.params.pool == "all" else self.params.pool
        return self.rif.pool if self.rif else None

    @property
    def stage_changes(self) -> dict[str, object]:
        """The parameters of the first stage that the variant uses and that differ from their default."""
        told = set(self.stage_names) - FORCED.get(self.name, {}).keys()
        return {name: value for name, value in _changed(self.first_stage).items() if name in told}

    @property
    def stage_names(self) -> tuple[str, ...]:
        """The parameters of the first stage that the variant uses."""
        return stage_names(self.name)

    def full_stage(self, first_stage: FirstStage) -> FirstStage:
        """Return another first stage with what the variant's own name says of it."""
        own = {name: getattr(self.first_stage, name) for name in self.first_stage.model_fields_set}
        own |= FORCED.get(self.name, {})
        return first_stage.model_copy(update=own)

    def over(self, first_stage: FirstStage) -> "Variant":
        """Return the variant over another first stage: what its own name says of it stays; what it does not use is out.

        >>> str(parse("dense").over(FirstStage(tokenizer="split")))
        'dense'
        >>> str(parse("bm25(k1=0.9)").over(FirstStage(tokenizer="split")))
        'bm25(tokenizer=split,k1=0.9)'
        """
        full = self.full_stage(first_stage)
        used = {name: getattr(full, name) for name in self.stage_names}
        return replace(self, first_stage=FirstStage.model_validate(used))


def parse(text: str) -> Variant:
    """Return the variant that a string names; `parse(str(variant)) == variant`.

    >>> str(parse("rif(clusters=0, rule=uniform, alpha=0.3)"))
    'rif(rule=uniform,clusters=1)'

    Raises
    ------
    BenchError
        For an unknown name, parameter or value: it lists the valid ones.
    """
    match = re.fullmatch(r"([a-z0-9-]+)(?:\((.*)\))?", text.strip())
    name = match[1] if match else ""
    if match is None or name not in (*STATELESS, RIF):
        raise BenchError(f"unknown variant {text!r}; expected one of {_valid_names()}")
    kind, own = _PARAMS.get(name), _own_fields(name)
    values = _arguments(text, match[2] or "", parameter_names(name))
    needed = _ALWAYS_SHOWN.get(kind, ()) if kind else ()
    if missing := [field for field in needed if field not in values]:
        raise BenchError(f"variant {text!r}: no {' and no '.join(missing)}; write e.g. {_EXAMPLES[name]}")
    try:
        params = kind.model_validate({own[key]: value for key, value in values.items() if key in own}) if kind else None
        stage = FirstStage.model_validate({key: value for key, value in values.items() if key not in own})
    except ValidationError as error:
        faults = "; ".join(f"{_place(fault['loc'])}={fault['input']}: {fault['msg']}" for fault in error.errors())
        raise BenchError(f"variant {text!r}: {faults}") from error
    return Variant(name, params, stage)


def parameter_names(name: str) -> tuple[str, ...]:
    """Return the parameters that the string of a variant may hold: its own, then those of its first stage."""
    told = [field for field in stage_names(name) if field not in FORCED.get(name, {})]
    return (*_own_fields(name), *told)


def label(variant: Variant) -> str:
    """Return what people call a variant.

    >>> label(parse("rif(rule=gap,clusters=30)")), label(parse("rif(rule=uniform,clusters=1,rule_set=paper,rho=0)"))
    ('clustered 30, rank-gap', "global, uniform, the paper's rules, rho 0.0")
    >>> label(parse("bm25(tokenizer=split)"))
    'bm25, tokenizer split'
    """
    if variant.rif is not None:
        parts = _rif_labels(variant.rif)
    elif variant.session is not None:
        parts = session_labels(variant.session)
    else:
        own = _shown(variant.params) if variant.params else {}
        parts = [variant.name, *(f"{name} {_text(value)}" for name, value in own.items())]
    return ", ".join([*parts, *(f"{name} {_text(value)}" for name, value in variant.stage_changes.items())])


def _rif_labels(rif: RifParams) -> list[str]:
    parts = ["global" if rif.clusters == 1 else f"clustered {rif.clusters}"]
    parts.append("rank-gap" if rif.rule is Rule.GAP else "uniform")
    parts += [_RULE_SET_LABELS[rif.rule_set]] if rif.rule_set is not RuleSet.RELEASED else []
    return parts + [f"{name} {_text(value)}" for name, value in _changed(rif).items() if name != "rule_set"]


def _own_fields(name: str) -> dict[str, str]:
    """Return the fields of a variant's own parameters, by their name in the string."""
    kind = _PARAMS.get(name)
    return {field.rstrip("_"): field for field in kind.model_fields} if kind else {}


def _shown(params: Params) -> dict[str, object]:
    """Return the parameters that a name shows, in the order of the fields: those that it must, and changed ones."""
    return {name: getattr(params, name) for name in _ALWAYS_SHOWN.get(type(params), ())} | _changed(params)


def _changed(params: Params) -> dict[str, object]:
    """Return the parameters that differ from their default, by their name in the string, in the order of the fields."""
    return {
        name.rstrip("_"): getattr(params, name)
        for name, field in type(params).model_fields.items()
        if name not in _ALWAYS_SHOWN.get(type(params), ()) and getattr(params, name) != field.default
    }


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _place(place: tuple[int | str, ...]) -> str:
    return str(place[0]) if place else "its parameters"


def _arguments(text: str, inside: str, valid: Sequence[str]) -> Mapping[str, str]:
    values: dict[str, str] = {}
    for argument in filter(None, (part.strip() for part in inside.split(","))):
        name, equals, value = (part.strip() for part in argument.partition("="))
        if not equals or name not in valid or name in values:
            raise BenchError(
                f"variant {text!r}: parameter {argument!r}; expected name=value, each once, with a name of "
                f"{', '.join(valid)}"
            )
        values[name] = value
    return values


_OF_SESSIONS_FORMS = tuple(f"{name}(pool=mean|max|top<k>|lse<beta>|text)" for name in OF_SESSIONS)


def _valid_names() -> str:
    return ", ".join(
        [*sorted(set(STATELESS) - {*OF_SESSIONS}), *_OF_SESSIONS_FORMS, "rif(rule=uniform|gap,clusters=N)"]
    )

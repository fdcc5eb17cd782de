"""What people read instead of canonical names: labels of variants, blocks and protocols, and their order."""

import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from tasks.records import BenchError
from tasks.simulation.first_stage import FirstStage
from tasks.simulation.suppression import Rule
from tasks.simulation.variants import RIF, STATELESS, Variant, label, parse

_BLOCKS = {"main": "main", "adversarial": "adversarial", "abstention": "abstention", "all": "all questions"}


def variant_label(variant: str) -> str:
    """Return the label of a variant's canonical name for people; a name that nobody knows is its own label.

    >>> variant_label("rif(rule=gap,clusters=30)"), variant_label("hybrid-rerank")
    ('clustered 30, rank-gap', 'hybrid-rerank')
    """
    parsed = _known(variant)
    if parsed is None:
        return variant
    told = {name: value for name, value in parsed.stage_changes.items() if name not in _shared.get()}
    return label(replace(parsed, first_stage=FirstStage.model_validate(told)))


def lines_of_label(variant: str, width: int = 40) -> str:
    """Return a variant's label in lines of at most `width` characters, for the axis of a figure."""
    return textwrap.fill(variant_label(variant), width)


_shared: ContextVar[frozenset[str]] = ContextVar("shared", default=frozenset())


@contextmanager
def sharing_a_stage(variants: Iterable[str]) -> Iterator[None]:
    """Leave out of labels what all variants of a report have in common in their first stage: its method says it once.

    >>> with sharing_a_stage(["bm25(tokenizer=split,fill=true)", "hybrid-rrf(tokenizer=split)", "dense"]):
    ...     variant_label("bm25(tokenizer=split,fill=true)")
    'bm25, fill true'
    """
    known = [parsed for name in variants if (parsed := _known(name))]
    values = {
        name: {getattr(variant.first_stage, name) for variant in known if name in variant.stage_names}
        for name in FirstStage.model_fields
    }
    token = _shared.set(frozenset(name for name, found in values.items() if len(found) == 1))
    try:
        yield
    finally:
        _shared.reset(token)


def variant_order(variant: str) -> tuple[int, int, bool, str]:
    """Return the sort key of a variant: simple retrievers, then suppression from global to finely clustered.

    >>> sorted(["rif(rule=gap,clusters=30)", "hybrid-rerank", "rif(rule=gap,clusters=4)", "bm25"], key=variant_order)
    ['bm25', 'hybrid-rerank', 'rif(rule=gap,clusters=4)', 'rif(rule=gap,clusters=30)']
    """
    parsed = _known(variant)
    if parsed is None:
        return len(STATELESS) + 1, 0, False, variant
    place = (*STATELESS, RIF).index(parsed.name)
    if parsed.rif is None:
        return place, 0, False, variant
    return place, parsed.rif.clusters, parsed.rif.rule is Rule.GAP, variant  # gap after uniform, as in study A


def _known(variant: str) -> Variant | None:
    """Return the variant, or None for the name of another version of the project: its tables can still be read."""
    try:
        return parse(variant)
    except BenchError:
        return None


def block_label(block: str) -> str:
    """Return the label of a block of questions for people."""
    return _BLOCKS.get(block, block)


def question_type_label(question_type: str, width: int = 26) -> str:
    """Return a question type for a figure's title: one line, at most `width` characters.

    >>> question_type_label("single-session-user")
    'single-session-user'
    >>> question_type_label("x" * 30, width=10)
    'xxxxxxxxx…'
    """
    line = " ".join(question_type.split()) or "(no type)"
    return line if len(line) <= width else f"{line[: width - 1]}…"

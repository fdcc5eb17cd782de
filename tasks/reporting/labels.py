"""What people read instead of canonical names: labels of variants, blocks and protocols, and their order."""

import re

_STATELESS = ("bm25", "dense", "hybrid-rrf", "dense-rerank", "hybrid-rerank")
_RULES = {"gap": "rank-gap", "uniform": "uniform"}
_BLOCKS = {"main": "main", "adversarial": "adversarial", "abstention": "abstention", "all": "all questions"}
_CALL = re.compile(r"(?P<head>[a-z0-9-]+)\((?P<arguments>.*)\)")
_ARGUMENT = re.compile(r"(?P<name>\w+)=(?P<value>[^,()]*)")


def variant_label(variant: str) -> str:
    """Return the label of a variant for people; names that are not `rif(...)` are their own label.

    >>> variant_label("rif(rule=gap,clusters=30)")
    'clustered 30, rank-gap'
    >>> variant_label("rif(rule=uniform,clusters=1,alpha=0.1)")
    'global, uniform, alpha 0.1'
    >>> variant_label("hybrid-rerank")
    'hybrid-rerank'
    """
    match = _CALL.fullmatch(variant)
    if match is None or match["head"] != "rif":
        return variant
    arguments = {found["name"]: found["value"] for found in _ARGUMENT.finditer(match["arguments"])}
    clusters = arguments.pop("clusters", "1")
    rule = arguments.pop("rule", "uniform")
    parts = ["global" if clusters in ("0", "1") else f"clustered {clusters}", _RULES.get(rule, rule)]
    return ", ".join([*parts, *(f"{name} {value}" for name, value in arguments.items())])


def variant_order(variant: str) -> tuple[int, int, str]:
    """Return the sort key of a variant: simple retrievers, then suppression from global to finely clustered.

    >>> sorted(["rif(rule=gap,clusters=30)", "hybrid-rerank", "rif(rule=gap,clusters=4)", "bm25"], key=variant_order)
    ['bm25', 'hybrid-rerank', 'rif(rule=gap,clusters=4)', 'rif(rule=gap,clusters=30)']
    """
    place = _STATELESS.index(variant) if variant in _STATELESS else len(_STATELESS)
    clusters = re.search(r"clusters=(\d+)", variant)
    is_later = "1" if "rule=gap" in variant else "0"  # after uniform, as in the study's tables
    return place, int(clusters[1]) if clusters else 0, is_later + variant


def block_label(block: str) -> str:
    """Return the label of a block of questions for people."""
    return _BLOCKS.get(block, block)


def question_type_label(question_type: str, width: int = 24) -> str:
    """Return a question type for a figure's title: one line, at most `width` characters.

    >>> question_type_label("single-session-user")
    'single-session-user'
    >>> question_type_label("x" * 30, width=10)
    'xxxxxxxxx…'
    """
    line = " ".join(question_type.split()) or "(no type)"
    return line if len(line) <= width else f"{line[: width - 1]}…"

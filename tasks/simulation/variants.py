"""Variants: what is compared. Each has one canonical string that parses back, and one label for people."""

import re
from dataclasses import dataclass

from pydantic import ValidationError

from tasks.records import BenchError
from tasks.simulation.suppression import RifParams, Rule, RuleSet

RIF = "rif"
LABELS = {
    "bm25": "BM25",
    "dense": "dense",
    "hybrid-rrf": "hybrid, RRF",
    "dense-rerank": "dense, reranked",
    "hybrid-rerank": "hybrid, reranked (baseline)",
}
"""Stateless variants and their labels for people."""

RERANKED = ("dense-rerank", "hybrid-rerank", RIF)
"""Variants whose final order is the cross-encoder's."""

_RULE_SET_LABELS = {
    RuleSet.PAPER: "the paper's rules",
    RuleSet.PAPER_LITERAL: "the paper's rules to the letter",
}
_ALWAYS_SHOWN = ("rule", "clusters")


@dataclass(frozen=True, slots=True)
class Variant:
    """A retrieval variant; `rif` holds its parameters where it suppresses.

    >>> str(Variant("rif", RifParams(rule=Rule.GAP, clusters=30, alpha=0.5)))
    'rif(rule=gap,clusters=30,alpha=0.5)'
    """

    name: str
    rif: RifParams | None = None

    def __post_init__(self) -> None:
        if (self.name == RIF) != (self.rif is not None) or self.name not in (*LABELS, RIF):
            raise BenchError(f"variant {self.name!r} with parameters {self.rif!r}; expected one of {_valid_names()}")

    def __str__(self) -> str:
        if self.rif is None:
            return self.name
        shown = {**{name: getattr(self.rif, name) for name in _ALWAYS_SHOWN}, **_changed(self.rif)}
        return f"{self.name}({','.join(f'{name}={value}' for name, value in shown.items())})"

    @property
    def is_reranked(self) -> bool:
        """Whether the final order is the cross-encoder's."""
        return self.name in RERANKED


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
    if match is None or name not in (*LABELS, RIF):
        raise BenchError(f"unknown variant {text!r}; expected one of {_valid_names()}")
    if name != RIF:
        if match[2]:
            raise BenchError(f"variant {text!r}: {name} takes no parameters; write {name}")
        return Variant(name)
    return Variant(name, _parse_rif(text, match[2] or ""))


def label(variant: Variant) -> str:
    """Return what people call a variant.

    >>> label(parse("rif(rule=gap,clusters=30)")), label(parse("rif(rule=uniform,clusters=1,rule_set=paper,rho=0)"))
    ('clustered 30, rank-gap', "global, uniform, the paper's rules, rho 0.0")
    """
    if variant.rif is None:
        return LABELS[variant.name]
    rif = variant.rif
    parts = ["global" if rif.clusters == 1 else f"clustered {rif.clusters}"]
    parts.append("rank-gap" if rif.rule is Rule.GAP else "uniform")
    parts += [_RULE_SET_LABELS[rif.rule_set]] if rif.rule_set is not RuleSet.RELEASED else []
    parts += [f"{name} {value}" for name, value in _changed(rif).items() if name != "rule_set"]
    return ", ".join(parts)


def _changed(rif: RifParams) -> dict[str, object]:
    """Return the parameters that differ from their default, by their name in the string, in the order of the fields."""
    return {
        name.rstrip("_"): getattr(rif, name)
        for name, field in RifParams.model_fields.items()
        if name not in _ALWAYS_SHOWN and getattr(rif, name) != field.default
    }


def _parse_rif(text: str, arguments: str) -> RifParams:
    valid = {name.rstrip("_"): name for name in RifParams.model_fields}
    values: dict[str, str] = {}
    for argument in filter(None, (part.strip() for part in arguments.split(","))):
        name, equals, value = (part.strip() for part in argument.partition("="))
        if not equals or name not in valid or valid[name] in values:
            raise BenchError(
                f"variant {text!r}: parameter {argument!r}; expected name=value, each once, with a name of "
                f"{', '.join(valid)}"
            )
        values[valid[name]] = value
    if missing := [name for name in _ALWAYS_SHOWN if name not in values]:
        raise BenchError(f"variant {text!r}: no {' and no '.join(missing)}; write e.g. rif(rule=gap,clusters=30)")
    try:
        return RifParams.model_validate(values)
    except ValidationError as error:
        faults = "; ".join(f"{fault['loc'][0]}={fault['input']}: {fault['msg']}" for fault in error.errors())
        raise BenchError(f"variant {text!r}: {faults}") from error


def _valid_names() -> str:
    return ", ".join([*sorted(LABELS), "rif(rule=uniform|gap,clusters=N)"])

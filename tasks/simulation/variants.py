"""Variants: what is compared. Each has one canonical string that parses back, and one label for people.

A variant's name is the same in every run that does the same: a first stage that is not the default one is in the name
too, so that `bm25` alone always means tokenizer regex, Lucene's idf, k1 1.5, b 0.75.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field, ValidationError

from tasks.records import BenchError, Params
from tasks.simulation.suppression import RifParams, Rule, RuleSet

RIF = "rif"
STATELESS = ("bm25", "dense", "hybrid-rrf", "dense-rerank", "hybrid-rerank")
"""Variants without suppression, in the order of a table."""

RERANKED = ("dense-rerank", "hybrid-rerank", RIF)
"""Variants whose final order is the cross-encoder's."""

_RULE_SET_LABELS = {
    RuleSet.PAPER: "the paper's rules",
    RuleSet.PAPER_LITERAL: "the paper's rules to the letter",
}
_ALWAYS_SHOWN = ("rule", "clusters")


class FirstStage(Params):
    """What makes the lists that a variant starts from; the order of the fields is their order in a variant's name."""

    tokenizer: str = "regex"
    idf: Literal["lucene", "okapi-floor"] = "lucene"
    k1: float = Field(default=1.5, ge=0, allow_inf_nan=False)
    b: float = Field(default=0.75, ge=0, le=1)
    encoder: str = "all-MiniLM-L6-v2"


_LEXICAL, _DENSE = ("tokenizer", "idf", "k1", "b"), ("encoder",)
DEFAULT_STAGE = FirstStage()


@dataclass(frozen=True, slots=True)
class Variant:
    """A retrieval variant; `rif` holds its parameters where it suppresses.

    >>> str(Variant("rif", RifParams(rule=Rule.GAP, clusters=30, alpha=0.5)))
    'rif(rule=gap,clusters=30,alpha=0.5)'
    >>> str(Variant("bm25", first_stage=FirstStage(tokenizer="split", idf="okapi-floor")))
    'bm25(tokenizer=split,idf=okapi-floor)'
    """

    name: str
    rif: RifParams | None = None
    first_stage: FirstStage = DEFAULT_STAGE

    def __post_init__(self) -> None:
        if (self.name == RIF) != (self.rif is not None) or self.name not in (*STATELESS, RIF):
            raise BenchError(f"variant {self.name!r} with parameters {self.rif!r}; expected one of {_valid_names()}")

    def __str__(self) -> str:
        shown: dict[str, object] = {}
        if self.rif is not None:
            shown = {name: getattr(self.rif, name) for name in _ALWAYS_SHOWN} | _changed(self.rif)
        shown |= self.stage_changes
        arguments = ",".join(f"{name}={value}" for name, value in shown.items())
        return f"{self.name}({arguments})" if shown else self.name

    @property
    def is_reranked(self) -> bool:
        """Whether the final order is the cross-encoder's."""
        return self.name in RERANKED

    @property
    def stage_changes(self) -> dict[str, object]:
        """The parameters of the first stage that the variant uses and that differ from their default."""
        return {name: value for name, value in _changed(self.first_stage).items() if name in _stage_names(self.name)}

    def over(self, first_stage: FirstStage) -> "Variant":
        """Return the variant over another first stage; what it does not use of it changes nothing.

        >>> str(parse("dense").over(FirstStage(tokenizer="split")))
        'dense'
        """
        used = {name: getattr(first_stage, name) for name in _stage_names(self.name)}
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
    rif_names = {field.rstrip("_"): field for field in RifParams.model_fields} if name == RIF else {}
    values = _arguments(text, match[2] or "", [*rif_names, *_stage_names(name)])
    if missing := [field for field in _ALWAYS_SHOWN if name == RIF and field not in values]:
        raise BenchError(f"variant {text!r}: no {' and no '.join(missing)}; write e.g. rif(rule=gap,clusters=30)")
    try:
        rif = {rif_names[key]: value for key, value in values.items() if key in rif_names}
        stage = {key: value for key, value in values.items() if key not in rif_names}
        return Variant(name, RifParams.model_validate(rif) if name == RIF else None, FirstStage.model_validate(stage))
    except ValidationError as error:
        faults = "; ".join(f"{fault['loc'][0]}={fault['input']}: {fault['msg']}" for fault in error.errors())
        raise BenchError(f"variant {text!r}: {faults}") from error


def label(variant: Variant) -> str:
    """Return what people call a variant.

    >>> label(parse("rif(rule=gap,clusters=30)")), label(parse("rif(rule=uniform,clusters=1,rule_set=paper,rho=0)"))
    ('clustered 30, rank-gap', "global, uniform, the paper's rules, rho 0.0")
    >>> label(parse("bm25(tokenizer=split)"))
    'bm25, tokenizer split'
    """
    parts = [variant.name] if variant.rif is None else _rif_labels(variant.rif)
    return ", ".join([*parts, *(f"{name} {value}" for name, value in variant.stage_changes.items())])


def _rif_labels(rif: RifParams) -> list[str]:
    parts = ["global" if rif.clusters == 1 else f"clustered {rif.clusters}"]
    parts.append("rank-gap" if rif.rule is Rule.GAP else "uniform")
    parts += [_RULE_SET_LABELS[rif.rule_set]] if rif.rule_set is not RuleSet.RELEASED else []
    return parts + [f"{name} {value}" for name, value in _changed(rif).items() if name != "rule_set"]


def _stage_names(name: str) -> tuple[str, ...]:
    """Return the parameters of the first stage that a variant uses."""
    if name == "bm25":
        return _LEXICAL
    return _DENSE if name.startswith("dense") else (*_LEXICAL, *_DENSE)


def _changed(params: Params) -> dict[str, object]:
    """Return the parameters that differ from their default, by their name in the string, in the order of the fields."""
    return {
        name.rstrip("_"): getattr(params, name)
        for name, field in type(params).model_fields.items()
        if name not in _ALWAYS_SHOWN and getattr(params, name) != field.default
    }


def _arguments(text: str, inside: str, valid: list[str]) -> Mapping[str, str]:
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


def _valid_names() -> str:
    return ", ".join([*sorted(STATELESS), "rif(rule=uniform|gap,clusters=N)"])

"""The headline: one table and a few sentences that say what is shown and what is not. For report and terminal alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tasks.reporting.families import MAIN, baseline_of, members, of_family
from tasks.reporting.labels import variant_label
from tasks.reporting.schemas import COMPARISONS, STREAM_METRICS, SUMMARY, read
from tasks.reporting.text_format import UNDEFINED, estimate, number, p_value, signed
from tasks.reporting.warehouse import read_facts

SIGNIFICANCE_LEVEL = 0.05
"""Two-sided, against the adjusted p-value; the intervals are 95 %."""


@dataclass(frozen=True, slots=True)
class HeadlineTable:
    """Plain strings, not escaped: `rows` has one tuple per variant, as long as `header`; `align` is `l` or `r`."""

    title: str
    header: tuple[str, ...]
    align: str
    rows: tuple[tuple[str, ...], ...]


def headline_table(
    report_dir: Path, block: str | None = None, *, family: int = MAIN, is_compact: bool = False
) -> HeadlineTable:
    """Return the table a reader sees first, or that of another family.

    Parameters
    ----------
    report_dir
        What `build` wrote.
    block
        The block of questions; by default the main one.
    family
        Place of the family of comparisons.
    is_compact
        Leave out the interval of the mean and the mean over conversations: it fits 80 columns then.
    """
    facts = read_facts(report_dir)
    measure, block = facts["params"]["main_measure"], block or facts["params"]["main_block"]
    means = _by_variant(read(report_dir / "tables", SUMMARY), measure, block)
    compared, baseline = _compared(report_dir, measure, block, family), baseline_of(facts, family)
    names = [name for name in members(facts, family) if name in means]
    rows = [_row(name, means[name], compared.get(name), baseline, is_compact=is_compact) for name in names]
    n = max((means[name]["n"] for name in names), default=0)
    has_conversations = any(means[name]["mean_over_conversations"] is not None for name in names)
    header = (
        "variant",
        measure if is_compact else f"{measure} [95 % interval]",
        "mean over conversations",
        "difference [95 % interval]",
        "p adjusted",
        "better / equal / worse",
    )
    keep = [place for place in range(len(header)) if place != 2 or (has_conversations and not is_compact)]
    unit = "question" if n == 1 else "questions"
    return HeadlineTable(
        title=f"{facts['dataset']}, {facts['protocol']}, block {block}: {measure}, n = {n:,} {unit}",
        header=tuple(header[place] for place in keep),
        align="".join("lrrrrr"[place] for place in keep),
        rows=tuple(tuple(row[place] for place in keep) for row in rows),
    )


def _by_variant(frame: pl.DataFrame, measure: str, block: str) -> dict[str, dict[str, Any]]:
    chosen = frame.filter(pl.col("measure") == measure, pl.col("block") == block)
    return {row["variant"]: row for row in chosen.iter_rows(named=True)}


def _compared(report_dir: Path, measure: str, block: str, family: int) -> dict[str, dict[str, Any]]:
    return _by_variant(of_family(read(report_dir / "tables", COMPARISONS), family), measure, block)


def _row(
    name: str,
    mean: Mapping[str, Any],
    compared: Mapping[str, Any] | None,
    baseline: str | None,
    *,
    is_compact: bool,
) -> tuple[str, ...]:
    value = number(mean["mean"]) if is_compact else estimate(mean["mean"], mean["lo"], mean["hi"])
    start = (variant_label(name), value, number(mean["mean_over_conversations"]))
    if name == baseline:
        return (*start, "baseline", "", "")
    if compared is None:
        return (*start, UNDEFINED, UNDEFINED, UNDEFINED)
    changes = f"{compared['wins']:,} / {compared['ties']:,} / {compared['losses']:,}"
    difference = estimate(compared["delta"], compared["lo"], compared["hi"], is_difference=True)
    return (*start, difference, p_value(_p(compared)), changes)


def _p(compared: Mapping[str, Any]) -> float | None:
    """Return the adjusted p-value, or the raw one where nothing had to be adjusted."""
    adjusted: float | None = compared["p_adjusted"]
    return compared["p"] if adjusted is None else adjusted


def verdict(compared: Mapping[str, Any]) -> str:
    """Return `better`, `worse` or `not shown`: the interval excludes 0 and the adjusted p-value is below 0.05."""
    p = _p(compared)
    if p is None or not p < SIGNIFICANCE_LEVEL:
        return "not shown"
    if compared["lo"] > 0:
        return "better"
    return "worse" if compared["hi"] < 0 else "not shown"


def headline_sentences(report_dir: Path, quote: Callable[[str], str] = str) -> list[str]:
    """Say in plain words what the headline table shows and does not show; `quote` is applied to names from outside."""
    facts = read_facts(report_dir)
    sentences = block_sentences(report_dir, facts["params"]["main_block"], quote)
    if any(name.startswith("rif(") for name in members(facts)):
        others = read(report_dir / "tables", STREAM_METRICS)["stream_seed"].n_unique()
        sentences.append(
            "The same questions drove the suppression and are scored (transductive), on one stream: a gain here is no "
            "evidence of a gain on new questions, and the intervals do not hold what another stream would change"
            + (f" (for that, see {others:,} streams under *Other streams*)." if others > 1 else ".")
        )
    return sentences


def block_sentences(
    report_dir: Path, block: str, quote: Callable[[str], str] = str, *, family: int = MAIN
) -> list[str]:
    """Say which variants of a family are better, worse, or not shown to differ from its baseline in a block."""
    facts = read_facts(report_dir)
    measure, baseline = facts["params"]["main_measure"], baseline_of(facts, family)
    if baseline is None:
        return ["Nothing was compared: the run has no baseline beside another variant."]
    compared = _compared(report_dir, measure, block, family)
    names = [name for name in members(facts, family) if name in compared]
    found = {kind: [n for n in names if verdict(compared[n]) == kind] for kind in ("better", "worse", "not shown")}
    against = quote(variant_label(baseline))
    sentences = [
        f"Against {against}, {measure} is {kind} with {_listed(found[kind], compared, quote)}."
        for kind in ("better", "worse")
        if found[kind]
    ]
    if names and not sentences:
        sentences.append(f"No variant is shown to differ from {against} in {measure}.")
    if found["not shown"]:
        sentences.append(_not_shown(found["not shown"], compared, quote))
    return sentences


def _listed(names: list[str], compared: Mapping[str, Mapping[str, Any]], quote: Callable[[str], str]) -> str:
    return "; ".join(f"{quote(variant_label(name))} ({signed(compared[name]['delta'])})" for name in names)


def _not_shown(names: list[str], compared: Mapping[str, Mapping[str, Any]], quote: Callable[[str], str]) -> str:
    labels = "; ".join(quote(variant_label(name)) for name in names)
    effects = [compared[name]["minimum_detectable_effect"] for name in names]
    known = [effect for effect in effects if effect is not None and effect > 0]
    sentence = f"A difference is not shown for {labels}: the interval includes 0, or the adjusted p is 0.05 or more"
    if not known:
        return f"{sentence}."
    smallest, largest = number(min(known)), number(max(known))
    span = smallest if smallest == largest else f"{smallest} to {largest}, by variant,"
    return f"{sentence}; with this many questions such a test finds a true difference of {span} four times in five."

"""Quality: each guarded mean of a run against the accepted run, by paired differences of single questions.

A cell (protocol, variant, measure) **regresses** when two things hold: its mean is shown to be lower, by a one-sided
sign-flip test, adjusted by Holm over all cells of the run on the data set; and it is not shown to lose less than the
tolerated margin, that is, the lower one-sided bound of the difference is not above minus the margin (the criterion of
non-inferiority: Piaggio et al. 2012, "Reporting of noninferiority and equivalence randomized trials"). The test keeps
the probability of any false alarm in a run below the stated level, whatever the margin; the margin keeps a loss that is
real and without consequence from being an alarm. It **improves** when its mean is shown to be higher.

One side of the two-sided test: the distribution under random signs is symmetric, so its p-value is half of the
two-sided one (Fisher 1935). Cells in which too few questions changed for any signs to reach the level are left out of
the family: given the sizes of the differences they could never be rejected (Tarone 1990, "A modified Bonferroni method
for discrete data").
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, nan

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tasks.gate.expectations import QualityRule
from tasks.gate.runs import RunPart
from tasks.randomness import generator
from tasks.significance.effects import ROUNDING
from tasks.significance.multiplicity import holm
from tasks.significance.permutation import sign_flips

PASS, REGRESS, IMPROVE, NOT_COMPARABLE = "pass", "regress", "improve", "not comparable"
Name = tuple[str, str, str]
"""Protocol, variant, measure."""
Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cell:
    """What became of one guarded mean.

    Attributes
    ----------
    protocol, variant, measure
        Which one.
    verdict
        `pass`, `regress`, `improve` or `not comparable`.
    why
        What differs where it is not comparable; what else there is to say where it passes.
    n, n_changed
        Questions with a value, and those whose value is another one.
    before, after, delta
        Mean in the accepted run, in this one, and their difference.
    lo, hi
        One-sided bounds of the difference at the level (Student's t), not adjusted.
    p
        Adjusted p-value (Holm) of the direction in which the mean moved; NaN where too few questions changed.
    margin
        Tolerated loss.
    """

    protocol: str
    variant: str
    measure: str
    verdict: str = PASS
    why: str = ""
    n: int = 0
    n_changed: int = 0
    before: float = nan
    after: float = nan
    delta: float = nan
    lo: float = nan
    hi: float = nan
    p: float = nan
    margin: float = nan

    @property
    def is_loss_possible(self) -> bool:
        """Whether a loss beyond the margin is neither shown nor excluded."""
        return self.verdict == PASS and self.n_changed > 0 and self.lo <= -self.margin


@dataclass(frozen=True, slots=True)
class Column:
    """The values (n,) of one cell in one run, by question id; NaN is undefined. `stream` is its seed and split."""

    query_ids: tuple[str, ...]
    values: Values
    stream: tuple[int | None, str | None] = (None, None)


def differing_facts(accepted: RunPart, run: RunPart) -> list[str]:
    """Say what makes two runs on a data set not comparable as a whole; empty where nothing does."""
    told = {
        "profile": "profile",
        "dataset_fingerprint": "data fingerprint",
        "schema_version": "schema version",
    }
    return [
        f"{label} {_short(accepted.facts[name])} in the accepted run, {_short(run.facts[name])} here"
        for name, label in told.items()
        if accepted.facts[name] != run.facts[name]
    ]


def columns_of(metrics: pl.DataFrame, measures: Iterable[str]) -> dict[Name, Column]:
    """Return the guarded columns of a run's `query_metrics`, by name."""
    chosen = metrics.filter(pl.col("measure").is_in(list(measures))).sort("query_id")
    parts = chosen.partition_by("protocol", "variant", "measure", as_dict=True)
    return {(str(name[0]), str(name[1]), str(name[2])): _column(part) for name, part in sorted(parts.items())}


def _column(part: pl.DataFrame) -> Column:
    streams = part.select("stream_seed", "split").unique(maintain_order=True)
    return Column(tuple(part["query_id"]), part["value"].to_numpy().astype(np.float64), streams.row(0))


def compare_columns(
    accepted: Mapping[Name, Column], run: Mapping[Name, Column], rule: QualityRule, dataset: str
) -> list[Cell]:
    """Judge every cell of two runs that are comparable as a whole.

    Parameters
    ----------
    accepted, run
        Columns by name. A cell that only the run has is left out: there is nothing to compare it with.
    rule
        Level and margins.
    dataset
        For the margins, and the name of the random stream of the signs.

    Returns
    -------
    list of Cell
        In the order of the accepted run's names.
    """
    faults = {name: _fault(accepted[name], run.get(name)) for name in accepted}
    cells = [
        Cell(*name, verdict=NOT_COMPARABLE, why=fault)
        if fault
        else _described(name, accepted[name], run[name], rule, dataset)
        for name, fault in faults.items()
    ]
    differences = {
        (cell.protocol, cell.variant, cell.measure): _differences(accepted, run, cell)
        for cell in cells
        if cell.n_changed and 2.0**-cell.n_changed <= rule.level
    }
    adjusted = _adjusted(differences, dataset) if differences else {}
    return [_judged(cell, adjusted, rule) for cell in cells]


def incomparable(names: Iterable[Name], faults: Sequence[str]) -> list[Cell]:
    """Return the cells of runs that are not comparable as a whole."""
    return [Cell(*name, verdict=NOT_COMPARABLE, why="; ".join(faults)) for name in names]


def _fault(accepted: Column, run: Column | None) -> str:
    """Say why two columns cannot be paired; empty where they can."""
    if run is None:
        return "this run has no values of it"
    if accepted.stream != run.stream:
        return f"stream (seed, split) {accepted.stream} in the accepted run, {run.stream} here"
    before, after = set(accepted.query_ids), set(run.query_ids)
    if before != after:
        return f"question set: {len(before - after):,} questions are gone, {len(after - before):,} are new"
    n_lost = int((np.isnan(run.values) & ~np.isnan(accepted.values)).sum())
    n_found = int((np.isnan(accepted.values) & ~np.isnan(run.values)).sum())
    if n_lost or n_found:
        return f"question set: {n_lost:,} questions lost their value, {n_found:,} have one now"
    return ""


def _described(name: Name, accepted: Column, run: Column, rule: QualityRule, dataset: str) -> Cell:
    is_defined = ~np.isnan(run.values)
    before, after = accepted.values[is_defined], run.values[is_defined]
    margin = rule.margin_of(dataset, name[2])
    if not len(after):
        return Cell(*name, why="no question has a value", margin=margin)
    differences = after - before
    lo, hi = _bounds(differences, rule.level)
    n_changed = int(np.count_nonzero(np.abs(differences) > ROUNDING))
    return Cell(
        *name,
        n=len(after),
        n_changed=n_changed,
        before=float(before.mean()),
        after=float(after.mean()),
        delta=float(differences.mean()),
        lo=lo,
        hi=hi,
        margin=margin,
    )


def _bounds(differences: Values, level: float) -> tuple[float, float]:
    """Return the one-sided bounds mean -+ t(1 - level, n - 1) s / sqrt(n) (Student 1908); infinite for one question."""
    from scipy import stats

    n, mean = len(differences), float(differences.mean())
    if not np.any(differences):
        return 0.0, 0.0
    if n == 1:
        return -inf, inf
    half = float(stats.t.ppf(1 - level, n - 1)) * float(differences.std(ddof=1)) / n**0.5
    return mean - half, mean + half


def _differences(accepted: Mapping[Name, Column], run: Mapping[Name, Column], cell: Cell) -> Values:
    name = (cell.protocol, cell.variant, cell.measure)
    differences = run[name].values - accepted[name].values
    return differences[~np.isnan(differences)]


def _adjusted(differences: Mapping[Name, Values], dataset: str) -> dict[Name, tuple[float, float]]:
    """Return the adjusted one-sided p-values (worse, better) of each cell of the family."""
    two_sided: dict[Name, float] = {}
    for n in sorted({len(column) for column in differences.values()}):
        names = [name for name, column in differences.items() if len(column) == n]
        columns = np.column_stack([differences[name] for name in names])
        found = sign_flips(columns, rng=generator(0, "gate", dataset, n))
        two_sided |= {name: test.p for name, test in zip(names, found, strict=True)}
    names = list(differences)
    is_lower = np.array([differences[name].mean() < 0 for name in names])
    half = np.array([two_sided[name] / 2 for name in names])
    worse, better = holm(np.where(is_lower, half, 1 - half)), holm(np.where(is_lower, 1 - half, half))
    return {name: (float(worse[place]), float(better[place])) for place, name in enumerate(names)}


def _judged(cell: Cell, adjusted: Mapping[Name, tuple[float, float]], rule: QualityRule) -> Cell:
    name = (cell.protocol, cell.variant, cell.measure)
    if name not in adjusted:
        return cell
    worse, better = adjusted[name]
    if cell.delta < 0:
        is_shown = worse <= rule.level
        verdict = REGRESS if is_shown and cell.lo <= -cell.margin else PASS
        why = f"the loss is shown to be below the margin of {cell.margin:g}" if is_shown and verdict == PASS else ""
        return replace(cell, p=worse, verdict=verdict, why=why)
    return replace(cell, p=better, verdict=IMPROVE if better <= rule.level else PASS)


def _short(value: object) -> str:
    text = str(value)
    return f"{text[:12]}…" if len(text) > 24 else text

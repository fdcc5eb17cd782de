"""Cost: time, memory and needless work of each stage, by step detection on the history of runs of one machine.

The rule is a Shewhart chart with robust limits and one run rule. The level is the median of the last `window` runs, its
spread 1.4826 times the median absolute deviation (Hampel 1974, "The influence curve and its role in robust estimation":
one odd night moves neither). A run above level + max(`deviations` x spread, `share` x level, a smallest step) is
**suspect**; the next comparable one above the same limit, from which the suspect was kept away, makes it an **alarm**
("two successive points", Western Electric 1956, Statistical Quality Control Handbook). Before `at_least` runs there is
no verdict. A level that has lasted for `at_least` runs is the new one: whoever did nothing about it has accepted it.

Comparable runs are of one profile, data set and machine, and computed as many artifacts of each step of the stage: a
stage that was taken from the store has no time and no memory to judge. Needless work is an artifact that is computed
again although an earlier run of the history has had it: somebody lost it, or its key is not what it should be.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
import polars as pl

from tasks.gate.expectations import CostRule

PASS, SUSPECT, ALARM, TOO_FEW = "pass", "suspect", "alarm", "too few runs"
UNITS = {"time": "s", "memory": "MB", "misses": "artifacts"}
_MAD_TO_SD = 1.4826  # of a normal distribution: 1 / quantile(0.75)
_LEAST_MISSES = 0.5


@dataclass(frozen=True, slots=True)
class Spent:
    """What one run spent on one stage.

    Attributes
    ----------
    stage
        Name of the stage.
    steps
        (step, artifacts computed) of those that computed any, sorted: runs with others are not comparable.
    time, memory
        Seconds in this run, and MB at the high-water mark of the process; NaN where nothing was computed.
    misses
        Artifacts computed although an earlier run had them.
    """

    stage: str
    steps: tuple[tuple[str, int], ...]
    time: float
    memory: float
    misses: float


@dataclass(frozen=True, slots=True)
class CostVerdict:
    """Verdict on one quantity (`time`, `memory` or `misses`) of one stage, with the level and limit it was held to."""

    stage: str
    quantity: str
    verdict: str
    value: float
    level: float = nan
    limit: float = nan
    n_before: int = 0

    def __str__(self) -> str:
        """Return it in words."""
        unit = UNITS[self.quantity]
        return (
            f"{self.verdict}: {self.quantity} of {self.stage} is {self.value:.1f} {unit}, {self.level:.1f} {unit} in "
            f"the median of {self.n_before} runs (limit {self.limit:.1f})"
        )


def spent(history: Iterable[pl.DataFrame]) -> list[dict[str, Spent]]:
    """Return what each run spent, by stage.

    Parameters
    ----------
    history
        Tables `timings` of comparable runs, oldest first.
    """
    known: set[str] = set()
    found = []
    for timings in history:
        found.append({stage: _spent(stage, part, known) for stage, part in _by_stage(timings)})
        known |= set(timings["artifact_key"])
    return found


def _by_stage(timings: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    parts = timings.partition_by("stage", as_dict=True)
    return [(str(name[0]), part) for name, part in sorted(parts.items())]


def _spent(stage: str, timings: pl.DataFrame, known: set[str]) -> Spent:
    computed = timings.filter(pl.col("state") == "computed")
    misses = float(computed["artifact_key"].is_in(list(known)).sum())
    if not computed.height:
        return Spent(stage, (), nan, nan, misses)
    counts = computed.group_by("step").len().sort("step")
    memory = computed.select(pl.col("peak_memory_mb").max()).item()
    return Spent(stage, tuple(counts.iter_rows()), float(computed["wall_s"].sum()), float(memory), misses)


def judge_costs(history: Sequence[dict[str, Spent]], rule: CostRule) -> list[CostVerdict]:
    """Judge the last run of a history, stage by stage; what it did not compute is not judged but for its misses."""
    verdicts = []
    for stage, last in sorted(history[-1].items()):
        there = [run[stage] for run in history if stage in run]
        alike = [one for one in there if one.steps == last.steps]
        if last.steps:
            verdicts += [
                judge_series(stage, "time", [one.time for one in alike], rule, rule.seconds),
                judge_series(stage, "memory", [one.memory for one in alike], rule, rule.megabytes),
            ]
        verdicts.append(judge_series(stage, "misses", [one.misses for one in there], rule, _LEAST_MISSES))
    return verdicts


def judge_series(stage: str, quantity: str, values: Sequence[float], rule: CostRule, least: float) -> CostVerdict:
    """Judge the last of a series of values, oldest first; `least` is the smallest step worth an alarm."""
    level: list[float] = []
    above: list[float] = []
    verdict = CostVerdict(stage, quantity, TOO_FEW, values[-1])
    for value in values:
        if len(level) < rule.at_least:
            level.append(value)
            continue
        median, limit = _limit(level[-rule.window :], rule, least)
        n_before = min(len(level), rule.window)
        above = [*above, value] if value > limit else []
        name = PASS if not above else SUSPECT if len(above) == 1 else ALARM
        verdict = CostVerdict(stage, quantity, name, value, median, limit, n_before)
        if not above:
            level.append(value)
        elif len(above) >= rule.at_least:
            level, above = above, []
    return verdict


def _limit(level: Sequence[float], rule: CostRule, least: float) -> tuple[float, float]:
    median = float(np.median(level))
    spread = _MAD_TO_SD * float(np.median(np.abs(np.asarray(level) - median)))
    return median, median + max(rule.deviations * spread, rule.share * median, least)

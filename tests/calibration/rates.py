"""Rates over many studies with a planted effect: what the report says, against what was planted.

`python -m tests.calibration.rates 2000` prints the rates over that many studies, other ones than the tests'.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tasks.measures.judged import evaluate
from tasks.measures.names import parse as measure_of
from tasks.reporting.headline import verdict
from tasks.significance.bootstrap import mean_interval
from tasks.significance.permutation import sign_flip
from tasks.significance.tables import Members, Metrics, SignificanceParams, compare
from tests.calibration import planted_pools
from tests.calibration.planted_pools import BASELINE, N_CLUSTERS, N_QUESTIONS

MEASURE = "nDCG@10"
TARGET = f"rif(rule=gap,clusters={N_CLUSTERS})"
FAMILY = (
    "rif(rule=uniform,clusters=1)",
    "rif(rule=gap,clusters=1)",
    f"rif(rule=uniform,clusters={N_CLUSTERS})",
    TARGET,
)
TRUTH_SEEDS = range(10_000, 15_000)

Values = npt.NDArray[np.float64]
Report = Mapping[str, Mapping[str, Any]]
"""The report's rows of comparisons, by variant."""


@dataclass(frozen=True)
class Scenario:
    """How relevance is drawn, and which variants the report compares with the baseline."""

    effect: float
    variants: tuple[str, ...] = (TARGET,)
    shares_relevance: bool = False


NO_EFFECT = Scenario(0.0, FAMILY)
ALONE = Scenario(0.135)
IN_FAMILY = Scenario(0.166, FAMILY)
"""The expected difference of these two is what the report says is found four times in five: of one variant, and of one
among four. The effects were found by trial; a test holds them to it."""
DEPENDENT = Scenario(0.0, shares_relevance=True)
SCENARIOS = (NO_EFFECT, ALONE, IN_FAMILY, DEPENDENT)


@dataclass(frozen=True)
class Calibrated:
    """A scenario's outcome.

    Attributes
    ----------
    means
        Mean difference between `TARGET` and the baseline in each study of the truth seeds.
    differences
        Shape (n_studies, n_questions): differences of each question in the other studies.
    reports
        What was reported of these.
    """

    means: Values
    differences: Values
    reports: Sequence[Report]

    @property
    def truth(self) -> float:
        return float(self.means.mean())

    @property
    def n_covering(self) -> int:
        """Studies whose reported interval holds the truth."""
        return sum(report[TARGET]["lo"] <= self.truth <= report[TARGET]["hi"] for report in self.reports)

    @property
    def n_significant(self) -> int:
        """Studies with a raw p-value below 5 %."""
        return sum(report[TARGET]["p"] < 0.05 for report in self.reports)

    @property
    def n_with_any_verdict(self) -> int:
        """Studies in which some variant of the family is called better or worse."""
        return sum(any(verdict(row) != "not shown" for row in report.values()) for report in self.reports)

    @property
    def claimed_detectable(self) -> float:
        """Mean of the reported minimum detectable effects."""
        return float(np.mean([report[TARGET]["minimum_detectable_effect"] for report in self.reports]))

    @property
    def inflation(self) -> float:
        """Standard deviation of a study's mean over the one that independent questions would have."""
        claimed = np.sqrt(self.differences.var(axis=1, ddof=1).mean() / N_QUESTIONS)
        return float(self.means.std(ddof=1) / claimed)

    def n_called(self, kind: str) -> int:
        """Studies in which `TARGET` is called `better`, or `worse`."""
        return sum(verdict(report[TARGET]) == kind for report in self.reports)

    def by_cluster(self) -> tuple[int, int]:
        """Return how many intervals over means of clusters hold the truth, and how many tests have p < 0.05."""
        means = self.differences.reshape(len(self.differences), -1, N_CLUSTERS).mean(axis=1)
        rngs = [np.random.default_rng(number) for number in range(len(means))]
        intervals = [mean_interval(row, rng=rng) for row, rng in zip(means, rngs, strict=True)]
        p_values = [sign_flip(row, rng=rng).p for row, rng in zip(means, rngs, strict=True)]
        return sum(one.lo <= self.truth <= one.hi for one in intervals), sum(p < 0.05 for p in p_values)


def values_of(seed: int, scenarios: Sequence[Scenario], variants: Sequence[str]) -> dict[Scenario, dict[str, Values]]:
    """Return nDCG@10 of each question of one study, (n,), by scenario and variant."""
    study = planted_pools.draw(seed)
    ranked = {variant: planted_pools.rankings(study, variant) for variant in (BASELINE, *variants)}
    measure = measure_of(MEASURE)
    found = {}
    for scenario in scenarios:
        relevant = planted_pools.is_relevant(study, scenario.effect, shares_relevance=scenario.shares_relevance)
        found[scenario] = {
            name: evaluate(measure, planted_pools.judged(study, ranking, relevant)) for name, ranking in ranked.items()
        }
    return found


def report_of(seed: int, values: Mapping[str, Values], variants: Sequence[str]) -> Report:
    """Return the report of one study: default resamples, and draws of its own."""
    names = (BASELINE, *variants)
    metrics = Metrics(names, (MEASURE,), {(name, MEASURE): values[name] for name in names})
    members = Members(np.arange(N_QUESTIONS), conversation=None)
    rows = compare("main", metrics, members, SignificanceParams(seed=seed)).to_dicts()
    return {row["variant"]: row for row in rows}


def calibrate(studies: Sequence[int], truth: Sequence[int]) -> dict[Scenario, Calibrated]:
    """Draw, replay, measure and report the studies of the seeds `studies`; know the truth from those of `truth`."""
    means: dict[Scenario, list[float]] = {scenario: [] for scenario in SCENARIOS}
    for seed in truth:
        for scenario, values in values_of(seed, SCENARIOS, (TARGET,)).items():
            means[scenario].append(float((values[TARGET] - values[BASELINE]).mean()))
    differences: dict[Scenario, list[Values]] = {scenario: [] for scenario in SCENARIOS}
    reports: dict[Scenario, list[Report]] = {scenario: [] for scenario in SCENARIOS}
    for seed in studies:
        for scenario, values in values_of(seed, SCENARIOS, FAMILY).items():
            differences[scenario].append(values[TARGET] - values[BASELINE])
            reports[scenario].append(report_of(seed, values, scenario.variants))
    return {
        scenario: Calibrated(np.array(means[scenario]), np.array(differences[scenario]), reports[scenario])
        for scenario in SCENARIOS
    }


def _lines(found: Mapping[Scenario, Calibrated]) -> list[str]:
    lines = []
    for scenario, one in found.items():
        n = len(one.reports)
        covering, significant = one.by_cluster()
        error = one.means.std(ddof=1) / np.sqrt(len(one.means))
        lines += [
            f"{scenario}",
            f"  truth {one.truth:+.5f} (standard error {error:.5f}), claimed detectable {one.claimed_detectable:.5f}",
            f"  of {n}: covering {one.n_covering / n:.4f}, p < 0.05 {one.n_significant / n:.4f}, "
            f"better {one.n_called('better') / n:.4f}, worse {one.n_called('worse') / n:.4f}, "
            f"any verdict in the family {one.n_with_any_verdict / n:.4f}",
            f"  inflation {one.inflation:.3f}; by cluster: covering {covering / n:.4f}, p < 0.05 {significant / n:.4f}",
        ]
    return lines


if __name__ == "__main__":
    seeds = range(20_000, 20_000 + int(sys.argv[1]))
    sys.stdout.write("\n".join(_lines(calibrate(seeds, TRUTH_SEEDS))) + "\n")

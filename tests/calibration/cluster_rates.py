"""Rates of the methods for few groups over many simulated comparisons with LoCoMo's ten conversations.

`python -m tests.calibration.cluster_rates 10000` prints the rates over that many comparisons, not those of the tests.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from tasks.randomness import generator
from tasks.significance.bootstrap import mean_intervals
from tasks.significance.cluster_tables import QUESTION_BOOTSTRAP, cluster_inference

SIZES = (196, 105, 193, 260, 242, 158, 190, 239, 193, 202)
"""Questions of conv-26, 30, 41, 42, 43, 44, 47, 48, 49 and 50 with exact evidence in locomo10.json: study B's 1,978."""
GROUPS = np.repeat(np.arange(len(SIZES)), SIZES)
AT_ONCE = 100
"""Comparisons that share their draws: draws have an error of their own, which must not be that of all of them."""
QUESTION_DRAWS = 1_000

Values = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator], Values]


@dataclass(frozen=True)
class Scenario:
    """How differences are drawn, (n_questions, AT_ONCE); `truth` is their expectation."""

    name: str
    draw: Draw
    truth: float = 0.0

    def __str__(self) -> str:
        return self.name


def normal(within: float) -> Draw:
    """Normal differences of variance 1, with this correlation within conversations."""

    def draw(rng: np.random.Generator) -> Values:
        common = rng.normal(size=(len(SIZES), AT_ONCE))[GROUPS]
        own = rng.normal(size=(len(GROUPS), AT_ONCE))
        return np.asarray(np.sqrt(within) * common + np.sqrt(1 - within) * own)

    return draw


def hits(gain: float) -> Draw:
    """Differences of two hits: 30 % of the questions change, and each conversation leans to one side by up to 0.2.

    The lean is uniform around `gain`: its variance, 0.2^2 / 3, is 4.4 % of that of all differences (0.3).
    """

    def draw(rng: np.random.Generator) -> Values:
        lean = (gain + rng.uniform(-0.2, 0.2, size=(len(SIZES), AT_ONCE)))[GROUPS]
        die = rng.random((len(GROUPS), AT_ONCE))
        return np.where(die < 0.15 + lean / 2, 1.0, np.where(die < 0.3, -1.0, 0.0))

    return draw


def skewed(rng: np.random.Generator) -> Values:
    """Conversations lean by an exponential variable less its mean: few gain much, most lose a little.

    The correlation within conversations is 0.05.
    """
    common = (rng.exponential(size=(len(SIZES), AT_ONCE)) - 1)[GROUPS]
    own = rng.normal(size=(len(GROUPS), AT_ONCE))
    return np.asarray(np.sqrt(0.05) * common + np.sqrt(0.95) * own)


INDEPENDENT = Scenario("independent", normal(0.0))
ALIKE = Scenario("alike", normal(0.05))
HITS = Scenario("hits", hits(0.0))
HITS_GAINED = Scenario("hits gained", hits(0.06), truth=0.06)
SKEWED = Scenario("skewed", skewed)
SCENARIOS = (INDEPENDENT, ALIKE, HITS, HITS_GAINED, SKEWED)


@dataclass(frozen=True)
class Found:
    """What a method said in each comparison, (n_studies,) each; NaN where it gives no such number."""

    lo: Values
    hi: Values
    p: Values

    def n_covering(self, truth: float) -> int:
        """Intervals that hold the truth."""
        return int(np.count_nonzero((self.lo <= truth) & (truth <= self.hi)))

    def n_below(self, level: float) -> int:
        """p-values at or below a level."""
        return int(np.count_nonzero(self.p <= level))

    def n_excluding_zero(self) -> int:
        """Intervals without 0: rejections by a two-sided test at 5 %."""
        return int(np.count_nonzero((self.lo > 0) | (self.hi < 0)))


def rates(scenario: Scenario, n_studies: int, seed: int) -> dict[str, Found]:
    """Draw that many comparisons (a multiple of `AT_ONCE`) and infer by every method."""
    parts = list(_parts(scenario, n_studies, seed))
    return {
        method: Found(*(np.concatenate([part[method][place] for part in parts]) for place in range(3)))
        for method in parts[0]
    }


def _parts(scenario: Scenario, n_studies: int, seed: int) -> Iterator[dict[str, Values]]:
    for number in range(n_studies // AT_ONCE):
        names = (seed, "cluster rates", scenario.name, number)
        columns = scenario.draw(generator(*names))
        naive = mean_intervals(columns, rng=generator(*names, "naive"), n_resamples=QUESTION_DRAWS)
        found = cluster_inference(columns, GROUPS, rng=partial(generator, *names))
        part = {method: np.array([(one.lo, one.hi, one.p) for one in ones]).T for method, ones in found.items()}
        yield {QUESTION_BOOTSTRAP: np.array([(one.lo, one.hi, np.nan) for one in naive]).T, **part}


def lines(scenario: Scenario, found: Mapping[str, Found]) -> list[str]:
    """Return the rates as lines of text."""
    shown = [f"{scenario}"]
    for method, one in found.items():
        n = len(one.p)
        shown.append(
            f"  {method:20} covering {one.n_covering(scenario.truth) / n:.4f}  "
            f"excluding 0 {one.n_excluding_zero() / n:.4f}  p <= 0.05 {one.n_below(0.05) / n:.4f}  "
            f"median width {np.median(one.hi - one.lo):.4f}"
        )
    return shown


if __name__ == "__main__":
    for one in SCENARIOS:
        sys.stdout.write("\n".join(lines(one, rates(one, int(sys.argv[1]), seed=1))) + "\n")

"""Whether our number is the published one: `equal`, `consistent`, `different`; and what the word rests on.

`equal`: ours, rounded to the published decimals, is the published number (basis `digits`). `consistent`: where the
study published per-query values, the 95 % interval of the differences ours - published holds 0 (basis `paired`); where
not, the published number lies in our own 95 % interval (basis `interval`). The second test is much the weaker: it
accepts a wrong number as long as our sample is small. A p-value has neither: it is consistent where both are on the
same side of 0.05 (basis `digits`). `different` is anything else. A cell that is not judged has no verdict (basis
`none`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from tasks.studies.declared import Statistic
from tasks.studies.estimates import NAN, Estimate, StudyParams, column_intervals, column_tests
from tasks.studies.published import Number, PerQuery
from tasks.studies.results import Values

IDENTICAL = 1e-9
"""Two values of a question closer than this are the same: both sides computed them in float64."""
SIGNIFICANCE_LEVEL = 0.05


class Verdict(StrEnum):
    """What is said of a published number."""

    EQUAL = "equal"
    CONSISTENT = "consistent"
    DIFFERENT = "different"
    NOT_MEASURED = "not measured"
    NOT_JUDGED = "no verdict"


class Basis(StrEnum):
    """What a verdict rests on."""

    PAIRED = "paired"
    INTERVAL = "interval"
    DIGITS = "digits"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Pairs:
    """Our values beside the published ones, question by question; (n,) each, of the shared questions."""

    ours: Values
    published: Values

    @classmethod
    def of(cls, query_ids: tuple[str, ...], ours: Values, published: PerQuery) -> "Pairs":
        """Keep the questions that both sides have a value for."""
        theirs = np.array([published.get(query_id, NAN) for query_id in query_ids])
        is_shared = ~np.isnan(ours) & ~np.isnan(theirs)
        return cls(ours[is_shared], theirs[is_shared])

    def minus(self, other: "Pairs") -> "Pairs":
        """Return both sides' differences to another variant over the same questions."""
        return Pairs(self.ours - other.ours, self.published - other.published)

    @property
    def n(self) -> int:
        """Shared questions."""
        return len(self.ours)

    @property
    def differences(self) -> Values:
        """Ours - published, (n,)."""
        return np.asarray(self.ours - self.published)

    @property
    def share_identical(self) -> float:
        """Share of the shared questions with the same value."""
        return float((np.abs(self.differences) <= IDENTICAL).mean()) if self.n else NAN

    @property
    def correlation(self) -> float:
        """Pearson's, over the shared questions; NaN where one side is constant."""
        is_constant = self.n < 2 or not np.ptp(self.ours) or not np.ptp(self.published)
        return NAN if is_constant else float(np.corrcoef(self.ours, self.published)[0, 1])


@dataclass(frozen=True, slots=True)
class Paired:
    """The paired test of ours against published: mean difference, its 95 % interval, sign-flip p; shared questions."""

    difference: float
    lo: float
    hi: float
    p: float
    n_shared: int
    share_identical: float
    correlation: float


def paired_tests(pairs: Mapping[int, Pairs], params: StudyParams) -> dict[int, Paired]:
    """Return the paired test of each entry."""
    columns = {key: one.differences for key, one in pairs.items() if one.n}
    intervals, tests = column_intervals(columns, params), column_tests(columns, params)
    return {
        key: Paired(
            *(intervals[key].mean, intervals[key].lo, intervals[key].hi, tests[key]),
            *(pairs[key].n, pairs[key].share_identical, pairs[key].correlation),
        )
        for key in columns
    }


def judge(published: Number, ours: Estimate, paired: Paired | None, statistic: Statistic) -> tuple[Verdict, Basis]:
    """Return the verdict on a published number and what it rests on.

    >>> judge(Number(0.296, 4), Estimate(0.2882, 0.2574, 0.3195, 499), None, Statistic.MEAN)
    (<Verdict.CONSISTENT: 'consistent'>, <Basis.INTERVAL: 'interval'>)
    """
    if not ours.is_measured:
        return Verdict.NOT_MEASURED, Basis.DIGITS
    if published.equals(ours.value):
        return Verdict.EQUAL, Basis.DIGITS
    if statistic in (Statistic.P, Statistic.P_ONE_SIDED):
        is_consistent = (ours.value < SIGNIFICANCE_LEVEL) == (published.value < SIGNIFICANCE_LEVEL)
        basis = Basis.DIGITS
    elif paired is not None:
        is_consistent, basis = paired.lo <= 0 <= paired.hi, Basis.PAIRED
    elif np.isnan(ours.lo):
        is_consistent, basis = False, Basis.DIGITS  # a count of the state: it is the published one or not
    else:
        is_consistent, basis = ours.lo <= published.value <= ours.hi, Basis.INTERVAL
    return (Verdict.CONSISTENT if is_consistent else Verdict.DIFFERENT), basis

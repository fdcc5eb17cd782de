"""Our value of every quantity, with its interval, from per-query values."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tasks.randomness import generator
from tasks.records import Params
from tasks.significance.bootstrap import Interval, mean_intervals
from tasks.significance.permutation import sign_flips
from tasks.significance.tables import DECIMALS
from tasks.studies.declared import STATE_MEASURES, Quantity, Statistic
from tasks.studies.results import Results, Values

NAN = float("nan")
Key = TypeVar("Key", bound=Hashable)


class StudyParams(Params):
    """How a study's numbers are compared with ours.

    Attributes
    ----------
    n_resamples, seed
        Bootstrap resamples and sign-flips, and the run's seed.
    published_digest
        Digest of the published files (`Published.digest`): it makes them an ingredient of the artifact's key.
    """

    n_resamples: int = 10_000
    seed: int = 42
    published_digest: str = ""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Our value of a quantity and its 95 % interval; `n` questions. NaN where the run does not hold it.

    `lo` and `hi` are NaN where there are no questions to resample: of a state, and of a p.
    """

    value: float = NAN
    lo: float = NAN
    hi: float = NAN
    n: int = 0

    @property
    def is_measured(self) -> bool:
        """Whether the run holds it."""
        return not np.isnan(self.value)


NOTHING = Estimate()
"""Not measured."""


def vector(results: Results, quantity: Quantity) -> Values | None:
    """Return a quantity question by question, (n,): a difference where it is one; None where the run lacks a side."""
    ours = results.values(quantity.protocol, quantity.variant, quantity.measure)
    if ours is None:
        return None
    if quantity.against is not None:
        other = results.values(quantity.protocol, quantity.against, quantity.measure)
        if other is None:
            return None
        ours = ours - other
    if quantity.question_type is None:
        return ours
    return np.where(results.judged[quantity.protocol].question_types == quantity.question_type, ours, np.nan)


def estimates(results: Results, quantities: Iterable[Quantity], params: StudyParams) -> dict[Quantity, Estimate]:
    """Return our value of each quantity. Those over the same questions see the same resamples."""
    wanted = list(dict.fromkeys(quantities))
    of_states = [quantity for quantity in wanted if quantity.measure in STATE_MEASURES]
    columns = {
        quantity: found
        for quantity in wanted
        if quantity not in of_states and (found := vector(results, quantity)) is not None
    }
    intervals = column_intervals({q: v for q, v in columns.items() if q.statistic is not Statistic.P}, params)
    tests = column_tests({q: v for q, v in columns.items() if q.statistic is Statistic.P}, params)
    found_all = dict.fromkeys(wanted, NOTHING)
    found_all |= {quantity: Estimate(_of_state(results, quantity)) for quantity in of_states}
    found_all |= {quantity: Estimate(p, n=_defined(columns[quantity])) for quantity, p in tests.items()}
    found_all |= {quantity: _estimate(results, quantity, interval) for quantity, interval in intervals.items()}
    return found_all


def column_intervals(columns: Mapping[Key, Values], params: StudyParams) -> dict[Key, Interval]:
    """Return the mean and interval of each column (n,); NaN is left out."""
    found: dict[Key, Interval] = {}
    for keys, defined in _alike(columns):
        rng = generator(params.seed, "study", "bootstrap")
        rows = mean_intervals(defined, rng=rng, n_resamples=params.n_resamples)
        found |= dict(zip(keys, rows, strict=True))
    return found


def column_tests(columns: Mapping[Key, Values], params: StudyParams) -> dict[Key, float]:
    """Return the two-sided sign-flip p of each column of differences (n,); NaN is left out."""
    found: dict[Key, float] = {}
    for keys, defined in _alike(columns):
        rng = generator(params.seed, "study", "sign-flip")
        tests = sign_flips(defined, rng=rng, n_draws=params.n_resamples) if len(defined) else []
        found |= {key: test.p for key, test in zip(keys, tests, strict=False)}
    return found


def _alike(columns: Mapping[Key, Values]) -> Iterator[tuple[list[Key], NDArray[np.float64]]]:
    """Yield the columns that are undefined at the same places together, as (keys, (n defined, m))."""
    groups: dict[bytes, list[Key]] = defaultdict(list)
    for key, column in columns.items():
        groups[np.isnan(column).tobytes()].append(key)
    for keys in groups.values():
        is_defined = ~np.isnan(columns[keys[0]])
        yield keys, np.column_stack([columns[key][is_defined] for key in keys])


def _estimate(results: Results, quantity: Quantity, interval: Interval) -> Estimate:
    scale = _scale(results, quantity)
    value, lo, hi = (round(number / scale, DECIMALS) for number in (interval.mean, interval.lo, interval.hi))
    return Estimate(value, lo, hi, interval.n)


def _scale(results: Results, quantity: Quantity) -> float:
    """Return what a relative difference is relative to: the mean of the other side, taken as known."""
    if quantity.statistic is not Statistic.RELATIVE or quantity.against is None:
        return 1.0
    other = results.values(quantity.protocol, quantity.against, quantity.measure)
    mean = NAN if other is None else float(np.nanmean(other))
    return mean or NAN


def _of_state(results: Results, quantity: Quantity) -> float:
    def value(name: str) -> float:
        return results.state(quantity.protocol, name, quantity.measure, quantity.step)

    ours = value(quantity.variant)
    if quantity.against is None:
        return ours
    other = value(quantity.against)
    difference = ours - other
    return difference / other if quantity.statistic is Statistic.RELATIVE else difference


def _defined(column: Values) -> int:
    return int(np.count_nonzero(~np.isnan(column)))

"""Our value of every quantity, with its interval, from per-query values."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tasks.randomness import generator
from tasks.records import Params
from tasks.significance.bootstrap import Interval, mean_intervals
from tasks.significance.clustered import cluster_bootstrap
from tasks.significance.grouped import grouped
from tasks.significance.permutation import sign_flips
from tasks.significance.tables import DECIMALS
from tasks.studies.declared import STATE_MEASURES, Quantity, Statistic
from tasks.studies.published import STUDY_A
from tasks.studies.results import Flags, Judged, Results, Values

NAN = float("nan")
QUERY_GROUPS = "query_groups"
CLOSE = 1e-9
"""Numbers of a table's line that are closer are the same."""
Key = TypeVar("Key", bound=Hashable)


class StudyParams(Params):
    """How a study's numbers are compared with ours.

    Attributes
    ----------
    study
        Its name.
    n_resamples, seed
        Bootstrap resamples and sign-flips, and the run's seed.
    published_digest
        Digest of the published files (`Published.digest`): it makes them an ingredient of the artifact's key.
    """

    study: Literal["study-a", "study-b"] = "study-a"
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
    is_asked = _asked(results.judged[quantity.protocol], quantity)
    return None if is_asked is None else np.where(is_asked, ours, np.nan)


def _asked(report: Judged, quantity: Quantity) -> Flags | None:
    """Return (n,) bool: the questions that a quantity is about; None where the run does not say its group."""
    questions = report.questions
    is_asked = np.ones(len(questions.query_ids), dtype=bool)
    if quantity.question_type is not None:
        is_asked &= questions.question_types == quantity.question_type
    if quantity.block is not None:
        is_asked &= questions.blocks == quantity.block
    if quantity.group is not None:
        groups = report.table(QUERY_GROUPS)
        if groups is None:
            return None
        by, group = quantity.group
        members = set(groups.filter(pl.col("by") == by, pl.col("group") == group)["query_id"])
        is_asked &= np.array([query_id in members for query_id in questions.query_ids])
    return is_asked


def estimates(results: Results, quantities: Iterable[Quantity], params: StudyParams) -> dict[Quantity, Estimate]:
    """Return our value of each quantity. Those over the same questions see the same resamples."""
    wanted = list(dict.fromkeys(quantities))
    of_states = {quantity for quantity in wanted if quantity.measure in STATE_MEASURES}
    of_tables = {quantity for quantity in wanted if quantity.source is not None}
    columns = {
        quantity: found
        for quantity in wanted
        if quantity not in of_states | of_tables and (found := vector(results, quantity)) is not None
    }

    def of(*statistics: Statistic) -> dict[Quantity, Values]:
        return {quantity: column for quantity, column in columns.items() if quantity.statistic in statistics}

    found_all = dict.fromkeys(wanted, NOTHING)
    found_all |= {quantity: Estimate(_of_state(results, quantity)) for quantity in of_states}
    found_all |= {quantity: _of_table(results, quantity) for quantity in of_tables}
    found_all |= {q: Estimate(float(_defined(v)), n=_defined(v)) for q, v in of(Statistic.N).items() if _defined(v)}
    tests = column_tests(of(Statistic.P), params)
    found_all |= {quantity: Estimate(p, n=_defined(columns[quantity])) for quantity, p in tests.items()}
    sampled = of(Statistic.MEAN, Statistic.DIFFERENCE, Statistic.RELATIVE, Statistic.P_ONE_SIDED)
    return found_all | _resampled(results, sampled, params)


def _resampled(results: Results, columns: Mapping[Quantity, Values], params: StudyParams) -> dict[Quantity, Estimate]:
    """Return the estimates that come from resamples: of questions, and of conversations where study B draws these."""
    if params.study == STUDY_A:
        return {q: _estimate(results, q, interval) for q, interval in column_intervals(columns, params).items()}
    found: dict[Quantity, Estimate] = {}
    for protocol in dict.fromkeys(quantity.protocol for quantity in columns):
        mine = {quantity: column for quantity, column in columns.items() if quantity.protocol == protocol}
        scopes = results.judged[protocol].questions.scope_ids
        # Questions of a pool or of a haystack of their own are draws themselves: each is a group of one.
        is_clustered = protocol.startswith("conversation-")
        groups = np.unique(scopes, return_inverse=True)[1] if is_clustered else np.arange(len(scopes))
        quantities = list(mine)
        for places, part in grouped(np.column_stack(list(mine.values())), groups):
            rng = generator(params.seed, "study", "bootstrap")
            drawn = cluster_bootstrap(part, rng=rng, n_draws=params.n_resamples)
            for quantity, one in zip((quantities[place] for place in places.tolist()), drawn, strict=True):
                is_p = quantity.statistic is Statistic.P_ONE_SIDED
                interval = Interval(one.delta, one.lo, one.hi, one.n, 0)
                found[quantity] = Estimate(one.p, n=one.n) if is_p else _estimate(results, quantity, interval)
    return found


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


def _of_table(results: Results, quantity: Quantity) -> Estimate:
    """Return a number of a table of the report; NaN where it has no such line, or more than one."""
    report, source = results.judged.get(quantity.protocol), quantity.source
    frame = None if report is None or source is None else report.table(source.table)
    if frame is None or source is None:
        return NOTHING
    line = {"variant": quantity.variant, "measure": quantity.measure}
    wanted = {name: value for name, value in line.items() if name in frame.columns} | dict(source.line)
    if not {source.column, source.over or source.column, *wanted} <= set(frame.columns):
        return NOTHING
    for name, value in wanted.items():
        is_close = isinstance(value, float)
        frame = frame.filter((pl.col(name) - value).abs() < CLOSE if is_close else pl.col(name) == value)
    if source.over is not None:
        n = int(frame[source.over].sum())
        return Estimate(float(frame[source.column].sum()) / n, n=n) if n else NOTHING
    if frame.height != 1:
        return NOTHING
    row = frame.row(0, named=True)
    return Estimate(float(row[source.column]), n=int(row.get("n") or 0))


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

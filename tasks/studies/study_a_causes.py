"""What moves our number away from the published one: each known cause, isolated by a measurement of its own.

A shift is ours with the cause minus ours without, in means over the same questions; two causes have only the published
values to be measured against (the missing question, and what the first stage and the reranker leave).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tasks.reporting.schemas import conform
from tasks.studies.declared import NDCG, POOL_RECALL
from tasks.studies.estimates import NAN, NOTHING, Estimate, StudyParams, column_intervals
from tasks.studies.names import Settings
from tasks.studies.published import Published
from tasks.studies.results import Results, Values
from tasks.studies.schemas import CAUSES
from tasks.studies.study_a_names import PROTOCOL_OF, SPLIT, SUPPRESSION, main_variant
from tasks.studies.verdicts import IDENTICAL, Pairs

ROWS = ("baseline", "clustered30-gap")
MEASURES = (NDCG, POOL_RECALL)
_SWITCHES: tuple[tuple[str, Settings, str], ...] = (
    ("BM25's idf", {"idf": "lucene"}, "Lucene's idf instead of the floor of the study's library"),
    ("order of equal scores", {"ties": "opaque"}, "an opaque key decides instead of dense first"),
    ("rank origin", {"rank_origin": 1}, "ranks count from 1 instead of 0"),
    ("lists filled", {"fill": False}, "documents of score 0 do not fill BM25 lists"),
)


@dataclass(frozen=True, slots=True)
class Shift:
    """How far one cause moves a row, in both measures; `n` questions."""

    cause: str
    how: str
    ndcg: Estimate = NOTHING
    recall: Estimate = NOTHING

    @property
    def is_measured(self) -> bool:
        """Whether there is a number in it."""
        return self.ndcg.is_measured or self.recall.is_measured


def causes(results: Results, published: Published, params: StudyParams) -> pl.DataFrame:
    """Return the rows of `CAUSES` of one data set; none where nothing was published query by query."""
    rows: list[dict[str, Any]] = []
    for row in ROWS:
        if published.per_query(results.dataset, row, NDCG) is None:
            continue
        found = [*_against_published(row, results, published, params), *_switched(row, results, params)]
        found += [*_tie_bounds(row, results), *_streams(row, results)]
        rows += [
            {
                "dataset": results.dataset, "row": row, "cause": shift.cause, "how": shift.how, "position": place,
                "n": max(shift.ndcg.n, shift.recall.n), "ndcg": shift.ndcg.value, "ndcg_lo": shift.ndcg.lo,
                "ndcg_hi": shift.ndcg.hi, "recall": shift.recall.value, "recall_lo": shift.recall.lo,
                "recall_hi": shift.recall.hi,
            }
            for place, shift in enumerate(shift for shift in found if shift.is_measured)
        ]  # fmt: skip
    return conform(pl.DataFrame(rows, schema=CAUSES.schema), CAUSES)


def _against_published(row: str, results: Results, published: Published, params: StudyParams) -> Iterator[Shift]:
    protocol, variant = PROTOCOL_OF[results.dataset], main_variant(row, SPLIT, SUPPRESSION)
    both: dict[str, Pairs] = {}
    for measure in MEASURES:
        ours, theirs = results.values(protocol, variant, measure), published.per_query(results.dataset, row, measure)
        if ours is None or theirs is None:
            return
        both[measure] = Pairs.of(results.judged[protocol].query_ids, ours, theirs)
    yield _missing(row, both, results.dataset, published)
    ndcg, recall = both[NDCG], both[POOL_RECALL]
    if row != "baseline":
        whole = column_intervals({NDCG: ndcg.differences, POOL_RECALL: recall.differences}, params)
        how = (
            "ours - published, all of it: the reranker decides what wins, hence what is suppressed, hence the pool; "
            f"{_alike(ndcg)}"
        )
        yield Shift("reranker, directly and through the state", how, *map(_of, (whole[NDCG], whole[POOL_RECALL])))
        return
    found = column_intervals({POOL_RECALL: recall.differences}, params)[POOL_RECALL]
    how = f"ours - published in the recall of the pool: identical on {recall.share_identical:.1%} of the questions"
    yield Shift("first stage", how, recall=_of(found))
    has_same_pool = np.abs(recall.differences) <= IDENTICAL
    rest = Pairs(ndcg.ours[has_same_pool], ndcg.published[has_same_pool])
    remains = column_intervals({NDCG: rest.differences}, params)[NDCG]
    how = f"ours - published where the pool's recall is identical: L-12 in int8 instead of L-6; {_alike(rest)}"
    yield Shift("reranker", how, _of(remains))


def _missing(row: str, both: dict[str, Pairs], dataset: str, published: Published) -> Shift:
    """Return the published mean over the shared questions minus that over all of them."""
    shifts, n_all = [], 0
    for measure in MEASURES:
        everything = list((published.per_query(dataset, row, measure) or {}).values())
        n_all = len(everything)
        shifts.append(Estimate(float(both[measure].published.mean() - np.mean(everything)), n=both[measure].n))
    how = f"published mean over the {both[NDCG].n:,} shared questions minus that over all {n_all:,}"
    return Shift("missing questions", how, *shifts)


def _switched(row: str, results: Results, params: StudyParams) -> Iterator[Shift]:
    """Yield what a setting of the first stage does: the row with it minus the row without."""
    plain = main_variant(row, SPLIT, SUPPRESSION)
    for cause, settings, how in _SWITCHES:
        other = main_variant(row, SPLIT, SUPPRESSION, settings)
        columns: dict[str, Values] = {}
        for measure in MEASURES:
            sides = [results.values(PROTOCOL_OF[results.dataset], name, measure) for name in (other, plain)]
            if sides[0] is not None and sides[1] is not None:
                columns[measure] = np.asarray(sides[0] - sides[1])
        found = {measure: _of(interval) for measure, interval in column_intervals(columns, params).items()}
        yield Shift(cause, how, *(found.get(measure, NOTHING) for measure in MEASURES))


def _tie_bounds(row: str, results: Results) -> Iterator[Shift]:
    """Yield what the order of equal scores could do at most, from the tie audit."""
    report = results.judged.get(PROTOCOL_OF[results.dataset])
    if report is None:
        return
    mine = report.ties.filter(pl.col("variant") == main_variant(row, SPLIT, SUPPRESSION))
    for bound, word in (("pessimistic", "worst"), ("optimistic", "best")):
        shifts = []
        for measure in MEASURES:
            found = mine.filter(pl.col("measure") == measure)
            values = (found[bound][0] - found["value"][0], found["n"][0]) if found.height else (NAN, 0)
            shifts.append(Estimate(float(values[0]), n=int(values[1])))
        yield Shift(f"equal logits, {word} order", f"tie audit: the {word} order of equal final scores", *shifts)


def _streams(row: str, results: Results) -> Iterator[Shift]:
    """Yield one standard deviation over streams: what another seed would move."""
    report = results.judged.get(PROTOCOL_OF[results.dataset])
    if report is None:
        return
    mine = report.streams.filter(pl.col("variant") == main_variant(row, SPLIT, SUPPRESSION))
    shifts, n_streams = [], 0
    for measure in MEASURES:
        means = mine.filter(pl.col("measure") == measure)["mean"].to_numpy()
        n_streams = max(n_streams, len(means))
        shifts.append(Estimate(float(np.std(means, ddof=1))) if len(means) > 1 else NOTHING)
    yield Shift("another stream", f"one standard deviation of the mean over {n_streams:,} streams", *shifts)


def _of(interval: Any) -> Estimate:
    return Estimate(interval.mean, interval.lo, interval.hi, interval.n)


def _alike(pairs: Pairs) -> str:
    return f"nDCG identical on {pairs.share_identical:.1%} of them, correlation {pairs.correlation:.3f}"

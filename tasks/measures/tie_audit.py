"""Tie audit (fault T1): how far a measure depends on the order of equal scores.

A retriever that gives several items the same score has not ranked them: somebody's tie rule has. The audit gives the
value of a measure under the best and the worst of these orders, and its expectation when each is equally likely
(McSherry & Najork 2008, "Computing information retrieval performance measures efficiently in the presence of tied
scores").
"""

from dataclasses import dataclass, replace

import numpy as np

from tasks.measures.judged import Gains, Judged, Measure, Values, evaluate
from tasks.measures.ndcg import NDCG
from tasks.measures.recall import PoolRecall, Recall, RecallAll
from tasks.measures.reciprocal_rank import ReciprocalRank
from tasks.measures.success import Success
from tasks.measures.ties import Flags, Places, Ties
from tasks.records import BenchError


@dataclass(frozen=True, slots=True)
class TieAudit:
    """What ties do to one measure, each (n,): NaN for a query without relevance, `measure.unanswered` without results.

    Attributes
    ----------
    value
        Of the ranking as it is.
    optimistic, expected, pessimistic
        Best, mean and worst over all orders of the items inside groups of equal scores; `expected` is None for a
        measure whose closed form is not known here.
    is_tied_at_cut
        Whether a group of equal scores lies on both sides of the measure's cutoff.
    reaches_depth
        Whether the group of the last item that counts goes on to the last item kept, so that equal scores beyond the
        depth may be missing: the bounds are then those of what was retrieved. So it is for every full ranking when the
        cutoff is not above the depth's own: audit a deeper ranking. For RR without a cutoff, the group of the first
        relevant item.
    """

    value: Values
    optimistic: Values
    expected: Values | None
    pessimistic: Values
    is_tied_at_cut: Flags
    reaches_depth: Flags


def audit(ties: Ties, measure: Measure) -> TieAudit:
    """Return what the ties do to a measure, query by query.

    The bounds hold for every measure that does not get worse when an item moves up past one with less gain: all of
    ours but `pool_R`. Where documents were folded into items first, the orders are those of the items.

    Raises
    ------
    BenchError
        For `pool_R`: which pool was reranked is decided by the ties of the first stage, not by those of the ranking.
    """
    if isinstance(measure, PoolRecall):
        raise BenchError(f"{measure} has no tie audit: it does not depend on the order of the ranking")
    expected = _expected(ties, measure)
    return TieAudit(
        value=evaluate(measure, ties.judged()),
        optimistic=evaluate(measure, ties.judged(_sorted_inside(ties, -ties.gains))),
        expected=None if expected is None else _with_emptiness(ties, measure, expected),
        pessimistic=evaluate(measure, ties.judged(_sorted_inside(ties, ties.gains))),
        is_tied_at_cut=_is_tied_at_cut(ties, measure),
        reaches_depth=_reaches_depth(ties, measure),
    )


def _sorted_inside(ties: Ties, key: Gains) -> Gains:
    """Return the gains with each group sorted by `key` (n, depth), ascending."""
    order = np.lexsort((key, ties.starts), axis=-1)
    return np.take_along_axis(ties.gains, order, axis=1)


def _with_emptiness(ties: Ties, measure: Measure, values: Values) -> Values:
    """Put in the measure's own values where there is nothing to measure, as `evaluate` does."""
    values = np.where(ties.n_ranked == 0, measure.unanswered, values)
    return np.where(ties.judged().n_relevant == 0, measure.without_relevance, values)


def _cutoff(measure: Measure) -> int | None:
    cutoff: int | None = getattr(measure, "cutoff", None)
    return cutoff


def _is_tied_at_cut(ties: Ties, measure: Measure) -> Flags:
    cutoff = _cutoff(measure)
    if cutoff is None or cutoff >= ties.gains.shape[1]:
        return np.zeros(len(ties.gains), dtype=np.bool_)
    is_tied: Flags = ties.ends[:, cutoff - 1] > cutoff
    return is_tied


def _reaches_depth(ties: Ties, measure: Measure) -> Flags:
    cutoff = _cutoff(measure)
    is_relevant = ties.gains > 0
    last = is_relevant.argmax(axis=1) if cutoff is None else np.minimum(cutoff, ties.n_ranked) - 1
    counts = ties.n_ranked > 0 if cutoff is not None else is_relevant.any(axis=1)
    end = np.take_along_axis(ties.ends, last.clip(min=0)[:, None], axis=1)[:, 0]
    reaches: Flags = ties.is_cut & counts & (end == ties.n_ranked)
    return reaches


def _expected(ties: Ties, measure: Measure) -> Values | None:
    """Return the mean over all orders, (n,) float64, or None; queries without relevance or results are ignored."""
    with np.errstate(invalid="ignore", divide="ignore"):
        match measure:
            case NDCG():
                return _expected_ndcg(ties, measure)
            case Recall(cutoff=cutoff):
                # Linearity: each place holds a relevant item with the share of relevant ones in its group.
                shares = ties.group_means(ties.gains > 0)[:, :cutoff]
                found: Values = shares.sum(axis=1) / ties.judged().n_relevant
                return found
            case Success(cutoff=cutoff):
                return _expected_success(ties, cutoff)
            case RecallAll(cutoff=cutoff):
                return _expected_all(ties, cutoff)
            case ReciprocalRank(cutoff=cutoff):
                return _expected_reciprocal_rank(ties, cutoff)
    return None


def _expected_ndcg(ties: Ties, measure: NDCG) -> Values:
    """McSherry & Najork 2008: DCG is linear in what each place gains, which is its group's mean."""
    gains, ideal = ties.gains.astype(np.float64), ties.ideal.astype(np.float64)
    if measure.dcg == "exp-log2":
        measure, gains, ideal = replace(measure, dcg="log2"), np.exp2(gains) - 1.0, np.exp2(ideal) - 1.0
    # Judged holds integers by its type; the discounted sum, whose formula stays in one place, takes means as well.
    judged = Judged(ties.group_means(gains), ties.n_ranked, ideal)  # type: ignore[arg-type]
    return measure.values(judged)


@dataclass(frozen=True, slots=True)
class _Cut:
    """The group in which a cut falls, each (n,): how many items, of them relevant, and of them before the cut.

    `n_before` counts the relevant items of earlier groups.
    """

    size: Places
    n_relevant: Places
    n_inside: Places
    n_before: Places


def _cut(ties: Ties, cutoff: int) -> _Cut:
    is_relevant = ties.gains > 0
    cutoff = min(cutoff, is_relevant.shape[1])
    start, end = ties.starts[:, cutoff - 1], ties.ends[:, cutoff - 1]
    counted = np.concatenate([np.zeros((len(start), 1), dtype=np.int64), is_relevant.cumsum(axis=1)], axis=1)
    rows = np.arange(len(start))
    before, until = counted[rows, start], counted[rows, end]
    return _Cut(end - start, until - before, cutoff - start, before)


def _expected_success(ties: Ties, cutoff: int) -> Values:
    cut = _cut(ties, cutoff)
    return np.where(cut.n_before > 0, 1.0, 1.0 - _none_drawn(cut.size, cut.n_relevant, cut.n_inside))


def _expected_all(ties: Ties, cutoff: int) -> Values:
    cut = _cut(ties, cutoff)
    found = cut.n_before + cut.n_relevant
    none_behind = _none_drawn(cut.size, cut.n_relevant, cut.size - cut.n_inside)
    return np.where(found == ties.judged().n_relevant, none_behind, 0.0)


def _none_drawn(size: Places, n_relevant: Places, n_drawn: Places) -> Values:
    """Return the chance that `n_drawn` of `size` items, drawn without replacement, hold none of the relevant ones.

    Hypergeometric: C(size - n_relevant, n_drawn) / C(size, n_drawn), factor by factor.
    """
    chance = np.ones(len(size))
    for t in range(int(n_drawn.max(initial=0))):
        step = np.maximum(size - n_relevant - t, 0) / np.maximum(size - t, 1)
        chance = np.where(t < n_drawn, chance * step, chance)
    return chance


def _expected_reciprocal_rank(ties: Ties, cutoff: int | None) -> Values:
    """McSherry & Najork 2008: over the places of the first relevant item in the first group with one."""
    is_relevant = ties.gains > 0
    rows, first = np.arange(len(is_relevant)), is_relevant.argmax(axis=1)
    start = ties.starts[rows, first]
    size = ties.ends[rows, first] - start
    n_relevant = ties.group_sums(is_relevant)[rows, first].astype(np.int64)
    total, none_yet = np.zeros(len(first)), np.ones(len(first))
    for t in range(int(size.max(initial=0))):
        rank = start + t + 1
        left = np.maximum(size - t, 1)
        counts = (t < size) & (rank <= (cutoff or is_relevant.shape[1]))
        total += np.where(counts, none_yet * n_relevant / left / rank, 0.0)
        none_yet *= np.maximum(size - n_relevant - t, 0) / left
    return total

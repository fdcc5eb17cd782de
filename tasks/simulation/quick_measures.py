"""Measures of a replay's rankings as compiled array work: what the stages measures and behaviour say, at once.

They are written a second time here, on purpose (as the replay itself is): a hundred streams of every variant, or the
cells of a sweep, are measured in a fraction of the time of their replay. A test demands equality with the stages.
Nothing is cut: a ranking is the whole pool, as where `replay.depth` is at least P.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tasks.measures.judged import Measure
from tasks.measures.names import parse
from tasks.measures.ndcg import NDCG
from tasks.measures.recall import PoolRecall, Recall, RecallAll
from tasks.measures.reciprocal_rank import ReciprocalRank
from tasks.measures.success import Success
from tasks.records import BenchError
from tasks.simulation.replay_kernels import compiled
from tasks.simulation.truth import Truth

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]

BEHAVIOURS = ("exact_episode", "wrong_family", "sibling_confusion", "stale_fact")
"""Study A's decomposition of the top-1 (protocols.md A.7)."""
SUPPORTED = (
    "nDCG@k, nDCG(dcg='exp-log2')@k, nDCG(dcg='longmemeval')@k, R@k, R_all@k, pool_R@k, Success@k, RR, RR@k, "
    + ", ".join(BEHAVIOURS)
)

_EVERYTHING = np.iinfo(np.int64).max
_KINDS: dict[type[Measure], int] = {NDCG: 0, Recall: 1, RecallAll: 2, Success: 3, ReciprocalRank: 4, PoolRecall: 5}
_FIRST_BEHAVIOUR = 6
_N_KINDS = _FIRST_BEHAVIOUR + len(BEHAVIOURS)


class QuickMeasures:
    """The measures of one list of names, ready for any number of replays of the same pools.

    Parameters
    ----------
    names
        Names of measures (grammar of ir-measures) and of behaviours.
    truth
        What is right about the candidates.

    Raises
    ------
    BenchError
        For a name that is not supported: it lists those that are.
    """

    def __init__(self, names: Sequence[str], truth: Truth) -> None:
        self.names = tuple(names)
        self.truth = truth
        parsed = [_parsed(name) for name in names]
        self._kinds = np.array([kind for kind, _, _ in parsed], np.int64)
        self._cutoffs = np.array([cutoff for _, cutoff, _ in parsed], np.int64)
        width = max(1, *(int(cutoff) for cutoff in self._cutoffs if cutoff != _EVERYTHING), 1)
        self._discounts = np.ones((len(parsed), width))
        self._gains = np.zeros((len(parsed), len(truth.gains)))
        self._ideals = np.ones((len(parsed), len(truth.ideal)))
        for place, (_, _, measure) in enumerate(parsed):
            if isinstance(measure, NDCG):
                self._prepare(place, measure)
        self._n_relevant = np.count_nonzero(truth.ideal > 0, axis=1).astype(np.int64)
        is_behaviour = self._kinds[:, None] >= _FIRST_BEHAVIOUR
        is_stale = self._kinds[:, None] == _N_KINDS - 1
        self._is_defined = np.where(is_behaviour, truth.has_behaviour, truth.has_value)
        self._is_defined &= ~is_stale | truth.is_update

    def values(self, offsets: Integers, rows: Integers, r_init: Integers) -> Floats:
        """Return the value of every measure and query, (n_measures, n) float64, NaN where it is undefined.

        Parameters
        ----------
        offsets, rows, r_init
            As `Replayed` has them: of each query the rows of its ranking, best first, and their positions before
            reranking. Releases the interpreter lock while it runs.
        """
        out = np.full(self._is_defined.shape, np.nan)
        truth = self.truth
        facts = (truth.items, truth.gains, truth.is_family, self._n_relevant)
        tables = (self._kinds, self._cutoffs, self._discounts, self._gains, self._ideals)
        _fill(offsets, rows, r_init, *facts, *tables, self._is_defined, out)
        if not len(rows):  # a variant without any pool has no pool recall (tasks/measures/recall.py)
            out[self._kinds == _KINDS[PoolRecall]] = np.nan
        return out

    def _prepare(self, place: int, measure: NDCG) -> None:
        """Fill discounts, gains of rows and ideal DCG of one nDCG (equations: tasks/measures/ndcg.py)."""
        width = self._discounts.shape[1]
        ranks = np.arange(1, width + 1)
        is_official = measure.dcg == "longmemeval"
        self._discounts[place] = np.log2(np.maximum(ranks, 2) if is_official else ranks + 1)
        gains, ideal = self.truth.gains.astype(np.float64), self.truth.ideal[:, : measure.cutoff].astype(np.float64)
        if measure.dcg == "exp-log2":
            gains, ideal = np.exp2(gains) - 1.0, np.exp2(ideal) - 1.0
        self._gains[place] = gains
        self._ideals[place] = 0.0
        for column, discount in zip(ideal.T, self._discounts[place], strict=False):
            self._ideals[place] += column / discount


def check_measures(names: Sequence[str]) -> None:
    """Raise `BenchError` for a name that is not supported, or comes twice."""
    for name in names:
        _parsed(name)
    if twice := sorted({name for name in names if list(names).count(name) > 1}):
        raise BenchError(f"measures {', '.join(twice)} come twice; expected each once")


def _parsed(name: str) -> tuple[int, int, Measure | None]:
    """Return kind, cutoff and measure of a name."""
    if name in BEHAVIOURS:
        return _FIRST_BEHAVIOUR + BEHAVIOURS.index(name), 1, None
    try:
        measure = parse(name)
        kind = _KINDS[type(measure)]
    except (BenchError, KeyError) as error:
        raise BenchError(f"measure {name!r} is not among those of streams and sweeps; expected {SUPPORTED}") from error
    cutoff = getattr(measure, "cutoff", None)
    return kind, _EVERYTHING if cutoff is None else cutoff, measure


@compiled
def _folded(
    start: int, stop: int, rows: Integers, r_init: Integers, items: Integers, ranked: Integers, pool: Integers
) -> int:
    """Fill `ranked` and `pool` with one row per item, by final rank and by position before reranking; return how many.

    An item stands where its first document stands, in either order.
    """
    p = stop - start
    by_position = np.empty(p, np.int64)
    for place in range(start, stop):
        by_position[r_init[place]] = rows[place]
    largest = 0
    for place in range(start, stop):
        largest = max(largest, items[rows[place]])
    is_ranked, is_pooled = np.zeros(largest + 1, np.bool_), np.zeros(largest + 1, np.bool_)
    n, m = 0, 0
    for place in range(p):
        row = rows[start + place]
        if not is_ranked[items[row]]:
            is_ranked[items[row]] = True
            ranked[n] = row
            n += 1
        row = by_position[place]
        if not is_pooled[items[row]]:
            is_pooled[items[row]] = True
            pool[m] = row
            m += 1
    return n


@compiled
def _n_found(order: Integers, n: int, gains: Integers) -> int:
    found = 0
    for place in range(n):
        if gains[order[place]] > 0:
            found += 1
    return found


@compiled
def _first_found(order: Integers, n: int, gains: Integers) -> float:
    for place in range(n):
        if gains[order[place]] > 0:
            return 1.0 / (1 + place)
    return 0.0


@compiled
def _behaviour(kind: int, p: int, is_right: bool, is_family: bool) -> float:
    """Value of a behaviour; `kind` counts from 0 in the order of BEHAVIOURS."""
    is_exact = p > 0 and is_right
    is_sibling = p > 0 and not is_right and is_family
    if kind == 0:
        return 1.0 if is_exact else 0.0
    if kind == 1:
        return 0.0 if is_exact or is_sibling else 1.0
    return 1.0 if is_sibling else 0.0


@compiled
def _found_value(kind: int, n_found: int, n_relevant: int) -> float:
    """Value of a measure that depends on how many relevant items were found: R, R_all, Success, pool_R."""
    if kind == 2:
        return 1.0 if n_found == n_relevant else 0.0
    if kind == 3:
        return 1.0 if n_found > 0 else 0.0
    return n_found / n_relevant


@compiled
def _discounted(order: Integers, n: int, gains: Floats, discounts: Floats) -> float:
    total = 0.0
    for place in range(n):
        total += gains[order[place]] / discounts[place]
    return total


@compiled
def _fill(
    offsets: Integers,
    rows: Integers,
    r_init: Integers,
    items: Integers,
    gains: Integers,
    is_family: Booleans,
    n_relevant: Integers,
    kinds: Integers,
    cutoffs: Integers,
    discounts: Floats,
    dcg_gains: Floats,
    ideals: Floats,
    is_defined: Booleans,
    out: Floats,
) -> None:
    """Fill `out[measure, query]` where it is defined."""
    longest = 0
    for query in range(len(offsets) - 1):
        longest = max(longest, offsets[query + 1] - offsets[query])
    ranked, pool = np.empty(longest, np.int64), np.empty(longest, np.int64)
    for query in range(len(offsets) - 1):
        start, stop = offsets[query], offsets[query + 1]
        n = _folded(start, stop, rows, r_init, items, ranked, pool) if stop > start else 0
        first = rows[start] if n else 0
        is_right, is_near = n > 0 and gains[first] > 0, n > 0 and is_family[first]
        for measure in range(len(kinds)):
            if not is_defined[measure, query]:
                continue
            kind, cut = kinds[measure], min(n, cutoffs[measure])
            if kind == 0:
                gained = _discounted(ranked, cut, dcg_gains[measure], discounts[measure])
                out[measure, query] = gained / ideals[measure, query]
            elif kind == 4:
                out[measure, query] = _first_found(ranked, cut, gains)
            elif kind < 6:
                order = pool if kind == 5 else ranked
                out[measure, query] = _found_value(kind, _n_found(order, cut, gains), n_relevant[query])
            else:
                out[measure, query] = _behaviour(kind - 6, n, is_right, is_near)

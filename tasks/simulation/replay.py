"""The replay of a query stream as compiled array work: what `reference.py` says, about a thousand times faster.

The rules (protocols.md A.4) are written a second time here, on purpose: two independent implementations must agree.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from tasks.simulation.suppression import RifParams, Rule, RuleSet

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pools:
    """The candidates of all queries, end to end, each query's in the order of their position.

    Attributes
    ----------
    offsets
        Shape (n_queries + 1,), int64: query i has rows `offsets[i]` to `offsets[i + 1] - 1`.
    documents
        Shape (n_rows,), int64, distinct within a query.
    rrf, logits
        Shape (n_rows,), float64, finite.
    """

    offsets: Integers
    documents: Integers
    rrf: Floats
    logits: Floats


@dataclass(frozen=True, slots=True)
class Replayed:
    """Rankings under the frozen state, end to end, and the state itself.

    Attributes
    ----------
    offsets
        Shape (n_queries + 1,): query i has the places `offsets[i]` to `offsets[i + 1] - 1`, best first.
    rows
        Row of `Pools` at each place.
    r_init
        0-based position of that row before reranking.
    suppression
        Its suppression as stored.
    entry_cluster, entry_document, entry_s
        The state's touched entries: cluster, document, suppression; sorted by (cluster, document).
    """

    offsets: Integers
    rows: Integers
    r_init: Integers
    suppression: Floats
    entry_cluster: Integers
    entry_document: Integers
    entry_s: Floats


def replay(pools: Pools, clusters: Integers, steps: Integers, queries: Integers, params: RifParams) -> Replayed:
    """Serve the stream, then rank every query with the state frozen.

    Parameters
    ----------
    pools
        Candidates and logits.
    clusters
        Shape (n_queries,): cluster of each query. Queries that share no cluster share no state, so several scopes
        can be replayed in one call.
    steps, queries
        Shape (n_steps,): step number and query of each step of the stream, in order.
    params
        The rules.

    Notes
    -----
    Memory: 32 bytes per candidate row. Releases the interpreter lock while it runs.
    """
    lengths = np.diff(pools.offsets)
    n_documents = int(pools.documents.max(initial=-1)) + 1
    keys, slots = np.unique(np.repeat(clusters, lengths) * n_documents + pools.documents, return_inverse=True)
    s, last = np.zeros(len(keys)), np.full(len(keys), -1, np.int64)
    sigmoids = np.empty(len(pools.logits))
    _fill_sigmoids(pools.logits, sigmoids)
    arrays = (pools.offsets, pools.rrf, pools.logits, sigmoids, slots.astype(np.int64), s, last)
    is_literal = params.rule_set is RuleSet.PAPER_LITERAL
    _serve(
        *arrays,
        np.ascontiguousarray(steps, np.int64),
        np.ascontiguousarray(queries, np.int64),
        is_literal,
        params.rule_set is RuleSet.RELEASED,
        params.rule is Rule.GAP,
        (params.alpha, params.eta, params.rho, params.lambda_, params.s_max),
        (params.pool, params.winners),
    )
    offsets = np.concatenate([[0], np.cumsum(np.minimum(lengths, params.pool))]).astype(np.int64)
    rows, r_init = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.int64)
    _evaluate(*arrays[:3], arrays[4], s, is_literal, params.alpha, params.pool, offsets, rows, r_init)
    touched = np.flatnonzero(last >= 0)
    return Replayed(
        offsets, rows, r_init, s[slots[rows]], keys[touched] // n_documents, keys[touched] % n_documents, s[touched]
    )


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first use; keep the machine code on disk where some folder can be written, else in memory."""
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # "no locator available": neither the checkout nor the user's cache can be written
        return numba.njit(cache=False, nogil=True)(function)


@_compiled
def _fill_sigmoids(logits: Floats, out: Floats) -> None:
    """Fill sigmoid(-logit); with the compiler's exp, so that it is the one of `math`."""
    for row in range(len(logits)):
        x = -logits[row]
        out[row] = 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))


@_compiled
def _sort(items: Integers, n: int, scores: Floats) -> None:
    """Sort `items[:n]` by `scores[item]`, descending, stable. By insertion: pools are short and nearly sorted."""
    for i in range(1, n):
        item = items[i]
        score = scores[item]
        j = i - 1
        while j >= 0 and scores[items[j]] < score:
            items[j + 1] = items[j]
            j -= 1
        items[j + 1] = item


@_compiled
def _rank(
    start: int,
    stop: int,
    rrf: Floats,
    logits: Floats,
    slots: Integers,
    s: Floats,
    is_literal: bool,
    alpha: float,
    pool: int,
    final: Integers,
    before: Integers,
    r_init: Integers,
    adjusted: Floats,
) -> int:
    """Fill `final[:p]` with the competitors, best first, as 0-based candidates of the query, and `r_init[candidate]`.

    `final`, `before`, `r_init` and `adjusted` are scratch arrays of the longest pool's size. Returns p.
    """
    n = stop - start
    p = min(n, pool)
    for i in range(n):
        adjusted[i] = rrf[start + i] - alpha * s[slots[start + i]]
        before[i] = i
    if is_literal:
        _sort(before, n, rrf[start:stop])
        final[:p] = before[:p]
        _sort(before, p, adjusted)
    else:
        _sort(before, n, adjusted)
        final[:p] = before[:p]
    for position in range(p):
        r_init[before[position]] = position
    _sort(final, p, logits[start:stop])
    return p


@_compiled
def _serve(
    offsets: Integers,
    rrf: Floats,
    logits: Floats,
    sigmoids: Floats,
    slots: Integers,
    s: Floats,
    last: Integers,
    steps: Integers,
    queries: Integers,
    is_literal: bool,
    is_released: bool,
    is_gap: bool,
    rates: tuple[float, float, float, float, float],
    sizes: tuple[int, int],
) -> None:
    """Serve every step of the stream, changing `s` and `last`."""
    alpha, eta, rho, lambda_, s_max = rates
    pool, winners = sizes
    longest = 0
    for query in range(len(offsets) - 1):
        longest = max(longest, offsets[query + 1] - offsets[query])
    final = np.empty(longest, np.int64)
    before = np.empty(longest, np.int64)
    r_init = np.empty(longest, np.int64)
    adjusted = np.empty(longest, np.float64)
    for i in range(len(steps)):
        start, stop, t = offsets[queries[i]], offsets[queries[i] + 1], steps[i]
        p = _rank(start, stop, rrf, logits, slots, s, is_literal, alpha, pool, final, before, r_init, adjusted)
        for r_final in range(p):
            row = start + final[r_final]
            slot = slots[row]
            initial = r_init[final[r_final]]
            weight = max(0, r_final - initial) / p if is_gap else 1.0 - initial / p
            push = eta * (weight * sigmoids[row])
            old = s[slot]
            if not is_released:
                s[slot] = old + push
            else:
                if last[slot] >= 0:
                    old = old * math.exp(-lambda_ * (t - last[slot]))
                s[slot] = max(0.0, old - rho) if r_final < winners else min(old + push, s_max)
            last[slot] = t


@_compiled
def _evaluate(
    offsets: Integers,
    rrf: Floats,
    logits: Floats,
    slots: Integers,
    s: Floats,
    is_literal: bool,
    alpha: float,
    pool: int,
    out_offsets: Integers,
    out_rows: Integers,
    out_r_init: Integers,
) -> None:
    """Rank every query under the state as it is."""
    longest = 0
    for query in range(len(offsets) - 1):
        longest = max(longest, offsets[query + 1] - offsets[query])
    final = np.empty(longest, np.int64)
    before = np.empty(longest, np.int64)
    r_init = np.empty(longest, np.int64)
    adjusted = np.empty(longest, np.float64)
    for query in range(len(offsets) - 1):
        start, stop, place = offsets[query], offsets[query + 1], out_offsets[query]
        p = _rank(start, stop, rrf, logits, slots, s, is_literal, alpha, pool, final, before, r_init, adjusted)
        for r_final in range(p):
            out_rows[place + r_final] = start + final[r_final]
            out_r_init[place + r_final] = r_init[final[r_final]]

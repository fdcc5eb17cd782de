"""The compiled loops of `replay.py`.

Two things make them fast. A pool is short and nearly sorted by its adjusted score, so it is sorted by insertion. And
logits never change, so each query's candidates are sorted by them once, in the layout: reranking a pool is picking its
members in that order, and only equal logits are left to put in order.
"""

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Slots = npt.NDArray[np.int32]
Arrays = tuple[Integers, Floats, Floats, Floats, Slots, Integers, Slots]
"""offsets, rrf, logits, sigmoid(-logit), candidates by logit, pair_starts, slots; as in `Layout`."""
Switches = tuple[bool, bool, bool, bool]
"""is_literal, is_released, is_gap, is_read."""
Scratch = tuple[Integers, Integers, Integers, Integers, Floats, Floats]
"""Per candidate of the longest pool: final, before, r_init, order, read, adjusted."""


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first use; keep the machine code on disk where some folder can be written, else in memory."""
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # "no locator available": neither the checkout nor the user's cache can be written
        return numba.njit(cache=False, nogil=True)(function)


@compiled
def sigmoids_of_losing(logits: Floats) -> Floats:
    """Return sigmoid(-logit); with the compiler's exp, so that it is the one of `math`."""
    out = np.empty(len(logits))
    for row in range(len(logits)):
        x = -logits[row]
        out[row] = 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))
    return out


@compiled
def decay_all(s: Floats, last: Integers, at: Integers, lambda_: float, out: Floats) -> None:
    """Fill what is left at steps `at` of each entry; one without an update is 0."""
    for entry in range(len(s)):
        out[entry] = s[entry] * math.exp(-lambda_ * (at[entry] - last[entry])) if s[entry] > 0.0 else s[entry]


@compiled
def _new_scratch(offsets: Integers) -> Scratch:
    longest = 0
    for query in range(len(offsets) - 1):
        longest = max(longest, offsets[query + 1] - offsets[query])
    final, before = np.empty(longest, np.int64), np.empty(longest, np.int64)
    r_init, order = np.empty(longest, np.int64), np.empty(longest, np.int64)
    return final, before, r_init, order, np.empty(longest, np.float64), np.empty(longest, np.float64)


@compiled
def _read(
    n: int, base: int, t: int, slots: Slots, s: Floats, last: Integers, is_read: bool, lambda_: float, out: Floats
) -> None:
    """Fill the suppression with which a query's `n` candidates are met at step `t`; `base` is -1 for a cold one."""
    for i in range(n):
        out[i] = 0.0
        if base >= 0:
            slot = slots[base + i]
            out[i] = s[slot]
            if is_read and s[slot] > 0.0:
                out[i] = s[slot] * math.exp(-lambda_ * (t - last[slot]))


@compiled
def _sort(items: Integers, n: int, scores: Floats) -> None:
    """Sort `items[:n]` by `scores[item]`, descending, stable."""
    for i in range(1, n):
        item = items[i]
        score = scores[item]
        j = i - 1
        while j >= 0 and scores[items[j]] < score:
            items[j + 1] = items[j]
            j -= 1
        items[j + 1] = item


@compiled
def _rank(start: int, n: int, pool: int, arrays: Arrays, is_literal: bool, alpha: float, scratch: Scratch) -> int:
    """Fill `final[:p]` with the competitors, best first, as 0-based candidates of the query, and `r_init[candidate]`.

    `read` holds the suppression of each candidate. Returns p.
    """
    _, rrf, logits, _, by_logit, _, _ = arrays
    final, before, r_init, order, read, adjusted = scratch
    p = min(n, pool)
    for i in range(n):
        adjusted[i] = rrf[start + i] - alpha * read[i]
        before[i] = i
        order[i] = -1
    _sort(before, n, rrf[start : start + n] if is_literal else adjusted)
    for position in range(p):
        order[before[position]] = position
    if is_literal:  # the pool is cut; only now is it put in order of the adjusted score
        _sort(before, p, adjusted)
    for position in range(p):
        r_init[before[position]] = position
    found = 0
    for i in range(start, start + n):
        item = by_logit[i]
        if order[item] < 0:
            continue
        j = found - 1
        while j >= 0 and logits[start + final[j]] == logits[start + item] and order[final[j]] > order[item]:
            final[j + 1] = final[j]
            j -= 1
        final[j + 1] = item
        found += 1
    return p


@compiled
def serve_steps(
    arrays: Arrays,
    state: tuple[Floats, Integers],
    steps: Integers,
    queries: Integers,
    pairs: Integers,
    switches: Switches,
    rates: tuple[float, float, float, float, float],
    sizes: tuple[int, int],
) -> None:
    """Serve every step of the stream, changing the state; a step without a pair is cold and changes nothing."""
    offsets, _, _, losing, _, pair_starts, slots = arrays
    s, last = state
    is_literal, is_released, is_gap, is_read = switches
    alpha, eta, rho, lambda_, s_max = rates
    pool, winners = sizes
    scratch = _new_scratch(offsets)
    final, _, r_init, _, read, _ = scratch
    for i in range(len(steps)):
        if pairs[i] < 0:
            continue
        start, t, base = offsets[queries[i]], steps[i], pair_starts[pairs[i]]
        n = offsets[queries[i] + 1] - start
        _read(n, base, t, slots, s, last, is_read, lambda_, read)
        p = _rank(start, n, pool, arrays, is_literal, alpha, scratch)
        for r_final in range(p):
            item = final[r_final]
            slot = slots[base + item]
            weight = max(0, r_final - r_init[item]) / p if is_gap else 1.0 - r_init[item] / p
            push = eta * (weight * losing[start + item])
            old = s[slot]
            if not is_released:
                s[slot] = old + push
            else:
                if old > 0.0:
                    old = old * math.exp(-lambda_ * (t - last[slot]))
                s[slot] = max(0.0, old - rho) if r_final < winners else min(old + push, s_max)
            last[slot] = t


@compiled
def evaluate_all(
    arrays: Arrays,
    state: tuple[Floats, Integers],
    pairs: Integers,
    end_steps: Integers,
    switches: Switches,
    rates: tuple[float, float],
    pool: int,
    out: tuple[Integers, Integers, Integers, Floats],
) -> None:
    """Rank every query under the state as it is; fill rows, r_init and suppression at each place."""
    offsets, _, _, _, _, pair_starts, slots = arrays
    s, last = state
    is_literal, _, _, is_read = switches
    alpha, lambda_ = rates
    out_offsets, rows, positions, suppression = out
    scratch = _new_scratch(offsets)
    final, _, r_init, _, read, _ = scratch
    for query in range(len(offsets) - 1):
        start, place = offsets[query], out_offsets[query]
        n = offsets[query + 1] - start
        base = pair_starts[pairs[query]] if pairs[query] >= 0 else -1
        _read(n, base, end_steps[query], slots, s, last, is_read, lambda_, read)
        p = _rank(start, n, pool, arrays, is_literal, alpha, scratch)
        for r_final in range(p):
            rows[place + r_final] = start + final[r_final]
            positions[place + r_final] = r_init[final[r_final]]
            suppression[place + r_final] = read[final[r_final]]

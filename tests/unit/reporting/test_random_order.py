from itertools import permutations
from math import isnan

import numpy as np
import pytest

from tasks.reporting.random_order import expected


def value_of(measure: str, ranked: tuple[int, ...], k: int) -> float:
    """The measure of one order, written out anew."""
    gains = np.array(ranked, dtype=float)
    n_relevant = int((gains > 0).sum())
    if measure.startswith("nDCG"):
        gains = np.exp2(gains) - 1 if "exp" in measure else gains
        discounts = 1 / np.log2(np.arange(2, len(gains) + 2))
        ideal = np.sort(gains)[::-1]
        return float((gains * discounts)[:k].sum() / (ideal * discounts)[:k].sum())
    if measure == "RR":
        return 1 / (1 + int(np.flatnonzero(gains)[0]))
    hits = int((gains[:k] > 0).sum())
    return {"R": hits / n_relevant, "Success": float(hits > 0), "R_all": float(hits == n_relevant)}[measure]


@pytest.mark.parametrize("gains", [(1,), (1, 2), (1, 1, 3)])
@pytest.mark.parametrize("k", [1, 2, 4, 9])
@pytest.mark.parametrize("measure", ["nDCG", "nDCG(dcg='exp-log2')", "R", "R_all", "Success", "RR"])
def test_expectation_against_all_orders(measure: str, k: int, gains: tuple[int, ...]) -> None:
    pool = (*gains, *(0,) * (6 - len(gains)))
    mean = np.mean([value_of(measure, order, k) for order in permutations(pool)])
    name = measure if measure == "RR" else f"{measure}@{k}"
    assert expected(name, gains, len(pool)) == pytest.approx(mean)


def test_without_relevance_it_is_undefined_and_unknown_measures_have_none() -> None:
    value = expected("nDCG@10", (0,), 5)
    assert value is not None
    assert isnan(value)
    assert expected("abstain@2", (1,), 5) is None
    assert expected("wrong_family", (1,), 5) is None

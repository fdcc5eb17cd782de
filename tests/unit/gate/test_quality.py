"""Quality: verdicts on planted differences, and against scipy and enumeration by hand."""

from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tasks.gate.expectations import Margin, load_expectations
from tasks.gate.quality import Cell, Column, Name, compare_columns
from tests.unit.gate.nights import BM25, PROTOCOL, RERANK, RULE, values

NAMES: list[Name] = [(PROTOCOL, variant, "nDCG@10") for variant in (BM25, RERANK)]


def column(given: Any, **changes: Any) -> Column:
    array = np.asarray(given, dtype=np.float64)
    return replace(Column(tuple(f"q{place}" for place in range(len(array))), array), **changes)


def compare(before: Any, after: Any, rule: Any = RULE) -> Cell:
    (cell,) = compare_columns({NAMES[0]: column(before)}, {NAMES[0]: column(after)}, rule, "locomo")
    return cell


def worse(n: int, of: int = 200) -> np.ndarray:
    """The first `n` questions that have their answer on top lose it."""
    found = values(of)
    found[np.flatnonzero(found == 1.0)[:n]] = 0.0
    return found


def test_equal_values_pass_and_nothing_moved() -> None:
    cell = compare(values(), values())
    assert (cell.verdict, cell.n_changed, cell.delta, cell.lo, cell.hi) == ("pass", 0, 0.0, 0.0, 0.0)
    assert not cell.is_loss_possible


def test_a_loss_regresses_and_the_mirror_image_improves() -> None:
    lost, won = compare(values(), worse(12)), compare(worse(12), values())
    assert (lost.verdict, won.verdict) == ("regress", "improve")
    assert lost.delta == pytest.approx(-12 / 200)
    assert lost.p == won.p == 2.0**-12  # all of twelve signs alike, one cell in the family
    assert (lost.lo, lost.hi) == pytest.approx((-won.hi, -won.lo))


def test_bounds_against_scipy() -> None:
    cell = compare(values(), worse(7))
    one_sided = stats.ttest_1samp(worse(7) - values(), 0.0).confidence_interval(0.9)  # 5 % on each side
    assert (cell.lo, cell.hi) == pytest.approx((one_sided.low, one_sided.high))


def test_p_is_adjusted_by_holm_against_hand_computed() -> None:
    before = {NAMES[0]: column(values()), NAMES[1]: column(values())}
    after = {NAMES[0]: column(worse(12)), NAMES[1]: column(worse(6))}
    cells = compare_columns(before, after, RULE, "locomo")
    assert [cell.p for cell in cells] == [2 * 2.0**-12, 2.0**-6]


def test_cells_that_can_never_be_rejected_do_not_burden_the_others() -> None:
    before = {NAMES[0]: column(values()), NAMES[1]: column(values())}
    after = {NAMES[0]: column(worse(12)), NAMES[1]: column(worse(4))}  # 2^-4 is above the level
    lost, few = compare_columns(before, after, RULE, "locomo")
    assert lost.p == 2.0**-12
    assert few.verdict == "pass"
    assert np.isnan(few.p)
    assert few.is_loss_possible


def test_a_real_loss_within_the_margin_passes_and_is_told() -> None:
    lost = values()
    lost[:100] -= 0.001
    cell = compare(values(), lost)
    assert cell.verdict == "pass"
    assert cell.p < 0.05
    assert "below the margin of 0.005" in cell.why
    strict = RULE.model_copy(update={"margin": 0.0001})
    assert compare(values(), lost, strict).verdict == "regress"


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (column(values(199)), "question set: 1 questions are gone, 0 are new"),
        (column([nan, *values()[1:]]), "question set: 1 questions lost their value, 0 have one now"),
        (column(values(), stream=(7, "transductive")), r"stream (seed, split) (None, None) in the accepted run, (7, "),
        (None, "this run has no values of it"),
    ],
)
def test_what_cannot_be_paired_is_not_comparable(after: Column | None, said: str) -> None:
    (cell,) = compare_columns({NAMES[0]: column(values())}, {NAMES[0]: after} if after else {}, RULE, "locomo")
    assert cell.verdict == "not comparable"
    assert said in cell.why


@pytest.mark.parametrize(("before", "after"), [([nan, nan], [nan, nan]), ([], [])])
def test_a_measure_without_values_passes_and_says_so(before: list[float], after: list[float]) -> None:
    cell = compare(before, after)
    assert (cell.verdict, cell.n, cell.why) == ("pass", 0, "no question has a value")


def test_one_question_is_never_a_verdict() -> None:
    assert compare([1.0], [0.0]).verdict == "pass"


def test_signs_do_not_depend_on_the_global_generator() -> None:
    found = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002 (that it does not matter is what is tested)
        found.append(compare(values(), values(seed=3)))
    assert found[0] == found[1]


def test_the_margin_of_a_data_set_comes_before_that_of_the_measure() -> None:
    entries = (
        Margin(measure="R@10", margin=0.1, reason="x"),
        Margin(measure="R@10", dataset="locomo", margin=0.2, reason="x"),
    )
    rule = RULE.model_copy(update={"margins": entries})
    assert [rule.margin_of(*of) for of in (("locomo", "R@10"), ("nfcorpus", "R@10"), ("locomo", "RR"))] == [
        0.2,
        0.1,
        0.005,
    ]


def test_committed_margins_have_reasons_and_come_once() -> None:
    rule = load_expectations().quality
    places = [(entry.measure, entry.dataset) for entry in rule.margins]
    assert len(set(places)) == len(places)
    assert {entry.measure for entry in rule.margins} <= set(rule.measures)
    assert all(len(entry.reason) > 20 for entry in rule.margins)

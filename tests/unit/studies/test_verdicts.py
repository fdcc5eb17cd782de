"""Verdicts on published numbers, and the paired test behind them."""

import numpy as np
import pytest

from tasks.records import BenchError
from tasks.studies.declared import NDCG, Statistic, Where
from tasks.studies.estimates import Estimate, StudyParams
from tasks.studies.published import Number, Published
from tasks.studies.verdicts import Basis, Paired, Pairs, Verdict, judge, paired_tests

NAN = float("nan")
FEW = StudyParams(n_resamples=200)


def paired(lo: float, hi: float) -> Paired:
    return Paired((lo + hi) / 2, lo, hi, 0.5, 100, 0.9, 0.9)


def test_equal_digits_are_equal_whatever_the_interval_says() -> None:
    ours = Estimate(0.29604, 0.2960, 0.2961, 500)
    assert judge(Number(0.296, 4), ours, paired(0.01, 0.02), Statistic.MEAN) == (Verdict.EQUAL, Basis.DIGITS)
    assert judge(Number(0.2961, 4), ours, None, Statistic.MEAN)[0] is not Verdict.EQUAL


@pytest.mark.parametrize(("lo", "hi", "verdict"), [(-0.01, 0.02, "consistent"), (0.001, 0.02, "different")])
def test_per_query_values_decide_where_there_are_any(lo: float, hi: float, verdict: str) -> None:
    # Our own interval holds the published number in both cases: it must not be asked.
    ours = Estimate(0.31, 0.20, 0.40, 500)
    assert judge(Number(0.3, 4), ours, paired(lo, hi), Statistic.MEAN) == (verdict, Basis.PAIRED)


@pytest.mark.parametrize(("published", "verdict"), [(0.30, "consistent"), (0.19, "different"), (0.41, "different")])
def test_our_interval_decides_where_nothing_was_published_per_query(published: float, verdict: str) -> None:
    ours = Estimate(0.31, 0.20, 0.40, 500)
    assert judge(Number(published, 4), ours, None, Statistic.MEAN) == (verdict, Basis.INTERVAL)


@pytest.mark.parametrize(("published", "verdict"), [(0.0486, "consistent"), (0.0514, "different"), (0.02, "equal")])
def test_a_p_is_consistent_on_the_same_side_of_the_level(published: float, verdict: str) -> None:
    ours = Estimate(0.02, NAN, NAN, 500)
    assert judge(Number(published, 4), ours, None, Statistic.P) == (verdict, Basis.DIGITS)


def test_a_count_of_the_state_is_equal_or_different() -> None:
    assert judge(Number(2521, 0), Estimate(2521.0), None, Statistic.MEAN) == (Verdict.EQUAL, Basis.DIGITS)
    assert judge(Number(2521, 0), Estimate(2522.0), None, Statistic.MEAN) == (Verdict.DIFFERENT, Basis.DIGITS)


def test_what_the_run_does_not_hold_is_not_measured() -> None:
    assert judge(Number(0.3, 4), Estimate(), None, Statistic.MEAN) == (Verdict.NOT_MEASURED, Basis.DIGITS)


def test_pairs_are_of_the_questions_that_both_sides_have() -> None:
    pairs = Pairs.of(("a", "b", "c", "d"), np.array([0.5, 1.0, NAN, 0.2]), {"d": 0.2, "a": 0.25, "c": 1.0, "x": 0.0})
    assert pairs.ours.tolist() == [0.5, 0.2]
    assert pairs.published.tolist() == [0.25, 0.2]
    assert pairs.differences.tolist() == [0.25, 0.0]
    assert pairs.share_identical == 0.5


def test_the_paired_test_of_a_constant_difference_against_arithmetic() -> None:
    theirs = np.linspace(0, 0.5, 50)
    found = paired_tests({7: Pairs(theirs + 0.125, theirs)}, FEW)[7]
    assert (found.difference, found.lo, found.hi) == pytest.approx((0.125, 0.125, 0.125))
    assert found.p == pytest.approx(1 / 201)
    assert (found.n_shared, found.share_identical) == (50, 0.0)
    assert found.correlation == pytest.approx(1.0)


def test_correlation_of_a_constant_side_is_undefined() -> None:
    assert np.isnan(Pairs(np.ones(5), np.arange(5.0)).correlation)


def test_a_published_number_has_the_decimals_of_its_column() -> None:
    line = (("dataset", "longmemeval-s"), ("tokenizer", "split"), ("variant", "baseline"))
    found = Published().number(Where("rif_main.csv", line, "ndcg_at_10", "ndcg_lo", "ndcg_hi"))
    assert found == Number(0.296, 4, 0.2647, 0.3281)  # the file says 0.296, and means 0.2960
    share = (("dataset", "longmemeval-s"), ("variant", "(any)"), ("steps", "3000"))
    assert Published().number(Where("rif_saturation.csv", share, "share_of_corpus")) == Number(0.04, 2)


def test_per_query_values_against_the_published_mean() -> None:
    for dataset, n, mean in (("longmemeval-s", 500, 0.3132), ("nfcorpus", 323, 0.3247)):
        values = Published().per_query(dataset, "clustered30-uniform", NDCG)
        assert values is not None
        assert len(values) == n
        assert f"{np.mean(list(values.values())):.4f}" == f"{mean:.4f}"
    assert Published().per_query("locomo", "baseline", NDCG) is None
    assert Published().per_query("nfcorpus", "baseline", "RR") is None


def test_a_place_that_is_not_one_number_is_named() -> None:
    with pytest.raises(BenchError, match=r"10 lines with .* and a number in column ndcg_at_10; expected one"):
        Published().number(Where("rif_main.csv", (("tokenizer", "split"),), "ndcg_at_10"))
    line = (("dataset", "longmemeval-s"), ("tokenizer", "split"), ("variant", "baseline"))
    with pytest.raises(BenchError, match=r"1 lines with .* and a number in column p_ndcg; expected one"):
        Published().number(Where("rif_main.csv", line, "p_ndcg"))


def test_a_claim_of_the_text() -> None:
    assert Published().claim("regex-gain-ndcg") == Number(0.027, 4)
    with pytest.raises(BenchError, match="no claim 'nobody-said-that'"):
        Published().claim("nobody-said-that")

"""Intervals against independent implementations and against theory."""

import numpy as np
import pytest
from scipy import stats

from tasks.records import BenchError
from tasks.significance import bootstrap
from tasks.significance.bootstrap import mean_interval, mean_intervals, paired_interval

NAN = float("nan")


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_interval_against_one_big_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    values = rng(1).random(37)
    draws = rng(2).integers(0, 37, size=(2_000, 37))
    means = values[draws].mean(axis=1)
    monkeypatch.setattr(bootstrap, "MAX_DRAWS_IN_MEMORY", 37 * 7)  # chunks of 7 resamples
    interval = mean_interval(values, rng=rng(2), n_resamples=2_000)
    assert (interval.lo, interval.hi) == tuple(np.percentile(means, [2.5, 97.5]))
    assert interval.mean == values.mean()


def test_interval_against_scipy() -> None:
    values = rng(3).beta(0.5, 1.5, size=120)
    ours = mean_interval(values, rng=rng(4), n_resamples=20_000)
    theirs = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, rng=rng(5))
    assert [ours.lo, ours.hi] == pytest.approx(list(theirs.confidence_interval), abs=1.5e-3)


def test_columns_share_draws_and_equal_single_columns() -> None:
    columns = rng(6).random((50, 3))
    together = mean_intervals(columns, rng=rng(7), n_resamples=500)
    for place, ours in enumerate(together):
        alone = mean_interval(columns[:, place], rng=rng(7), n_resamples=500)
        assert [ours.mean, ours.lo, ours.hi] == pytest.approx([alone.mean, alone.lo, alone.hi], abs=1e-12)
        assert ours.n == alone.n == 50


def test_paired_interval_against_interval_of_differences() -> None:
    treatment, baseline = rng(8).random(30), rng(9).random(30)
    paired = paired_interval(treatment, baseline, rng=rng(1), n_resamples=200)
    assert paired == mean_interval(treatment - baseline, rng=rng(1), n_resamples=200)


def test_interval_covers_the_mean_as_often_as_it_says() -> None:
    # Binomial test of the nominal level over synthetic replications (scipy's habit). Normal data, n = 60: the
    # percentile interval is known to fall a little short of 95 %, by less than 1.5 points here.
    n_replications, source, n_covered = 1_000, rng(10), 0
    for _ in range(n_replications):
        interval = mean_interval(source.normal(0.3, 1.0, 60), rng=source, n_resamples=300)
        n_covered += interval.lo <= 0.3 <= interval.hi
    assert stats.binomtest(n_covered, n_replications, 0.95, alternative="greater").pvalue > 1e-4
    assert stats.binomtest(n_covered, n_replications, 0.935, alternative="less").pvalue > 1e-4


def test_global_seed_does_not_matter() -> None:
    values, results = rng(11).random(20), []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002 - the point is that the global generator is not used
        results.append(mean_interval(values, rng=rng(3), n_resamples=100))
    assert results[0] == results[1]
    assert results[0] != mean_interval(values, rng=rng(4), n_resamples=100)


def test_undefined_values_are_excluded_and_counted() -> None:
    interval = mean_interval([1.0, NAN, 0.0, NAN], rng=rng(), n_resamples=50)
    assert (interval.mean, interval.n, interval.n_undefined) == (0.5, 2, 2)
    pair = paired_interval([1.0, NAN, 0.5], [NAN, 0.0, 0.25], rng=rng(), n_resamples=50)
    assert (pair.mean, pair.lo, pair.hi, pair.n, pair.n_undefined) == (0.25, 0.25, 0.25, 1, 2)


@pytest.mark.parametrize("values", [[], [NAN, NAN]])
def test_nothing_defined_has_no_interval(values: list[float]) -> None:
    interval = mean_interval(values, rng=rng())
    assert np.isnan([interval.mean, interval.lo, interval.hi]).all()
    assert (interval.n, interval.n_undefined) == (0, len(values))


def test_bad_input_says_what_came() -> None:
    with pytest.raises(BenchError, match=r"shape \(1, 2\)"):
        mean_interval([[1.0, 2.0]], rng=rng())
    with pytest.raises(BenchError, match="infinite"):
        mean_interval([np.inf], rng=rng())
    with pytest.raises(BenchError, match="level 95"):
        mean_interval([1.0], rng=rng(), level=95)
    with pytest.raises(BenchError, match="n_resamples 0"):
        mean_interval([1.0], rng=rng(), n_resamples=0)
    with pytest.raises(BenchError, match=r"\(2,\) and \(3,\)"):
        paired_interval([1.0, 2.0], [1.0, 2.0, 3.0], rng=rng())
    with pytest.raises(BenchError, match="NaN"):
        mean_intervals([[1.0, NAN]], rng=rng())

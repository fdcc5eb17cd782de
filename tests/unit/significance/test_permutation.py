"""The sign-flip test against enumeration by hand, scipy, and itself sampled."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from tasks.records import BenchError
from tasks.significance import permutation
from tasks.significance.permutation import sign_flip, sign_flips

NAN = float("nan")


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_exact_p_against_hand_computed() -> None:
    # 8 sign patterns of (1, 2, 3): |sum| >= 6 for +++ and --- only.
    assert sign_flip([1.0, 2.0, 3.0], rng=rng()).p == 2 / 8
    # (1, 2, -3) has sum 0: every pattern is at least as far.
    assert sign_flip([1.0, 2.0, -3.0], rng=rng()).p == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_exact_p_against_enumeration(seed: int) -> None:
    differences = rng(seed).choice([-0.5, -0.1, 0.0, 0.1, 0.2, 0.3], size=11)
    sums = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in product((1, -1), repeat=11)]
    expected = np.mean(np.array(sums) >= abs(differences.sum()) - 1e-9)
    result = sign_flip(differences, rng=rng())
    assert result.p == pytest.approx(expected, abs=1e-15)
    assert result.is_exact


@pytest.mark.parametrize("seed", range(3))
def test_exact_p_against_scipy(seed: int) -> None:
    differences = rng(seed).normal(0.3, 1.0, 10)
    theirs = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True, axis=0
    )
    assert sign_flip(differences, rng=rng()).p == pytest.approx(theirs.pvalue, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_sampled_matches_exact(seed: int) -> None:
    differences = rng(seed).choice([-1.0, 0.0, 0.5, 1.0], size=18)
    exact = sign_flip(differences, rng=rng()).p
    sampled = sign_flip(differences, rng=rng(1), n_draws=20_000, exact_limit=0)
    assert not sampled.is_exact
    standard_error = np.sqrt(exact * (1 - exact) / 20_000)
    assert sampled.p == pytest.approx(exact, abs=4 * standard_error + 1e-4)


def test_sampled_p_against_scipy() -> None:
    differences = rng(5).normal(0.15, 1.0, 200)
    theirs = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=9_999, vectorized=True, axis=0, rng=rng(6)
    )
    assert sign_flip(differences, rng=rng(7)).p == pytest.approx(theirs.pvalue, abs=0.02)


def test_sampled_p_is_never_zero() -> None:
    result = sign_flip(np.ones(60), rng=rng(), n_draws=99)
    assert result.p == 1 / 100


def test_equal_statistics_count_as_equal_despite_rounding() -> None:
    # 0.1 + 0.2 differs from 0.3 in the last digit: ties of the statistic must not depend on it.
    differences = np.array([0.1, 0.2, -0.3, 0.7] * 10)
    tolerant = sign_flip(differences, rng=rng(1))
    integers = sign_flip(np.round(differences * 10), rng=rng(1))
    assert tolerant.p == integers.p


@pytest.mark.parametrize("n", [1, 5, 100])
def test_all_zero_differences_have_p_one(n: int) -> None:
    result = sign_flip(np.zeros(n), rng=rng())
    assert (result.p, result.n, result.n_nonzero, result.is_exact) == (1.0, n, 0, True)


def test_zero_differences_do_not_change_an_exact_p() -> None:
    assert sign_flip([1.0, 2.0, 3.0, *np.zeros(500)], rng=rng()).p == 2 / 8


def test_chunks_give_the_same_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = rng(8).normal(0.2, 1, 33)
    whole = sign_flip(differences, rng=rng(9), n_draws=1_000)
    monkeypatch.setattr(permutation, "MAX_SIGNS_IN_MEMORY", 33 * 7)
    assert sign_flip(differences, rng=rng(9), n_draws=1_000) == whole


def test_columns_equal_single_columns() -> None:
    columns = rng(10).normal(0.2, 1, (40, 4))
    columns[5:, 1] = 0.0  # exact
    columns[:, 2] = 0.0
    together = sign_flips(columns, rng=rng(11), n_draws=999)
    alone = [sign_flip(column, rng=rng(11), n_draws=999) for column in columns.T]
    assert together == alone
    assert [result.is_exact for result in together] == [False, True, True, False]


def test_p_is_uniform_under_the_null() -> None:
    source = rng(12)
    p = [sign_flip(source.normal(0, 1, 12), rng=source).p for _ in range(500)]
    assert stats.binomtest(int(np.sum(np.array(p) <= 0.05)), 500, 0.05).pvalue > 1e-3


def test_global_seed_does_not_matter() -> None:
    differences, results = rng(13).normal(0.1, 1, 50), []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002 - the point is that the global generator is not used
        results.append(sign_flip(differences, rng=rng(3), n_draws=500))
    assert results[0] == results[1]


def test_undefined_differences_are_excluded_and_counted() -> None:
    result = sign_flip([1.0, NAN, 2.0, 3.0], rng=rng())
    assert (result.p, result.n, result.n_undefined) == (2 / 8, 3, 1)
    nothing = sign_flip([NAN], rng=rng())
    assert np.isnan(nothing.p)
    assert (nothing.n, nothing.n_undefined) == (0, 1)


def test_bad_input_says_what_came() -> None:
    with pytest.raises(BenchError, match="infinite"):
        sign_flip([-np.inf], rng=rng())
    with pytest.raises(BenchError, match="n_draws 0"):
        sign_flip([1.0], rng=rng(), n_draws=0)
    with pytest.raises(BenchError, match="exact_limit 30"):
        sign_flip([1.0], rng=rng(), exact_limit=30)
    with pytest.raises(BenchError, match=r"shape \(1,\)"):
        sign_flips([1.0], rng=rng())

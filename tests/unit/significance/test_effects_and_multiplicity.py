"""Effect sizes and adjusted p-values."""

import numpy as np
import pytest
from scipy import stats

from tasks.records import BenchError
from tasks.significance.effects import effect
from tasks.significance.multiplicity import bonferroni, holm

NAN = float("nan")


def test_effect_against_hand_computed() -> None:
    found = effect([0.5, -0.1, 0.0, 0.2, 1e-15, NAN])
    assert (found.n, found.n_undefined, found.wins, found.ties, found.losses) == (5, 1, 2, 2, 1)
    # mean 0.12, squared deviations .1444 + .0484 + .0144 + .0064 + .0144 = .228, sd = sqrt(.228 / 4)
    assert found.effect_size == pytest.approx(0.12 / np.sqrt(0.057))
    assert found.minimum_detectable_effect == pytest.approx(2.801585 * np.sqrt(0.057) / np.sqrt(5), rel=1e-6)


def test_effect_size_against_scipy() -> None:
    differences = np.random.default_rng(0).normal(0.2, 1, 80)
    t = stats.ttest_1samp(differences, 0).statistic
    assert effect(differences).effect_size == pytest.approx(t / np.sqrt(80))


def test_minimum_detectable_effect_has_the_stated_power() -> None:
    source = np.random.default_rng(1)
    detectable = effect(source.normal(0, 1, 20_000)).minimum_detectable_effect * np.sqrt(20_000 / 100)
    samples = source.normal(detectable, 1, (2_000, 100))
    n_found = int((np.abs(samples.mean(axis=1)) * 10 > stats.norm.ppf(0.975)).sum())
    assert stats.binomtest(n_found, 2_000, 0.8).pvalue > 1e-3


def test_all_zero_differences_have_no_nan() -> None:
    found = effect(np.zeros(10))
    assert (found.wins, found.ties, found.losses) == (0, 10, 0)
    assert (found.effect_size, found.minimum_detectable_effect) == (0.0, 0.0)


def test_constant_difference_is_an_infinite_effect() -> None:
    assert effect([0.25, 0.25]).effect_size == np.inf
    assert effect([-0.25, -0.25]).effect_size == -np.inf


@pytest.mark.parametrize("differences", [[], [0.5], [NAN, 0.5]])
def test_fewer_than_two_pairs_have_no_size(differences: list[float]) -> None:
    found = effect(differences)
    assert np.isnan(found.effect_size)
    assert np.isnan(found.minimum_detectable_effect)


def test_adjusted_p_against_hand_computed() -> None:
    p = [0.01, 0.04, 0.03, 0.005]  # the worked example of R's p.adjust
    assert bonferroni(p) == pytest.approx([0.04, 0.16, 0.12, 0.02])
    assert holm(p) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_adjusted_p_of_nothing_and_of_ties() -> None:
    assert bonferroni([]).tolist() == []
    assert holm([]).tolist() == []
    assert holm([0.5, 0.5]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("adjust", [bonferroni, holm])
def test_adjusting_controls_the_family_wise_error(adjust: object) -> None:
    assert callable(adjust)
    source = np.random.default_rng(2)
    n_wrong = sum(bool((adjust(source.random(6)) <= 0.05).any()) for _ in range(2_000))
    assert stats.binomtest(n_wrong, 2_000, 0.05, alternative="greater").pvalue > 1e-3


@pytest.mark.parametrize("adjust", [bonferroni, holm])
@pytest.mark.parametrize("p", [NAN, -0.1, 1.1])
def test_p_out_of_range_is_refused(adjust: object, p: float) -> None:
    assert callable(adjust)
    with pytest.raises(BenchError, match="between 0 and 1"):
        adjust([0.5, p])

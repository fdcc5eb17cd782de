"""Groups of questions: their sums, study B's cluster bootstrap, and exact sign flips of whole groups."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from tasks.records import BenchError
from tasks.significance.clustered import cluster_bootstrap, cluster_sign_flip, sign_flip_floor
from tasks.significance.grouped import Grouped, Values, grouped

NAN = float("nan")
SIZES = (5, 3, 8, 4, 6, 7, 2, 9, 5, 4)
GROUPS = np.repeat(np.arange(10), SIZES)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def part_of(columns: Values, groups: np.ndarray = GROUPS) -> Grouped:
    ((places, part),) = grouped(columns, groups)
    assert places.tolist() == list(range(columns.shape[1]))
    return part


def hits(seed: int, n_columns: int = 1, shift: float = 0.0) -> Values:
    """Differences of two hit rates with something in common within a group."""
    random = rng(seed)
    leaning = random.normal(shift, 0.4, (len(SIZES), n_columns))[GROUPS]
    return np.sign(np.round(leaning + random.normal(0, 0.8, leaning.shape)))


# --- groups --------------------------------------------------------------------------------------------------------


def test_sums_and_sizes_against_hand_computed() -> None:
    columns = np.array([[1.0, NAN], [0.5, 0.0], [-1.0, 2.0], [NAN, 1.0]])
    (_, part), *others = grouped(columns, [7, 2, 7, 2])
    assert not others
    assert part.sums.tolist() == [[0.5, 1.0], [0.0, 2.0]]  # group 2, then group 7
    assert part.sizes.tolist() == [[1, 2], [2, 1]]
    assert part.means.tolist() == [0.5 / 3, 1.0]
    # 0.5 - 1/6 and 0 - 2/6; 1 - 2 and 2 - 1
    np.testing.assert_allclose(part.residuals, [[1 / 3, -1.0], [-1 / 3, 1.0]], rtol=1e-14)


def test_a_group_without_defined_differences_is_no_group_of_its_column() -> None:
    columns = np.array([[1.0, NAN, 3.0, NAN], [2.0, NAN, 4.0, NAN], [3.0, 1.0, NAN, NAN]])
    found = {tuple(places.tolist()): part for places, part in grouped(columns, [0, 0, 1])}
    assert {places: part.n_groups for places, part in found.items()} == {(0,): 2, (1,): 1, (2,): 1, (3,): 0}
    assert found[2,].sums.tolist() == [[7.0]]
    assert np.isnan(found[3,].means).all()


def test_rounding_is_no_residual() -> None:
    part = part_of(np.full((len(GROUPS), 1), 0.1))
    assert (part.sums - part.sizes * part.means != 0).any()  # 0.1 + 0.1 + 0.1 is not 0.3
    assert not part.residuals.any()


def test_bad_input_is_refused_in_words() -> None:
    with pytest.raises(BenchError, match=r"shape \(3,\); expected \(questions, columns\)"):
        list(grouped([1.0, 2.0, 3.0], [0, 1, 1]))
    with pytest.raises(BenchError, match=r"groups of shape .* for 3 questions"):
        list(grouped(np.ones((3, 1)), [0, 1]))
    with pytest.raises(BenchError, match="infinite difference"):
        list(grouped([[np.inf], [0.0]], [0, 1]))
    with pytest.raises(BenchError, match="groups of type float64; expected whole numbers from 0"):
        list(grouped(np.ones((2, 1)), [0.0, 1.5]))
    with pytest.raises(BenchError, match="expected whole numbers from 0"):
        list(grouped(np.ones((2, 1)), [-1, 1]))
    with pytest.raises(BenchError, match="n_draws 0"):
        cluster_bootstrap(part_of(hits(0)), rng=rng(), n_draws=0)


# --- study B's bootstrap -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_cluster_bootstrap_against_five_lines_of_protocol_b3(seed: int) -> None:
    differences = hits(seed, shift=0.15)[:, 0]
    draws = rng(seed).integers(0, 10, size=(4000, 10))
    members = [differences[np.equal(GROUPS, g)] for g in range(10)]
    means = np.array([np.concatenate([members[g] for g in draw]).mean() for draw in draws])
    lo, hi = np.percentile(means, [2.5, 97.5])
    p = (means <= 0).mean()
    (found,) = cluster_bootstrap(part_of(differences[:, None]), rng=rng(seed))
    assert (found.lo, found.hi, found.delta) == pytest.approx((lo, hi, differences.mean()), abs=1e-13)
    assert (found.p, found.is_one_sided, found.n, found.n_groups) == (p, True, 53, 10)
    assert 0 < p < 0.5


def test_cluster_bootstrap_with_two_groups_against_theory() -> None:
    """Of two groups a draw is both of one, 1 in 4 each, or one of each."""
    ((_, part),) = grouped([[1.0], [1.0], [-1.0], [-1.0], [-1.0], [-1.0]], [0, 0, 1, 1, 1, 1])
    (found,) = cluster_bootstrap(part, rng=rng())
    assert (found.lo, found.hi) == (-1.0, 1.0)
    assert found.delta == pytest.approx(-1 / 3)
    assert found.p == pytest.approx(0.75, abs=4 * np.sqrt(0.75 * 0.25 / 4000))  # -1 and -1/3, not 1


def test_a_draw_that_is_zero_but_for_rounding_is_zero() -> None:
    """(0.1 + 0.2) - 0.3 is 5.6e-17: a draw of all of these is not above zero."""
    columns = np.array([[0.1], [0.2], [-0.3], [0.5]])
    ((_, part),) = grouped(columns, [0, 0, 0, 1])
    (found,) = cluster_bootstrap(part, rng=rng(1))
    only_first = (rng(1).integers(0, 2, size=(4000, 2)) == 0).all(axis=1)
    assert found.p == only_first.mean()


def test_study_b_percentiles_are_of_4000_draws() -> None:
    (found,) = cluster_bootstrap(part_of(hits(2, shift=0.15)), rng=rng())
    assert (found.p * 4000) == pytest.approx(round(found.p * 4000))
    (fewer,) = cluster_bootstrap(part_of(hits(2, shift=0.15)), rng=rng(), n_draws=7)
    assert fewer.p * 7 == pytest.approx(round(fewer.p * 7))


# --- sign flips ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_sign_flip_against_enumeration(seed: int) -> None:
    differences = hits(seed, shift=0.2)[:, 0]
    patterns = np.array(list(product((1.0, -1.0), repeat=10)))
    means = np.abs((patterns[:, GROUPS] * differences).mean(axis=1))
    expected = (means >= abs(differences.mean()) - 1e-12).mean()
    (found,) = cluster_sign_flip(part_of(differences[:, None]), rng=rng())
    assert found.p == expected
    assert (found.p_floor, found.is_one_sided, found.n_groups) == (2 / 1024, False, 10)


@pytest.mark.parametrize("seed", range(3))
def test_sign_flip_of_few_groups_against_scipy(seed: int) -> None:
    differences = rng(seed).normal(0.3, 1.0, (len(GROUPS), 1))
    part = part_of(differences)
    theirs = stats.permutation_test(
        (part.sums[:, 0],), np.sum, permutation_type="samples", n_resamples=np.inf, vectorized=True, axis=0
    )
    (found,) = cluster_sign_flip(part, rng=rng())
    assert found.p == pytest.approx(theirs.pvalue, abs=1e-12)


def test_statistic_is_the_mean_over_questions_against_hand_computed() -> None:
    """Groups of 1, 8 and 1 questions with sums 4, 4 and -1, and means 4, 0.5 and -1."""
    columns = np.array([[4.0]] + [[0.5]] * 8 + [[-1.0]])
    ((_, part),) = grouped(columns, [0] + [1] * 8 + [2])
    # The data's 4 + 4 - 1 is reached by 4 + 4 - 1, 4 + 4 + 1 and their opposites: 4 of 8.
    assert cluster_sign_flip(part, rng=rng())[0].p == 0.5
    # Means: 4 + 0.5 - 1 = 3.5 is reached by 4 + 0.5 +- 1, 4 - 0.5 + 1 and their opposites: 6 of 8.
    by_means = np.abs([4 * a + 0.5 * b - c for a, b, c in product((1, -1), repeat=3)])
    assert (by_means >= 3.5).mean() == 0.75  # what the mean over conversations would have given


def test_equal_statistics_count_as_equal_despite_rounding() -> None:
    tenths = part_of(0.1 * hits(3, 50))
    whole = part_of(hits(3, 50))
    ours, exact = (cluster_sign_flip(part, rng=rng()) for part in (tenths, whole))
    assert [one.p for one in ours] == [one.p for one in exact]


def test_floor_is_reached_by_ten_groups_of_one_sign() -> None:
    (found,) = cluster_sign_flip(part_of(np.abs(hits(0)) + 0.25), rng=rng())
    assert found.p == found.p_floor == 2 / 1024


@pytest.mark.parametrize("n_groups", [2, 5, 20])
def test_floor_of_an_exact_test_against_theory(n_groups: int) -> None:
    (found,) = cluster_sign_flip(part_of(np.ones((n_groups, 1)), np.arange(n_groups)), rng=rng())
    assert found.p == found.p_floor == sign_flip_floor(n_groups) == 2 / 2**n_groups


def test_above_twenty_groups_patterns_are_sampled_and_match_a_count_of_their_own() -> None:
    columns = rng(4).normal(0.25, 1.0, (25, 3))
    found = cluster_sign_flip(part_of(columns, np.arange(25)), rng=rng(1), n_draws=999)
    assert [one.p_floor for one in found] == [1 / 1000] * 3
    signs = rng(9).choice([-1.0, 1.0], size=(200_000, 25))
    for one, column in zip(found, columns.T, strict=True):
        expected = (np.abs(signs @ column) >= abs(column.sum())).mean()
        assert one.p == pytest.approx(expected, abs=5 * np.sqrt(expected * (1 - expected) / 999) + 1e-3)
        assert one.p * 1000 == pytest.approx(round(one.p * 1000))


# --- too little ----------------------------------------------------------------------------------------------------


def test_one_group_has_no_interval_and_p_one() -> None:
    part = part_of(np.array([[0.5], [0.25]]), np.array([3, 3]))
    (boot,), (flip,) = cluster_bootstrap(part, rng=rng()), cluster_sign_flip(part, rng=rng())
    assert np.isnan([boot.lo, boot.hi, boot.p]).all()
    assert (boot.delta, boot.n, boot.n_groups) == (0.375, 2, 1)
    assert (flip.p, flip.p_floor) == (1.0, 1.0)


@pytest.mark.parametrize("n_rows", [0, 4])
def test_nothing_defined_has_no_numbers(n_rows: int) -> None:
    ((places, part),) = grouped(np.full((n_rows, 2), NAN), np.arange(n_rows))
    assert places.tolist() == [0, 1]
    for found in (cluster_bootstrap(part, rng=rng()), cluster_sign_flip(part, rng=rng())):
        assert [(one.n, one.n_groups) for one in found] == [(0, 0), (0, 0)]
        assert np.isnan([[one.delta, one.lo, one.hi, one.p, one.p_floor] for one in found]).all()


def test_no_columns_give_no_results() -> None:
    assert list(grouped(np.empty((3, 0)), [0, 1, 1])) == []


def test_equal_variants_have_an_interval_of_zero_and_p_one() -> None:
    part = part_of(np.zeros((len(GROUPS), 1)))
    (boot,), (flip,) = cluster_bootstrap(part, rng=rng()), cluster_sign_flip(part, rng=rng())
    assert (boot.lo, boot.hi, boot.p, flip.p) == (0.0, 0.0, 1.0, 1.0)


def test_global_seed_does_not_matter_and_own_seed_does() -> None:
    part, found = part_of(hits(5, shift=0.15)), []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002 - the legacy state is what must not matter
        found.append(cluster_bootstrap(part, rng=rng(3)))
    assert str(found[0]) == str(found[1])  # NaN is not equal to itself
    assert str(cluster_bootstrap(part, rng=rng(4))) != str(found[0])

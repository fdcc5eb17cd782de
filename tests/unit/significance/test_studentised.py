"""Cluster bootstrap-t and wild cluster bootstrap against loops over regressions, brute force, and theory."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from tasks.records import BenchError
from tasks.significance import studentised
from tasks.significance.clustered import cluster_bootstrap
from tasks.significance.grouped import Clustered, Grouped, Values, grouped
from tasks.significance.studentised import WEBB, cluster_bootstrap_t, wild_cluster

NAN = float("nan")
SIZES = (5, 3, 8, 4, 6, 7, 2, 9, 5, 4)
GROUPS = np.repeat(np.arange(10), SIZES)
Method = Callable[..., list[Clustered]]
METHODS = pytest.mark.parametrize("method", [cluster_bootstrap_t, wild_cluster], ids=["bootstrap-t", "wild"])


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def part_of(columns: Values, groups: np.ndarray = GROUPS) -> Grouped:
    ((_, part),) = grouped(columns, groups)
    return part


def values(seed: int, n_columns: int = 1, shift: float = 0.0) -> Values:
    random = rng(seed)
    return random.normal(shift, 0.4, (10, n_columns))[GROUPS] + random.normal(0, 0.8, (len(GROUPS), n_columns))


def regression(y: Values, groups: np.ndarray) -> tuple[float, float]:
    """Return estimate and cluster-robust standard error (CR1) of a regression on a constant, by matrices."""
    x = np.ones((len(y), 1))
    bread = np.linalg.inv(x.T @ x)
    estimate = (bread @ x.T @ y)[0]
    residuals = y - estimate
    labels = np.unique(groups)
    scores = np.array([x[groups == label].T @ residuals[groups == label] for label in labels])
    n_groups, n = len(labels), len(y)
    variance = bread @ (scores.T @ scores) @ bread * n_groups / (n_groups - 1) * (n - 1) / (n - 1)
    return float(estimate), float(np.sqrt(variance[0, 0]))


# --- bootstrap-t ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_bootstrap_t_against_regressions_of_every_draw(seed: int) -> None:
    y, n_draws = values(seed, shift=0.3)[:, 0], 399
    estimate, error = regression(y, GROUPS)
    drawn = []
    for draw in rng(seed).integers(0, 10, size=(n_draws, 10)):
        rows = [np.flatnonzero(g == GROUPS) for g in draw]
        labels = np.repeat(np.arange(10), [len(part) for part in rows])  # a group drawn twice is two groups
        mean, its_error = regression(y[np.concatenate(rows)], labels)
        drawn.append((mean - estimate) / its_error)
    t, ordered = estimate / error, np.sort(drawn)
    tails = min((ordered >= t).sum(), (ordered <= t).sum())
    (found,) = cluster_bootstrap_t(part_of(y[:, None]), rng=rng(seed), n_draws=n_draws)
    # 400 x 0.025: the tenth from either end
    assert (found.lo, found.hi) == pytest.approx((estimate - ordered[-10] * error, estimate - ordered[9] * error))
    assert found.p == pytest.approx(2 * (tails + 1) / 400)
    assert (found.p_floor, found.n, found.n_groups, found.is_one_sided) == (2 / 400, 53, 10, False)


# --- wild cluster bootstrap ----------------------------------------------------------------------------------------


def wild_p(y: Values, null: float, weights: Values) -> float:
    """p of one null by regressions of every draw, the restricted residuals times the weights of their groups."""
    estimate, error = regression(y, GROUPS)
    t = abs((estimate - null) / error)
    n_as_far = 0
    for weight in weights:
        mean, its_error = regression(null + weight[GROUPS] * (y - null), GROUPS)
        n_as_far += abs((mean - null) / its_error) >= t * (1 - 1e-9)
    return float((n_as_far + 1) / (len(weights) + 1))


def weights_of(seed: int, n_draws: int) -> Values:
    random, shape = rng(seed), (n_draws, 10)
    return np.asarray(random.choice(WEBB, size=shape) * random.choice([-1.0, 1.0], size=shape))


@pytest.mark.parametrize("seed", range(4))
def test_wild_p_and_limits_against_regressions_of_every_draw(seed: int) -> None:
    y, n_draws = values(seed, shift=0.35)[:, 0], 99
    weights = weights_of(seed, n_draws)
    (found,) = wild_cluster(part_of(y[:, None]), rng=rng(seed), n_draws=n_draws)
    assert found.p == pytest.approx(wild_p(y, 0.0, weights))
    assert found.lo < found.delta < found.hi
    step = 1e-6 * (found.hi - found.lo)
    for limit, outward in ((found.lo, -step), (found.hi, step)):
        assert wild_p(y, limit - outward, weights) > 0.05
        assert wild_p(y, limit + outward, weights) <= 0.05
    assert found.p_floor == 1 / 100


def test_webbs_weights_have_mean_zero_and_variance_one() -> None:
    six = np.concatenate([WEBB, -WEBB])
    assert six.mean() == pytest.approx(0, abs=1e-15)
    assert (six**2).mean() == pytest.approx(1)
    assert sorted(np.round(six**2, 12)) == [0.5, 0.5, 1.0, 1.0, 1.5, 1.5]


def test_equal_weights_in_all_groups_give_the_data_again_despite_rounding() -> None:
    """Such a draw has exactly |t*| = |t|: with three groups 6 of 216 draws, of which none may be lost."""
    part = part_of(values(1, 40, shift=2.0)[:16], GROUPS[:16])
    random, shape = rng(0), (3999, 3)
    weights = random.choice(WEBB, size=shape) * random.choice([-1.0, 1.0], size=shape)
    n_equal = (weights == weights[:, :1]).all(axis=1).sum()
    found = wild_cluster(part, rng=rng(0))
    assert min(one.p for one in found) >= (n_equal + 1) / 4000
    assert n_equal > 80


def test_with_many_groups_of_one_size_all_agree_with_student_s_t() -> None:
    """Theory: 200 independent groups, whose means are normal."""
    column = rng(3).normal(0.15, 1.0, (200, 1))
    part = part_of(column, np.arange(200))
    lo, hi = stats.t.interval(0.95, 199, column.mean(), stats.sem(column[:, 0]))
    p = stats.ttest_1samp(column[:, 0], 0).pvalue
    for method in (cluster_bootstrap_t, wild_cluster):
        (found,) = method(part, rng=rng(5), n_draws=9_999)
        assert (found.lo, found.hi) == pytest.approx((lo, hi), abs=0.01)
        assert found.p == pytest.approx(p, abs=0.01)


# --- both ----------------------------------------------------------------------------------------------------------


@METHODS
def test_interval_leaves_zero_out_exactly_where_p_is_at_most_5_percent(method: Method) -> None:
    part = part_of(values(2, 300, shift=0.28))
    found = method(part, rng=rng())
    is_out = [not one.lo <= 0 <= one.hi for one in found]
    assert is_out == [one.p <= 0.05 for one in found]
    assert 50 < sum(is_out) < 250


@METHODS
def test_columns_do_not_depend_on_each_other(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = values(4, 7, shift=0.2)
    columns[:, 3] = 0.25  # without variance
    together = method(part_of(columns), rng=rng(1), n_draws=399)
    monkeypatch.setattr(studentised, "MAX_CELLS", 800)  # two columns at once
    some = method(part_of(columns), rng=rng(1), n_draws=399)
    alone = [method(part_of(columns[:, [place]]), rng=rng(1), n_draws=399)[0] for place in range(7)]
    for others in (some, alone):
        for one, other in zip(together, others, strict=True):
            np.testing.assert_allclose([one.lo, one.hi, one.p], [other.lo, other.hi, other.p], rtol=1e-7)


@METHODS
def test_scale_and_sign_carry_over(method: Method) -> None:
    part = part_of(values(6, shift=0.2))
    (one,) = method(part, rng=rng(2))
    (other,) = method(Grouped(-100 * part.sums, part.sizes), rng=rng(2))
    assert (other.lo, other.hi, other.p) == pytest.approx((-100 * one.hi, -100 * one.lo, one.p))


@METHODS
@pytest.mark.parametrize("constant", [0.0, 0.1])
def test_groups_that_do_not_differ_have_no_interval_and_no_p(method: Method, constant: float) -> None:
    (found,) = method(part_of(np.full((len(GROUPS), 1), constant)), rng=rng())
    assert np.isnan([found.lo, found.hi, found.p, found.p_floor]).all()
    assert found.delta == pytest.approx(constant)
    assert (found.n, found.n_groups) == (53, 10)


@METHODS
def test_one_group_and_none_have_no_interval(method: Method) -> None:
    for columns, groups, n_groups in ((np.ones((2, 1)), [0, 0], 1), (np.full((2, 1), NAN), [0, 1], 0)):
        ((_, part),) = grouped(columns, groups)
        (found,) = method(part, rng=rng())
        assert np.isnan([found.lo, found.hi, found.p, found.p_floor]).all()
        assert found.n_groups == n_groups


@METHODS
def test_two_groups_have_no_finite_interval_though_the_plain_bootstrap_gives_one(method: Method) -> None:
    part = part_of(np.array([[0.1], [0.3], [0.2], [0.4]]), np.array([0, 0, 1, 1]))
    (found,) = method(part, rng=rng())
    assert np.isnan([found.lo, found.hi]).all()
    assert found.p > 0.3  # of two weights one pair in three has equal magnitudes; of draws of groups one in two
    (plain,) = cluster_bootstrap(part, rng=rng())
    assert plain.lo > 0


@METHODS
def test_numbers_of_draws_without_a_whole_quantile_are_refused(method: Method) -> None:
    for n_draws in (0, 1000, 4000, -1):
        with pytest.raises(BenchError, match=r"as 3,999 or 9,999"):
            method(part_of(values(0)), rng=rng(), n_draws=n_draws)

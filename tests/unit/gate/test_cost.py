"""Cost: step detection on planted series, and its rate of false alarms."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tasks.gate.cost import judge_costs, judge_series, spent
from tasks.reporting.schemas import TIMINGS
from tests.unit.gate.nights import COST

LEVEL = [10.0, 10.4, 9.8, 10.1, 9.9, 10.2]


def verdict_of(values: list[float], least: float = 2.0) -> str:
    return judge_series("reranking", "time", values, COST, least).verdict


def verdicts(values: list[float]) -> list[str]:
    return [verdict_of(values[: stop + 1]) for stop in range(len(values))]


@pytest.mark.parametrize("n", [1, 5])
def test_no_verdict_before_five_runs(n: int) -> None:
    assert verdict_of([*LEVEL[: n - 1], 1000.0]) == "too few runs"


def test_limit_against_hand_computed() -> None:
    found = judge_series("s", "time", [10, 20, 30, 40, 50, 100], COST, 2.0)
    assert (found.level, found.n_before) == (30, 5)
    assert found.limit == pytest.approx(30 + 4 * 1.4826 * 10)  # deviations from 30: 20, 10, 0, 10, 20
    assert found.verdict == "suspect"


def test_one_odd_night_is_suspect_and_forgotten() -> None:
    assert verdicts([*LEVEL, 25.0, 10.0, 10.1])[5:] == ["pass", "suspect", "pass", "pass"]


def test_two_in_a_row_are_an_alarm_until_the_new_level_has_lasted() -> None:
    assert verdicts([*LEVEL, *[25.0] * 7])[6:] == ["suspect", "alarm", "alarm", "alarm", "alarm", "pass", "pass"]


def test_a_suspect_does_not_raise_its_own_limit() -> None:
    limits = [judge_series("s", "time", [*LEVEL, *[25.0] * n], COST, 2.0).limit for n in (1, 2)]
    assert limits[0] == limits[1]


def test_small_steps_are_never_an_alarm() -> None:
    assert verdict_of([*[0.1] * 6, 1.9, 1.9]) == "pass"  # nineteen times, and below two seconds
    assert verdict_of([*[100.0] * 6, 124.0, 124.0]) == "pass"  # below a quarter
    assert verdict_of([*[100.0] * 6, 126.0, 126.0]) == "alarm"


def test_faster_is_no_alarm() -> None:
    assert verdicts([*LEVEL, *[1.0] * 4])[6:] == ["pass"] * 4


def test_false_alarms_of_steady_noise_against_simulation() -> None:
    """200 histories of 40 nights that vary by 10 %: a night that alarms is rarer than one in a hundred."""
    rng = np.random.default_rng(0)
    alarms = sum(verdict_of(list(60 * np.exp(rng.normal(0, 0.1, 40)))) == "alarm" for _ in range(200))
    assert alarms <= stats.binom.ppf(0.999, 200, 0.01)


def timings(*rows: tuple[str, str, str, str, float]) -> pl.DataFrame:
    filled = [
        (*step.split("/"), key, state, reason, wall, wall, wall, 300.0) for step, key, state, reason, wall in rows
    ]
    return pl.DataFrame(filled, schema=TIMINGS.schema, orient="row")


def test_only_runs_of_the_same_cache_state_are_compared() -> None:
    full = [timings(("reranking/logits", f"k{n}", "computed", "", 60.0)) for n in range(6)]
    cached = [timings(("reranking/logits", "k0", "cached", "", 0.01))] * 6
    slow = timings(("reranking/logits", "new", "computed", "", 100.0))
    by_name = {cost.quantity: cost for cost in judge_costs(spent([*full, *cached, slow]), COST)}
    assert by_name["time"].verdict == "suspect"
    assert by_name["time"].level == 60.0
    one_more = timings(("reranking/logits", "x", "computed", "", 100.0), ("reranking/logits", "y", "computed", "", 1.0))
    others = {cost.quantity: cost.verdict for cost in judge_costs(spent([*full, *cached, one_more]), COST)}
    assert others["time"] == "too few runs"
    assert [cost.quantity for cost in judge_costs(spent([*full, *cached]), COST)] == ["misses"]


def test_memory_is_judged_apart_from_time() -> None:
    history = [timings(("reranking/logits", f"k{n}", "computed", "", 60.0)) for n in range(7)]
    history += [frame.with_columns(peak_memory_mb=900.0) for frame in history[-1:]]
    found = {cost.quantity: cost.verdict for cost in judge_costs(spent(history), COST)}
    assert (found["time"], found["memory"]) == ("pass", "suspect")


def test_work_that_had_been_done_is_a_miss_and_new_work_is_not() -> None:
    night = timings(("text/texts", "k", "cached", "", 0.0))
    again = timings(("text/texts", "k", "computed", "first time", 0.1))
    new = timings(("text/texts", "other", "computed", "changed: code", 0.1))
    for last, name in ((again, "suspect"), (new, "pass")):
        (misses,) = [cost for cost in judge_costs(spent([*[night] * 6, last]), COST) if cost.quantity == "misses"]
        assert misses.verdict == name
    assert "misses of text is 1.0 artifacts" in str(
        next(cost for cost in judge_costs(spent([*[night] * 6, again]), COST) if cost.quantity == "misses")
    )

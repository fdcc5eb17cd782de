"""The whole verdict on handmade nights: what fails, what passes, what is said."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tasks.gate.accepted import accept
from tasks.gate.appended import read_all
from tasks.gate.gate import Machine
from tasks.gate.schemas import VERDICTS
from tasks.gate.words import as_json, cell_rows, markdown, sentences
from tasks.records import BenchError
from tests.unit.gate.nights import BM25, COST, RERANK, Night, ingredients, judge, values

RECIPES = {
    "k1": ingredients("text/tokens", params={"params": {"name": "regex"}}),
    "k1'": ingredients("text/tokens", params={"params": {"name": "split"}}),
    "k2": ingredients("measures/query_metrics", params={"protocol": "conversation-turn"}, inputs={"tokens": "d1"}),
    "k2'": ingredients("measures/query_metrics", params={"protocol": "conversation-turn"}, inputs={"tokens": "d1'"}),
}
OTHERS = (("text/tokens", "k1'", "d1'"), ("measures/query_metrics", "k2'", "d2'"))


def worse(by: float = 0.3) -> dict[str, list[float]]:
    return {BM25: list(values() * (1 - by)), RERANK: list(values(seed=1))}


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    """An accepted night."""
    Night("a").write(tmp_path)
    accept(tmp_path, "a", why="the first", by="Ada", git_commit="abc")
    return tmp_path


def test_equal_artifacts_pass_at_once(warehouse: Path) -> None:
    judged = judge(warehouse, Night("b", 1).write(warehouse))
    assert (judged.verdict, judged.exit_code, judged.proposes_acceptance) == ("pass", 0, False)
    assert sentences(judged) == ["locomo: all 2 artifacts are those of the accepted run a, bit by bit."]


def test_a_regression_says_what_lost_how_much_and_through_what(warehouse: Path) -> None:
    Night("b", 1, columns=worse(), artifacts=OTHERS).write(warehouse)
    judged = judge(warehouse, "b", RECIPES)
    assert (judged.verdict, judged.exit_code) == ("regress", 1)
    (said,) = sentences(judged)
    lost = 0.3 * values().mean()
    assert said.startswith(f"locomo conversation-turn: bm25 loses {lost:.4f} nDCG@10 [-0.")
    assert "against the accepted run a" in said
    assert said.endswith("margin 0.005): because name of text/tokens changed from 'regex' to 'split'.")
    assert [row["verdict"] for row in cell_rows(judged.parts[0])] == ["regress"]


def test_an_improvement_is_proposed(warehouse: Path) -> None:
    columns = {BM25: list(values()), RERANK: list(np.minimum(values(seed=1) + 0.1, 1.0))}
    judged = judge(warehouse, Night("b", 1, columns=columns, artifacts=OTHERS).write(warehouse), RECIPES)
    assert (judged.verdict, judged.exit_code, judged.proposes_acceptance) == ("improve", 0, True)
    assert 'mnemobench accept b --why "..."' in markdown(judged)


def test_one_loss_is_not_made_good_by_another_gain(warehouse: Path) -> None:
    columns = worse() | {RERANK: list(np.minimum(values(seed=1) + 0.1, 1.0))}
    assert (
        judge(warehouse, Night("b", 1, columns=columns, artifacts=OTHERS).write(warehouse), RECIPES).verdict
        == "regress"
    )


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"dataset_fingerprint": "ab" * 32}, "data fingerprint fafafafafafa… in the accepted run, abababababab… here"),
        ({"schema_version": 4}, "schema version 3 in the accepted run, 4 here"),
    ],
)
def test_other_data_are_not_comparable(warehouse: Path, facts: dict[str, Any], said: str) -> None:
    judged = judge(warehouse, Night("b", 1, columns=worse(), facts=facts).write(warehouse), RECIPES)
    assert (judged.verdict, judged.exit_code) == ("not comparable", 2)
    assert said in sentences(judged)[0]
    assert sentences(judged)[0].startswith("conversation-turn bm25 nDCG@10 and 1 more means are not comparable")


def test_other_profile_options_are_comparable_only_where_the_store_says_which(warehouse: Path) -> None:
    Night("b", 1, columns=worse(), artifacts=OTHERS, facts={"config_fingerprint": "0" * 64}).write(warehouse)
    assert judge(warehouse, "b", RECIPES).verdict == "regress"  # the tokenizer: a method, named
    judged = judge(warehouse, "b")
    assert judged.verdict == "not comparable"
    assert "the store no longer says which" in sentences(judged)[0]


def test_an_option_that_says_what_is_measured_is_not_comparable(warehouse: Path) -> None:
    recipes = {
        **RECIPES,
        "k2'": ingredients("measures/query_metrics", params={"protocol": "conversation-turn", "x": 1}),
    }
    judged = judge(warehouse, Night("b", 1, columns=worse(), artifacts=OTHERS).write(warehouse), recipes)
    assert judged.verdict == "not comparable"
    assert "profile options: x of measures/query_metrics changed from None to 1" in sentences(judged)[0]


def test_other_bytes_of_a_deterministic_stage_fail_although_the_means_are_equal(warehouse: Path) -> None:
    artifacts = (("text/tokens", "k1", "other"), ("measures/query_metrics", "k2", "d2"))
    judged = judge(warehouse, Night("b", 1, artifacts=artifacts).write(warehouse), RECIPES)
    assert judged.verdict == "regress"
    assert "text/tokens gave other bytes than in the accepted run for the same ingredients" in sentences(judged)[0]


def test_without_an_accepted_run_it_passes_with_a_proposal(tmp_path: Path) -> None:
    judged = judge(tmp_path, Night("a").write(tmp_path))
    assert (judged.verdict, judged.proposes_acceptance) == ("pass", True)
    assert sentences(judged) == ["locomo: no run of profile locomo is accepted yet, so nothing was compared."]


def test_the_accepted_run_itself_passes(warehouse: Path) -> None:
    assert sentences(judge(warehouse, "a")) == ["locomo: this is the accepted run a."]


def test_an_accepted_run_that_left_is_an_error_in_words(warehouse: Path) -> None:
    Night("b", 1).write(warehouse)
    for path in warehouse.rglob("run_id=a/part-0.parquet"):
        path.unlink()
    with pytest.raises(BenchError, match="the accepted run a: run a did not come to its end"):
        judge(warehouse, "b")


def nights(warehouse: Path, walls: list[float], machine: Machine | None = None) -> list[str]:
    """Return the verdicts on cost of one night after the other, each of which computes other tokens."""
    found = []
    for number, wall in enumerate(walls):
        artifacts = (("text/tokens", f"t{number}", "d1"), ("measures/query_metrics", "k2", "d2"))
        night = Night(f"n{number}", number + 1, artifacts=artifacts, computed={f"t{number}": wall})
        given = {"machine": machine} if machine and number == len(walls) - 1 else {}
        found.append(judge(warehouse, night.write(warehouse), RECIPES, **given))
    return [judged.parts[0].cost for judged in found]


def test_a_slower_stage_is_suspect_first_and_fails_the_second_time(warehouse: Path) -> None:
    assert nights(warehouse, [*[10.0] * 5, 30.0, 30.0]) == [*["pass"] * 5, "suspect", "alarm"]
    last = judge(warehouse, "n6", RECIPES)
    assert (last.parts[0].quality, last.verdict, last.exit_code) == ("pass", "regress", 1)
    assert "alarm: time of text is 30.0 s, 10.0 s in the median of 5 runs (limit 12.5)" in sentences(last)[0]
    mild = judge(warehouse, "n6", RECIPES, cost=COST.model_copy(update={"fails": False}))
    assert (mild.parts[0].cost, mild.verdict) == ("alarm", "pass")


def test_another_machine_has_a_history_of_its_own(warehouse: Path) -> None:
    assert nights(warehouse, [*[10.0] * 5, 30.0], Machine("other", "arm64, 8 cores"))[-1] == "pass"


def test_an_old_run_is_judged_by_the_nights_before_it(warehouse: Path) -> None:
    nights(warehouse, [*[10.0] * 5, 30.0, 30.0])
    assert judge(warehouse, "n5", RECIPES).parts[0].cost == "suspect"


def test_a_verdict_is_recorded_once_and_again_when_it_changes(warehouse: Path) -> None:
    Night("b", 1, columns=worse(), artifacts=OTHERS).write(warehouse)
    for _ in range(2):
        judge(warehouse, "b", RECIPES)
    assert read_all(warehouse, VERDICTS)["verdict"].to_list() == ["regress"]
    accept(warehouse, "b", why="meant", by="Ada", git_commit="abc")
    judge(warehouse, "b", RECIPES)
    assert read_all(warehouse, VERDICTS)["verdict"].to_list() == ["regress", "pass"]


def test_json_is_strict_and_tells_everything(warehouse: Path) -> None:
    Night("b", 1, columns=worse(), artifacts=OTHERS).write(warehouse)
    told = json.loads(json.dumps(as_json(judge(warehouse, "b", RECIPES)), allow_nan=False))
    assert (told["verdict"], told["exit_code"]) == ("regress", 1)
    (part,) = told["parts"]
    assert part["accepted"]["run_id"] == "a"
    assert {cell["variant"]: cell["verdict"] for cell in part["cells"]} == {BM25: "regress", RERANK: "pass"}
    assert part["changes"] == [
        {"step": "text/tokens", "kind": "param", "name": "name", "before": "'regex'", "after": "'split'"}
    ]


def test_markdown_escapes_what_comes_from_outside(warehouse: Path) -> None:
    Night("b", 1, columns={"bm25": worse()[BM25], "<b>": [0.0] * 200}, artifacts=OTHERS).write(warehouse)
    text = markdown(judge(warehouse, "b", RECIPES))
    assert "<b>" not in text

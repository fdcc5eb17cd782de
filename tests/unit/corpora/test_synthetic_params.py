"""Bounds of the synthetic corpus: its memory, its extreme parameters, and its refusals."""

import tracemalloc
from pathlib import Path

import pytest
from pydantic import ValidationError

from tasks.corpora.build_synthetic import build
from tasks.corpora.synthetic.generate import histories
from tasks.corpora.synthetic.params import SyntheticParams
from tasks.corpora.synthetic.plan import quota
from tasks.corpora.tables import Corpus
from tasks.progress import silent


def test_memory_of_the_generator_does_not_grow_with_users() -> None:
    peaks = []
    for n_turns in (2_000, 40_000):
        tracemalloc.start()
        for _ in histories(SyntheticParams(n_turns=n_turns)):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0], "20 times the turns; what grows is the grammar, until every frame was used once"


@pytest.mark.parametrize(
    "extremes",
    [
        {"sessions_per_user": 10, "questions_per_user": 5, "n_questions": 40},
        {"sessions_per_user": 50, "questions_per_user": 25, "update_share": 1.0, "n_questions": 50},
        {"twin_share": 0.4, "chronic_share": 0.25, "stale_echo_share": 1.0, "update_share": 1.0},
        {"abstention_share": 0.5, "recurring_domains": 1},
        {"recurring_domains": 12, "wording_variety": 0.1, "paraphrase_share": 1.0},
    ],
)
def test_extreme_parameters_keep_the_shape(tmp_path: Path, extremes: dict[str, float]) -> None:
    build(SyntheticParams.model_validate({"n_turns": 4_000, **extremes}), tmp_path, silent)
    corpus = Corpus.read(tmp_path)
    assert corpus.sessions["n_turns"].is_between(6, 14).all()
    assert corpus.documents["is_empty"].any() is False
    assert corpus.queries.height == extremes.get("n_questions", 100)


def test_bad_parameters_are_listed_all_at_once() -> None:
    with pytest.raises(ValidationError) as caught:
        SyntheticParams.model_validate({"n_turns": 10, "twin_share": 0.9, "sead": 1})
    assert {error["loc"][0] for error in caught.value.errors()} == {"n_turns", "twin_share", "sead"}


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"n_questions": 101}, "at most 100: 10 users with 10 questions each"),
        ({"questions_per_user": 11}, "at most half of sessions_per_user"),
    ],
)
def test_contradictions_say_what_to_do(parameters: dict[str, int], expected: str) -> None:
    with pytest.raises(ValidationError, match=expected):
        SyntheticParams.model_validate(parameters)


def test_quota_against_hand_computed() -> None:
    assert [quota(user, 0.8) for user in range(5)] == [0, 1, 1, 1, 1]
    assert sum(quota(user, 1.84) for user in range(100)) == 184

"""What the synthetic corpus promises: the same bytes, the planted shares, and references that hold."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.corpora.build_synthetic import build
from tasks.corpora.synthetic.generate import histories
from tasks.corpora.synthetic.history import Role
from tasks.corpora.synthetic.params import PLANTED, SyntheticParams
from tasks.corpora.tables import Corpus
from tasks.progress import silent
from tasks.records import Block

Build = Callable[..., Path]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return a function that builds a corpus with the given parameters in a new folder."""

    def build_corpus(**parameters: float) -> Path:
        out = tmp_path_factory.mktemp("synthetic")
        build(SyntheticParams.model_validate(parameters), out, silent)
        return out

    return build_corpus


@pytest.fixture(scope="module")
def sample(built: Build) -> Path:
    return built()


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def planted(directory: Path) -> pl.DataFrame:
    return pl.read_parquet(directory / "planted.parquet")


# --- determinism ------------------------------------------------------------------------------------------------------


def test_same_parameters_give_the_same_bytes_whatever_the_global_seeds(built: Build) -> None:
    runs = []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - the point is that the global state has no influence
        runs.append(contents(built()))
    assert runs[0] == runs[1]


def test_another_seed_gives_other_texts(sample: Path, built: Build) -> None:
    ours, theirs = Corpus.read(sample).documents["text"], Corpus.read(built(seed=1)).documents["text"]
    assert len(set(ours) & set(theirs)) < 0.1 * len(ours)


def test_more_users_never_change_earlier_ones(sample: Path, built: Build) -> None:
    small, large = Corpus.read(sample), Corpus.read(built(n_turns=5_000))
    for name in ("documents", "sessions", "scopes", "queries", "judgements_turn"):
        table = getattr(small, name)
        assert table.equals(getattr(large, name).head(table.height)), name
    assert planted(sample).equals(planted(built(n_turns=5_000)).head(small.documents.height))


def test_fewer_questions_change_no_turn(sample: Path, built: Build) -> None:
    few = built(n_questions=7)
    assert Corpus.read(few).documents.equals(Corpus.read(sample).documents)
    assert Corpus.read(few).queries.equals(Corpus.read(sample).queries.head(7))
    asked = planted(few).filter("is_asked")["query_id"]
    assert set(asked) <= set(Corpus.read(few).queries["query_id"])
    assert asked.len() > 0


# --- shape ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_turns", [2_000, 6_000, 12_000])
def test_counts_are_near_their_targets(built: Build, n_turns: int) -> None:
    corpus = Corpus.read(built(n_turns=n_turns))
    assert corpus.documents.height == pytest.approx(n_turns, rel=0.06)
    assert corpus.queries.height == 100


def test_sessions_alternate_between_user_and_assistant_in_order_of_time(sample: Path) -> None:
    corpus = Corpus.read(sample)
    assert corpus.sessions["n_turns"].is_between(6, 14).all()
    speakers = corpus.documents.select((pl.col("turn_index") % 2 == 0) == (pl.col("speaker") == "user"))
    assert speakers.to_series().all()
    dated = corpus.scopes.join(corpus.sessions, on="session_id", maintain_order="left")
    for (scope,), sessions in dated.group_by("scope_id"):
        assert sessions["date"].is_sorted(), scope
        assert sessions["position"].to_list() == list(range(20))
    assert corpus.sessions["position"].to_list() == list(range(corpus.sessions.height))


def test_every_question_type_of_longmemeval_is_there(sample: Path) -> None:
    queries = Corpus.read(sample).queries
    assert set(queries["question_type"]) == {
        "single-session-user",
        "single-session-assistant",
        "single-session-preference",
        "multi-session",
        "temporal-reasoning",
        "knowledge-update",
    }
    assert queries["date"].null_count() == queries["answer"].null_count() == 0


def test_judgements_refer_to_evidence_in_the_questions_own_scope(sample: Path) -> None:
    corpus = Corpus.read(sample)
    joined = (
        corpus.judgements_turn.join(corpus.documents, on="document_id", how="left")
        .join(corpus.scopes.rename({"scope_id": "member_of"}), on="session_id", how="left")
        .join(corpus.queries, on="query_id", how="left")
        .join(planted(sample), on="document_id", how="left")
    )
    assert joined.height == corpus.judgements_turn.height
    assert (joined["member_of"] == joined["scope_id"]).all()
    assert (joined["role"] == "evidence").all()
    assert (joined["query_id"] == joined["query_id_right"]).all()
    sessions = joined.select("query_id", "session_id").unique()
    assert set(sessions.iter_rows()) == set(corpus.judgements_session.select("query_id", "session_id").iter_rows())


def test_evidence_counts_by_type(sample: Path) -> None:
    corpus = Corpus.read(sample)
    counts = corpus.queries.join(corpus.judgements_turn.group_by("query_id").len(), on="query_id", how="left")
    for kind, block, n in counts.select("question_type", "block", pl.col("len").fill_null(0)).iter_rows():
        if block == "abstention":
            assert n == 0
        elif kind == "multi-session":
            assert 2 <= n <= 4
        else:
            assert n == (2 if kind == "temporal-reasoning" else 1)


# --- planted effects --------------------------------------------------------------------------------------------------

LARGE = {"n_turns": 8_000, "n_questions": 400}


@pytest.mark.parametrize("share", [0.0, 0.12, 0.2])
def test_chronic_distractors_have_their_share(built: Build, share: float) -> None:
    roles = planted(built(**LARGE, chronic_share=share))["role"]
    assert (roles == "distractor").sum() / roles.len() == pytest.approx(share, rel=0.05)


@pytest.mark.parametrize("share", [0.0, 0.15, 0.4])
def test_twins_have_their_share_and_the_same_words(built: Build, share: float) -> None:
    directory = built(**LARGE, twin_share=share)
    truth, texts = planted(directory), Corpus.read(directory).documents.select("document_id", "text", "session_id")
    twins = truth.filter(pl.col("role") == "twin").join(texts, on="document_id")
    copied = twins.join(texts, left_on="twin_of", right_on="document_id")
    assert copied.height == twins.height
    assert (copied["text"] == copied["text_right"]).all()
    evidence = truth.filter(pl.col("role") == "evidence").join(texts, on="document_id")["session_id"].n_unique()
    assert copied["session_id_right"].n_unique() / evidence == pytest.approx(share, abs=0.02)
    judged = Corpus.read(directory).judgements_turn["document_id"]
    assert not set(judged) & set(twins["document_id"])


@pytest.mark.parametrize(("updates", "abstentions", "echoes"), [(0.2, 0.08, 0.5), (0.0, 0.0, 0.0), (1.0, 0.3, 1.0)])
def test_updates_abstentions_and_echoes_have_their_shares(
    built: Build, updates: float, abstentions: float, echoes: float
) -> None:
    directory = built(**LARGE, update_share=updates, abstention_share=abstentions, stale_echo_share=echoes)
    queries = Corpus.read(directory).queries
    main = queries.filter(pl.col("block") == Block.MAIN.value)
    is_update = main["question_type"] == "knowledge-update"
    assert 1 - main.height / queries.height == pytest.approx(abstentions, abs=0.002)
    assert is_update.sum() / main.height == pytest.approx(updates, abs=0.01)
    assert queries.filter(pl.col("block") != Block.MAIN.value)["query_id"].str.ends_with("_abs").all()
    n_updates = int(is_update.sum())
    n_echoes = planted(directory).filter((pl.col("role") == "stale") & pl.col("is_asked")).height - n_updates
    three_deviations = 3 * (n_updates * echoes * (1 - echoes)) ** 0.5
    assert n_echoes == pytest.approx(echoes * n_updates, abs=three_deviations)


def test_stale_turns_come_before_their_update() -> None:
    for history in histories(SyntheticParams(stale_echo_share=1.0)):
        for question in history.questions:
            if question.query.question_type != "knowledge-update":
                continue
            turns = [(session.session_id, turn) for session in history.sessions for turn in session.turns]
            concerned = [(name, turn) for name, turn in turns if turn.query_id == question.query.query_id]
            own = [(name, turn) for name, turn in concerned if turn.twin_of is None]
            assert [turn.role for _, turn in own] == [Role.STALE, Role.STALE, Role.EVIDENCE]
            (old, _), (echo, _), (new, evidence) = own
            assert old != new, "the first statement is in another session (wrong_family)"
            assert echo == new, "the echo is in the update's session (sibling_confusion, stale_fact)"
            assert str(question.query.answer) in evidence.text


def test_answers_follow_from_the_evidence() -> None:
    n_checked = 0
    for history in histories(SyntheticParams()):
        dates = {turn.document_id: session.date for session in history.sessions for turn in session.turns}
        texts = {turn.document_id: turn.text for session in history.sessions for turn in session.turns}
        for question in history.questions:
            answer, ids = str(question.query.answer), question.document_ids
            if question.query.question_type == "multi-session":
                assert answer == str(len(ids))
            elif answer.endswith(" days"):
                assert answer == f"{(dates[ids[1]].date() - dates[ids[0]].date()).days} days"
            elif ids:
                assert answer.removeprefix("Respects: ").lower() in texts[ids[0]].lower()
            n_checked += bool(ids)
    assert n_checked == 92


def test_abstention_questions_have_no_judgement(sample: Path) -> None:
    corpus = Corpus.read(sample)
    silent_ones = corpus.queries.filter(pl.col("block") == "abstention")["query_id"]
    assert silent_ones.len() == 8
    assert not set(silent_ones) & set(corpus.judgements_turn["query_id"])
    assert not set(silent_ones) & set(planted(sample)["query_id"])


def test_users_have_recurring_needs(sample: Path) -> None:
    truth = (
        planted(sample).filter(pl.col("role") != "twin").with_columns(pl.col("document_id").str.extract(r"(u\d{5})"))
    )
    for (user,), turns in truth.group_by("document_id"):
        top = turns["domain"].value_counts(sort=True).head(4)["count"].sum()
        assert top / turns.height > 0.6, user


def test_facts_name_the_planted_effects(sample: Path) -> None:
    facts = json.loads((sample / "facts.json").read_text())
    assert facts["options"]["planted"] == PLANTED
    assert set(PLANTED) < set(facts["options"])
    assert facts["dataset"] == "synthetic"


def test_planted_has_one_row_per_document_in_order(sample: Path) -> None:
    truth, documents = planted(sample), Corpus.read(sample).documents
    assert truth.select("document_index", "document_id").equals(documents.select("document_index", "document_id"))
    assert set(truth["role"]) == {role.value for role in Role}

"""Content classes (row M5): hand-written corpora, and the mirror's LongMemEval-S copy against study A's classes."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.corpora import build_classes
from tasks.corpora.build_longmemeval import build as build_longmemeval
from tasks.corpora.content_classes import TwinFacts, content_digest, twin_defects, twin_facts
from tasks.corpora.longmemeval import LongmemevalParams
from tasks.corpora.tables import Corpus, CorpusWriter
from tasks.progress import silent
from tasks.records import BenchError, Block, Document, Judgement, Query, Session

SESSIONS = {
    "answer_1": [("user", "I adopted a whippet."), ("assistant", "Nice!")],
    "1": [("user", " I  adopted a\nwhippet. "), ("assistant", "Nice!")],  # its twin, in another layout
    "swapped": [("assistant", "Nice!"), ("user", "I adopted a whippet.")],
    "filler": [("user", "continue"), ("user", "Nice!"), ("assistant", "")],
    "answer_2": [("user", "I moved to Lyon."), ("user", "continue")],
    "empty": [],
    "empty too": [],
}
GOLD_TURNS = [("q1", "answer_1_t0"), ("q2", "answer_2_t0"), ("q2", "answer_2_t1"), ("q3", "answer_2_t0")]
GOLD_SESSIONS = [("q1", "answer_1"), ("q2", "answer_2"), ("q4_abs", "1")]


def write_corpus(directory: Path, extra_gold: list[tuple[str, str]] | None = None) -> Path:
    directory.mkdir()
    with CorpusWriter(directory, "hand-written") as writer:
        for position, (session_id, turns) in enumerate(SESSIONS.items()):
            writer.add_session(Session(session_id, position, len(turns)))
            for index, (role, text) in enumerate(turns):
                writer.add_document(Document(f"{session_id}_t{index}", text, session_id, index, role))
        for query_id in ("q1", "q2", "q3", "q4_abs", "q5"):
            block = Block.ABSTENTION if query_id.endswith("_abs") else Block.MAIN
            writer.add_query(Query(query_id, "?", "plain", block))
        for query_id, document_id in GOLD_TURNS + (extra_gold or []):
            writer.add_turn_judgement(Judgement(query_id, document_id, 1))
        for query_id, session_id in GOLD_SESSIONS:
            writer.add_session_judgement(Judgement(query_id, session_id, 1))
    return directory


def classes_of(corpus_dir: Path, out: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    out.mkdir()
    build_classes.build(corpus_dir, out)
    return pl.read_parquet(out / "classes.parquet"), pl.read_parquet(out / "session_classes.parquet")


def facts_of(corpus_dir: Path, out: Path) -> TwinFacts:
    return twin_facts(Corpus.read(corpus_dir, with_texts=False), *classes_of(corpus_dir, out))


def test_classes_against_hand_written(tmp_path: Path) -> None:
    classes, sessions = classes_of(write_corpus(tmp_path / "c"), tmp_path / "o")
    assert classes.schema == {"document_index": pl.Int32, "class_index": pl.Int32}
    assert classes["document_index"].to_list() == list(range(11))
    #                                           answer_1  1   swapped  filler  answer_2
    assert classes["class_index"].to_list() == [0, 1, 0, 1, 1, 0, 2, 3, 4, 5, 2]
    assert sessions.schema == {"session_id": pl.Utf8, "class_index": pl.Int32}
    assert sessions.rows() == [
        ("answer_1", 0),
        ("1", 0),
        ("swapped", 1),
        ("filler", 2),
        ("answer_2", 3),
        ("empty", 4),
        ("empty too", 4),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("user", None, "Café"), ("user", None, "Cafe\u0301")),
        (("user", None, "a b"), ("user", None, "\u00a0a\t\r\n\u2003b \x1f")),
        (("user", None, ""), ("user", "", " \n ")),
    ],
)
def test_folded_content_is_equal(one: tuple[str | None, ...], other: tuple[str | None, ...]) -> None:
    assert content_digest(one) == content_digest(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("user", None, "yes"), ("assistant", None, "yes")),
        (("user", None, "yes"), (None, "user", "yes")),
        (("user", None, "yes"), (None, None, "user yes")),
        (("user", "a", "b"), ("user", None, "a b")),
        (("user", "a", "b"), ("user", "a\x1fb", "")),
        (("user", None, "yes"), ("user", None, "Yes")),
        (("user", None, "ab"), ("user", None, "a b")),
        (("user", None, "ﬁne"), ("user", None, "fine")),  # NFKC would fold the ligature; NFC does not
        (("user", None, "hi", "a cat"), ("user", None, "hi", "a dog")),
    ],
)
def test_different_content_is_different(one: tuple[str | None, ...], other: tuple[str | None, ...]) -> None:
    assert content_digest(one) != content_digest(other)


def test_turns_of_a_session_may_come_in_any_order(tmp_path: Path) -> None:
    directory = tmp_path / "c"
    directory.mkdir()
    with CorpusWriter(directory, "hand-written") as writer:
        for position, session_id in enumerate(("a", "b")):
            writer.add_session(Session(session_id, position, 2))
        for session_id, index in (("a", 0), ("b", 1), ("b", 0), ("a", 1)):
            writer.add_document(Document(f"{session_id}{index}", f"turn {index}", session_id, index, "user"))
    classes, sessions = classes_of(directory, tmp_path / "o")
    assert classes["class_index"].to_list() == [0, 1, 0, 1]
    assert sessions.rows() == [("a", 0), ("b", 0)]


def test_chunks_do_not_change_the_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus_dir = write_corpus(tmp_path / "c")
    whole = classes_of(corpus_dir, tmp_path / "whole")
    monkeypatch.setattr(build_classes, "ROWS_PER_CHUNK", 3)
    told: list[tuple[int, int, str]] = []
    (tmp_path / "cut").mkdir()
    build_classes.build(corpus_dir, tmp_path / "cut", lambda *progress: told.append(progress))
    assert pl.read_parquet(tmp_path / "cut" / "classes.parquet").equals(whole[0])
    assert pl.read_parquet(tmp_path / "cut" / "session_classes.parquet").equals(whole[1])
    assert told == [(n, 11, "documents") for n in (3, 6, 9, 11)]


def test_corpus_without_documents_or_sessions(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    with CorpusWriter(tmp_path / "c", "hand-written"):
        pass
    classes, sessions = classes_of(tmp_path / "c", tmp_path / "o")
    assert (classes.height, sessions.height) == (0, 0)
    assert classes.schema == {"document_index": pl.Int32, "class_index": pl.Int32}
    assert sessions.schema == {"session_id": pl.Utf8, "class_index": pl.Int32}
    facts = twin_facts(Corpus.read(tmp_path / "c"), classes, sessions)
    assert facts == TwinFacts(0, 0, 0, 0, 0, 0, (), 0, (), ())
    assert twin_defects(facts) == []


@pytest.mark.parametrize("name", ["documents", "sessions"])
def test_absent_table_is_refused(tmp_path: Path, name: str) -> None:
    corpus_dir = write_corpus(tmp_path / "c")
    (corpus_dir / f"{name}.parquet").unlink()
    with pytest.raises(BenchError, match=rf"no table {name}\.parquet in .* run the corpora stage"):
        classes_of(corpus_dir, tmp_path / "o")


def test_twin_facts_against_hand_counted(tmp_path: Path) -> None:
    """q1's only gold turn has twins; q2 has one twinned turn ("continue") and one without; q3's has none."""
    facts = facts_of(write_corpus(tmp_path / "c"), tmp_path / "o")
    assert facts == TwinFacts(
        n_classes=6,
        n_shared_classes=3,
        n_shared_documents=8,
        n_shared_sessions=2,
        n_gold_groups=1,
        n_filler_groups=0,  # the twin "1" is gold for another query
        gold_session_queries=("q1", "q4_abs"),
        n_answerable=3,
        with_twin=("q1", "q2"),
        only_twinned=("q1",),
    )


def test_copies_that_are_all_gold_are_no_twins(tmp_path: Path) -> None:
    facts = facts_of(write_corpus(tmp_path / "c", [("q1", "1_t0"), ("q1", "swapped_t1")]), tmp_path / "o")
    assert (facts.with_twin, facts.only_twinned) == (("q2",), ())


def test_one_copy_left_out_makes_the_others_twinned(tmp_path: Path) -> None:
    facts = facts_of(write_corpus(tmp_path / "c", [("q1", "1_t0")]), tmp_path / "o")
    assert (facts.with_twin, facts.only_twinned) == (("q1", "q2"), ("q1",))


def test_ledger_names_the_affected_queries(tmp_path: Path) -> None:
    rows = twin_defects(facts_of(write_corpus(tmp_path / "c"), tmp_path / "o"))
    assert [(row.kind, row.query_ids) for row in rows] == [
        ("identical_documents", ()),
        ("identical_sessions", ("q1", "q4_abs")),
        ("gold_turn_with_twin", ("q1", "q2")),
        ("gold_turns_all_with_twin", ("q1",)),
    ]
    assert rows[2].detail.startswith("2 of 3 answerable questions: at least one gold turn has")


# --- the mirror's copy ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def copy(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Corpus, pl.DataFrame, pl.DataFrame]:
    path = mirror / "longmemeval-s" / "longmemeval_s_cleaned.json.zst"
    if not path.is_file():
        pytest.skip(f"the mirror has no LongMemEval-S: looked for {path}")
    raw, corpus_dir = tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("corpus")
    (raw / path.name).symlink_to(path)
    (raw / "source.json").write_text(
        f'{{"name": "longmemeval-s", "file": "{path.name}", "sha256": "{"0" * 64}", "bytes": 1, "is_official": false}}'
    )
    build_longmemeval(raw, LongmemevalParams(), corpus_dir, silent)
    classes = classes_of(corpus_dir, tmp_path_factory.mktemp("classes") / "o")
    return Corpus.read(corpus_dir, with_texts=False), *classes


@pytest.mark.slow
def test_copy_twins_against_row_m5(copy: Any) -> None:
    """M5 counted ~637 groups and ~273 gold ones on 498 questions; 235 of 469 and 135 are the same here, on 499."""
    corpus, classes, sessions = copy
    facts = twin_facts(corpus, classes, sessions)
    assert (facts.n_classes, facts.n_shared_classes, facts.n_shared_documents) == (189_261, 7_846, 17_825)
    assert (facts.n_shared_sessions, facts.n_gold_groups, facts.n_filler_groups) == (639, 319, 280)
    assert len(facts.gold_session_queries) == 269
    assert (facts.n_answerable, len(facts.with_twin), len(facts.only_twinned)) == (469, 235, 135)
    assert set(facts.only_twinned) < set(facts.with_twin)


@pytest.mark.slow
def test_copy_has_evidence_sessions_whose_id_without_answer_is_filler(copy: Any) -> None:
    """M5's own wording: an evidence session `answer_X` whose twin `X` is filler elsewhere."""
    corpus, _, sessions = copy
    gold = corpus.judgements_session["session_id"].unique().to_list()
    evidence = sessions.filter(pl.col("session_id").str.starts_with("answer_"), pl.col("session_id").is_in(gold))
    bare = evidence.with_columns(session_id=pl.col("session_id").str.strip_prefix("answer_"))
    pairs = bare.join(sessions, on=["session_id", "class_index"], how="inner", validate="1:1")
    assert pairs["class_index"].n_unique() == 274
    assert not set(pairs["session_id"]) & set(gold)


@pytest.mark.slow
def test_copy_classes_against_study_a(copy: Any, mirror: Path) -> None:
    path = mirror.parent / "fixtures" / "rif_candidates.parquet"
    if not path.is_file():
        pytest.skip(f"study A's candidates are absent: looked for {path}")
    corpus, classes, _ = copy
    theirs = pl.read_parquet(path, columns=["document_id", "content_class"]).unique()
    both = (
        theirs.join(corpus.documents.select("document_id", "document_index"), on="document_id", validate="1:1")
        .join(classes, on="document_index", validate="1:1")
        .select("content_class", "class_index")
    )
    assert both.height == theirs.height == 24_243
    assert both["content_class"].n_unique() == both["class_index"].n_unique() == both.unique().height == 22_523

"""The tie audit of a run's rankings, from files to the table `ties`."""

from pathlib import Path

import polars as pl
import pytest

from tasks.corpora.tables import CorpusWriter
from tasks.measures import build_ties
from tasks.measures.names import MeasureParams
from tasks.records import Block, Document, Judgement, Query, ScopeMember, Session

PARAMS = MeasureParams(names=("Success@1", "pool_R@30"))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three turns of one session; turn 1 is relevant to q0 and q1, q2 has nothing, q3 is not answerable."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    with CorpusWriter(folder, "tiny") as writer:
        writer.add_session(Session("s", 0, 3))
        writer.add_scope_member(ScopeMember("talk", "s", 0))
        writer.add_documents(Document(f"s{turn}", "x", "s", turn) for turn in range(3))
        for number in range(4):
            block = Block.ABSTENTION if number == 3 else Block.MAIN
            writer.add_query(Query(f"q{number}", "?", "t", block, "talk"))
        for number in (0, 1, 3):
            writer.add_turn_judgement(Judgement(f"q{number}", "s1", 1))
        writer.add_session_judgement(Judgement("q0", "s", 1))
    return folder


@pytest.fixture
def rankings(tmp_path: Path) -> dict[str, Path]:
    """For q0 the relevant turn ties with the first, for q1 it does not; q2 and q3 tie too."""
    rows = [
        (query, rank, document, score)
        for query, scores in enumerate(([2.0, 2.0, 1.0], [2.0, 1.5, 1.0], [1.0] * 3, [1.0] * 3))
        for rank, (document, score) in enumerate(zip((0, 1, 2), scores, strict=True), start=1)
    ]
    frame = pl.DataFrame(
        rows,
        schema={"query_index": pl.Int32, "rank": pl.Int32, "document_index": pl.Int32, "score": pl.Float64},
        orient="row",
    ).with_columns(logit=pl.lit(None, pl.Float64), suppression=pl.lit(0.0), initial_position=pl.col("rank") - 1)
    folder = tmp_path / "bm25"
    folder.mkdir()
    frame.write_parquet(folder / "rankings.parquet")
    return {"bm25": folder}


def built(rankings: dict[str, Path], corpus: Path, protocol: str) -> pl.DataFrame:
    build_ties.build(rankings, corpus, protocol, PARAMS, corpus)
    return pl.read_parquet(corpus / "ties.parquet")


def test_only_questions_with_a_value_are_audited(rankings: dict[str, Path], corpus: Path) -> None:
    """q0: right in one of two orders; q1: second in every order. The pool's recall has no ties of its own."""
    found = built(rankings, corpus, "conversation-turn")
    assert found.select("query_index", "value", "pessimistic", "expected", "optimistic", "is_tied_at_cut").rows() == [
        (0, 0.0, 0.0, 0.5, 1.0, True),
        (1, 0.0, 0.0, 0.0, 0.0, False),
    ]
    assert found["measure"].unique().to_list() == ["Success@1"]
    assert found.schema == pl.Schema(build_ties.SCHEMA)


def test_merged_items_are_not_audited(rankings: dict[str, Path], corpus: Path) -> None:
    assert built(rankings, corpus, "conversation-turn(level=session)").height == 0

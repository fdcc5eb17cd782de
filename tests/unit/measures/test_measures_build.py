"""The table of the stage `measures`, from hand-written rankings of a hand-written corpus."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.corpora.samples import write_asked
from tasks.corpora.tables import CorpusWriter
from tasks.files import sha256_of
from tasks.measures import build
from tasks.measures.metric_table import SCHEMA
from tasks.measures.names import MeasureParams
from tasks.records import BenchError, Block, Document, Judgement, Query

NAN = float("nan")
QUERY_IDS = ["answered", "unanswered", "without evidence", "adversarial", "abstention"]
Row = tuple[int, int, int, float | None, int]


@pytest.fixture
def corpus_dir(tmp_path: Path) -> Path:
    directory = tmp_path / "corpus"
    directory.mkdir()
    blocks = [Block.MAIN, Block.MAIN, Block.MAIN, Block.ADVERSARIAL, Block.ABSTENTION]
    with CorpusWriter(directory, "hand-written") as writer:
        writer.add_documents(Document(f"d{number}", f"text {number}") for number in range(5))
        for query_id, block in zip(QUERY_IDS, blocks, strict=True):
            writer.add_query(Query(query_id, "?", "plain", block))
            if query_id != "without evidence":
                writer.add_turn_judgement(Judgement(query_id, "d1", 1))
    return directory


def write_rankings(directory: Path, rows: list[Row], n_entries: int = 0) -> Path:
    directory.mkdir()
    columns = {
        "query_index": pl.Int32,
        "rank": pl.Int32,
        "document_index": pl.Int32,
        "logit": pl.Float64,
        "initial_position": pl.Int32,
    }
    pl.DataFrame(rows, schema=columns, orient="row").with_columns(score=0.0, suppression=0.0).write_parquet(
        directory / "rankings.parquet"
    )
    if n_entries:
        pl.DataFrame({"n_entries": [n_entries]}).write_parquet(directory / "suppression.parquet")
    return directory


def ranked(query: int, documents: list[int], *, is_reranked: bool) -> list[Row]:
    logits = [9.0 - place if is_reranked else None for place in range(len(documents))]
    return [
        (query, place + 1, document, logit, place)
        for place, (document, logit) in enumerate(zip(documents, logits, strict=True))
    ]


def rows_of(*, is_reranked: bool) -> list[Row]:
    return [row for query in (0, 2, 3, 4) for row in ranked(query, [0, 1, 2], is_reranked=is_reranked)]


@pytest.fixture
def rankings(tmp_path: Path) -> dict[str, Path]:
    return {
        "hybrid-rerank": write_rankings(tmp_path / "r", rows_of(is_reranked=True)),
        "rif(rule=gap,clusters=30)": write_rankings(tmp_path / "f", rows_of(is_reranked=True), n_entries=3),
        "bm25": write_rankings(tmp_path / "b", rows_of(is_reranked=False)),
    }


PARAMS = MeasureParams(names=("RR", "pool_R@30", "nDCG@10"), stream_seed=7)


def built(rankings: dict[str, Path], corpus_dir: Path, out: Path) -> pl.DataFrame:
    out.mkdir()
    build.build(rankings, corpus_dir, None, "pooled-turn", PARAMS, out)
    return pl.read_parquet(out / "query_metrics.parquet")


def values(table: pl.DataFrame, variant: str, measure: str) -> list[float]:
    return table.filter(variant=variant, measure=measure)["value"].to_list()


def test_values_against_hand_computed(rankings: dict[str, Path], corpus_dir: Path, tmp_path: Path) -> None:
    table = built(rankings, corpus_dir, tmp_path / "out")
    assert dict(table.schema) == SCHEMA
    assert table.height == 3 * 3 * 5
    assert table["value"].null_count() == 0
    assert values(table, "hybrid-rerank", "RR") == pytest.approx([0.5, 0.0, NAN, 0.5, NAN], nan_ok=True)
    expected = [1 / np.log2(3), 0.0, NAN, 1 / np.log2(3), NAN]
    assert values(table, "bm25", "nDCG@10") == pytest.approx(expected, nan_ok=True)


def test_pool_recall_exists_only_with_a_reranker(rankings: dict[str, Path], corpus_dir: Path, tmp_path: Path) -> None:
    table = built(rankings, corpus_dir, tmp_path / "out")
    expected = [1.0, 0.0, NAN, 1.0, NAN]
    assert values(table, "rif(rule=gap,clusters=30)", "pool_R@30") == pytest.approx(expected, nan_ok=True)
    assert np.isnan(values(table, "bm25", "pool_R@30")).all()


def test_only_variants_with_state_have_a_seed_and_a_split(
    rankings: dict[str, Path], corpus_dir: Path, tmp_path: Path
) -> None:
    table = built(rankings, corpus_dir, tmp_path / "out")
    origins = table.select("variant", "stream_seed", "split").unique(maintain_order=True).rows()
    assert origins == [
        ("hybrid-rerank", None, None),
        ("rif(rule=gap,clusters=30)", 7, "transductive"),
        ("bm25", None, None),
    ]


def test_files_are_identical_when_built_twice(rankings: dict[str, Path], corpus_dir: Path, tmp_path: Path) -> None:
    built(rankings, corpus_dir, tmp_path / "1")
    built(rankings, corpus_dir, tmp_path / "2")
    assert sha256_of(tmp_path / "1" / "query_metrics.parquet") == sha256_of(tmp_path / "2" / "query_metrics.parquet")


def test_rankings_of_another_corpus_are_refused(corpus_dir: Path, tmp_path: Path) -> None:
    stranger = write_rankings(tmp_path / "s", ranked(17, [0], is_reranked=False))
    with pytest.raises(BenchError, match=r"unknown queries \(query_index 17, ...\); the corpus has 5"):
        built({"bm25": stranger}, corpus_dir, tmp_path / "out")
    with pytest.raises(BenchError, match="expected rankings"):
        built({"bm25": tmp_path}, corpus_dir, tmp_path / "out2")


def test_variant_that_ranked_nothing(corpus_dir: Path, tmp_path: Path) -> None:
    table = built({"bm25": write_rankings(tmp_path / "none", [])}, corpus_dir, tmp_path / "out")
    assert values(table, "bm25", "nDCG@10") == pytest.approx([0.0, 0.0, NAN, 0.0, NAN], nan_ok=True)


def test_a_question_that_was_not_asked_has_no_value(
    rankings: dict[str, Path], corpus_dir: Path, tmp_path: Path
) -> None:
    """Not even the value 0 of one that was asked and for which nothing was ranked."""
    asked, out = tmp_path / "asked", tmp_path / "out"
    asked.mkdir()
    out.mkdir()
    write_asked(np.array([True, False, True, True, True]), asked)
    build.build(rankings, corpus_dir, None, "pooled-turn", PARAMS, out, asked_dir=asked)
    table = pl.read_parquet(out / "query_metrics.parquet")
    assert values(table, "hybrid-rerank", "RR") == pytest.approx([0.5, NAN, NAN, 0.5, NAN], nan_ok=True)

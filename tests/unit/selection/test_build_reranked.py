"""The head of a ranking, as candidates for a reranker, and reordered by its logits."""

from pathlib import Path

import polars as pl
import pytest

from tasks.candidates.rankings import RANKINGS, write_rankings
from tasks.measures.ties import find_ties
from tasks.records import BenchError
from tasks.reranking import build as reranking
from tasks.reranking.pairs import PairParams
from tasks.selection import build_head, build_reranked
from tasks.selection.build_head import HeadParams
from tasks.selection.build_reranked import RerankedParams

SCORES = [0.9, 0.5, 0.5, 0.2, 0.2]
LOGITS = {"d0": -3.0, "d1": 4.0, "d2": 4.0, "d3": 1.0, "d4": 2.0}


@pytest.fixture
def ranked(tmp_path: Path) -> Path:
    """Question 0 ranks documents 0 to 4, question 1 document 4 alone."""
    rows = [(0, place + 1, place, score, None, 0.0, place) for place, score in enumerate(SCORES)]
    (tmp_path / "fused").mkdir()
    write_rankings(
        pl.DataFrame([*rows, (1, 1, 4, 0.7, None, 0.0, 0)], schema=RANKINGS, orient="row"), tmp_path / "fused"
    )
    return tmp_path


def head(folder: Path, top: int) -> pl.DataFrame:
    out = folder / f"head{top}"
    out.mkdir()
    build_head.build(folder / "fused", HeadParams(top=top), out)
    return pl.read_parquet(out / "candidates.parquet")


def reranked(folder: Path, top: int, scored: int | None = None) -> pl.DataFrame:
    """Score the head as the stage reranking does, with made-up logits, then reorder it."""
    texts, pairs, shard, out = (folder / name for name in ("texts", "pairs", "shard", "out"))
    for place in (texts, pairs, shard, out):
        place.mkdir()
    for side, n in (("query", 2), ("document", 5)):
        frame = {f"{side}_index": range(n), "text": [f"{side[0]}{i}" for i in range(n)]}
        pl.DataFrame(frame).cast({f"{side}_index": pl.Int32}).write_parquet(texts / f"{side}_texts.parquet")
    head(folder, scored or top)
    reranking.list_pairs(folder / f"head{scored or top}", texts, PairParams(), pairs)
    keyed = pl.read_parquet(pairs / "pairs.parquet")
    logits = [LOGITS[f"d{document}"] for document in keyed["document_index"]]
    keyed.select("pair_key", logit=pl.Series(logits)).write_parquet(shard / "logits.parquet")
    build_reranked.build(folder / "fused", pairs, [shard], RerankedParams(top=top), out)
    return pl.read_parquet(out / "rankings.parquet")


def test_head_against_hand_computed(ranked: Path) -> None:
    assert head(ranked, 2).rows() == [(0, 0, 0), (0, 1, 1), (1, 0, 4)]
    assert head(ranked, 9).height == 6


def test_reranked_against_hand_computed(ranked: Path) -> None:
    """The best three by logit, equal ones as they were; the rest as it was, its scores below the least logit."""
    found = reranked(ranked, 3)
    assert found.schema == pl.Schema(RANKINGS)
    assert found.rows() == [
        (0, 1, 1, 4.0, 4.0, 0.0, 1),
        (0, 2, 2, 4.0, 4.0, 0.0, 2),
        (0, 3, 0, -3.0, -3.0, 0.0, 0),
        (0, 4, 3, -4.0, None, 0.0, 3),
        (0, 5, 4, -4.0, None, 0.0, 4),
        (1, 1, 4, 2.0, 2.0, 0.0, 0),
    ]


@pytest.mark.parametrize("top", [1, 2, 4, 5, 10])
def test_the_tie_audit_reads_the_scores(ranked: Path, top: int) -> None:
    """Scores never rise with the rank (else it refuses), and no tie crosses the cut between head and rest."""
    found = reranked(ranked, top)
    ties = find_ties(found.with_columns(gain=pl.lit(0)), pl.DataFrame({"a": [1, 1]}).to_numpy())
    cut = min(top, 5)
    assert ties.ends[0, cut - 1] == cut
    assert found.filter(pl.col("query_index") == 0)["logit"].null_count() == 5 - cut
    assert sorted(found["initial_position"].to_list()[:cut]) == list(range(cut))
    assert found["initial_position"].to_list()[cut:5] == list(range(cut, 5))


def test_a_head_without_logits_is_refused_in_words(ranked: Path) -> None:
    with pytest.raises(BenchError, match="1 of 5 candidates have no finite logit"):
        reranked(ranked, 4, scored=3)


def test_no_rankings_are_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"no table rankings\.parquet"):
        build_head.build(tmp_path, HeadParams(), tmp_path)

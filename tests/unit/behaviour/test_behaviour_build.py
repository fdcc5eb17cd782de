"""The behaviours of the top-1, from hand-written rankings."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.behaviour import build
from tasks.behaviour.decomposition import BehaviourParams
from tasks.corpora.tables import CorpusWriter
from tasks.measures.metric_table import SCHEMA
from tasks.records import Block, Document, Judgement, Query, ScopeMember, Session

NAN = float("nan")

# (query, top-1, its logit, type, block): d0 and d1 share session s0, d2 is in s1; d0 is relevant for every query.
CASES = [
    ("exact", 0, 5.0, "knowledge-update", Block.MAIN),
    ("sibling", 1, 3.0, "knowledge-update", Block.MAIN),
    ("sibling of another type", 1, 1.0, "multi-session", Block.MAIN),
    ("wrong family", 2, 0.0, "knowledge-update", Block.MAIN),
    ("unanswered", None, None, "knowledge-update", Block.MAIN),
    ("without evidence", 2, -1.0, "knowledge-update", Block.MAIN),
    ("abstention", 0, 1.0, "knowledge-update", Block.ABSTENTION),
]
EXPECTED = {
    "exact_episode": [1, 0, 0, 0, 0, NAN, NAN],
    "wrong_family": [0, 0, 0, 1, 1, NAN, NAN],
    "sibling_confusion": [0, 1, 1, 0, 0, NAN, NAN],
    "stale_fact": [0, 1, NAN, 0, 0, NAN, NAN],
    "abstain@0": [0, 0, 0, 0, 1, 1, 0],
    "abstain@2": [0, 0, 1, 1, 1, 1, 1],
    "abstain@4": [0, 1, 1, 1, 1, 1, 1],
}


def write_corpus(directory: Path, *, has_sessions: bool) -> Path:
    directory.mkdir()
    sessions = ["s0", "s0", "s1"]
    with CorpusWriter(directory, "hand-written") as writer:
        for number, session in enumerate(sessions):
            writer.add_document(Document(f"d{number}", "text", session if has_sessions else None))
        if has_sessions:
            for position, (session, n_turns) in enumerate([("s0", 2), ("s1", 1)]):
                writer.add_session(Session(session, position, n_turns))
                writer.add_scope_member(ScopeMember("user", session, position))
        for query_id, _, _, kind, block in CASES:
            writer.add_query(Query(query_id, "?", kind, block, scope_id="user" if has_sessions else None))
            if query_id != "without evidence":
                writer.add_turn_judgement(Judgement(query_id, "d0", 1))
    return directory


def write_rankings(directory: Path, *, is_reranked: bool) -> Path:
    directory.mkdir()
    rows = [
        (query, rank, document, logit if is_reranked and logit is not None else None, rank - 1, 0.0, logit)
        for query, (_, top, top_logit, _, _) in enumerate(CASES)
        if top is not None and top_logit is not None
        for rank, document, logit in [(1, top, top_logit), (2, (top + 1) % 3, top_logit - 9)]
    ]
    columns = {
        "query_index": pl.Int32,
        "rank": pl.Int32,
        "document_index": pl.Int32,
        "logit": pl.Float64,
        "initial_position": pl.Int32,
        "suppression": pl.Float64,
        "score": pl.Float64,
    }
    pl.DataFrame(rows, schema=columns, orient="row").write_parquet(directory / "rankings.parquet")
    return directory


def built(parent: Path, *, has_sessions: bool = True, is_reranked: bool = True) -> pl.DataFrame:
    corpus = write_corpus(parent / "corpus", has_sessions=has_sessions)
    rankings = {"variant": write_rankings(parent / "rankings", is_reranked=is_reranked)}
    protocol = "pooled-turn" if has_sessions else "pooled-document"
    build.build(rankings, corpus, None, protocol, BehaviourParams(), parent)
    return pl.read_parquet(parent / "behaviour_metrics.parquet")


def values(table: pl.DataFrame, measure: str) -> list[float]:
    return table.filter(measure=measure)["value"].to_list()


def test_behaviours_against_hand_computed(tmp_path: Path) -> None:
    table = built(tmp_path)
    assert dict(table.schema) == SCHEMA
    assert table["measure"].unique(maintain_order=True).to_list() == list(EXPECTED)
    for measure, expected in EXPECTED.items():
        assert values(table, measure) == pytest.approx(expected, nan_ok=True), measure


def test_three_kinds_sum_to_one(tmp_path: Path) -> None:
    table = built(tmp_path)
    kinds = [values(table, name) for name in ("exact_episode", "wrong_family", "sibling_confusion")]
    assert np.sum(kinds, axis=0) == pytest.approx([1, 1, 1, 1, 1, NAN, NAN], nan_ok=True)


def test_corpus_without_sessions_has_no_families(tmp_path: Path) -> None:
    table = built(tmp_path, has_sessions=False)
    for measure in ("exact_episode", "wrong_family", "sibling_confusion", "stale_fact"):
        assert np.isnan(values(table, measure)).all(), measure
    assert values(table, "abstain@2") == EXPECTED["abstain@2"]


def test_variant_without_logits_cannot_abstain(tmp_path: Path) -> None:
    table = built(tmp_path, is_reranked=False)
    for threshold in (0, 2, 4):
        assert np.isnan(values(table, f"abstain@{threshold}")).all()
    assert values(table, "exact_episode") == pytest.approx(EXPECTED["exact_episode"], nan_ok=True)


@pytest.mark.parametrize("thresholds", [(2.0, 0.0), (1.0, 1.0)])
def test_thresholds_must_ascend(thresholds: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="ascending"):
        BehaviourParams(abstain_below=thresholds)

"""Fused rankings, from files to files."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from pydantic import ValidationError

from tasks.candidates.ranking import TieRule
from tasks.candidates.rankings import RANKINGS
from tasks.corpora.tables import CorpusWriter
from tasks.indexes.bm25 import Bm25Params, RaggedTokens, index_scope, write_index
from tasks.measures import build as measures
from tasks.measures.names import MeasureParams
from tasks.records import BenchError, Block, Document, Judgement, Query, ScopeMember, Session
from tasks.selection.build_fused import CURVE, WEIGHTS, FusionParams, build
from tasks.selection.weights import CHOICES, GRID
from tests.unit.selection.talks import Talks

PROTOCOL = "conversation-session"
TABLES = ("rankings", "choices", "curve", "weights")


def fused(talks: Talks, protocol: str = PROTOCOL, bm25: Path | None = None, **params: Any) -> dict[str, pl.DataFrame]:
    out = talks.folder / "out"
    out.mkdir(exist_ok=True)
    build(talks.sessions, talks.corpus, protocol, FusionParams(**params), out, bm25_dir=bm25)
    return {name: pl.read_parquet(out / f"{name}.parquet") for name in TABLES}


def values(talks: Talks, measure: str) -> pl.Series:
    """Return the value of each question by the stage measures, of the rankings built last."""
    out = talks.folder / "out"
    measures.build({"x": out}, talks.corpus, None, PROTOCOL, MeasureParams(names=(measure,)), out)
    return pl.read_parquet(out / "query_metrics.parquet")["value"]


@pytest.fixture
def bm25(tmp_path: Path) -> Path:
    """An index in which the sessions of every conversation have different words; each question asks for two."""
    tokens = RaggedTokens.from_series(pl.Series([[1], [2, 3], [3]], dtype=pl.List(pl.UInt32)))
    asked = RaggedTokens.from_series(pl.Series([[i % 4, 3] for i in range(12)], dtype=pl.List(pl.UInt32)))
    (tmp_path / "bm25").mkdir()
    write_index(["t0", "t1", "t2"], [index_scope(tokens, Bm25Params())] * 3, asked, tmp_path / "bm25")
    return tmp_path / "bm25"


def test_rankings_against_hand_computed(tmp_path: Path) -> None:
    """z of (0, 1, 2) is (-a, 0, a), a = sqrt(1.5); of (2, 1, 0) the reverse. Weight 0.75: half of the BM25 order."""
    talks = Talks(tmp_path, [0])
    talks.write_corpus([[2]])
    talks.write_sessions([[0, 1, 2]], [[2, 1, 0]])
    tables = fused(talks, alpha=0.75)
    assert tables["rankings"].schema == pl.Schema(RANKINGS)
    half = round(np.sqrt(1.5) / 2, 9)
    assert tables["rankings"].rows() == [
        (0, 1, 5, half, None, 0.0, 0),
        (0, 2, 3, 0.0, None, 0.0, 1),
        (0, 3, 1, -half, None, 0.0, 2),
    ]
    assert tables["weights"].rows() == [(0, None, 0.75)]
    assert tables["choices"].schema == pl.Schema(CHOICES)
    assert tables["choices"].is_empty()


def test_curve_against_the_stage_measures(talks: Talks) -> None:
    """Every point is the mean that the stage measures gives for rankings with that fixed weight."""
    curve = fused(talks)["curve"]
    assert curve.schema == pl.Schema(CURVE)
    assert curve["alpha"].unique(maintain_order=True).to_list() == list(GRID)
    for alpha in (0.0, 0.35, 1.0):
        assert fused(talks, alpha=alpha)["curve"].equals(curve)
        for measure in ("Success@1", "R@3", "RR"):
            point = curve.filter(pl.col("alpha") == alpha, pl.col("measure") == measure)
            assert point["n"].to_list() == [12]
            assert point["value"][0] == pytest.approx(values(talks, measure).mean())


def test_choices_against_brute_force(talks: Talks) -> None:
    """For each conversation, the first weight with the most right first sessions in the others."""
    found = fused(talks)
    hits = {alpha: values(talks, "Success@1") for alpha in GRID if fused(talks, alpha=alpha)}
    for fold, name in enumerate(("t0", "t1", "t2")):
        others = [i for i in range(12) if i % 3 != fold]
        counts = {alpha: sum(of[i] for i in others) for alpha, of in hits.items()}
        best = max(counts.values())
        alpha = next(alpha for alpha in GRID if counts[alpha] == best)
        assert found["choices"].row(fold) == (fold, name, 4, 8, alpha, best / 8)
        assert found["weights"].filter(pl.col("fold") == fold).select("query_index", "alpha").rows() == [
            (i, alpha) for i in range(12) if i % 3 == fold
        ]
    assert found["weights"].schema == pl.Schema(WEIGHTS)


def test_a_question_is_ranked_with_the_weight_of_its_fold(talks: Talks) -> None:
    found = fused(talks)
    by_alpha = {alpha: fused(talks, alpha=alpha)["rankings"] for alpha in set(found["choices"]["alpha"])}
    for query, _, alpha in found["weights"].iter_rows():
        mine = pl.col("query_index") == query
        assert found["rankings"].filter(mine).equals(by_alpha[alpha].filter(mine))


@pytest.mark.parametrize("combine", ["z", "minmax", "adaptive"])
def test_labels_of_a_held_out_group_do_not_reach_its_ranking(talks: Talks, bm25: Path, combine: str) -> None:
    """Whatever is called right in conversation 1, its own rankings and weights stay; those of the others move."""
    found = []
    for labels in ([0], [1], [2], [0, 1]):
        talks.write_corpus([labels if i % 3 == 1 else [i % 2] for i in range(12)])
        found.append(fused(talks, combine=combine, bm25=bm25))
    own = pl.col("query_index") % 3 == 1
    for name in ("rankings", "weights"):
        assert all(tables[name].filter(own).equals(found[0][name].filter(own)) for tables in found)
    assert not all(tables["weights"].filter(~own).equals(found[0]["weights"].filter(~own)) for tables in found)


def test_questions_without_a_value_are_ranked_but_do_not_choose(talks: Talks) -> None:
    """Question 0 has nothing relevant, question 1 cannot be answered: what is said of it does not matter."""
    blocks = [Block.ABSTENTION if i == 1 else Block.MAIN for i in range(12)]
    tables = []
    for labels in ([0], [2]):
        talks.write_corpus([[], labels, *([i % 3] for i in range(2, 12))], blocks)
        tables.append(fused(talks))
    assert all(tables[0][name].equals(tables[1][name]) for name in TABLES)
    assert tables[0]["choices"]["n_held_out"].to_list() == [3, 3, 4]
    assert tables[0]["curve"]["n"].unique().to_list() == [10]
    assert tables[0]["rankings"]["query_index"].n_unique() == 12


def test_rrf_and_dense_against_hand_computed(talks: Talks) -> None:
    talks.write_sessions([[3.0, 2.0, 1.0]] * 12, [[1.0, 3.0, 2.0]] * 12)
    rrf = fused(talks, combine="rrf")
    first = rrf["rankings"].filter(pl.col("query_index") == 0)
    assert first["document_index"].to_list() == [3, 1, 5]  # 1/62 + 1/61, 1/61 + 1/63, 1/63 + 1/62
    assert first["score"].to_list() == [round(x, 9) for x in (1 / 62 + 1 / 61, 1 / 61 + 1 / 63, 1 / 63 + 1 / 62)]
    dense = fused(talks, combine="dense")
    assert dense["rankings"].filter(pl.col("query_index") == 0)["score"].to_list() == [3.0, 2.0, 1.0]
    for tables in (rrf, dense):
        assert all(tables[name].is_empty() for name in ("choices", "curve", "weights"))


def test_adaptive_weights_differ_between_questions(talks: Talks, bm25: Path) -> None:
    weights = fused(talks, combine="adaptive", bm25=bm25)["weights"]
    assert weights["fold"].to_list() == [0, 1, 2] * 4
    assert weights["alpha"].n_unique() > 3
    with pytest.raises(BenchError, match="combine=adaptive came without a BM25 index"):
        fused(talks, combine="adaptive")


def test_haystacks_are_cut_into_folds_of_questions(talks: Talks) -> None:
    found = fused(talks, "haystack-session", n_folds=4, fold_seed=2)
    assert found["choices"]["group"].to_list() == ["fold 1", "fold 2", "fold 3", "fold 4"]
    assert found["choices"]["n_held_out"].to_list() == [3, 3, 3, 3]
    folds = fused(talks, "haystack-session", n_folds=4, fold_seed=3)["weights"]["fold"]
    assert folds.to_list() != found["weights"]["fold"].to_list()


def test_equal_scores_come_in_the_order_of_the_scope(tmp_path: Path) -> None:
    """A haystack lists its sessions in another order than the source: `earliest` is the haystack's."""
    talks = Talks(tmp_path, [0, 0])
    talks.corpus.mkdir()
    with CorpusWriter(talks.corpus, "tiny") as writer:
        for place, name in enumerate("abc"):
            writer.add_session(Session(name, place, 2))
            writer.add_scope_member(ScopeMember("t0", name, (2, 0, 1)[place]))
            writer.add_documents(Document(f"{name}{turn}", "x", name, turn) for turn in range(2))
        for query in ("q0", "q1"):
            writer.add_query(Query(query, "?", "kind", scope_id="t0"))
            writer.add_session_judgement(Judgement(query, "a", 1))
    talks.write_sessions([[1.0] * 3] * 2, [[0.5] * 3] * 2)
    found = fused(talks, "haystack-session", alpha=0.5)["rankings"]
    assert found["document_index"].to_list() == [3, 5, 1] * 2
    opaque = fused(talks, "haystack-session", alpha=0.5, ties=TieRule.TREC_EVAL)["rankings"]
    assert opaque["document_index"].to_list() == [5, 3, 1] * 2


def test_one_conversation_is_refused_in_words(tmp_path: Path) -> None:
    talks = Talks(tmp_path, [0, 0])
    talks.write_corpus([[0], [1]])
    talks.write_sessions([[0, 1, 2]] * 2, [[2, 1, 0]] * 2)
    with pytest.raises(BenchError, match=r"of one group \(t0\)"):
        fused(talks)
    assert fused(talks, alpha=0.5)["rankings"].height == 6


def test_inputs_that_do_not_belong_together_are_refused(talks: Talks) -> None:
    rows = pl.read_parquet(talks.sessions / "candidates.parquet")
    for change, words in (
        (pl.col("bm25_score").replace(rows["bm25_score"][0], None), "1 scores in .* are missing"),
        ((pl.col("document_index") + 7).cast(pl.Int32), "rows in .* are of questions or documents"),
        (pl.col("document_index").reverse(), "candidates are in no session of their question's scope"),
        ((pl.col("query_index") + 1).cast(pl.Int32), "rows in .* are of questions or documents"),
        (pl.lit(np.nan).alias("dense_score"), "scores are not finite"),
    ):
        rows.with_columns(change).write_parquet(talks.sessions / "candidates.parquet")
        with pytest.raises(BenchError, match=words):
            fused(talks)
    (talks.sessions / "pools.parquet").unlink()
    with pytest.raises(BenchError, match=r"no table pools\.parquet"):
        fused(talks)


@pytest.mark.parametrize("combine", ["rrf", "adaptive", "dense"])
def test_only_weighted_sums_take_a_weight(combine: str) -> None:
    with pytest.raises(ValidationError, match=f"combine={combine} has no fixed weight"):
        FusionParams.model_validate({"combine": combine, "alpha": 0.5})


def test_parameters_are_checked() -> None:
    for wrong in ({"alpha": 1.5}, {"alpha": "best"}, {"n_folds": 1}, {"measures": ["Hit@1"]}, {"weight": 1}):
        with pytest.raises(ValidationError):
            FusionParams.model_validate(wrong)

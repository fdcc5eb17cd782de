"""Study B's BM25 row on LoCoMo through the project's own stages: parser, texts, tokens, index, sessions, measures.

`test_published_bm25.py` has the same numbers from a second, slow implementation. Dense scores do not matter here: the
vectors are made up.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from tasks.candidates import build_sessions
from tasks.candidates.build_sessions import SessionScoreParams
from tasks.candidates.ranking import DECIMALS, TieRule
from tasks.corpora.locomo import LocomoParams, parse
from tasks.corpora.protocols import parse_protocol
from tasks.corpora.raw import RawFile
from tasks.corpora.relevance import judging
from tasks.corpora.scopes import scope_documents
from tasks.corpora.tables import Corpus, CorpusWriter
from tasks.indexes import build_bm25
from tasks.indexes.bm25 import Bm25Params, RaggedTokens
from tasks.indexes.bm25_grid import grid_scores
from tasks.measures import names
from tasks.measures.judged import evaluate, fold, judge
from tasks.progress import silent
from tasks.text import build_texts, build_tokens
from tasks.text.documents import TextParams
from tasks.text.tokenizers import TokenizerParams

PROTOCOL = "conversation-session(evidence=strict)"
N_QUESTIONS = 1978
# Protocol B.2, ties earliest; Hit@1 is Success@1, MRR is RR.
PUBLISHED = {"Success@1": 0.6395, "R@3": 0.7788, "R@5": 0.8325, "RR": 0.7504, "nDCG@5": 0.7456}
SUCCESS_AT_1_LATEST = 0.6390
# shared/published/fusion_categories.csv, column bm25: questions and Success@1.
CATEGORIES = {
    "multi-hop": (281, 0.434),
    "temporal": (321, 0.583),
    "single-hop": (841, 0.712),
    "open-domain": (89, 0.371),
    "adversarial": (446, 0.726),
}
# shared/published/fusion_bm25_grid.csv: Success@1 by variant, k1 and b.
GRID = {
    ("bm25l", 1.2, 0.2): 0.6486,
    ("bm25l", 1.0, 0.2): 0.6481,
    ("lucene", 0.6, 0.4): 0.6476,
    ("bm25l", 1.0, 0.6): 0.6476,
    ("bm25l", 1.5, 0.2): 0.6476,
    ("lucene", 0.6, 0.5): 0.6471,
    ("bm25l", 0.8, 0.6): 0.6471,
}
TO_FOUR_PLACES, TO_THREE_PLACES = 5e-5, 5e-4


@dataclass(frozen=True)
class Ranked:
    """The scores of all sessions, and how to judge an order of them."""

    corpus: Corpus
    tokens: Path
    sessions: pl.DataFrame

    def values(self, measure: str, rank: pl.Expr) -> npt.NDArray[np.float64]:
        """Return the value of each question, (1986,), NaN without evidence; `rank` is 0-based."""
        ranked = self.sessions.select(
            "query_index", "document_index", logit=pl.lit(None, pl.Float64), rank=rank.cast(pl.Int32) + 1
        ).with_columns(initial_position=pl.col("rank") - 1)
        by = judging(self.corpus, parse_protocol(PROTOCOL))
        judged = judge(fold(ranked, by.item_of), by.relevance, self.corpus.queries.height)
        return evaluate(names.parse(measure), judged)


@pytest.fixture(scope="module")
def ranked(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Ranked:
    folder = tmp_path_factory.mktemp("study-b")
    corpus_dir, texts, tokens, dense, bm25, out = (
        folder / name for name in ("corpus", "texts", "tokens", "dense", "bm25", "out")
    )
    for directory in (corpus_dir, texts, tokens, dense, bm25, out):
        directory.mkdir()
    params = LocomoParams(evidence="strict")
    with CorpusWriter(corpus_dir, "locomo", options=params.model_dump()) as writer:
        parse(RawFile(mirror / "locomo" / "locomo10.json", {}), params, writer, silent)
    corpus = Corpus.read(corpus_dir)
    build_texts.build(corpus_dir, TextParams(), texts)
    build_tokens.build(texts, TokenizerParams(name="word3+stop"), tokens)
    build_bm25.build(tokens, corpus_dir, PROTOCOL, Bm25Params(), bm25)
    np.save(dense / "document_vectors.npy", np.ones((corpus.documents.height, 1), np.float32))
    np.save(dense / "query_vectors.npy", np.ones((corpus.queries.height, 1), np.float32))
    build_sessions.build(corpus_dir, dense, bm25, PROTOCOL, SessionScoreParams(ties=TieRule.EARLIEST), out)
    return Ranked(corpus, tokens, pl.read_parquet(out / "candidates.parquet"))


def test_bm25_on_locomo_against_published(ranked: Ranked) -> None:
    values = {name: ranked.values(name, pl.col("bm25_rank")) for name in PUBLISHED}
    assert {int(np.isfinite(of).sum()) for of in values.values()} == {N_QUESTIONS}
    means = {name: float(np.nanmean(of)) for name, of in values.items()}
    assert means == pytest.approx(PUBLISHED, abs=TO_FOUR_PLACES)


def test_bm25_per_category_against_published(ranked: Ranked) -> None:
    found = (
        ranked.corpus.queries.select(
            "question_type", value=pl.Series(ranked.values("Success@1", pl.col("bm25_rank"))).fill_nan(None)
        )
        .drop_nulls("value")
        .group_by("question_type")
        .agg(pl.len(), pl.col("value").mean())
    )
    assert dict(found.select("question_type", "len").iter_rows()) == {name: n for name, (n, _) in CATEGORIES.items()}
    assert dict(found.select("question_type", "value").iter_rows()) == pytest.approx(
        {name: value for name, (_, value) in CATEGORIES.items()}, abs=TO_THREE_PLACES
    )


def test_bm25_with_the_latest_of_equal_sessions_first(ranked: Ranked) -> None:
    """No tie rule of ours, so ranked here: one question of the 1,978 is lost (protocol B.2)."""
    score, place = pl.col("bm25_score").round(DECIMALS), pl.col("document_index")
    latest = pl.struct(-score, -place).rank("ordinal").over("query_index") - 1
    mean = float(np.nanmean(ranked.values("Success@1", latest)))
    assert mean == pytest.approx(SUCCESS_AT_1_LATEST, abs=TO_FOUR_PLACES)


def test_bm25_grid_against_published(ranked: Ranked) -> None:
    """The best of study B's grid, BM25L among them, each to four places."""
    settings = [Bm25Params.model_validate({"variant": variant, "k1": k1, "b": b}) for variant, k1, b in GRID]
    documents, questions = (
        RaggedTokens.from_series(pl.read_parquet(ranked.tokens / f"{name}_tokens.parquet")["tokens"])
        for name in ("document", "query")
    )
    by = judging(ranked.corpus, parse_protocol(PROTOCOL))
    is_right = np.zeros((ranked.corpus.queries.height, ranked.corpus.sessions.height), dtype=bool)
    is_right[by.relevance["query_index"].to_numpy(), by.relevance["item_index"].to_numpy()] = True
    scopes, n_right = scope_documents(ranked.corpus, parse_protocol(PROTOCOL)), np.zeros(len(GRID))
    for number, members in enumerate(scopes.documents):
        asked, units = np.flatnonzero(scopes.query_scope == number), scopes.units[number]
        scores = grid_scores(documents.take(members.astype(np.int64)).merged(units), questions.take(asked), settings)
        session_of = by.item_of[members[np.unique(units, return_index=True)[1]]]
        best = scores.round(DECIMALS).argmax(axis=2)  # of equals the first: the earliest session
        n_right += is_right[asked, session_of[best]].sum(axis=1)
    found = dict(zip(GRID, n_right / N_QUESTIONS, strict=True))
    assert found == pytest.approx(GRID, abs=TO_FOUR_PLACES)

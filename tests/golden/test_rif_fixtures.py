"""Study A's released rules on real LongMemEval-S candidates: the replay gives the same values, query by query.

The data are ids (shrunk to integers) and scores of `shared/fixtures`, made once with a throw-away prototype that ran
the study's own update functions. Published ids: the order of `queries` in the study's per-query file.
"""

import json
import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from tasks.candidates.fusion import reciprocal_rank_fusion
from tasks.candidates.ranking import TieOrder, TieRule
from tasks.simulation import reference
from tasks.simulation.layout import Pools, Served, lay_out
from tasks.simulation.replay import Replayed, replay
from tasks.simulation.streams import draw_stream, locate
from tasks.simulation.suppression import RifParams
from tasks.simulation.variants import parse

DATA = Path(__file__).parent / "data"
VARIANTS = {
    "baseline": None,
    "global-uniform": "rif(rule=uniform,clusters=1)",
    "global-gap": "rif(rule=gap,clusters=1)",
    "clustered30-uniform": "rif(rule=uniform,clusters=30)",
    "clustered30-gap": "rif(rule=gap,clusters=30)",
}
N_QUERIES = 499
MISSING = "gpt4_7a0daae1"


def _queries() -> pl.DataFrame:
    return pl.read_parquet(DATA / "rif_queries.parquet")


def _candidates(tokenizer: str) -> pl.DataFrame:
    candidates = pl.read_parquet(DATA / "rif_candidates.parquet").filter(pl.col("tokenizer") == tokenizer)
    return candidates.sort("query_index", "position")


def _pools(candidates: pl.DataFrame) -> Pools:
    lengths = np.bincount(candidates["query_index"].to_numpy(), minlength=N_QUERIES)
    return Pools(
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        documents=candidates["document"].to_numpy().astype(np.int64),
        rrf=candidates["rrf"].to_numpy(),
        logits=candidates["logit"].to_numpy().astype(np.float64),
    )


def _stream() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return step and query of the steps, drawn by our own code over the published ids."""
    published = json.loads((DATA / "rif_published_ids.json").read_text())
    drawn = draw_stream(500, 5000, hot_share=0.2, hot_probability=0.7, rng=np.random.default_rng(42))
    queries = locate(published, _queries()["query_id"].to_list())[drawn]
    return np.flatnonzero(queries >= 0), queries[queries >= 0]


def _setting(variant: str) -> tuple[RifParams, npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return parameters, clusters, steps and queries; the baseline is a replay of nothing."""
    steps, queries = _stream()
    name = VARIANTS[variant]
    params = (name and parse(name).rif) or RifParams()
    clusters = _queries()["cluster30"].to_numpy().astype(np.int64)
    n_steps = 0 if name is None else len(steps)
    return params, clusters if params.clusters == 30 else np.zeros_like(clusters), steps[:n_steps], queries[:n_steps]


def _replay(
    pools: Pools,
    clusters: npt.NDArray[np.int64],
    steps: npt.NDArray[np.int64],
    queries: npt.NDArray[np.int64],
    params: RifParams,
) -> Replayed:
    served = Served.fixed(steps, queries, clusters)
    return replay(lay_out(pools, served), served, params)


def _ndcg(is_relevant: npt.NDArray[np.bool_], n_relevant: int) -> float:
    """Return nDCG@10 with gain 2^rel - 1 of binary relevance, written apart from the project's measures."""
    gained = sum(1 / math.log2(place + 2) for place in np.flatnonzero(is_relevant[:10]))
    return float(gained / sum(1 / math.log2(place + 2) for place in range(min(10, n_relevant))))


def _per_query(result: Replayed, candidates: pl.DataFrame) -> pl.DataFrame:
    documents, is_relevant = candidates["document"].to_numpy(), candidates["is_relevant"].to_numpy()
    rows = []
    for query, n_relevant in enumerate(_queries()["n_relevant"]):
        ranked = result.rows[result.offsets[query] : result.offsets[query + 1]]
        relevant = is_relevant[ranked]
        rows.append(
            (query, _ndcg(relevant, n_relevant), float(relevant.sum()) / n_relevant, documents[ranked[:10]].tolist())
        )
    return pl.DataFrame(rows, schema=["query_index", "ndcg", "pool_recall", "top10"], orient="row")


def test_stream_against_fixture() -> None:
    fixture = pl.read_parquet(DATA / "rif_stream.parquet").drop_nulls()
    published = json.loads((DATA / "rif_published_ids.json").read_text())
    steps, queries = _stream()
    ids = _queries()["query_id"].to_list()
    assert len(published) == 500
    assert set(published) - set(ids) == {MISSING}
    assert len(steps) == 4997
    assert steps.tolist() == fixture["step"].to_list()
    assert [ids[query] for query in queries] == [published[i] for i in fixture["published_index"]]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("tokenizer", ["split", "regex"])
def test_replay_against_fixture(tokenizer: str, variant: str) -> None:
    candidates = _candidates(tokenizer)
    params, clusters, steps, queries = _setting(variant)
    ours = _per_query(_replay(_pools(candidates), clusters, steps, queries, params), candidates)
    expected = (
        pl.read_parquet(DATA / "rif_expected.parquet")
        .filter((pl.col("tokenizer") == tokenizer) & (pl.col("variant") == variant))
        .sort("query_index")
    )
    assert expected["query_index"].to_list() == list(range(N_QUERIES))
    assert ours["top10"].to_list() == expected["top10"].to_list()
    np.testing.assert_allclose(ours["ndcg"], expected["ndcg"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(ours["pool_recall"], expected["pool_recall"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("variant", ["global-uniform", "clustered30-gap"])
def test_reference_matches_replay_on_fixture(variant: str) -> None:
    pools = _pools(_candidates("split"))
    params, clusters, steps, queries = _setting(variant)
    fast = _replay(pools, clusters, steps, queries, params)
    rows = [range(pools.offsets[query], pools.offsets[query + 1]) for query in range(N_QUERIES)]
    slow, state = reference.replay(
        {
            query: [
                reference.Candidate(int(pools.documents[row]), float(pools.rrf[row]), float(pools.logits[row]))
                for row in rows[query]
            ]
            for query in range(N_QUERIES)
        },
        zip(steps.tolist(), queries.tolist(), clusters[queries].tolist(), strict=True),
        dict(enumerate(clusters.tolist())),
        dict.fromkeys(range(N_QUERIES), 5000),
        params,
    )
    entries = zip(fast.entry_cluster.tolist(), fast.entry_document.tolist(), strict=True)
    assert dict(zip(entries, fast.entry_s.tolist(), strict=True)) == pytest.approx(state.s, abs=1e-12)
    ranked = [competitor.document for query in range(N_QUERIES) for competitor in slow[query]]
    assert pools.documents[fast.rows].tolist() == ranked


@pytest.mark.parametrize("tokenizer", ["split", "regex"])
def test_fusion_against_fixture(tokenizer: str) -> None:
    """From the two ranked lists alone: the same union, the same scores, the same order (rank origin 0, released)."""
    ties = TieOrder(TieRule.RELEASED, [], [])
    for (_,), pool in _candidates(tokenizer).group_by("query_index", maintain_order=True):
        lists = [
            pool.drop_nulls(rank).sort(rank)["document"].to_numpy().astype(np.int64)
            for rank in ("dense_rank", "bm25_rank")
        ]
        fused = reciprocal_rank_fusion(*lists, rank_origin=0)
        order = ties.top_fused(fused.rrf, fused.documents, len(fused.documents))
        assert fused.documents[order].tolist() == pool["document"].to_list()
        assert fused.rrf[order].tolist() == pool["rrf"].to_list()

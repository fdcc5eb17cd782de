from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.records import BenchError
from tasks.simulation.build_replay import RANKINGS, SUPPRESSION, ReplayParams, build

N_DOCUMENTS = 40
RIF = "rif(rule=uniform,clusters=1)"


class Inputs:
    """Artifacts of `n_queries` queries in `n_scopes` scopes; each query has the same shape of pool."""

    def __init__(self, folder: Path, *, n_queries: int = 6, n_scopes: int = 1) -> None:
        self.folder = folder
        for name in ("candidates", "pairs", "logits0", "logits1", "clusters", "stream", "corpus", "out"):
            (folder / name).mkdir(parents=True)
        self.rng = np.random.default_rng(0)
        scopes = [f"c{query % n_scopes}" for query in range(n_queries)]
        indexes = pl.Series("query_index", range(n_queries), dtype=pl.Int32)
        pl.DataFrame([indexes]).write_parquet(folder / "corpus" / "queries.parquet")
        pl.DataFrame([indexes, pl.Series("scope_id", scopes)]).with_columns(
            n_documents=pl.lit(N_DOCUMENTS, pl.Int32), n_matching=pl.lit(9, pl.Int32)
        ).write_parquet(folder / "candidates" / "pools.parquet")
        self.candidates = pl.concat([self._pool(query) for query in range(n_queries)])
        self.candidates.write_parquet(folder / "candidates" / "candidates.parquet")
        self._write_logits()
        pl.concat(
            pl.DataFrame(
                {"scope_id": scopes, "query_index": indexes, "cluster": [q % count for q in range(n_queries)]}
            ).with_columns(n_clusters=pl.lit(count, pl.Int32))
            for count in (1, 2)
        ).write_parquet(folder / "clusters" / "clusters.parquet")
        steps = [(scopes[q], step, q) for step, q in enumerate(self.rng.integers(0, n_queries, size=80).tolist())]
        pl.DataFrame(steps, schema={"scope_id": pl.Utf8, "step": pl.Int32, "query_index": pl.Int32}, orient="row").sort(
            "scope_id", "step"
        ).write_parquet(folder / "stream" / "stream.parquet")

    def _pool(self, query: int) -> pl.DataFrame:
        """36 candidates: dense-only, BM25-only and both; ties in the fused score."""
        documents = self.rng.permutation(N_DOCUMENTS)[:36]
        dense, bm25 = [*range(24), *[None] * 12], [*[None] * 12, *range(24)]
        rrf = [sum(1 / (61 + rank) for rank in ranks if rank is not None) for ranks in zip(dense, bm25, strict=True)]
        frame = pl.DataFrame(
            {"document_index": documents, "dense_rank": dense, "bm25_rank": bm25, "rrf": rrf},
            schema_overrides={"document_index": pl.Int32, "dense_rank": pl.Int32, "bm25_rank": pl.Int32},
        ).with_columns(
            query_index=pl.lit(query, pl.Int32),
            dense_score=0.9 - pl.col("dense_rank") / 100,
            bm25_score=30.0 - pl.col("bm25_rank"),
        )
        return frame.sort("rrf", descending=True, maintain_order=True).with_columns(
            position=pl.int_range(pl.len(), dtype=pl.Int32)
        )

    def _write_logits(self) -> None:
        """Two pairs share one key: identical texts; a key in both shards, as after a resumed run."""
        keys = self.candidates.select(
            "query_index", "document_index", pair_key=pl.format("{}-{}", "query_index", pl.col("document_index") // 2)
        )
        keys.with_columns(shard_index=pl.lit(0, pl.Int32)).write_parquet(self.folder / "pairs" / "pairs.parquet")
        logits = keys.select(pl.col("pair_key").unique(maintain_order=True))
        self.logits = logits.with_columns(logit=pl.Series(self.rng.normal(-3, 4, size=logits.height)))
        half = self.logits.height // 2
        self.logits[: half + 1].write_parquet(self.folder / "logits0" / "logits.parquet")
        self.logits[half:].write_parquet(self.folder / "logits1" / "logits.parquet")

    def build(
        self, variant: str, *, depth: int = 30, shards: Sequence[str] = ("logits0", "logits1")
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        f = self.folder
        build(
            variant,
            f / "candidates",
            f / "pairs",
            [f / name for name in shards],
            f / "clusters",
            f / "stream",
            f / "corpus",
            ReplayParams(depth=depth),
            f / "out",
        )
        rankings, suppression = (pl.read_parquet(f / "out" / f"{name}.parquet") for name in ("rankings", "suppression"))
        assert rankings.schema == pl.Schema(RANKINGS)
        assert suppression.schema == pl.Schema(SUPPRESSION)
        return rankings, suppression


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    return Inputs(tmp_path)


def _documents(frame: pl.DataFrame, query: int) -> list[int]:
    own = frame.filter(pl.col("query_index") == query)
    if "rank" in own.columns:
        assert own["rank"].to_list() == list(range(1, own.height + 1))
    return own["document_index"].to_list()


@pytest.mark.parametrize(
    ("variant", "order", "score", "n_rows"),
    [
        ("bm25", "bm25_rank", "bm25_score", 24),
        ("dense", "dense_rank", "dense_score", 24),
        ("hybrid-rrf", "position", "rrf", 30),
    ],
)
def test_list_variants_are_the_lists(inputs: Inputs, variant: str, order: str, score: str, n_rows: int) -> None:
    rankings, suppression = inputs.build(variant, shards=[])
    assert suppression.height == 0
    for query in range(6):
        own = inputs.candidates.filter(pl.col("query_index") == query).drop_nulls(order).sort(order)[:n_rows]
        assert _documents(rankings, query) == own["document_index"].to_list()
        assert rankings.filter(pl.col("query_index") == query)["score"].to_list() == own[score].to_list()
    assert rankings["initial_position"].to_list() == (rankings["rank"] - 1).to_list()
    assert rankings["logit"].null_count() == rankings.height


@pytest.mark.parametrize(("variant", "order"), [("hybrid-rerank", "position"), ("dense-rerank", "dense_rank")])
def test_reranked_variants_sort_the_cut_list_by_logit_stably(inputs: Inputs, variant: str, order: str) -> None:
    rankings, suppression = inputs.build(variant)
    assert suppression.height == 0
    logit = dict(inputs.logits.iter_rows())
    for query in range(6):
        listed = inputs.candidates.filter(pl.col("query_index") == query).drop_nulls(order).sort(order)[:30]
        documents = listed["document_index"].to_list()
        expected = sorted(documents, key=lambda d: logit[f"{query}-{d // 2}"], reverse=True)
        assert _documents(rankings, query) == expected
        positions = rankings.filter(pl.col("query_index") == query)["initial_position"].to_list()
        assert [documents[position] for position in positions] == expected


def test_rif_without_weight_is_the_baseline(inputs: Inputs) -> None:
    baseline, _ = inputs.build("hybrid-rerank")
    idle, _ = inputs.build("rif(rule=uniform,clusters=1,alpha=0)")
    assert idle.drop("suppression").equals(baseline.drop("suppression"))
    assert idle["suppression"].max() > 0  # type: ignore[operator]


def test_rif_changes_the_pool(inputs: Inputs) -> None:
    baseline, _ = inputs.build("hybrid-rerank")
    rankings, suppression = inputs.build(RIF)
    assert rankings["document_index"].to_list() != baseline["document_index"].to_list()
    assert rankings.group_by("query_index").len()["len"].to_list() == [30] * 6
    ((scope_id, n_entries, n_above, n_documents_above, n_documents, largest, mean),) = suppression.rows()
    assert scope_id == "pool" or scope_id == "c0"
    assert 0 < n_above <= n_entries <= N_DOCUMENTS
    assert 0 < mean < largest <= 1
    assert n_documents_above == n_above, "one cluster: an entry is a document"
    assert n_documents == N_DOCUMENTS


def test_paper_literal_is_the_baseline(inputs: Inputs) -> None:
    baseline, _ = inputs.build("hybrid-rerank")
    literal, suppression = inputs.build("rif(rule=gap,clusters=1,rule_set=paper-literal)")
    assert literal["document_index"].to_list() == baseline["document_index"].to_list()
    assert suppression["max"].item() > 0


def test_scopes_do_not_share_state(tmp_path: Path) -> None:
    """Both scopes use cluster 0; each one's state is that of a replay of its own stream alone."""
    both = Inputs(tmp_path / "both", n_scopes=2)
    rankings, suppression = both.build(RIF)
    assert suppression["scope_id"].to_list() == ["c0", "c1"]
    stream = tmp_path / "both" / "stream" / "stream.parquet"
    pl.read_parquet(stream).filter(pl.col("scope_id") == "c0").write_parquet(stream)
    alone, less = both.build(RIF)
    own = pl.col("query_index") % 2 == 0
    assert rankings.filter(own).equals(alone.filter(own))
    assert suppression.row(0) == less.row(0)
    assert less.row(1) == ("c1", 0, 0, 0, N_DOCUMENTS, 0.0, 0.0)
    assert alone.filter(~own)["suppression"].sum() == 0


def test_a_document_counts_once_however_many_clusters(inputs: Inputs) -> None:
    row = inputs.build("rif(rule=uniform,clusters=2)")[1].row(0, named=True)
    assert row["n_documents_above"] <= min(row["n_entries_above"], N_DOCUMENTS)


def test_clusters_are_those_of_the_variant(inputs: Inputs) -> None:
    global_entries = inputs.build(RIF)[1]["n_entries"].item()
    assert inputs.build("rif(rule=uniform,clusters=2)")[1]["n_entries"].item() > global_entries


@pytest.mark.parametrize("variant", ["bm25", "hybrid-rerank", RIF])
def test_depth_cuts_the_ranking(inputs: Inputs, variant: str) -> None:
    rankings, _ = inputs.build(variant, depth=5)
    assert rankings["rank"].max() == 5


@pytest.mark.parametrize("variant", ["dense", "dense-rerank", RIF])
def test_build_is_deterministic(tmp_path: Path, variant: str) -> None:
    contents = []
    for name in ("a", "b"):
        Inputs(tmp_path / name).build(variant)
        contents.append([path.read_bytes() for path in sorted((tmp_path / name / "out").iterdir())])
    assert contents[0] == contents[1]


def test_missing_logit_is_an_error(inputs: Inputs) -> None:
    with pytest.raises(BenchError, match=r"of 216 candidates have no finite logit"):
        inputs.build("hybrid-rerank", shards=["logits0"])
    with pytest.raises(BenchError, match="run the reranking stage"):
        inputs.build(RIF, shards=[])


def test_missing_cluster_count_is_an_error(inputs: Inputs) -> None:
    with pytest.raises(BenchError, match=r"0 clusters at K = 7 \(clustered for K in \[1, 2\]\)"):
        inputs.build("rif(rule=gap,clusters=7)")


def test_unknown_variant_is_an_error(inputs: Inputs) -> None:
    with pytest.raises(BenchError, match="unknown variant 'splade'"):
        inputs.build("splade")


def test_query_without_candidates_has_no_rows(inputs: Inputs) -> None:
    path = inputs.folder / "candidates" / "candidates.parquet"
    inputs.candidates.filter(pl.col("query_index") != 5).write_parquet(path)
    for variant in ("bm25", "hybrid-rerank", RIF):
        assert inputs.build(variant)[0]["query_index"].unique().sort().to_list() == [0, 1, 2, 3, 4]

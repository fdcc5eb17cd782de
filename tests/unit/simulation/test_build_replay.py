from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.candidates.rankings import RANKINGS
from tasks.records import BenchError
from tasks.simulation import reference
from tasks.simulation.build_replay import ReplayParams, build
from tasks.simulation.suppressed import SUPPRESSION, TRACE
from tasks.simulation.variants import parse

N_DOCUMENTS = 40
N_STEPS = 80
RIF = "rif(rule=uniform,clusters=1)"


class Inputs:
    """Artifacts of `n_queries` queries in `n_scopes` scopes; each query has the same shape of pool."""

    def __init__(self, folder: Path, *, n_queries: int = 6, n_scopes: int = 1) -> None:
        self.folder = folder
        for name in ("candidates", "pairs", "logits0", "logits1", "clusters", "stream", "corpus", "dense", "out"):
            (folder / name).mkdir(parents=True)
        self.rng = np.random.default_rng(0)
        scopes = [f"c{query % n_scopes}" if n_scopes > 1 else "pool" for query in range(n_queries)]
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
                {"scope_id": scopes, "query_index": indexes, "cluster": [(q + place) % count for q in range(n_queries)]}
            ).with_columns(n_clusters=pl.lit(count, pl.Int32), source=pl.lit(source))
            for place, source in enumerate(["all-queries", "corpus"])
            for count in (1, 2)
        ).write_parquet(folder / "clusters" / "clusters.parquet")
        asked = enumerate(self.rng.integers(0, n_queries, size=N_STEPS).tolist())
        self.stream = pl.DataFrame(
            [(scopes[query], step, query) for step, query in asked],
            schema={"scope_id": pl.Utf8, "step": pl.Int32, "query_index": pl.Int32},
            orient="row",
        ).sort("scope_id", "step")
        self.stream.write_parquet(folder / "stream" / "stream.parquet")
        lengths = {"scope_id": sorted(set(scopes)), "n_steps": [N_STEPS] * n_scopes}
        pl.DataFrame(lengths).write_parquet(folder / "stream" / "lengths.parquet")
        self.vectors = np.eye(4, dtype=np.float32)[np.arange(n_queries) % 3]
        for name in ("query", "document"):
            np.save(folder / "dense" / f"{name}_vectors.npy", self.vectors)

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
        self, variant: str, *, depth: int = 30, shards: Sequence[str] = ("logits0", "logits1"), every: int = 250
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
            ReplayParams(depth=depth, trace_every=every),
            f / "out",
            dense_dir=f / "dense",
        )
        rankings, suppression = (pl.read_parquet(f / "out" / f"{name}.parquet") for name in ("rankings", "suppression"))
        assert rankings.schema == pl.Schema(RANKINGS)
        assert suppression.schema == SUPPRESSION
        assert self.trace.schema == TRACE
        return rankings, suppression

    @property
    def trace(self) -> pl.DataFrame:
        return pl.read_parquet(self.folder / "out" / "trace.parquet")


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
    assert suppression.height == inputs.trace.height == 0
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
    assert scope_id == "pool"
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


@pytest.mark.parametrize(("variant", "deepest"), [("bm25", 5), ("hybrid-rerank", 30), (RIF, 30)])
def test_depth_cuts_a_ranking_that_is_not_reranked(inputs: Inputs, variant: str, deepest: int) -> None:
    rankings, _ = inputs.build(variant, depth=5)
    assert rankings["rank"].max() == deepest


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
    with pytest.raises(
        BenchError,
        match=r"0 clusters of source all-queries at K = 7 \(clustered: all-queries for K in \[1, 2\]; corpus",
    ):
        inputs.build("rif(rule=gap,clusters=7)")


def test_unknown_variant_is_an_error(inputs: Inputs) -> None:
    with pytest.raises(BenchError, match="unknown variant 'splade'"):
        inputs.build("splade")


def test_query_without_candidates_has_no_rows(inputs: Inputs) -> None:
    path = inputs.folder / "candidates" / "candidates.parquet"
    inputs.candidates.filter(pl.col("query_index") != 5).write_parquet(path)
    for variant in ("bm25", "hybrid-rerank", RIF):
        assert inputs.build(variant)[0]["query_index"].unique().sort().to_list() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("pool", "n_rows"), [("5", 5), ("30", 30), ("all", 36)])
@pytest.mark.parametrize("name", ["hybrid-rerank", "dense-rerank"])
def test_pool_is_what_the_reranker_sees(inputs: Inputs, name: str, pool: str, n_rows: int) -> None:
    """All that was reranked is kept, whatever `depth` says: recall of the pool needs it."""
    order = "position" if name == "hybrid-rerank" else "dense_rank"
    logit = dict(inputs.logits.iter_rows())
    rankings, _ = inputs.build(f"{name}(pool={pool})", depth=4)
    for query in range(6):
        listed = inputs.candidates.filter(pl.col("query_index") == query).drop_nulls(order).sort(order)
        documents = listed["document_index"].to_list()[:n_rows]
        best = sorted(documents, key=lambda d: logit[f"{query}-{d // 2}"], reverse=True)
        assert _documents(rankings, query) == best


@pytest.mark.parametrize("variant", [RIF, "rif(rule=gap,clusters=2,decay=read)", "rif(rule=gap,clusters=2)"])
def test_trace_ends_in_the_state_and_changes_nothing(tmp_path: Path, variant: str) -> None:
    inputs = Inputs(tmp_path, n_scopes=2)
    whole = inputs.build(variant)
    assert inputs.trace["step"].to_list() == [N_STEPS] * 2
    parts = inputs.build(variant, every=30)
    assert parts[0].equals(whole[0])
    assert parts[1].equals(whole[1])
    trace = inputs.trace
    assert trace.select("scope_id", "step").rows() == [(c, step) for c in ("c0", "c1") for step in (30, 60, 80)]
    assert trace.filter(pl.col("step") == N_STEPS).drop("step").equals(whole[1])


@pytest.mark.parametrize("decay", ["write", "read"])
def test_trace_against_reference(inputs: Inputs, decay: str) -> None:
    """After 30 steps: the reference's state after the steps 0 to 29, as step 30 would read it."""
    inputs.build(f"rif(rule=uniform,clusters=2,decay={decay})", every=30)
    rif = parse(f"rif(rule=uniform,clusters=2,decay={decay})").rif
    assert rif is not None
    logit = dict(inputs.logits.iter_rows())
    state = reference.State()
    for _, step, query in inputs.stream.filter(pl.col("step") < 30).iter_rows():
        own = inputs.candidates.filter(pl.col("query_index") == query)
        pool = [
            reference.Candidate(document, rrf, logit[f"{query}-{document // 2}"])
            for document, rrf in own.select("document_index", "rrf").iter_rows()
        ]
        reference.step(pool, query % 2, step, state, rif)
    s = {(cluster, document): state.read(cluster, document, 30, rif) for cluster, document in state.s}
    above = {entry for entry, value in s.items() if value > 0.01}
    row = inputs.trace.row(0, named=True)
    assert (row["step"], row["n_entries"], row["n_entries_above"]) == (30, len(s), len(above))
    assert row["n_documents_above"] == len({document for _, document in above})
    assert row["max"] == pytest.approx(max(s.values()), abs=1e-12)
    assert row["mean"] == pytest.approx(sum(s.values()) / len(s), abs=1e-12)


@pytest.mark.parametrize("source", ["buffer", "online"])
@pytest.mark.parametrize("steps", [0, 50])
def test_burn_in_as_long_as_the_stream_learns_nothing(inputs: Inputs, source: str, steps: int) -> None:
    """The paper's third version: 5,000 steps of burn-in in a stream of 5,000 steps. The effect is exactly 0."""
    baseline, _ = inputs.build("hybrid-rerank")
    rankings, suppression = inputs.build(
        f"rif(rule=uniform,clusters=2,source={source},burn_in={steps or N_STEPS},steps={steps})"
    )
    assert rankings.equals(baseline)
    assert suppression["n_entries"].item() == 0
    assert inputs.trace["step"].to_list() == [steps or N_STEPS]


def test_a_frozen_buffer_that_knows_all_queries_differs_by_its_cold_start(inputs: Inputs) -> None:
    """Three groups of equal vectors: whatever it is fitted on, k-means finds them."""
    inputs.build("rif(rule=uniform,clusters=3,source=buffer,burn_in=40)", every=10)
    trace = inputs.trace
    assert trace["n_entries"].to_list()[:4] == [0] * 4
    assert trace["n_entries"].to_list()[4] > 0
    clusters = inputs.folder / "clusters" / "clusters.parquet"
    groups = pl.DataFrame({"query_index": range(6), "cluster": [0, 1, 2] * 2})
    groups.with_columns(source=pl.lit("all-queries"), n_clusters=pl.lit(3), scope_id=pl.lit("pool")).write_parquet(
        clusters
    )
    warm, _ = inputs.build("rif(rule=uniform,clusters=3)")
    inputs.stream.filter(pl.col("step") >= 40).write_parquet(inputs.folder / "stream" / "stream.parquet")
    late = inputs.build("rif(rule=uniform,clusters=3)")
    inputs.stream.write_parquet(inputs.folder / "stream" / "stream.parquet")
    frozen = inputs.build("rif(rule=uniform,clusters=3,source=buffer,burn_in=40)")
    assert frozen[0].equals(late[0])
    assert frozen[1].equals(late[1])
    assert not frozen[0].equals(warm)


def test_corpus_clusters_are_read_by_source(inputs: Inputs) -> None:
    """The fixture's corpus clusters are those of the queries with numbers exchanged; at K = 1 they are the same."""
    for count in (1, 2):
        ours = inputs.build(f"rif(rule=uniform,clusters={count})")
        theirs = inputs.build(f"rif(rule=uniform,clusters={count},source=corpus)")
        assert ours[0].equals(theirs[0])
    path = inputs.folder / "clusters" / "clusters.parquet"
    pl.read_parquet(path).filter(pl.col("source") == "all-queries").write_parquet(path)
    with pytest.raises(BenchError, match="0 clusters of source corpus at K = 2"):
        inputs.build("rif(rule=uniform,clusters=2,source=corpus)")


def test_steps_serve_the_beginning_of_the_stream(inputs: Inputs) -> None:
    cut = inputs.build("rif(rule=gap,clusters=2,steps=30)")
    assert inputs.trace["step"].to_list() == [30]
    inputs.stream.filter(pl.col("step") < 30).write_parquet(inputs.folder / "stream" / "stream.parquet")
    short = inputs.build("rif(rule=gap,clusters=2)")
    assert cut[0].equals(short[0])
    with pytest.raises(BenchError, match="steps=81, but the longest stream has 80"):
        inputs.build("rif(rule=gap,clusters=2,steps=81)")


def test_what_a_source_needs_is_an_error_without_it(inputs: Inputs) -> None:
    f = inputs.folder
    for variant, missing in ((RIF, "clusters"), ("rif(rule=gap,clusters=2,source=online,burn_in=5)", "a dense index")):
        with pytest.raises(BenchError, match=f"came without {missing}; run the stage"):
            build(
                variant,
                f / "candidates",
                f / "pairs",
                [f / "logits0", f / "logits1"],
                None,
                f / "stream",
                f / "corpus",
                ReplayParams(),
                f / "out",
            )


def test_a_stream_asks_every_query(inputs: Inputs) -> None:
    path = inputs.folder / "candidates" / "pools.parquet"
    pl.read_parquet(path)[:5].write_parquet(path)
    with pytest.raises(BenchError, match="5 of 6 queries have candidates"):
        inputs.build(RIF)


def test_two_passes_are_no_ranking_of_one_list(inputs: Inputs) -> None:
    with pytest.raises(BenchError, match="no ranking of one list"):
        inputs.build("adaptive-rerank(k_deep=100)")

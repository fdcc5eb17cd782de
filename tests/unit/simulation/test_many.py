"""Many replays: what one step after the other gives with the stages that judge it, in any number of threads."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.behaviour import build as behaviour
from tasks.behaviour.decomposition import BehaviourParams
from tasks.corpora.tables import CorpusWriter
from tasks.measures import build as measures
from tasks.measures.names import MeasureParams
from tasks.records import BenchError, Block, Document, Judgement, Query, ScopeMember, Session
from tasks.simulation import build_replay, build_stream, build_stream_seeds, build_sweep
from tasks.simulation.build_replay import ReplayParams
from tasks.simulation.build_sweep import SweepParams
from tasks.simulation.many import Job, baseline_values, replay_many
from tasks.simulation.replays import ManyParams, Replays, Sources
from tasks.simulation.streams import StreamParams
from tasks.simulation.variants import parse

N_QUERIES, N_SESSIONS, TURNS = 16, 8, 6
MEASURES = ("nDCG@10", "R@10", "pool_R@30", "RR")
NAMES = (*MEASURES, "exact_episode", "sibling_confusion")
STREAM = StreamParams(steps=120, steps_per_query=8, seed=5)
PROTOCOLS = ("pooled-turn", "conversation-turn", "pooled-turn(relevance=study-a)", "pooled-turn(level=session)")
VARIANTS = (
    "rif(rule=gap,clusters=3,alpha=1.5)",
    "rif(rule=uniform,clusters=1,eta=0.6)",
    "rif(rule=gap,clusters=3,source=corpus,alpha=2.0)",
    "rif(rule=gap,clusters=2,alpha=2.0,source=buffer,burn_in=30)",
    "rif(rule=uniform,clusters=2,alpha=2.0,source=online,burn_in=30)",
    "rif(rule=uniform,clusters=1,alpha=1.0,steps=300,pool=12)",
)
BASELINE = "hybrid-rerank"


class Bench:
    """Artifacts of a small corpus, and the steps over them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        names = ("corpus", "candidates", "pairs", "logits", "clusters", "dense")
        for name in names:
            (root / name).mkdir()
        self.sources = Sources(
            candidates=root / "candidates",
            corpus=root / "corpus",
            pairs=root / "pairs",
            logit_shards=[root / "logits"],
            clusters=root / "clusters",
            dense=root / "dense",
        )
        rng = np.random.default_rng(3)
        self._write_corpus(rng)
        self._write_candidates(rng)
        self._write_clusters(rng)

    def _write_corpus(self, rng: np.random.Generator) -> None:
        with CorpusWriter(self.root / "corpus", "hand-written") as writer:
            for session in range(N_SESSIONS):
                writer.add_session(Session(f"s{session}", session, TURNS))
                writer.add_scope_member(ScopeMember(f"c{session % 2}", f"s{session}", session // 2))
                turns = [Document(f"d{session * TURNS + turn}", "text", f"s{session}", turn) for turn in range(TURNS)]
                writer.add_documents(turns)
            for query in range(N_QUERIES):
                # The first query is of the second conversation: scopes are numbered differently by query and corpus.
                block = (Block.MAIN, Block.MAIN, Block.MAIN, Block.ADVERSARIAL, Block.ABSTENTION)[query % 5]
                writer.add_query(Query(f"q{query}", "?", "plain", block, scope_id=f"c{(query + 1) % 2}"))
                for document in rng.choice(N_SESSIONS * TURNS, size=query % 4, replace=False).tolist():
                    writer.add_turn_judgement(Judgement(f"q{query}", f"d{document}", 1))
                    own = Judgement(f"q{query}", f"s{document // TURNS}", 1)
                    if document % 2 or query % 4 == 1:
                        self._add_once(writer, own)

    def _add_once(self, writer: CorpusWriter, judgement: Judgement) -> None:
        seen: set[Judgement] = self.__dict__.setdefault("seen", set())
        if judgement not in seen:
            writer.add_session_judgement(judgement)
        seen.add(judgement)

    def _write_candidates(self, rng: np.random.Generator) -> None:
        """Write pools of 20 to 40 with ties in fused score and logit; the folder says pool or conversation later."""
        frames = []
        for query in range(N_QUERIES):
            own = [d for d in range(N_SESSIONS * TURNS) if (d // TURNS) % 2 == (query + 1) % 2]
            documents = rng.permutation(own)[: int(rng.integers(15, len(own) + 1))]
            rrf = 1 / (60 + np.arange(len(documents)) // 2)
            frame = pl.DataFrame({"document_index": documents, "rrf": rrf, "position": np.arange(len(documents))})
            frames.append(frame.with_columns(query_index=pl.lit(query)))
        candidates = pl.concat(frames).with_columns(pl.col("document_index", "query_index", "position").cast(pl.Int32))
        missing = [pl.lit(None, pl.Int32).alias(f"{name}_rank") for name in ("dense", "bm25")]
        scores = [pl.lit(None, pl.Float64).alias(f"{name}_score") for name in ("dense", "bm25")]
        candidates.with_columns(*missing, *scores).write_parquet(self.sources.candidates / "candidates.parquet")
        key = pl.format("{}-{}", "query_index", "document_index")
        pairs = candidates.select("query_index", "document_index", pair_key=key)
        pairs.write_parquet(self.sources.pairs / "pairs.parquet")
        logits = rng.normal(-2, 4, size=pairs.height).round(0)
        pairs.select("pair_key", logit=pl.Series(logits)).write_parquet(self.root / "logits" / "logits.parquet")

    def scoped(self, protocol: str) -> None:
        """Say which scope each query searches under a protocol."""
        is_pooled = protocol.startswith("pooled")
        scopes = ["pool" if is_pooled else f"c{(query + 1) % 2}" for query in range(N_QUERIES)]
        pl.DataFrame({"query_index": np.arange(N_QUERIES, dtype=np.int32), "scope_id": scopes}).with_columns(
            n_documents=pl.lit(N_SESSIONS * TURNS, pl.Int32), n_matching=pl.lit(1, pl.Int32)
        ).write_parquet(self.sources.candidates / "pools.parquet")

    def _write_clusters(self, rng: np.random.Generator) -> None:
        pl.concat(
            pl.DataFrame(
                {"query_index": np.arange(N_QUERIES, dtype=np.int32), "cluster": rng.integers(0, count, N_QUERIES)}
            ).with_columns(n_clusters=pl.lit(count, pl.Int32), source=pl.lit(source), scope_id=pl.lit("?"))
            for source in ("all-queries", "corpus")
            for count in (1, 3)
        ).write_parquet(self.root / "clusters" / "clusters.parquet")
        vectors = rng.normal(size=(N_QUERIES, 8)).astype(np.float32)
        for name in ("query", "document"):
            np.save(self.root / "dense" / f"{name}_vectors.npy", vectors / np.linalg.norm(vectors, axis=1)[:, None])

    def step_by_step(self, variant: str, protocol: str, seed: int) -> pl.DataFrame:
        """Return the per-query values that the steps stream, replay, query_metrics and behaviour_metrics give."""
        out = self.root / f"steps-{seed}"
        for name in ("stream", "ranked", "measured"):
            (out / name).mkdir(parents=True, exist_ok=True)
        what = parse(variant)
        steps = max(STREAM.steps, what.rif.steps if what.rif else 0)
        drawn = STREAM.model_copy(update={"seed": seed, "steps": steps})
        build_stream.build(self.sources.corpus, protocol, drawn, out / "stream")
        build_replay.build(
            variant,
            self.sources.candidates,
            self.sources.pairs,
            self.sources.logit_shards,
            self.sources.clusters,
            out / "stream",
            self.sources.corpus,
            ReplayParams(),
            out / "ranked",
            dense_dir=self.sources.dense,
        )
        rankings, corpus = {variant: out / "ranked"}, self.sources.corpus
        measures.build(rankings, corpus, None, protocol, MeasureParams(names=MEASURES), out / "measured")
        behaviour.build(rankings, corpus, None, protocol, BehaviourParams(), out / "measured")
        tables = [pl.read_parquet(out / "measured" / f"{name}_metrics.parquet") for name in ("query", "behaviour")]
        return pl.concat(tables)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_scopes_are_numbered_differently_by_queries_and_corpus(bench: Bench) -> None:
    """Else the test below would not see streams given to the wrong scope."""
    scopes = pl.read_parquet(bench.sources.corpus / "scopes.parquet")["scope_id"]
    queries = pl.read_parquet(bench.sources.corpus / "queries.parquet")["scope_id"]
    assert scopes[0] != queries[0]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_stream_seeds_match_the_steps(bench: Bench, variant: str, protocol: str, tmp_path: Path) -> None:
    if protocol.startswith("conversation") and "steps=" in variant:
        pytest.skip("streams of conversations are as long as their questions make them")
    bench.scoped(protocol)
    params = ManyParams(measures=NAMES, first_seed=41, n_streams=3)
    build_stream_seeds.build(variant, bench.sources, protocol, STREAM, params, tmp_path)
    values = pl.read_parquet(tmp_path / "stream_values.parquet")
    assert values.schema == build_stream_seeds.STREAM_VALUES
    assert values["stream_seed"].unique(maintain_order=True).to_list() == [41, 42, 43]
    for seed in params.seeds:
        truly = bench.step_by_step(variant, protocol, seed).filter(pl.col("measure").is_in(NAMES))
        ours = values.filter(stream_seed=seed)
        assert ours["measure"].unique(maintain_order=True).to_list() == list(NAMES)
        joined = ours.join(truly, on=["measure", "query_index"], suffix="_truly", validate="1:1")
        assert joined.height == ours.height == len(NAMES) * N_QUERIES
        np.testing.assert_array_equal(joined["value"], joined["value_truly"].cast(pl.Float32))
    assert values.filter(measure="R@10")["value"].is_not_nan().any()


def test_streams_differ_and_means_are_those_of_the_values(bench: Bench, tmp_path: Path) -> None:
    bench.scoped("pooled-turn")
    params = ManyParams(measures=NAMES, first_seed=0, n_streams=6)
    build_stream_seeds.build(VARIANTS[0], bench.sources, "pooled-turn", STREAM, params, tmp_path)
    means = pl.read_parquet(tmp_path / "stream_metrics.parquet")
    assert means.schema == build_stream_seeds.STREAM_METRICS
    assert means.height == 6 * len(NAMES)
    assert means.filter(measure="nDCG@10")["mean"].n_unique() > 1
    values = pl.read_parquet(tmp_path / "stream_values.parquet").filter(pl.col("value").is_not_nan())
    again = values.group_by("stream_seed", "measure").agg(
        pl.len().alias("n_again"), pl.col("value").cast(pl.Float64).mean().alias("again")
    )
    joined = means.join(again, on=["stream_seed", "measure"], validate="1:1")
    assert joined["n"].to_list() == joined["n_again"].to_list()
    np.testing.assert_allclose(joined["mean"], joined["again"], rtol=0, atol=1e-7)


def test_a_sweep_matches_the_steps(bench: Bench, tmp_path: Path) -> None:
    """Means and differences over the main block, from the per-query values of the stages."""
    bench.scoped("pooled-turn")
    params = SweepParams(measures=NAMES, first_seed=7, n_streams=2)
    build_sweep.build(VARIANTS, BASELINE, bench.sources, "pooled-turn", STREAM, params, tmp_path)
    cells = pl.read_parquet(tmp_path / "cells.parquet")
    assert cells.schema == build_sweep.CELLS
    assert cells["variant"].unique(maintain_order=True).to_list() == list(VARIANTS)
    main = pl.read_parquet(bench.sources.corpus / "queries.parquet").filter(block="main")["query_index"]
    is_main = pl.col("query_index").is_in(main.implode())
    base = bench.step_by_step(BASELINE, "pooled-turn", 7).filter(is_main, pl.col("value").is_not_nan())
    stages = {
        (variant, seed): bench.step_by_step(variant, "pooled-turn", seed)
        for variant in VARIANTS
        for seed in params.seeds
    }
    for row in cells.iter_rows(named=True):
        truly = stages[row["variant"], row["stream_seed"]]
        paired = truly.filter(is_main, pl.col("measure") == row["measure"]).join(
            base, on=["measure", "query_index"], suffix="_base", validate="1:1"
        )
        assert row["n"] == paired.height > 0
        assert row["mean"] == pytest.approx(paired["value"].mean(), abs=1e-12)
        assert row["delta"] == pytest.approx((paired["value"] - paired["value_base"]).mean(), abs=1e-12)
    assert (cells["delta"] != 0).any()
    baseline = pl.read_parquet(tmp_path / "baseline.parquet")
    for row in baseline.iter_rows(named=True):
        assert row["mean"] == pytest.approx(base.filter(measure=row["measure"])["value"].mean(), abs=1e-12)


@pytest.mark.parametrize("block", ["all", "adversarial"])
def test_the_questions_that_count_are_those_of_the_block(bench: Bench, block: str, tmp_path: Path) -> None:
    bench.scoped("pooled-turn")
    params = SweepParams(measures=("R@10",), n_streams=1, block=block)
    build_sweep.build(VARIANTS[:1], BASELINE, bench.sources, "pooled-turn", STREAM, params, tmp_path)
    queries = pl.read_parquet(bench.sources.corpus / "queries.parquet").filter(pl.col("query_index") % 4 > 0)
    asked = queries.filter(pl.col("block") != "abstention" if block == "all" else pl.col("block") == block)
    assert pl.read_parquet(tmp_path / "cells.parquet")["n"].to_list() == [asked.height]


def test_a_block_that_is_not_there_is_an_error(bench: Bench, tmp_path: Path) -> None:
    bench.scoped("pooled-turn")
    params = SweepParams(measures=("R@10",), n_streams=1, block="minor")
    with pytest.raises(
        BenchError, match="no question is in the block 'minor'; expected one of abstention, adversarial"
    ):
        build_sweep.build(VARIANTS[:1], BASELINE, bench.sources, "pooled-turn", STREAM, params, tmp_path)


def test_threads_change_nothing(bench: Bench) -> None:
    bench.scoped("pooled-turn")
    replays = Replays(bench.sources, "pooled-turn", STREAM, ManyParams(measures=NAMES))
    rules = [rif for variant in VARIANTS if (rif := parse(variant).rif)]
    jobs = [replays.job(rif, seed) for rif in rules for seed in range(5)]
    asked = np.ones(N_QUERIES, dtype=bool)
    results = [replay_many(jobs, replays.quick, asked, keeps_values=True, n_threads=n) for n in (1, 4)]
    for name in ("n", "means", "values"):
        np.testing.assert_array_equal(getattr(results[0], name), getattr(results[1], name))
    assert np.isnan(results[0].deltas).all(), "no baseline was given"


def test_progress_counts_replays_up_to_all(bench: Bench) -> None:
    bench.scoped("pooled-turn")
    replays = Replays(bench.sources, "pooled-turn", STREAM, ManyParams(measures=NAMES))
    rif = parse(VARIANTS[1]).rif
    assert rif is not None
    heard: list[tuple[int, int, str]] = []
    jobs = [replays.job(rif, seed) for seed in range(20)]
    replay_many(
        jobs,
        replays.quick,
        np.ones(N_QUERIES, dtype=bool),
        n_threads=2,
        progress=lambda done, total, unit: heard.append((done, total, unit)),
    )
    assert heard[-1] == (20, 20, "replays")
    assert [done for done, _, _ in heard] == sorted({done for done, _, _ in heard})


def test_no_jobs_no_rows(bench: Bench) -> None:
    bench.scoped("pooled-turn")
    replays = Replays(bench.sources, "pooled-turn", STREAM, ManyParams(measures=NAMES))
    nothing = replay_many([], replays.quick, np.ones(N_QUERIES, dtype=bool))
    assert nothing.means.shape == (0, len(NAMES))


def test_an_error_in_one_job_stops_the_rest(bench: Bench) -> None:
    bench.scoped("pooled-turn")
    replays = Replays(bench.sources, "pooled-turn", STREAM, ManyParams(measures=NAMES))
    n_made = 0

    def made() -> Job:
        nonlocal n_made
        n_made += 1
        raise BenchError("no such stream")

    with pytest.raises(BenchError, match="no such stream"):
        replay_many([made] * 1000, replays.quick, np.ones(N_QUERIES, dtype=bool), n_threads=2)
    assert n_made < 20


def test_a_baseline_does_not_depend_on_the_stream(bench: Bench) -> None:
    bench.scoped("pooled-turn")
    replays = Replays(bench.sources, "pooled-turn", STREAM, ManyParams(measures=NAMES))
    rif = parse("rif(rule=gap,clusters=1)").rif
    assert rif is not None
    one, other = (baseline_values(replays.job(rif, seed)(), replays.quick) for seed in (1, 2))
    np.testing.assert_array_equal(one, other)


def test_a_variant_without_state_is_an_error(bench: Bench, tmp_path: Path) -> None:
    params = ManyParams(measures=NAMES)
    with pytest.raises(BenchError, match="hybrid-rerank keeps no state: the stream changes nothing"):
        build_stream_seeds.build("hybrid-rerank", bench.sources, "pooled-turn", STREAM, params, tmp_path)


def test_results_are_the_same_bytes(bench: Bench, tmp_path: Path) -> None:
    bench.scoped("conversation-turn")
    params = ManyParams(measures=NAMES, n_streams=3)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        build_stream_seeds.build(VARIANTS[0], bench.sources, "conversation-turn", STREAM, params, tmp_path / name)
    for table in ("stream_values", "stream_metrics"):
        one, two = ((tmp_path / name / f"{table}.parquet").read_bytes() for name in ("one", "two"))
        assert one == two

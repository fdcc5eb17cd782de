"""A handmade run of seven questions, with nulls, NaN and odd ids, as the stages before would have left it."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tasks.progress import silent
from tasks.reporting import build as builder
from tasks.reporting.run_facts import ModelFacts, RunFacts, StageEvent
from tasks.reporting.schemas import ANSWERABILITY, SWEEP_METRICS
from tasks.reporting.sources import Inputs
from tasks.significance.schemas import CLUSTER_COMPARISON_SCHEMA

NAN = math.nan
VARIANTS = ("hybrid-rerank", "bm25", "dense", "rif(rule=gap,clusters=30)", "rif(rule=uniform,clusters=1)")
QUERIES = (
    # query_id, question_type, block, scope_id
    ("conv-1_qa0", "multi-hop", "main", "conv-1"),
    ("conv-1_qa1|<script>alert(1)</script>", "multi-hop", "main", "conv-1"),
    ("conv-1_qa2", "temporal $x$_{1}", "main", "conv-1"),
    ("conv-2_qa0'; DROP", "temporal $x$_{1}", "main", "conv-2"),
    ("conv-2_qa1", "knowledge-update", "main", "conv-2"),
    ("conv-2_qa2", "adversarial", "adversarial", "conv-2"),
    ("conv-2_qa3_ünï", "multi-hop", "main", "conv-2"),  # nothing relevant
)
NDCG = {
    "hybrid-rerank": (1.0, 0.5, 0.0, 0.63, 1.0, 0.4, NAN),
    "bm25": (0.5, 0.0, 0.0, 0.5, 0.63, 0.0, NAN),
    "dense": (0.5, 0.5, 0.0, 0.43, 0.5, 0.4, NAN),
    "rif(rule=gap,clusters=30)": (1.0, 1.0, 0.5, 1.0, 1.0, 0.4, NAN),
    "rif(rule=uniform,clusters=1)": (1.0, 0.5, 0.0, 0.63, 1.0, 0.4, NAN),
}
DEFECTS = (
    (
        "<img src=x onerror=alert(1)>",
        "malformed_evidence",
        "split",
        "`D8:6; D9:17` | [x](http://evil.example)",
        1,
        ["conv-1_qa0"],
    ),
    ("conv-2 qa[3]", "no_evidence", "not_scorable", "", 1, ["conv-2_qa3_ünï"]),
    ("conv-2 qa[3]", "no_evidence", "not_scorable", "", 1, ["conv-2_qa3_ünï"]),
)
N_DOCUMENTS = 24
WITH_STATE = tuple(name for name in VARIANTS if name.startswith("rif("))
SEEDS = (1, 2, 3, 42)
"""Streams; 42 is the run's own."""
FOLDERS = (
    "corpus", "candidates", "metrics", "ties", "behaviour", "significance", "classes", "texts", "truncation", "groups",
)  # fmt: skip
CHOSEN = ("fused", "grid", "latency")
"""What the stage selection left."""
MAIN_FAMILY, OTHER_FAMILY = (0, "variants against hybrid-rerank"), (1, "gap | against uniform")
Edit = Callable[[pl.DataFrame], pl.DataFrame]


@dataclass(frozen=True, slots=True)
class World:
    """Directories of the artifacts a report reads, and the report's own."""

    root: Path

    @property
    def inputs(self) -> Inputs:
        rankings = {name: self.root / "rankings" / str(place) for place, name in enumerate(VARIANTS)}
        folders = {name: self.root / name for name in FOLDERS if name != "candidates"}
        candidates = dict.fromkeys(VARIANTS, self.root / "candidates")
        streams = {name: self.root / "streams" / str(VARIANTS.index(name)) for name in WITH_STATE}
        chosen = {name: self.root / name for name in CHOSEN}
        fused, latency = {"dense": chosen["fused"]}, [chosen["latency"]]
        return Inputs(
            candidates=candidates,
            rankings=rankings,
            streams=streams,
            fused=fused,
            grid=chosen["grid"],
            latency=latency,
            **folders,
        )

    def report(self, name: str = "report", *, is_drawn: bool = True, dataset: str = "locomo") -> Path:
        """Build the report into a folder and return it. Drawing takes most of the time: not every test needs it."""
        out = self.root / name
        with pytest.MonkeyPatch.context() as patch:
            if not is_drawn:
                patch.setattr(builder, "_figures", lambda *_: None)
            builder.build(
                dataset,
                "conversation-turn",
                self.inputs,
                builder.ReportParams(),
                out,
                silent,
            )
        return out

    def edit(self, table: str, change: Edit) -> None:
        """Plant something in an input table, e.g. `metrics/query_metrics`."""
        path = self.root / f"{table}.parquet"
        change(pl.read_parquet(path)).write_parquet(path)


def make_run(run_id: str = "2026-11-03T02-15-00_ab12", **changes: Any) -> RunFacts:
    started = datetime(2026, 11, 3, 2, 15, tzinfo=UTC)
    stages = (
        StageEvent("corpora", "locomo", "k" * 64, "d" * 64, is_cached=True, n_files=9, n_bytes=2_805_274),
        StageEvent("reranking", "shard", "l" * 64, "e" * 64, False, "changed: params | <b>", 75.2, 140.0, 900.5, 2, 99),
        StageEvent("reranking", "shard", "m" * 64, "f" * 64, False, "first time", 70.0, 130.0, 910.0, 2, 98),
        StageEvent("reporting", "report", "n" * 64, "0" * 64, False, "first time", 3.0, 3.0, 300.0, 20, 1_000_000),
    )
    facts: dict[str, Any] = {
        "run_id": run_id,
        "profile": "locomo",
        "started_at": started,
        "finished_at": started + timedelta(minutes=4),
        "status": "complete",
        "seed": 42,
        "code_fingerprint": "c0de" * 16,
        "config_fingerprint": "cf" * 32,
        "mnemobench_version": "0.1.0",
        "command": "mnemobench run --profile locomo",
        "models": (ModelFacts("encoder", "all-MiniLM-L6-v2", "a" * 64, "Apache-2.0"),),
        "stages": stages,
    }
    return RunFacts(**(facts | changes))


def write_world(world: World) -> None:
    for folder in (*FOLDERS, *CHOSEN):
        (world.root / folder).mkdir(parents=True)
    _write_corpus(world.root / "corpus")
    _write_candidates(world.root / "candidates")
    _write_ties(world.root / "ties")
    known = [("hybrid-rerank", 5, 2, 0.7, -1.0, 2.0, 5.0, -3.0, 0.5, 4.0), ("bm25", 5, 0, *[NAN] * 7)]
    names = [column.name for column in ANSWERABILITY.columns[1:]]
    pl.DataFrame(known, schema=names, orient="row").write_parquet(world.root / "behaviour" / "answerability.parquet")
    classes = pl.read_parquet(world.root / "corpus" / "defects.parquet").clear()
    classes.write_parquet(world.root / "classes" / "defects.parquet")
    texts = pl.DataFrame({"document_index": range(N_DOCUMENTS), "text_key": [f"{i:032x}" for i in range(N_DOCUMENTS)]})
    texts.cast({"document_index": pl.Int32}).write_parquet(world.root / "texts" / "document_texts.parquet")
    cut = pl.DataFrame({"text_key": [f"{0:032x}", f"{11:032x}"], "n_pieces": [300, 400], "is_truncated": [True, True]})
    cut.write_parquet(world.root / "truncation" / "truncation.parquet")
    _write_chosen(world.root)
    kinds = [(place, "question_type", kind) for place, (_, kind, _, _) in enumerate(QUERIES)]
    kinds += [(place, "n_gold_sessions", "1") for place in range(len(QUERIES) - 1)]
    groups = pl.DataFrame(kinds, schema={"query_index": pl.Int32(), "by": pl.Utf8(), "group": pl.Utf8()}, orient="row")
    groups.write_parquet(world.root / "groups" / "query_groups.parquet")
    for variant, path in world.inputs.rankings.items():
        path.mkdir(parents=True)
        _write_rankings(path, variant)
    for variant, path in world.inputs.streams.items():
        path.mkdir(parents=True)
        _write_streams(path, variant)
    metrics, behaviour = _metric_rows(), _behaviour_rows()
    metrics.write_parquet(world.root / "metrics" / "query_metrics.parquet")
    behaviour.write_parquet(world.root / "behaviour" / "behaviour_metrics.parquet")
    _write_significance(world.root / "significance", metrics)


def _write_chosen(root: Path) -> None:
    """Two folds that chose 0.5 and 1.0; three settings of BM25; one stage that was timed."""
    choices = {
        "fold": [0, 1], "group": ["conv-1", "conv-2"], "n_held_out": [3, 2], "n_development": [2, 3],
        "alpha": [0.5, 1.0], "development_value": [0.5, 2 / 3],
    }  # fmt: skip
    curve = [(alpha, "Success@1", 5, value) for alpha, value in ((0.0, 0.2), (0.5, 0.8), (1.0, 0.6))]
    grid = [("lucene", 1.5, 0.75, 5, 3, 0.6), ("lucene", 0.6, 0.4, 5, 4, 0.8), ("bm25l", 1.2, 0.2, 5, 2, 0.4)]
    settings = {"variant": ["lucene", "lucene"], "k1": [1.5, 0.6], "b": [0.75, 0.4]}
    hits = {"n_hits_held_out": [2, 1]}
    times = ("all-MiniLM-L6-v2", "L-12", "bm25", 5, 0.3, 0.2, 0.4, 0.1, "made up", 2)
    columns = ["encoder", "reranker", "stage", "n", "mean_ms", "median_ms", "p95_ms", "min_ms", "cpu_model", "n_cores"]
    names = {"variant": pl.Utf8(), "k1": pl.Float64(), "b": pl.Float64(), "n": pl.Int32(), "n_hits": pl.Int32()}
    pl.DataFrame(choices).write_parquet(root / "fused" / "choices.parquet")
    pl.DataFrame(curve, schema=["alpha", "measure", "n", "value"], orient="row").write_parquet(
        root / "fused" / "curve.parquet"
    )
    pl.DataFrame(grid, schema={**names, "value": pl.Float64()}, orient="row").write_parquet(
        root / "grid" / "grid.parquet"
    )
    found = {name: column for name, column in choices.items() if name != "alpha"}
    pl.DataFrame({**found, **settings, **hits}).write_parquet(root / "grid" / "grid_choices.parquet")
    pl.DataFrame([times], schema=columns, orient="row").write_parquet(root / "latency" / "latency.parquet")


def _write_corpus(folder: Path) -> None:
    source = {"name": "locomo10.json", "sha256": "79fa87e9" * 8, "bytes": 2_805_274, "is_official": False}
    facts = {
        "dataset": "locomo", "n_documents": N_DOCUMENTS, "n_sessions": 4, "n_queries": len(QUERIES), "source": source,
        "note": "499 of 500 questions", "licence": "CC BY-NC 4.0", "options": {},
    }  # fmt: skip
    (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    documents = range(N_DOCUMENTS)
    pl.DataFrame(
        {
            "document_index": pl.Series(documents, dtype=pl.Int32),
            "document_key": [f"{index:016x}" for index in documents],
            "document_id": [f"conv-{1 + index // 12}:D1:{index}" for index in documents],
            "session_id": [f"conv-{1 + index // 12}:D{1 + index // 6 % 2}" for index in documents],
            "turn_index": pl.Series(range(N_DOCUMENTS), dtype=pl.Int32),
            "speaker": ["Ann"] * N_DOCUMENTS,
            "text": ["never in a report"] * N_DOCUMENTS,
            "is_empty": [False] * N_DOCUMENTS,
        }
    ).write_parquet(folder / "documents.parquet")
    pl.DataFrame(
        [(place, name, "SECRET TEXT", kind, block, scope) for place, (name, kind, block, scope) in enumerate(QUERIES)],
        schema={
            "query_index": pl.Int32(), "query_id": pl.String(), "text": pl.String(), "question_type": pl.String(),
            "block": pl.String(), "scope_id": pl.String(),
        },
        orient="row",
    ).write_parquet(folder / "queries.parquet")  # fmt: skip
    answers = [
        (name, f"conv-{scope[-1]}:D1:{place + 12 * (scope == 'conv-2')}", 1)
        for place, (name, _, _, scope) in enumerate(QUERIES[:-1])
    ]
    schema = {"query_id": pl.String(), "document_id": pl.String(), "gain": pl.Int32()}
    pl.DataFrame(answers, schema=schema, orient="row").write_parquet(folder / "judgements_turn.parquet")
    text: dict[str, pl.DataType] = {
        "record_id": pl.String(),
        "kind": pl.String(),
        "policy": pl.String(),
        "detail": pl.String(),
    }
    sessions = [(f"conv-{scope}", f"conv-{scope}:D{day}", day - 1) for scope in (1, 2) for day in (1, 2)]
    members = pl.DataFrame(sessions, schema=["scope_id", "session_id", "position"], orient="row")
    members.write_parquet(folder / "scopes.parquet")
    members.select("session_id").write_parquet(folder / "sessions.parquet")
    members.clear().select("session_id").write_parquet(folder / "judgements_session.parquet")
    pl.DataFrame(
        DEFECTS, schema={**text, "n_queries": pl.Int32(), "query_ids": pl.List(pl.String())}, orient="row"
    ).write_parquet(folder / "defects.parquet")


def _write_ties(folder: Path) -> None:
    rows = [
        (variant, place, "nDCG@10", value, max(value - 0.25, 0.0), value, min(value + 0.25, 1.0), place == 0, False)
        for variant, values in NDCG.items()
        for place, value in enumerate(values)
        if not math.isnan(value)
    ]
    schema = {
        "variant": pl.String(), "query_index": pl.Int64(), "measure": pl.String(), "value": pl.Float64(),
        "pessimistic": pl.Float64(), "expected": pl.Float64(), "optimistic": pl.Float64(),
        "is_tied_at_cut": pl.Boolean(), "reaches_depth": pl.Boolean(),
    }  # fmt: skip
    pl.DataFrame(rows, schema=schema, orient="row").write_parquet(folder / "ties.parquet")


def _write_candidates(folder: Path) -> None:
    rows = [
        (query, position, document, position if position % 2 else None, position if position % 3 else None,
         0.9 - position / 10, 5.0 if position % 3 else None, 1 / (60 + position))
        for query in range(len(QUERIES))
        for position, document in enumerate(range(12 * (query > 2), 12 * (query > 2) + 5))
    ]  # fmt: skip
    schema = {
        "query_index": pl.Int32(), "position": pl.Int32(), "document_index": pl.Int32(), "dense_rank": pl.Int32(),
        "bm25_rank": pl.Int32(), "dense_score": pl.Float64(), "bm25_score": pl.Float64(), "rrf": pl.Float64(),
    }  # fmt: skip
    pl.DataFrame(rows, schema=schema, orient="row").write_parquet(folder / "candidates.parquet")
    pools = [
        (place, scope, 12 if place else 25, 0 if place == 6 else 7) for place, (_, _, _, scope) in enumerate(QUERIES)
    ]
    types: dict[str, pl.DataType] = {"query_index": pl.Int32(), "scope_id": pl.String()}
    types |= {"n_documents": pl.Int32(), "n_matching": pl.Int32()}
    pl.DataFrame(pools, schema=types, orient="row").write_parquet(folder / "pools.parquet")


def _write_rankings(folder: Path, variant: str) -> None:
    has_logit, has_state = variant not in ("bm25", "dense"), variant.startswith("rif(")
    rows = [
        (query, rank, 12 * (query > 2) + rank - 1, 1.0 / rank, 5.0 - rank if has_logit else None,
         0.25 * has_state * (rank > 2), rank - 1)
        for query in range(len(QUERIES))
        for rank in range(1, 5 if query else 13)
    ]  # fmt: skip
    schema = {
        "query_index": pl.Int32(), "rank": pl.Int32(), "document_index": pl.Int32(), "score": pl.Float64(),
        "logit": pl.Float64(), "suppression": pl.Float64(), "initial_position": pl.Int32(),
    }  # fmt: skip
    pl.DataFrame(rows, schema=schema, orient="row").write_parquet(folder / "rankings.parquet")
    entries = 40 if has_state else 0
    pl.DataFrame(
        {
            "scope_id": ["conv-1", "conv-2"],
            "n_entries": pl.Series([entries, entries // 2], dtype=pl.Int64),
            "n_entries_above": pl.Series([entries // 4, entries // 5], dtype=pl.Int64),
            "max": [0.9 if has_state else 0.0, 0.4 if has_state else 0.0],
            "mean": [0.05 if has_state else 0.0, 0.02 if has_state else 0.0],
            "n_documents_above": pl.Series([entries // 8, entries // 10], dtype=pl.Int64),
            "n_documents": pl.Series([1_000, 1_000], dtype=pl.Int64),
        }
    ).write_parquet(folder / "suppression.parquet")
    if has_state:
        end = pl.read_parquet(folder / "suppression.parquet")
        grown = [
            end.with_columns(
                pl.lit(step, pl.Int64).alias("step"),
                pl.col("n_entries", "n_entries_above", "n_documents_above") * step // 100,
            )
            for step in (0, 50, 100)
        ]
        pl.concat(grown).write_parquet(folder / "trace.parquet")


def _write_streams(folder: Path, variant: str) -> None:
    """After each stream as in the run, but for the second question (0.5 in the baseline): 0.1 less for each seed."""
    rows = [
        (seed, "nDCG@10", place, value - 0.1 * seed if place == 1 and seed != 42 else value)
        for seed in SEEDS
        for place, value in enumerate(NDCG[variant])
    ]
    schema = {
        "stream_seed": pl.Int64(), "measure": pl.String(), "query_index": pl.Int32(), "value": pl.Float32(),
    }  # fmt: skip
    pl.DataFrame(rows, schema=schema, orient="row").write_parquet(folder / "stream_values.parquet")


def _rows(values: dict[str, dict[str, tuple[float, ...]]]) -> pl.DataFrame:
    rows = [
        (variant, 42 if variant.startswith("rif(") else None, "transductive" if variant.startswith("rif(") else None,
         place, QUERIES[place][0], measure, value)
        for variant, measures in values.items()
        for measure, per_query in measures.items()
        for place, value in enumerate(per_query)
    ]  # fmt: skip
    schema = {
        "variant": pl.String(), "stream_seed": pl.Int64(), "split": pl.String(), "query_index": pl.Int32(),
        "query_id": pl.String(), "measure": pl.String(), "value": pl.Float64(),
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def _metric_rows() -> pl.DataFrame:
    values = {}
    for variant, ndcg in NDCG.items():
        hit = tuple(NAN if math.isnan(value) else float(value == 1) for value in ndcg)
        recall = tuple(NAN if math.isnan(value) else float(value > 0) for value in ndcg)
        values[variant] = {"nDCG@10": ndcg, "R@30": recall, "pool_R@30": recall, "Success@1": hit}
    return _rows(values)


def _behaviour_rows() -> pl.DataFrame:
    values = {}
    for variant, ndcg in NDCG.items():
        exact = tuple(NAN if math.isnan(value) else float(value == 1) for value in ndcg)
        sibling = tuple(NAN if math.isnan(value) else float(0.4 < value < 1) for value in ndcg)
        wrong = tuple(NAN if math.isnan(value) else float(value <= 0.4) for value in ndcg)
        stale = tuple(value if place == 4 else NAN for place, value in enumerate(sibling))
        abstain = (0.0,) * 6 + (1.0,) if variant not in ("bm25", "dense") else (NAN,) * 7
        values[variant] = {
            "exact_episode": exact, "sibling_confusion": sibling, "wrong_family": wrong, "stale_fact": stale,
            "abstain@2": abstain,
        }  # fmt: skip
    return _rows(values)


def _write_significance(folder: Path, metrics: pl.DataFrame) -> None:
    members = {block: [p for p, q in enumerate(QUERIES) if block in (q[2], "all")] for block in ("main", "adversarial")}
    members["all"] = list(range(len(QUERIES)))
    summary, compared = [], []
    by_place = {
        (v, m): dict(zip(f["query_index"], f["value"], strict=True))
        for (v, m), f in metrics.group_by("variant", "measure")
    }
    for block, places in members.items():
        for (variant, measure), found in sorted(by_place.items()):
            values = np.array([found[place] for place in places])
            known = values[~np.isnan(values)]
            mean, spread = (float(known.mean()), 0.1) if len(known) else (NAN, NAN)
            summary.append(
                (
                    block,
                    variant,
                    measure,
                    len(known),
                    len(values) - len(known),
                    mean,
                    mean - spread,
                    mean + spread,
                    mean,
                )
            )
            if variant != "hybrid-rerank":
                base = np.array([by_place["hybrid-rerank", measure][place] for place in places])
                compared.append((*MAIN_FAMILY, block, variant, "hybrid-rerank", measure, *_difference(values - base)))
            if variant == WITH_STATE[0]:
                base = np.array([by_place[WITH_STATE[1], measure][place] for place in places])
                compared.append((*OTHER_FAMILY, block, variant, WITH_STATE[1], measure, *_difference(values - base)))
    schema = {
        "block": pl.String(), "variant": pl.String(), "measure": pl.String(), "n": pl.Int32(),
        "n_undefined": pl.Int32(), "mean": pl.Float64(), "lo": pl.Float64(), "hi": pl.Float64(),
        "mean_over_conversations": pl.Float64(),
    }  # fmt: skip
    pl.DataFrame(summary, schema=schema, orient="row").write_parquet(folder / "summary.parquet")
    schema = {
        "family_index": pl.Int32(), "family": pl.String(), "block": pl.String(), "variant": pl.String(),
        "baseline": pl.String(), "measure": pl.String(), "n": pl.Int32(), "delta": pl.Float64(), "lo": pl.Float64(),
        "hi": pl.Float64(), "p": pl.Float64(), "p_adjusted": pl.Float64(), "wins": pl.Int32(), "ties": pl.Int32(),
        "losses": pl.Int32(),
    }  # fmt: skip
    pl.DataFrame(compared, schema=schema, orient="row").with_columns(
        pl.lit(4, dtype=pl.Int32).alias("family_size"),
        pl.lit(NAN).alias("effect_size"),
        pl.lit(0.12).alias("minimum_detectable_effect"),
    ).write_parquet(folder / "comparisons.parquet")
    methods = ("question-bootstrap", "cluster-bootstrap", "cluster-sign-flip", "cluster-bootstrap-t", "wild-cluster")
    grouped = [
        ("main", MAIN_FAMILY[1], "bm25", "hybrid-rerank", "nDCG@10", method, 5, 2, -0.3, -0.5, -0.1, 0.5, 0.5, False)
        for method in methods
    ]
    pl.DataFrame(grouped, schema=CLUSTER_COMPARISON_SCHEMA, orient="row").write_parquet(
        folder / "cluster_comparisons.parquet"
    )


def _difference(differences: Any) -> tuple[Any, ...]:
    known = differences[~np.isnan(differences)]
    if not len(known):
        return 0, NAN, NAN, NAN, NAN, NAN, 0, 0, 0
    delta = float(known.mean())
    half = 0.6 * abs(delta) if delta else 0.0
    p = 1.0 if not delta else 0.002
    wins, losses = int((known > 0).sum()), int((known < 0).sum())
    return len(known), delta, delta - half, delta + half, p, min(1.0, 4 * p), wins, len(known) - wins - losses, losses


def sweep_rows() -> pl.DataFrame:
    """Two cells of a grid over alpha."""
    rows = [
        ("pooled-turn", f"rif(rule=gap,clusters=30,alpha={alpha})", "nDCG@10", "hybrid-rerank", 5, 20, 0.6, 0.02, 0.5,
         0.7, -0.01, 0.02, -0.05, 0.03, 0.25, [{"name": "alpha", "value": str(alpha)}])
        for alpha in (0.2, 0.4)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=SWEEP_METRICS.schema, orient="row")


def study_rows() -> pl.DataFrame:
    """A measured cell and one that was not."""
    row = {
        "study": "study-a", "table": "main", "row": "clustered30-gap", "column": "nDCG@10", "protocol": "pooled-turn",
        "variant": "rif(rule=gap,clusters=30)", "measure": "nDCG@10", "published": 0.2961, "ours": 0.3045, "lo": 0.27,
        "hi": 0.34, "difference": 0.0084, "difference_lo": -0.0021, "difference_hi": 0.0191, "basis": "paired",
        "verdict": "consistent", "artifact_keys": ["k" * 64],
    }  # fmt: skip
    names = ("ours", "lo", "hi", "difference", "difference_lo", "difference_hi")
    absent = {"row": "tables", "verdict": "not measured", "basis": "digits", "artifact_keys": list[str]()}
    return pl.DataFrame([row, row | absent | dict.fromkeys(names)])

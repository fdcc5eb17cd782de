"""Handmade report folders for study B: values that a test knows, for all the variants that a run would hold."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from tasks.reporting.cluster_schemas import CLUSTER_COMPARISONS
from tasks.reporting.schemas import BEHAVIOUR, QUERIES, QUERY_METRICS, SCHEMA_VERSION, TIES
from tasks.studies import plan
from tasks.studies.results import Values
from tasks.studies.study_b_grid import GRID, STAGES
from tasks.studies.study_b_names import LOCOMO_SESSIONS, MINILM, bm25, fusion, session
from tests.unit.studies.handmade_study import put

MEASURES = ("Success@1", "R@1", "R@3", "R@5", "RR", "nDCG@5", "R_all@5", "nDCG(dcg='exp-log2')@10", "pool_R@30")
CATEGORIES = ("multi-hop", "temporal", "single-hop", "open-domain", "adversarial")
N = 2000
N_HITS = 1279  # of 2,000: 0.6395, what the study publishes for BM25
N_CONVERSATIONS = 10
SLOW_MS = 12.5


def hits(n_hits: int, n: int = N) -> Values:
    """The first of each conversation's questions are right: every conversation has about the same share."""
    order = np.argsort(np.arange(n) // N_CONVERSATIONS, kind="stable")
    values = np.zeros(n)
    values[order[:n_hits]] = 1.0
    return values


def values_of(name: str, measure: str) -> Values:
    if measure == "Success@1":
        levels = {bm25(): N_HITS, session("mean"): 655, session("max"): 823, fusion("max"): 1323}
        return hits(levels.get(name, 1000 + sum(map(ord, name)) % 200))
    return np.full(N, 0.5 + sum(map(ord, name)) % 100 / 1000)


def write_reports_b(root: Path, dataset: str, *, only: Sequence[str] | None = None) -> list[Path]:
    """Write a report for each protocol of a data set; of `only` some protocols where given."""
    folders = []
    for place, protocol in enumerate(plan.protocols("study-b", dataset)):
        if only is None or protocol in only:
            folder = root / dataset / f"{place}{'cd' * 31}"
            write_report_b(folder, dataset, protocol, plan.variants("study-b", dataset, protocol))
            folders.append(folder)
    return folders


def write_report_b(folder: Path, dataset: str, protocol: str, names: Sequence[str]) -> None:
    (folder / "tables").mkdir(parents=True)
    facts = {"dataset": dataset, "protocol": protocol, "variants": list(names), "schema_version": SCHEMA_VERSION}
    (folder / "report.json").write_text(json.dumps({**facts, "corpus": {"note": None}}), encoding="utf-8")
    ids = [f"q{place}" for place in range(N)]
    is_locomo = dataset == "locomo"
    kinds = [CATEGORIES[place // N_CONVERSATIONS % 5] if is_locomo else "multi-session" for place in range(N)]
    scopes = [f"conv-{place % N_CONVERSATIONS}" if is_locomo else None for place in range(N)]
    queries = {
        "protocol": [protocol] * N, "query_id": ids, "question_type": kinds,
        "block": ["adversarial" if kind == "adversarial" else "main" for kind in kinds], "scope_id": scopes,
        "n_relevant": [1] * N, "n_reachable": [1] * N, "n_pool": [25] * N, "n_matching": [25] * N,
    }  # fmt: skip
    put(folder, QUERIES, pl.DataFrame(queries, schema=QUERIES.schema))
    frames = [
        pl.DataFrame(
            {
                "protocol": protocol, "variant": name, "stream_seed": None, "split": None, "query_id": ids,
                "measure": measure, "value": values_of(name, measure),
            },
            schema=QUERY_METRICS.schema,
        )
        for name in names
        for measure in MEASURES
    ]  # fmt: skip
    put(folder, QUERY_METRICS, pl.concat(frames))
    put(folder, BEHAVIOUR, pl.DataFrame(schema=BEHAVIOUR.schema))
    ties = [(protocol, "all", name, "Success@1", N, 5, 3, 0, 0.64, 0.63, 0.635, 0.65) for name in names]
    put(folder, TIES, pl.DataFrame(ties, schema=TIES.schema, orient="row"))
    if protocol == LOCOMO_SESSIONS:
        _write_facts(folder / "tables", protocol, ids)


def _write_facts(tables: Path, protocol: str, ids: Sequence[str]) -> None:
    groups = {"gold_session_length": ("8-15", "16-25", "26+"), "n_gold_sessions": ("1", "2", "3+")}
    rows = [(protocol, q, by, names[place % 3]) for by, names in groups.items() for place, q in enumerate(ids)]
    _write(tables, "query_groups", ["protocol", "query_id", "by", "group"], rows)
    name = fusion("max")
    curve = [(protocol, name, step / 20, m, N, 0.5 + step / 100) for step in range(21) for m in ("Success@1", "RR")]
    _write(tables, "alpha_curve", ["protocol", "variant", "alpha", "measure", "n", "value"], curve)
    choices = [(protocol, name, fold, f"conv-{fold}", 200, 1800, 0.4, 0.66) for fold in range(N_CONVERSATIONS)]
    columns = ["protocol", "variant", "fold", "group", "n_held_out", "n_development", "alpha", "development_value"]
    _write(tables, "alpha_choices", columns, choices)
    grid = [(protocol, "lucene" if i == "classic" else i, float(k), float(b), N, 1297, 0.6485) for i, k, b in GRID]
    _write(tables, "bm25_grid", ["protocol", "idf", "k1", "b", "n", "n_hits", "value"], grid)
    held_out = [(protocol, fold, f"conv-{fold}", 200, 127 + (fold > 0)) for fold in range(N_CONVERSATIONS)]
    _write(tables, "bm25_grid_choices", ["protocol", "fold", "group", "n_held_out", "n_hits_held_out"], held_out)
    _write_comparisons(tables, protocol)
    times = [(protocol, encoder, stage, 200, SLOW_MS, 1.0, 30.0) for encoder in (MINILM, "other") for stage in STAGES]
    _write(tables, "latency", ["protocol", "encoder", "stage", "n", "mean_ms", "median_ms", "p95_ms"], times)


def _write_comparisons(tables: Path, protocol: str) -> None:
    ends = {
        "question-bootstrap": (0.23, 0.27, None, None), "cluster-bootstrap": (0.24, 0.26, 0.0, None),
        "cluster-sign-flip": (None, None, 4 / 1024, 2 / 1024), "cluster-bootstrap-t": (None, None, None, None),
        "wild-cluster": (0.22, 0.28, 0.004, None),
    }  # fmt: skip
    rows = [
        (protocol, block, "fusion against late", fusion("max"), session("max"), "Success@1", method, N, N_CONVERSATIONS,
         0.25 if block == "all" else 0.5, *numbers, method == "cluster-bootstrap")
        for block in ("main", "all")
        for method, numbers in ends.items()
    ]  # fmt: skip
    pl.DataFrame(rows, schema=CLUSTER_COMPARISONS.schema, orient="row").write_parquet(
        tables / "cluster_comparisons.parquet"
    )


def _write(tables: Path, name: str, columns: Sequence[str], rows: Sequence[tuple[object, ...]]) -> None:
    frame = pl.DataFrame(rows, schema=list(columns), orient="row").with_columns(pl.col(pl.Int64).cast(pl.Int32))
    frame.write_parquet(tables / f"{name}.parquet")

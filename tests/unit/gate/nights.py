"""Runs made by hand in a warehouse of their own: what the tests of the gate share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tasks.gate.expectations import CostRule, Expectations, QualityRule, load_expectations
from tasks.gate.gate import GateVerdict, Machine, judge_run, record
from tasks.gate.words import sentences
from tasks.reporting.schemas import ARTIFACTS, QUERY_METRICS, RUNS, SUMMARY, TIMINGS, write

HERE = Machine("vm", "x86_64, 2 cores")
NIGHT = datetime(2026, 11, 1, 2, 17)
PROTOCOL, BM25, RERANK = "conversation-turn", "bm25", "hybrid-rerank"
RULE = QualityRule(level=0.05, level_reason="x", measures=("nDCG@10",), margin=0.005, margin_reason="x")
COST = CostRule(window=10, at_least=5, deviations=4, share=0.25, seconds=2, megabytes=128, fails=True, reason="x")
Recipes = dict[str, dict[str, Any]]


def ingredients(step: str, **changes: Any) -> dict[str, Any]:
    """Return the ingredients of an artifact of `stage/step`, as a manifest has them."""
    stage, _, name = step.partition("/")
    made: dict[str, Any] = {
        "stage": stage, "step": name, "code": "c0de", "params": {}, "inputs": {}, "libraries": {"numpy": "2.4.6"}
    }  # fmt: skip
    return made | changes


def values(n: int = 200, seed: int = 0) -> np.ndarray:
    """Return values of nDCG@10 as questions have them: many zeros and ones."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(n) < 0.5, 0.0, rng.choice([1.0, 0.63, 0.5, 0.39], n))


@dataclass
class Night:
    """One run: values by variant, artifacts (step, key, digest), and what each cost."""

    run_id: str
    number: int = 0
    columns: Mapping[str, Sequence[float]] = field(
        default_factory=lambda: {BM25: list(values()), RERANK: list(values(seed=1))}
    )
    artifacts: Sequence[tuple[str, str, str]] = (("text/tokens", "k1", "d1"), ("measures/query_metrics", "k2", "d2"))
    computed: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    dataset: str = "locomo"
    stream: tuple[int | None, str | None] = (None, None)
    memory: float = 500.0

    def write(self, warehouse: Path) -> str:
        """Write its tables; return its id."""
        for table, frame in (
            (QUERY_METRICS, self._metrics()),
            (SUMMARY, self._summary()),
            (ARTIFACTS, self._artifacts()),
            (TIMINGS, self._timings()),
            (RUNS, pl.DataFrame([self._facts()], schema=RUNS.schema)),
        ):
            place = warehouse / table.name / f"dataset={self.dataset}" / f"run_id={self.run_id}" / "part-0.parquet"
            write(frame, table, place)
        return self.run_id

    def _metrics(self) -> pl.DataFrame:
        rows = [
            (PROTOCOL, variant, *self.stream, f"q{place:04d}", "nDCG@10", value)
            for variant, column in self.columns.items()
            for place, value in enumerate(column)
        ]
        return pl.DataFrame(rows, schema=QUERY_METRICS.schema, orient="row")

    def _summary(self) -> pl.DataFrame:
        rows = [
            (PROTOCOL, block, variant, "nDCG@10", len(column), 0, float(np.mean(column)), 0.0, 1.0, None, None)
            for variant, column in self.columns.items()
            for block in ("main", "all")
        ]
        return pl.DataFrame(rows, schema=SUMMARY.schema, orient="row")

    def _artifacts(self) -> pl.DataFrame:
        rows = [(*step.split("/"), key, digest, 1, 10) for step, key, digest in self.artifacts]
        return pl.DataFrame(rows, schema=ARTIFACTS.schema, orient="row")

    def _timings(self) -> pl.DataFrame:
        rows = []
        for step, key, _ in self.artifacts:
            wall = self.computed.get(key)
            state = "cached" if wall is None else "computed"
            spent = 0.01 if wall is None else wall
            rows.append((*step.split("/"), key, state, "changed: code", spent, spent, spent, self.memory))
        return pl.DataFrame(rows, schema=TIMINGS.schema, orient="row")

    def _facts(self) -> dict[str, Any]:
        start = NIGHT + timedelta(days=self.number)
        row: dict[str, Any] = {
            "kind": "evaluation", "profile": "locomo", "status": "complete", "started_at": start,
            "finished_at": start + timedelta(minutes=4), "protocol": PROTOCOL, "other_protocols": [],
            "baseline": BM25, "main_measure": "nDCG@10", "seed": 42, "n_queries": 200, "n_documents": 1000,
            "dataset_fingerprint": "fa" * 32, "licence": "CC BY-NC 4.0", "models": [], "code_fingerprint": "c0" * 32,
            "config_fingerprint": "cf" * 32, "mnemobench_version": "0.1.0", "schema_version": 3,
            "command": "mnemobench run --profile locomo",
        }  # fmt: skip
        return row | dict(self.facts)


def expectations(**changes: Any) -> Expectations:
    """Return the committed expectations with the plain rules of the tests."""
    return load_expectations().model_copy(update={"quality": RULE, "cost": COST} | changes)


def judge(
    warehouse: Path, run_id: str, recipes: Recipes | None = None, machine: Machine = HERE, **changes: Any
) -> GateVerdict:
    """Judge a run with recipes by key, and record the verdict as the flow does."""
    judged = judge_run(warehouse, run_id, expectations(**changes), lambda _: recipes or {}, machine)
    record(warehouse, judged, sentences(judged), machine)
    return judged

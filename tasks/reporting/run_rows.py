"""The rows of a run in the warehouse that do not come from its results."""

import polars as pl

from tasks.files import json_digest
from tasks.reporting.run_facts import DataFacts, RunFacts, StageEvent, utc
from tasks.reporting.schemas import ARTIFACTS, RUNS, SCHEMA_VERSION, TIMINGS, conform


def of_run(kind: str, facts: DataFacts, run: RunFacts) -> dict[str, pl.DataFrame]:
    """Return the tables `runs`, `timings` and `artifacts` of a run of a `kind`: `evaluation` or `sweep`."""
    return {RUNS.name: _runs(kind, facts, run), TIMINGS.name: _timings(run), ARTIFACTS.name: _artifacts(run)}


def _runs(kind: str, facts: DataFacts, run: RunFacts) -> pl.DataFrame:
    corpus = facts.corpus
    source = corpus.get("source") or {}
    row = {
        "kind": kind,
        "profile": run.profile,
        "status": run.status,
        "started_at": utc(run.started_at),
        "finished_at": utc(run.finished_at),
        "protocol": facts.protocol,
        "other_protocols": list(facts.other_protocols),
        "baseline": facts.baseline,
        "main_measure": facts.main_measure,
        "seed": run.seed,
        "n_queries": corpus["n_queries"],
        "n_documents": corpus["n_documents"],
        "dataset_fingerprint": facts.fingerprint,
        "source_name": source.get("name"),
        "source_sha256": source.get("sha256"),
        "is_official_source": source.get("is_official"),
        "licence": corpus.get("licence") or "unknown",
        "note": corpus.get("note"),
        "models": [
            {"role": model.role, "name": model.name, "digest": model.digest, "licence": model.licence}
            for model in run.models
        ],
        "code_fingerprint": run.code_fingerprint,
        "config_fingerprint": run.config_fingerprint,
        "report_digest": _digest_of_report(run),
        "mnemobench_version": run.mnemobench_version,
        "schema_version": SCHEMA_VERSION,
        "command": run.command,
    }
    return conform(pl.DataFrame([row], schema=RUNS.schema), RUNS)


def _digest_of_report(run: RunFacts) -> str | None:
    """Return the digest of the report's artifact, or one over those of all protocols."""
    digests = [event.digest for event in _distinct(run) if event.stage == "reporting"]
    return json_digest(digests) if len(digests) > 1 else next(iter(digests), None)


def _timings(run: RunFacts) -> pl.DataFrame:
    rows = [
        (e.stage, e.step, e.key, e.state, e.reason, e.wall_s, e.made_wall_s, e.cpu_s, e.peak_memory_mb)
        for e in _distinct(run)
    ]
    return pl.DataFrame(rows, schema=TIMINGS.schema, orient="row")


def _artifacts(run: RunFacts) -> pl.DataFrame:
    rows = [(e.stage, e.step, e.key, e.digest, e.n_files, e.n_bytes) for e in _distinct(run)]
    return pl.DataFrame(rows, schema=ARTIFACTS.schema, orient="row")


def _distinct(run: RunFacts) -> list[StageEvent]:
    """One event per artifact: a run that meets an artifact again (cached by then) tells the first meeting."""
    first: dict[tuple[str, str, str], StageEvent] = {}
    for event in run.stages:
        first.setdefault((event.stage, event.step, event.key), event)
    return list(first.values())

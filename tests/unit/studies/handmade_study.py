"""Handmade report folders for study A: values that a test knows, for all the variants that a run would hold.

Questions bear the published ids, one of LongMemEval-S missing, so that our values can be set against the published.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from tasks.corpora.protocols import parse_protocol
from tasks.reporting.schemas import (
    BEHAVIOUR,
    QUERIES,
    QUERY_METRICS,
    SCHEMA_VERSION,
    STREAM_METRICS,
    SUPPRESSION,
    SUPPRESSION_TRACE,
    TIES,
    Table,
    write,
)
from tasks.studies import plan
from tasks.studies.declared import NDCG, POOL_RECALL, RECALL_10
from tasks.studies.published import Published
from tasks.studies.results import Values
from tasks.studies.study_a import QUESTION_TYPES
from tasks.studies.study_a_agreement import ROW_OF
from tasks.studies.study_a_names import PROTOCOL_OF

MISSING = "gpt4_7a0daae1"
BEHAVIOURS = ("exact_episode", "sibling_confusion", "wrong_family", "stale_fact", "abstain@0", "abstain@2", "abstain@4")
N_LOCOMO = 40
Change = Callable[[str, str, Values], Values]
"""(variant, measure, values) -> the values that our run has."""


def unchanged(_variant: str, _measure: str, values: Values) -> Values:
    return values


def query_ids(dataset: str, published: Published) -> list[str]:
    known = published.per_query(dataset, "baseline", NDCG)
    ids = [f"conv-{place % 4}_qa{place}" for place in range(N_LOCOMO)] if known is None else list(known)
    return [query_id for query_id in ids if query_id != MISSING]


def write_reports(
    root: Path,
    dataset: str,
    *,
    change: Change = unchanged,
    only: Iterable[str] | None = None,
    n_streams: int = 0,
    published: Published | None = None,
) -> list[Path]:
    """Write a report for each protocol of a data set; `only` some variants where given."""
    files = published or Published()
    folders = []
    for place, protocol in enumerate(plan.protocols("study-a", dataset)):
        names = [name for name in plan.variants("study-a", dataset, protocol) if only is None or name in set(only)]
        folder = root / dataset / f"{place}{'ab' * 31}"
        write_report(folder, dataset, protocol, names, change, n_streams, files)
        folders.append(folder)
    return folders


def write_report(
    folder: Path,
    dataset: str,
    protocol: str,
    names: Sequence[str],
    change: Change,
    n_streams: int,
    published: Published,
) -> None:
    ids = query_ids(dataset, published)
    n_asked = parse_protocol(protocol).sample or len(ids)
    folder.mkdir(parents=True)
    facts: dict[str, object] = {
        "dataset": dataset,
        "protocol": protocol,
        "variants": list(names),
        "schema_version": SCHEMA_VERSION,
    }
    facts |= {"corpus": {"note": "499 of 500 questions" if dataset == "longmemeval-s" else None}}
    (folder / "report.json").write_text(json.dumps(facts), encoding="utf-8")
    kinds = [QUESTION_TYPES[place % len(QUESTION_TYPES)] for place in range(len(ids))]
    queries = {
        "protocol": [protocol] * len(ids), "query_id": ids, "question_type": kinds, "block": ["main"] * len(ids),
        "scope_id": [None] * len(ids), "n_relevant": [1] * len(ids), "n_reachable": [1] * len(ids),
        "n_pool": [99] * len(ids), "n_matching": [50] * len(ids),
    }  # fmt: skip
    put(folder, QUERIES, pl.DataFrame(queries, schema=QUERIES.schema))
    metrics = [
        (protocol, name, measure, ids, change(name, measure, base_values(dataset, name, measure, ids, published)))
        for name in names
        for measure in (NDCG, POOL_RECALL, RECALL_10)
    ]
    put(folder, QUERY_METRICS, values_frame(metrics, n_asked))
    behaviours = [
        (protocol, name, measure, ids, change(name, measure, behaviour_values(name, measure, kinds)))
        for name in names
        for measure in BEHAVIOURS
    ]
    put(folder, BEHAVIOUR, values_frame(behaviours, n_asked))
    _write_states(folder, protocol, [name for name in names if name.startswith("rif(")])
    _write_ties(folder, protocol, metrics)
    if n_streams and protocol == PROTOCOL_OF[dataset]:
        _write_streams(folder, protocol, metrics, n_streams)


def base_values(dataset: str, name: str, measure: str, ids: Sequence[str], published: Published) -> Values:
    """The published values where there are any, else values that depend on the names alone."""
    known = published.per_query(dataset, ROW_OF.get(name, ""), measure)
    if known is not None:
        return np.array([known[query_id] for query_id in ids])
    rng = np.random.default_rng(sum(map(ord, dataset + measure)))
    shared = rng.random(len(ids)) * (rng.random(len(ids)) < 0.5)
    rng = np.random.default_rng(sum(place * ord(letter) for place, letter in enumerate(name + measure)))
    return np.clip(shared + 0.1 * (rng.random(len(ids)) - 0.45), 0, 1)


def behaviour_values(name: str, measure: str, kinds: Sequence[str]) -> Values:
    rng = np.random.default_rng(sum(map(ord, name + measure)))
    values = (rng.random(len(kinds)) < 0.3).astype(float)
    is_stale = np.array([kind == "knowledge-update" for kind in kinds])
    return np.where(is_stale, values, np.nan) if measure == "stale_fact" else values


def values_frame(entries: Iterable[tuple[str, str, str, Sequence[str], Values]], n_asked: int) -> pl.DataFrame:
    """As the measures leave it: a question that was not asked has no value."""
    frames = []
    for protocol, name, measure, ids, values in entries:
        has_state = name.startswith("rif(")
        row = {
            "protocol": protocol, "variant": name, "stream_seed": 42 if has_state else None,
            "split": "transductive" if has_state else None, "query_id": ids, "measure": measure,
            "value": np.where(np.arange(len(ids)) < n_asked, values, np.nan),
        }  # fmt: skip
        frames.append(pl.DataFrame(row, schema=QUERY_METRICS.schema))
    return pl.concat(frames) if frames else pl.DataFrame(schema=QUERY_METRICS.schema)


def put(folder: Path, table: Table, frame: pl.DataFrame) -> None:
    write(frame, table, folder / "tables" / f"{table.name}.parquet")


def state_of(name: str, step: int) -> dict[str, float]:
    above = step // (2 if "gap" in name else 1)
    state = {"n_entries": 3 * step, "n_entries_above": 2 * above, "n_documents_above": above, "n_documents": 199_240}
    return {**state, "max": 0.2, "mean": 0.01}


def _write_states(folder: Path, protocol: str, names: Sequence[str]) -> None:
    steps = (0, 1000, 2000, 3000, 4000, 5000)
    common = [{"protocol": protocol, "variant": name, "stream_seed": 42, "scope_id": ""} for name in names]
    last = [{**row, **state_of(str(row["variant"]), steps[-1])} for row in common]
    put(folder, SUPPRESSION, pl.DataFrame(last, schema=SUPPRESSION.schema))
    along = [{**row, "step": step, **state_of(str(row["variant"]), step)} for row in common for step in steps]
    put(folder, SUPPRESSION_TRACE, pl.DataFrame(along, schema=SUPPRESSION_TRACE.schema))


def _write_ties(folder: Path, protocol: str, metrics: Sequence[tuple[str, str, str, Sequence[str], Values]]) -> None:
    rows = [
        (protocol, "main", name, measure, len(ids), 3, 2, 0, mean, mean - 0.01, mean + 0.001, mean + 0.02)
        for _, name, measure, ids, values in metrics
        for mean in [float(values.mean())]
        if measure == NDCG
    ]
    put(folder, TIES, pl.DataFrame(rows, schema=TIES.schema, orient="row"))


def _write_streams(
    folder: Path, protocol: str, metrics: Sequence[tuple[str, str, str, Sequence[str], Values]], n_streams: int
) -> None:
    means = {(name, measure): float(values.mean()) for _, name, measure, _, values in metrics}
    rows = []
    for place, ((name, measure), mean) in enumerate(means.items()):
        if name.startswith("rif("):
            baseline = next(
                other for other in dict.fromkeys(key[0] for key in means) if ROW_OF.get(other) == "baseline"
            )
            noise = 0.006 * np.random.default_rng(place).standard_normal(n_streams)
            rows += [
                (protocol, name, seed, measure, baseline, 499, mean + noise[seed],
                 mean - means[baseline, measure] + noise[seed])
                for seed in range(n_streams)
            ]  # fmt: skip
    put(folder, STREAM_METRICS, pl.DataFrame(rows, schema=STREAM_METRICS.schema, orient="row"))

"""Build a report's artifact: the warehouse's tables and the figures of one data set.

A function of results alone; facts of the run (when, how long, by which command) are added by `warehouse.publish` and
`markdown.write_report`.
"""

import json
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import Field

from tasks.files import write_text
from tasks.progress import Progress
from tasks.records import Params
from tasks.reporting import checks, group_tables, stream_tables, tables
from tasks.reporting.cluster_schemas import CLUSTER_COMPARISONS
from tasks.reporting.cluster_tables import cluster_comparisons
from tasks.reporting.families import families, members, of_family
from tasks.reporting.group_schemas import GROUP_SUMMARY, QUERY_GROUPS
from tasks.reporting.labels import sharing_a_stage
from tasks.reporting.latency_schemas import LATENCY
from tasks.reporting.latency_sections import latency_table
from tasks.reporting.run_facts import fingerprint
from tasks.reporting.schemas import (
    ANSWERABILITY,
    BEHAVIOUR,
    COMPARISONS,
    DEFECTS,
    QUERIES,
    QUERY_METRICS,
    RANKINGS,
    SCHEMA_VERSION,
    STREAM_METRICS,
    SUMMARY,
    SUPPRESSION,
    SUPPRESSION_TRACE,
    TABLES,
    TIES,
    write,
)
from tasks.reporting.selection_schemas import ALPHA_CHOICES, ALPHA_CURVE
from tasks.reporting.selection_tables import selection_tables
from tasks.reporting.sources import Inputs, Sources
from tasks.reporting.stream_spread import spreads

Tables = dict[str, pl.DataFrame]


class ReportParams(Params):
    """What a report leads with."""

    main_measure: str = "nDCG@10"
    """The measure of the headline and of the figures."""
    main_block: str = "main"
    """The block of the headline: adversarial questions are never mixed into it."""
    top_k: int = Field(default=10, ge=1)
    """Ranked documents per query and variant that go to the warehouse."""
    pool_measure: str = "pool_R@30"
    """Recall of what reaches the reranker, drawn where a corpus has no sessions."""
    is_drawn: bool = True
    """Whether figures are drawn."""


def build(
    dataset: str,
    protocol: str,
    inputs: Inputs,
    params: ReportParams,
    out: Path,
    progress: Progress,
) -> None:
    """Write `tables/*.parquet`, `figures/*.png|svg` and `report.json` into `out`. The same inputs give the same bytes.

    Raises
    ------
    BenchError
        When a table does not fit its schema, or a number cannot be right (see `checks`).
    """
    n_steps = 3
    progress(0, n_steps, "steps")
    source = Sources.read(inputs, protocol)
    result = _tables(source, params)
    facts = _facts(dataset, source, result, params)
    checks.check(result, facts)
    result[GROUP_SUMMARY.name] = group_tables.group_summary(
        result[QUERY_METRICS.name], result[QUERIES.name], result[QUERY_GROUPS.name], [params.main_measure]
    )
    for name, frame in result.items():
        write(frame, TABLES[name], out / "tables" / f"{name}.parquet")
    progress(1, n_steps, "steps")
    if params.is_drawn:
        with sharing_a_stage(members(facts)):
            _figures(result, facts, out / "figures")
    progress(2, n_steps, "steps")
    write_text(out / "report.json", json.dumps(facts, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    progress(n_steps, n_steps, "steps")


def _tables(source: Sources, params: ReportParams) -> Tables:
    inputs = source.inputs
    compared = tables.comparisons(source, COMPARISONS)
    found = families(compared)
    asked = tables.queries(source, found[0]["baseline"] if found else None)
    metrics = tables.values(inputs.metrics / "query_metrics.parquet", source, QUERY_METRICS)
    errors = tables.values(inputs.behaviour / "behaviour_metrics.parquet", source, BEHAVIOUR)
    streams = stream_tables.stream_metrics(source, pl.concat([metrics, errors]), asked, found, params.main_block)
    return {
        QUERIES.name: asked,
        QUERY_METRICS.name: metrics,
        BEHAVIOUR.name: errors,
        RANKINGS.name: tables.rankings(source, metrics, params.top_k),
        SUMMARY.name: tables.summary(source, asked),
        COMPARISONS.name: compared,
        SUPPRESSION.name: tables.suppression(source, metrics),
        SUPPRESSION_TRACE.name: stream_tables.suppression_trace(source, metrics),
        STREAM_METRICS.name: streams,
        TIES.name: tables.ties(source, asked),
        ANSWERABILITY.name: tables.answerability(source),
        DEFECTS.name: tables.defects(source, DEFECTS),
        CLUSTER_COMPARISONS.name: cluster_comparisons(source),
        QUERY_GROUPS.name: group_tables.query_groups(source, asked),
        LATENCY.name: latency_table(source, inputs.latency),
        **selection_tables(source),
    }


def _facts(dataset: str, source: Sources, result: Tables, params: ReportParams) -> dict[str, Any]:
    """Return what a reader of the tables needs beside them; JSON-able."""
    corpus, protocol = source.corpus.facts, str(source.protocol)
    found = families(result[COMPARISONS.name])
    return {
        "dataset": dataset,
        "protocol": protocol,
        "corpus": corpus,
        "dataset_fingerprint": fingerprint(dataset, protocol, corpus),
        "variants": source.inputs.variants,
        "baseline": found[0]["baseline"] if found else None,
        "families": found,
        "has_sessions": source.has_sessions,
        "params": params.model_dump(),
        "schema_version": SCHEMA_VERSION,
    }


def _figures(result: Tables, facts: dict[str, Any], folder: Path) -> None:
    # matplotlib is slow to import, and a cached report draws nothing
    from tasks.reporting import figures, group_figures, selection_figures

    dataset, measure = facts["dataset"], facts["params"]["main_measure"]
    is_headline = (pl.col("block") == facts["params"]["main_block"]) & (pl.col("measure") == measure)
    compared = of_family(result[COMPARISONS.name]).filter(is_headline)
    scores = (
        result[QUERY_METRICS.name]
        .filter(pl.col("measure") == measure, pl.col("variant").is_in(members(facts)))
        .join(result[QUERIES.name], on="query_id", validate="m:1")
    )
    figures.differences(compared, measure, dataset, folder / "differences")
    figures.question_types(scores, measure, dataset, folder / "question_types")
    figures.changes(compared, measure, dataset, folder / "changes")
    _behaviour_figure(result, facts, folder)
    _stream_figures(result, facts, folder)
    group_figures.draw(result[GROUP_SUMMARY.name], facts, folder)
    selection_figures.draw(result[ALPHA_CURVE.name], result[ALPHA_CHOICES.name], dataset, folder)
    state = result[SUPPRESSION.name].filter(pl.col("variant").is_in(members(facts)))
    if state.height:
        mean = state.group_by("variant").agg(
            (pl.col("n_documents_above").sum() / pl.col("n_documents").sum()).alias("share_of_documents"),
            ((pl.col("mean") * pl.col("n_entries")).sum() / pl.col("n_entries").sum()).fill_nan(0.0).alias("mean"),
            pl.col("max").max(),
        )
        figures.suppression(mean, dataset, folder / "suppression")


def _stream_figures(result: Tables, facts: dict[str, Any], folder: Path) -> None:
    from tasks.reporting import stream_figures

    spread = [
        one for one in spreads(result, facts) if one.measure == facts["params"]["main_measure"] and one.is_compared
    ]
    if spread:
        stream_figures.over_streams(spread, facts["baseline"], facts["dataset"], folder / "streams")
    trace = result[SUPPRESSION_TRACE.name].filter(pl.col("variant").is_in(members(facts)))
    if trace.height:
        stream_figures.over_steps(trace, facts["dataset"], folder / "suppression_over_stream")


def _behaviour_figure(result: Tables, facts: dict[str, Any], folder: Path) -> None:
    from tasks.reporting import figures

    dataset, params = facts["dataset"], facts["params"]
    is_shown = pl.col("variant").is_in(members(facts))
    shares = tables.behaviour_shares(
        result[BEHAVIOUR.name].filter(is_shown), result[QUERIES.name], params["main_block"]
    )
    if facts["has_sessions"] and shares.filter(pl.col("measure") == "sibling_confusion").height:
        figures.behaviour(shares, dataset, folder / "behaviour")
        return
    means = result[SUMMARY.name].filter(is_shown, pl.col("block") == params["main_block"])
    points = (
        means.filter(pl.col("measure") == params["pool_measure"])
        .select("variant", pl.col("mean").alias("pool_recall"))
        .join(means.filter(pl.col("measure") == params["main_measure"]).select("variant", "mean"), on="variant")
    )
    figures.pool_against_measure(
        points, params["main_measure"], params["pool_measure"], dataset, folder / "pool_and_ranking"
    )

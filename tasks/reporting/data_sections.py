"""The sections of a report about what it stands on: data, pools, faults met, cost."""

from collections import defaultdict
from pathlib import Path

import polars as pl

from tasks.reporting import schemas
from tasks.reporting.labels import block_label
from tasks.reporting.run_facts import RunFacts, StageEvent
from tasks.reporting.sections import Facts, read_table
from tasks.reporting.text_format import UNDEFINED, escape, number, seconds, shortened, size, table

_MAX_LEDGER_ROWS = 40


def data(facts: Facts, report_dir: Path) -> list[str]:
    """Say what was measured on: size, source, licence, and what is particular about this copy."""
    corpus = facts["corpus"]
    source = corpus.get("source")
    lines = ["## Data", ""]
    counts = (
        f"{corpus['n_documents']:,} documents, {corpus['n_sessions']:,} sessions, {corpus['n_queries']:,} questions"
    )
    lines.append(f"* **{escape(facts['dataset'])}**, protocol `{facts['protocol']}`: {counts}.")
    if source:
        kind = "the official file" if source.get("is_official") else (
            "**a local file, not the official one**: numbers are not comparable with those of the official release"
        )  # fmt: skip
        lines.append(
            f"* Source: {escape(source['name'])} ({size(source['bytes'])}, sha256 `{source['sha256']}`), {kind}."
        )
    else:
        lines.append("* Source: made by this project's generator; no file was read.")
    lines.append(f"* Licence: {escape(corpus.get('licence') or 'unknown')}.")
    if corpus.get("note"):
        lines.append(f"* Note: {escape(corpus['note'])}.")
    counted = read_table(report_dir, schemas.QUERIES).group_by("block").len().sort("block", descending=True).rows()
    blocks = ", ".join(f"{escape(block_label(block))} {n:,}" for block, n in counted)
    return [*lines, f"* Questions by block: {blocks}.", ""]


def pools(facts: Facts, report_dir: Path) -> list[str]:
    """How much there was to choose from, and where a cut-off takes nearly everything (row L12)."""
    known = read_table(report_dir, schemas.QUERIES).filter(pl.col("n_pool").is_not_null())
    if not known.height:
        return []
    smallest, median, largest = (int(known["n_pool"].quantile(q, "nearest") or 0) for q in (0, 0.5, 1))
    lines = ["## Pools", ""]
    lines.append(f"* A question searches {smallest:,} to {largest:,} documents (median {median:,}).")
    if lost := known.filter(pl.col("n_reachable") < pl.col("n_relevant")).height:
        share_found = (
            known.filter(pl.col("n_relevant") > 0).select((pl.col("n_reachable") / pl.col("n_relevant")).mean()).item()
        )
        lines.append(
            f"* {lost:,} questions have relevant items outside what is searched: no retriever can reach a recall above "
            f"{number(share_found)} here."
        )
    unmatched = known.filter(pl.col("n_matching") == 0).height
    lines.append(f"* {unmatched:,} of {known.height:,} questions share no token with any document they may search.")
    cuts = sorted({int(name.rpartition("@")[2]) for name in _cut_measures(report_dir)})
    flags = [(k, known.filter(pl.col("n_pool") <= k).height) for k in cuts]
    flagged = [f"k = {k}: {n:,} of {known.height:,} questions" for k, n in flags if n]
    if flagged:
        lines.append(f"* **k reaches the size of the pool** ({'; '.join(flagged)}): there, a recall of 1 says nothing.")
    else:
        lines.append(f"* No cut-off (k = {', '.join(map(str, cuts))}) reaches the size of a pool.")
    return [*lines, ""]


def _cut_measures(report_dir: Path) -> list[str]:
    names = read_table(report_dir, schemas.QUERY_METRICS)["measure"].unique().sort()
    return [name for name in names if "@" in name]


def ledger(_facts: Facts, report_dir: Path) -> list[str]:
    """List the faults that were met in the data."""
    found = read_table(report_dir, schemas.DEFECTS)
    lines = ["## What we met in the data", ""]
    if not found.height:
        return [*lines, "No fault was met.", ""]
    kinds = found.group_by("kind", "policy").agg(pl.len(), pl.col("n_queries").sum()).sort("kind", "policy").rows()
    rows = [[escape(kind), escape(policy), f"{n:,}", f"{queries:,}"] for kind, policy, n, queries in kinds]
    lines += table(["fault", "what was done", "records", "questions touched"], rows, "llrr")
    shown = [
        [escape(shortened(row["record_id"])), escape(row["kind"]), escape(shortened(row["detail"])) or UNDEFINED]
        for row in found.head(_MAX_LEDGER_ROWS).iter_rows(named=True)
    ]
    rest = found.height - len(shown)
    more = f" The first {len(shown)} of {found.height:,}; all are in the table `defects`." if rest else ""
    records = table(["record", "fault", "what came"], shown, "lll")
    return [*lines, f"<details><summary>The records</summary>{more}", "", *records, "</details>", ""]


def cost(run: RunFacts) -> list[str]:
    """Show what each stage took in this run."""
    groups: dict[tuple[str, str], list[StageEvent]] = defaultdict(list)
    for event in run.stages:
        groups[event.stage, event.step].append(event)
    rows = [
        [
            escape(f"{stage} · {step}"),
            f"{len(events):,}",
            f"{sum(not event.is_cached for event in events):,}",
            seconds(sum(event.wall_s for event in events)),
            seconds(sum(event.made_wall_s for event in events)),
            seconds(sum(event.cpu_s for event in events)),
            f"{max(event.peak_memory_mb for event in events):,.0f}",
            escape(
                "; ".join(sorted({event.reason for event in events if event.reason and not event.is_cached}))
                or "cached"
            ),
        ]
        for (stage, step), events in groups.items()
    ]
    header = ["stage · step", "artifacts", "computed", "wall", "when made", "CPU", "peak memory, MB", "why computed"]
    n_cached = sum(event.is_cached for event in run.stages)
    total = (
        f"This run took {seconds(run.wall_s)}; {n_cached:,} of {len(run.stages):,} artifacts came from the cache, and "
        "took the time in the column *when made* in an earlier run. Memory is the process's peak when it was made."
    )
    return ["## Cost", "", total, "", *table(header, rows, "lrrrrrrl")]

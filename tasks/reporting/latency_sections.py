"""The section of a report about how long one question takes, and its table. Nothing is measured here."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tasks.reporting.declared import fit
from tasks.reporting.latency_schemas import LATENCY
from tasks.reporting.sections import Facts, read_table
from tasks.reporting.sources import Sources, read_parquet
from tasks.reporting.text_format import UNDEFINED, escape, table

_STAGES = ("query encode", "bm25", "max-sim", "fusion", "rerank")
"""Starts of the names of stages, in the order in which a question goes through them."""
_COLUMNS = {"median_ms": "median", "p95_ms": "95 %", "mean_ms": "mean", "min_ms": "least"}


def latency_table(source: Sources, measured: Sequence[Path]) -> pl.DataFrame:
    """Return the warehouse's table from artifacts of the step `latency`, one per encoder; empty without any."""
    frames = [read_parquet(folder / "latency.parquet").with_columns(source.of_protocol()) for folder in measured]
    return pl.concat([pl.DataFrame(schema=LATENCY.schema), *(fit(frame, LATENCY) for frame in frames)])


def latency(_facts: Facts, report_dir: Path) -> list[str]:
    """Show the time of each stage per question: median, 95th percentile, mean and least, in milliseconds."""
    found = read_table(report_dir, LATENCY)
    if not found.height:
        return []
    pairs = list(found.select("encoder", "reranker").unique(maintain_order=True).iter_rows())
    has_several = len(pairs) > 1
    lines = ["## Latency", "", _text(found), ""]
    for encoder, reranker in pairs:
        mine = found.filter(pl.col("encoder") == encoder, pl.col("reranker") == reranker)
        if has_several:
            lines += [f"**{escape(encoder)}**", ""]
        lines += _stage_table(mine)
    return lines


def milliseconds(value: float | None) -> str:
    """Print a time to three significant digits.

    >>> [milliseconds(value) for value in (0.01234, 1.234, 12.34, 1234.5, 0.0)]
    ['0.0123', '1.23', '12.3', '1,234', '0.0']
    """
    if value is None or value != value:
        return UNDEFINED
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value else "0.0"


def _text(found: pl.DataFrame) -> str:
    row = found.row(0, named=True)
    models = escape(", ".join(found["encoder"].unique(maintain_order=True)))
    rerankers = escape(", ".join(found["reranker"].unique(maintain_order=True)))
    machines = [
        f"{escape(cpu)} ({n_cores:,} core{'s' if n_cores != 1 else ''})"
        for cpu, n_cores in found.select("cpu_model", "n_cores").unique(maintain_order=True).iter_rows()
    ]
    sizes = found["n"].unique().sort().to_list()
    counted = " or ".join(f"{n:,}" for n in sizes)
    return (
        f"Milliseconds per question, for {counted} question{'s' if row['n'] != 1 else ''}, one at a time on one thread "
        f"after a warm-up. Encoder: {models}; reranker: {rerankers}; measured on {'; '.join(machines)}. Times are no "
        "results: another machine or another load gives others, and a second run here shows those of the first. Not in "
        "them: reading models and indexes, splitting the question into tokens."
    )


def _stage_table(found: pl.DataFrame) -> list[str]:
    rows = [
        [escape(row["stage"]), *(milliseconds(row[name]) for name in _COLUMNS)]
        for row in sorted(found.iter_rows(named=True), key=lambda row: _place(row["stage"]))
    ]
    return table(["stage", *(f"{label}, ms" for label in _COLUMNS.values())], rows, "l" + "r" * len(_COLUMNS))


def _place(stage: str) -> tuple[int, str]:
    """Return the sort key of a stage; one that nobody knows comes last."""
    return next((place for place, start in enumerate(_STAGES) if stage.startswith(start)), len(_STAGES)), stage

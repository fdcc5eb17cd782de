"""What many streams do to the main table, and what a stream leaves behind step by step."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from tasks.reporting.schemas import conform
from tasks.studies.declared import NDCG, POOL_RECALL, Cell, Statistic
from tasks.studies.estimates import NAN
from tasks.studies.published import Published
from tasks.studies.results import Results, Values
from tasks.studies.schemas import STREAMS, TRACES
from tasks.studies.study_a import MAIN_ROWS
from tasks.studies.study_a_names import PROTOCOL_OF, SUPPRESSION, TOKENIZERS, baseline, main_variant


def main_rows() -> dict[str, str]:
    """Return the variants with state of the main tables, by a name for the row."""
    return {
        row if tokenizer == "split" else f"{tokenizer}: {row}": main_variant(row, stage, SUPPRESSION)
        for tokenizer, stage in TOKENIZERS.items()
        for row in MAIN_ROWS
        if row != "baseline"
    }


def streams(cells: tuple[Cell, ...], results: Results, published: Published) -> pl.DataFrame:
    """Return the rows of `STREAMS` of one data set; none for a run of one stream."""
    report = results.judged.get(PROTOCOL_OF[results.dataset])
    if report is None or not report.streams.height:
        return pl.DataFrame(schema=STREAMS.schema)
    known = _published_deltas(cells, results.dataset, published)
    rows = []
    for row, variant in main_rows().items():
        for measure in (NDCG, POOL_RECALL):
            found = report.streams.filter(pl.col("variant") == variant, pl.col("measure") == measure)
            if found.height:
                means = found["mean"].to_numpy()
                spread = _spread(means, means - _baseline(row, results, measure), known.get((variant, measure), NAN))
                rows.append({"dataset": results.dataset, "row": row, "variant": variant, "measure": measure, **spread})
    return conform(pl.DataFrame(rows, schema=STREAMS.schema), STREAMS)


def traces(results: Results) -> pl.DataFrame:
    """Return the rows of `TRACES` of one data set; none where there is a stream for each of several scopes.

    Such streams have different lengths: there is no one state after so many steps.
    """
    report = results.judged.get(PROTOCOL_OF[results.dataset])
    if report is None or report.traces["scope_id"].n_unique() != 1:
        return pl.DataFrame(schema=TRACES.schema)
    names = pl.DataFrame([(v, r) for r, v in main_rows().items()], schema=["variant", "row"], orient="row")
    placed = report.traces.join(names, on="variant", validate="m:1")
    placed = placed.with_columns(pl.lit(results.dataset).alias("dataset"))
    return conform(placed.select(list(TRACES.schema)), TRACES)


def _baseline(row: str, results: Results, measure: str) -> float:
    """Return the mean of the row's own baseline: no stream moves it, and it is over the same questions."""
    stage = TOKENIZERS[row.partition(": ")[0] if ": " in row else "split"]
    values = results.values(PROTOCOL_OF[results.dataset], baseline(stage, SUPPRESSION), measure)
    return NAN if values is None else float(np.nanmean(values))


def _spread(means: Values, effects: Values, published: float) -> Mapping[str, Any]:
    deltas = np.sort(effects)
    is_opposite = np.sign(deltas) == -np.sign(deltas.mean())
    return {
        "n_streams": len(means), "mean": means.mean(), "sd": _sd(means), "min": means.min(), "max": means.max(),
        "delta": deltas.mean(), "delta_sd": _sd(deltas), "delta_min": deltas[0], "delta_max": deltas[-1],
        "share_opposite": float((is_opposite & (deltas != 0)).mean()),
        "share_as_far": NAN if np.isnan(published) else float((np.sign(published) * deltas >= abs(published)).mean()),
        "published_delta": published, "deltas": deltas.tolist(),
    }  # fmt: skip


def _sd(values: Any) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else NAN


def _published_deltas(cells: tuple[Cell, ...], dataset: str, published: Published) -> dict[tuple[str, str], float]:
    return {
        (cell.quantity.variant, cell.quantity.measure): published.number(cell.where).value
        for cell in cells
        if cell.where is not None
        and cell.dataset == dataset
        and cell.table == "main"
        and cell.quantity.statistic is Statistic.DIFFERENCE
    }

"""A sweep's cells over all streams: the rows of `sweep_metrics`, and what a report says of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.records import BenchError
from tasks.reporting.schemas import SWEEP_METRICS, conform
from tasks.simulation.grids import Grid, text_of

Floats = npt.NDArray[np.float64]
UNSURE_SHARE = 0.05
"""Where more than this share of the streams has the other sign, a report says so."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep found.

    Attributes
    ----------
    dataset, protocol, block
        What was searched, how it was judged, and the questions that count.
    grid
        Its axes and base.
    baseline
        Canonical name of the variant that cells are compared with.
    measures
        In the order asked for; the first is the main one.
    seeds
        Stream seeds.
    untouched
        By measure: the baseline's mean.
    metrics
        Rows of `sweep_metrics`, with the value of each axis in a column of its own: text, as in `parameters`.
    """

    dataset: str
    protocol: str
    block: str
    grid: Grid
    baseline: str
    measures: tuple[str, ...]
    seeds: range
    untouched: dict[str, float]
    metrics: pl.DataFrame

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return self.grid.n_cells

    def of(self, measure: str) -> pl.DataFrame:
        """Return the rows of a measure, in the order of the cells."""
        return self.metrics.filter(pl.col("measure") == measure)

    def rows(self) -> pl.DataFrame:
        """Return the rows of the warehouse's table."""
        return conform(self.metrics.select(list(SWEEP_METRICS.schema)), SWEEP_METRICS)


def sweep_metrics(
    grid: Grid, shards: Sequence[Path], protocol: str, baseline: str, measures: Sequence[str], n_streams: int
) -> pl.DataFrame:
    """Return the rows of `sweep_metrics`, in the order of cells and measures, with a column per axis.

    Parameters
    ----------
    grid
        Its cells are those of the shards, in their order.
    shards
        Artifacts of the step `sweep`.
    protocol, baseline
        Columns of every row.
    measures, n_streams
        Of each cell.

    Raises
    ------
    BenchError
        When the shards hold other rows than cells x streams x measures.
    """
    found = pl.concat([pl.read_parquet(shard / "cells.parquet") for shard in shards])
    cells = list(grid.cells())
    shape = (len(cells), n_streams, len(measures))
    names = np.repeat(np.array([str(cell.variant) for cell in cells], object), n_streams * len(measures))
    if found.height != int(np.prod(shape)) or found["variant"].to_list() != names.tolist():
        raise BenchError(
            f"{found.height:,} rows of {len(shards)} shards; expected those of {shape} cells, streams, measures"
        )
    mean, delta = (found[name].to_numpy().reshape(shape) for name in ("mean", "delta"))
    rows: dict[str, object] = {
        "protocol": protocol,
        "variant": names[::n_streams].tolist(),
        "measure": list(measures) * len(cells),
        "baseline": baseline,
        "n": found["n"].to_numpy().reshape(shape)[:, 0].ravel().astype(np.int32),
        "n_streams": n_streams,
        **{name: column.ravel() for name, column in {**_over_streams(mean), **_over_streams(delta, "delta")}.items()},
        "share_opposite": share_opposite(delta).ravel(),
        "parameters": [_parameters(cell.values) for cell in cells for _ in measures],
    }
    axes = {axis.name: [text_of(cell.values[axis.name]) for cell in cells for _ in measures] for axis in grid.axes}
    table = pl.DataFrame(rows, schema_overrides=SWEEP_METRICS.schema, strict=False)
    return table.with_columns(pl.Series(f"axis:{name}", values, dtype=pl.String) for name, values in axes.items())


def share_opposite(deltas: Floats) -> Floats:
    """Return the share of streams (second axis) whose difference has the other sign than the mean difference.

    A difference of exactly 0 has no sign. NaN where there is no difference.

    >>> share_opposite(np.array([[[0.3], [-0.1], [0.2], [0.0]]])).tolist()
    [[0.25]]
    """
    signs = np.sign(deltas) * np.sign(deltas.mean(axis=1, keepdims=True))
    share: Floats = np.where(np.isnan(signs).any(axis=1), np.nan, (signs < 0).mean(axis=1))
    return share


def _over_streams(values: Floats, name: str = "mean") -> dict[str, Floats]:
    """Return mean, standard deviation, least and largest over the second axis, under the names of their columns."""
    prefix = "" if name == "mean" else f"{name}_"
    n = values.shape[1]
    sd = values.std(axis=1, ddof=1) if n > 1 else np.full_like(values[:, 0], np.nan)
    found = {f"{prefix}sd": sd, f"{prefix}min": values.min(axis=1), f"{prefix}max": values.max(axis=1)}
    return {name: values.mean(axis=1), **found}


def _parameters(values: dict[str, float | int | str]) -> list[dict[str, str]]:
    return [{"name": name, "value": text_of(value)} for name, value in values.items()]

"""The warehouse's tables of what a stream does: the state as it goes on, and the results of many other streams."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tasks.records import BenchError
from tasks.reporting.schemas import STREAM_METRICS, SUPPRESSION_TRACE, fit
from tasks.reporting.sources import Sources, of_variant, read_parquet, stream_seeds
from tasks.reporting.tables import in_blocks

_PAIR = ("measure", "query_index")


def suppression_trace(source: Sources, metrics: pl.DataFrame) -> pl.DataFrame:
    """Return the state after each recorded step, per variant and scope; no rows for replays that recorded none."""
    seeds, folders = stream_seeds(metrics), source.inputs.rankings
    frames = [
        read_parquet(path)
        .with_columns(*of_variant(variant, seeds[variant]), source.of_protocol())
        .pipe(fit, SUPPRESSION_TRACE)
        for variant in source.inputs.variants
        if seeds.get(variant) is not None and (path := folders[variant] / "trace.parquet").is_file()
    ]
    return pl.concat(frames) if frames else pl.DataFrame(schema=SUPPRESSION_TRACE.schema)


def stream_metrics(
    source: Sources, values: pl.DataFrame, asked: pl.DataFrame, compared: Sequence[Mapping[str, Any]], block: str
) -> pl.DataFrame:
    """Return means over the questions of a block, and mean differences to the baseline, for each of many streams.

    Parameters
    ----------
    source
        `inputs.streams` holds the artifacts of `simulation/stream_seeds`.
    values
        Rows of `query_metrics` and `behaviour`: what a baseline without many streams has.
    asked
        Rows of `queries`.
    compared
        The families: a variant's baseline is that of the first one it is in.
    block
        The block of the headline: other questions are left out.
    """
    chosen = in_blocks(asked).filter(pl.col("block") == block).join(source.query_ids, on="query_id", validate="1:1")
    counted = chosen.select("query_index")
    known = values.join(chosen.select("query_id", "query_index"), on="query_id", validate="m:1")
    baselines = {variant: family["baseline"] for family in reversed(compared) for variant in family["variants"]}
    folders, frames = source.inputs.streams, []
    for variant in sorted(folders):
        own = _values_of(folders[variant], counted)
        baseline = baselines.get(variant)
        if baseline is None:
            paired = own.with_columns(pl.lit(float("nan"), dtype=pl.Float32).alias("base"))
        elif baseline in folders:
            other = _values_of(folders[baseline], counted).rename({"value": "base"})
            paired = own.join(other, on=["stream_seed", *_PAIR], how="left", validate="1:1")
        else:
            other = known.filter(pl.col("variant") == baseline).select(*_PAIR, pl.col("value").alias("base"))
            paired = own.join(other, on=[*_PAIR], how="left", validate="m:m")  # `checks` refuses doubled values
        names = [pl.lit(variant).alias("variant"), pl.lit(baseline, dtype=pl.String).alias("baseline")]
        frames.append(_means(paired).with_columns(*names, source.of_protocol()).pipe(fit, STREAM_METRICS))
    return pl.concat(frames) if frames else pl.DataFrame(schema=STREAM_METRICS.schema)


def _values_of(folder: Path, counted: pl.DataFrame) -> pl.DataFrame:
    """Return (stream_seed, measure, query_index, value) of the questions that count."""
    path = folder / "stream_values.parquet"
    found = read_parquet(path, ["stream_seed", *_PAIR, "value"]).join(counted, on="query_index", how="semi")
    if n_doubled := int(found.select("stream_seed", *_PAIR).is_duplicated().sum()):
        raise BenchError(f"{path}: {n_doubled:,} values share stream, measure and question; expected one for each")
    return found


def _means(paired: pl.DataFrame) -> pl.DataFrame:
    """Return (stream_seed, measure, n, mean, delta). Both sides are in single precision: equal values differ by 0."""
    value, base = pl.col("value").cast(pl.Float32), pl.col("base").cast(pl.Float32)
    delta = value.cast(pl.Float64) - base.cast(pl.Float64)
    # Sorted: a sum does not depend on the order of the rows then.
    return (
        paired.with_columns(value.cast(pl.Float64), delta=delta)
        .group_by("stream_seed", "measure")
        .agg(
            pl.col("value").is_not_nan().sum().alias("n"),
            pl.col("value").filter(pl.col("value").is_not_nan()).sort().mean().fill_null(float("nan")).alias("mean"),
            pl.col("delta").filter(pl.col("delta").is_not_nan()).sort().mean().fill_null(float("nan")).alias("delta"),
        )
    )

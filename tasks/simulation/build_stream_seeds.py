"""Replay one variant on many streams: what the seed of the stream does to its numbers."""

from pathlib import Path

import numpy as np
import polars as pl

from tasks.progress import Progress, silent
from tasks.records import BenchError
from tasks.simulation.many import replay_many
from tasks.simulation.replays import ManyParams, Replays, Sources, n_cores
from tasks.simulation.streams import StreamParams
from tasks.simulation.variants import parse

STREAM_METRICS = pl.Schema({"stream_seed": pl.Int64, "measure": pl.Utf8, "n": pl.Int64, "mean": pl.Float64})
STREAM_VALUES = pl.Schema({"stream_seed": pl.Int64, "measure": pl.Utf8, "query_index": pl.Int32, "value": pl.Float32})


def build(
    variant: str,
    sources: Sources,
    protocol: str,
    stream: StreamParams,
    params: ManyParams,
    out: Path,
    progress: Progress = silent,
) -> None:
    """Write `stream_values.parquet` and `stream_metrics.parquet`, ordered by seed, measure as given, and query.

    `stream_values.parquet`: stream_seed, measure, query_index, value (single precision, NaN where undefined): what the
    steps `replay`, `query_metrics` and `behaviour_metrics` give on that stream. `stream_metrics.parquet`: stream_seed,
    measure, n, mean over the n questions of all blocks that have a value.

    Parameters
    ----------
    variant
        Canonical name of a `rif` variant.
    sources
        Artifacts of earlier stages.
    protocol
        Decides the streams' scopes, and what is relevant.
    stream
        Length and hot set; its own seed is not looked at.
    params
        Seeds and measures.
    out
        Directory to write into. Memory: 4 bytes per seed, measure and query, and that of `Replays`.
    progress
        Told the replays done.

    Raises
    ------
    BenchError
        For a variant without state, and as `Replays`.
    """
    rif = parse(variant).rif
    if rif is None:
        raise BenchError(f"variant {variant} keeps no state: the stream changes nothing; expected a rif variant")
    replays = Replays(sources, protocol, stream, params)
    n_queries = replays.corpus.queries.height
    many = replay_many(
        [replays.job(rif, seed) for seed in params.seeds],
        replays.quick,
        np.ones(n_queries, dtype=bool),
        keeps_values=True,
        n_threads=n_cores(),
        progress=progress,
    )
    assert many.values is not None
    seeds, names = np.array(params.seeds), np.array(params.measures)
    pl.DataFrame(
        {
            "stream_seed": np.repeat(seeds, len(names)),
            "measure": np.tile(names, len(seeds)),
            "n": np.tile(many.n, len(seeds)),
            "mean": many.means.ravel(),
        },
        schema_overrides=STREAM_METRICS,
    ).write_parquet(out / "stream_metrics.parquet", compression="zstd")
    pl.DataFrame(
        {
            "stream_seed": np.repeat(seeds, len(names) * n_queries),
            "measure": np.tile(np.repeat(names, n_queries), len(seeds)),
            "query_index": np.tile(np.arange(n_queries, dtype=np.int32), len(seeds) * len(names)),
            "value": many.values.ravel(),
        },
        schema_overrides=STREAM_VALUES,
    ).write_parquet(out / "stream_values.parquet", compression="zstd")

"""Replay the cells of a grid, or some of them, on many streams."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.corpora.question_kinds import ALL_BLOCKS
from tasks.corpora.tables import Corpus
from tasks.progress import Progress, silent
from tasks.records import BenchError
from tasks.simulation.many import Many, baseline_values, means_of, replay_many
from tasks.simulation.replays import ManyParams, Replays, Sources, n_cores
from tasks.simulation.streams import StreamParams
from tasks.simulation.suppression import RifParams
from tasks.simulation.variants import parse

CELLS = pl.Schema(
    {
        "variant": pl.Utf8,
        "stream_seed": pl.Int64,
        "measure": pl.Utf8,
        "n": pl.Int64,
        "mean": pl.Float64,
        "delta": pl.Float64,
    }
)
BASELINE = pl.Schema({"measure": pl.Utf8, "n": pl.Int64, "mean": pl.Float64})


class SweepParams(ManyParams):
    """Seeds and measures of a sweep, and the questions that count.

    Attributes
    ----------
    block
        Means are over the questions of this block; `all` for every question that has a value.
    """

    block: str = "main"


def build(
    variants: Sequence[str],
    baseline: str,
    sources: Sources,
    protocol: str,
    stream: StreamParams,
    params: SweepParams,
    out: Path,
    progress: Progress = silent,
) -> None:
    """Write `cells.parquet` (`CELLS`) and `baseline.parquet` (`BASELINE`).

    A row of `cells.parquet` is one variant, seed and measure: mean over the n questions that count and have a value,
    and the mean difference to the baseline on them. Ordered by variant as given, seed, and measure as given.

    Parameters
    ----------
    variants
        Canonical names of `rif` variants over one first stage: the cells.
    baseline
        A `hybrid-rerank` variant over that stage: the order of the logits of its pool, without suppression.
    sources
        Artifacts of earlier stages.
    protocol
        Decides the streams' scopes, and what is relevant.
    stream
        Length and hot set; its own seed is not looked at.
    params
        Seeds, measures, and the questions that count.
    out
        Directory to write into. Memory: 16 bytes per cell, seed and measure, and that of `Replays`.
    progress
        Told the replays done.

    Raises
    ------
    BenchError
        For a variant without state or a baseline that is none, and as `Replays`.
    """
    rules = [_rules(variant) for variant in variants]
    replays = Replays(sources, protocol, stream, params)
    jobs = [replays.job(rif, seed) for rif in rules for seed in params.seeds]
    untouched = baseline_values(replays.job(_untouched(baseline), params.first_seed)(), replays.quick)
    many = replay_many(
        jobs,
        replays.quick,
        is_counted(replays.corpus, params.block),
        baseline=untouched,
        n_threads=n_cores(),
        progress=progress,
    )
    _cells(variants, params, many).write_parquet(out / "cells.parquet", compression="zstd")
    n, means = means_of(untouched, is_counted(replays.corpus, params.block))
    pl.DataFrame({"measure": params.measures, "n": n, "mean": means}, schema=BASELINE).write_parquet(
        out / "baseline.parquet", compression="zstd"
    )


def is_counted(corpus: Corpus, block: str) -> npt.NDArray[np.bool_]:
    """Return (n_queries,) bool: which questions means are over.

    Raises
    ------
    BenchError
        When the corpus has no question of that block.
    """
    if block == ALL_BLOCKS:
        return np.ones(corpus.queries.height, dtype=bool)
    is_here = (corpus.queries["block"] == block).to_numpy()
    if not is_here.any():
        blocks = ", ".join([*corpus.queries["block"].unique().sort(), ALL_BLOCKS])
        raise BenchError(f"no question is in the block {block!r}; expected one of {blocks}")
    return np.asarray(is_here)


def _rules(variant: str) -> RifParams:
    rif = parse(variant).rif
    if rif is None:
        raise BenchError(f"variant {variant} keeps no state: it is no cell of a sweep; expected a rif variant")
    return rif


def _untouched(baseline: str) -> RifParams:
    """Return rules whose replay, before its first step, ranks as the baseline does."""
    what = parse(baseline)
    if what.name != "hybrid-rerank" or what.pool is None:
        raise BenchError(f"the baseline {baseline} of a sweep; expected hybrid-rerank, with a pool of some size")
    return RifParams(pool=what.pool)


def _cells(variants: Sequence[str], params: SweepParams, many: Many) -> pl.DataFrame:
    n_seeds, n_measures = params.n_streams, len(params.measures)
    return pl.DataFrame(
        {
            "variant": np.repeat(np.array(variants, object), n_seeds * n_measures),
            "stream_seed": np.tile(np.repeat(np.array(params.seeds), n_measures), len(variants)),
            "measure": np.tile(np.array(params.measures, object), len(variants) * n_seeds),
            "n": np.tile(many.n, len(variants) * n_seeds),
            "mean": many.means.ravel(),
            "delta": many.deltas.ravel(),
        },
        schema=CELLS,
    )

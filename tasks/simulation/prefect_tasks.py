"""The query stream and the rankings of the variants as cached steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.artifacts import Artifact
from tasks.clusters.kmeans import STREAM_SOURCES
from tasks.prefect_cache import current_bench, step
from tasks.progress import Progress
from tasks.simulation import build_adaptive, build_replay, build_stream, build_stream_seeds, build_sweep
from tasks.simulation.build_replay import ReplayParams
from tasks.simulation.build_sweep import SweepParams
from tasks.simulation.replays import ManyParams, Sources
from tasks.simulation.streams import StreamParams
from tasks.simulation.variants import Variant


@step(stage="simulation", module=build_stream, libraries=("numpy",))
def stream(out: Path, progress: Progress, *, corpus: Artifact, protocol: str, params: StreamParams) -> None:
    """Draw the stream of queries that variants with state are replayed on."""
    build_stream.build(corpus.path, protocol, params, out, progress)


@step(stage="simulation", module=build_replay, libraries=("faiss-cpu", "numba", "numpy"))
def replay(
    out: Path,
    progress: Progress,
    *,
    variant: str,
    candidates: Artifact,
    corpus: Artifact,
    params: ReplayParams,
    pairs: Artifact | None,
    logit_shards: Sequence[Artifact],
    clusters: Artifact | None,
    stream: Artifact | None,
    dense: Artifact | None,
) -> None:
    """Rank every query with one variant, after the stream where the variant has state."""
    build_replay.build(
        variant,
        candidates.path,
        pairs.path if pairs else None,
        [shard.path for shard in logit_shards],
        clusters.path if clusters else None,
        stream.path if stream else None,
        corpus.path,
        params,
        out,
        progress,
        dense.path if dense else None,
    )


@step(stage="simulation", module=build_adaptive)
def unsure(out: Path, progress: Progress, *, first: Artifact, threshold: float) -> None:
    """Find the queries whose best logit is low: adaptive depth ranks them a second time."""
    build_adaptive.build_unsure(first.path, threshold, out, progress)


@step(stage="simulation", module=build_adaptive)
def second_pass(out: Path, progress: Progress, *, first: Artifact, unsure: Artifact, deep: Artifact) -> None:
    """Join the rankings of the two passes of adaptive depth."""
    build_adaptive.build_second_pass(first.path, unsure.path, deep.path, out, progress)


@dataclass(frozen=True, slots=True)
class ReplayInputs:
    """What the variants over one first stage are replayed on; a variant depends only on what it reads.

    `streams` are by the number of steps that a variant asks for.
    """

    candidates: Artifact
    corpus: Artifact
    params: ReplayParams
    pairs: Artifact | None
    logit_shards: Sequence[Artifact]
    clusters: Artifact | None
    streams: Mapping[int, Artifact]
    dense: Artifact

    def of(self, variant: Variant) -> dict[str, Any]:
        """Return the arguments of the step `replay` for a variant."""
        rif = variant.rif
        is_fitted_there = rif is not None and rif.source in STREAM_SOURCES
        return {
            "variant": str(variant),
            "candidates": self.candidates,
            "corpus": self.corpus,
            "params": self.params,
            "pairs": self.pairs if variant.is_reranked else None,
            "logit_shards": self.logit_shards if variant.is_reranked else (),
            "clusters": self.clusters if rif and not is_fitted_there else None,
            "stream": self.streams[rif.steps] if rif else None,
            "dense": self.dense if is_fitted_there else None,
        }

    def on_many_streams(self, variant: Variant) -> dict[str, Any]:
        """Return the arguments of the step `stream_seeds` for a variant, but for what it is judged by."""
        own = self.of(variant)
        return {name: own[name] for name in ("variant", "candidates", "pairs", "logit_shards", "clusters", "dense")}


def replay_all(variants: Sequence[Variant], inputs: ReplayInputs) -> dict[str, Artifact]:
    """Return the rankings of every variant by its canonical name."""
    current_bench().listener.announced("simulation", "replay", len(variants))
    return {str(variant): replay(**inputs.of(variant)) for variant in variants}


@step(stage="simulation", module=build_stream_seeds, libraries=("faiss-cpu", "numba", "numpy"))
def stream_seeds(
    out: Path,
    progress: Progress,
    *,
    variant: str,
    candidates: Artifact,
    corpus: Artifact,
    pairs: Artifact,
    logit_shards: Sequence[Artifact],
    clusters: Artifact | None,
    dense: Artifact | None,
    classes: Artifact | None,
    protocol: str,
    stream: StreamParams,
    params: ManyParams,
) -> None:
    """Replay one variant with state on many streams, and measure each."""
    sources = _sources(candidates, corpus, pairs, logit_shards, clusters, dense, classes)
    build_stream_seeds.build(variant, sources, protocol, stream, params, out, progress)


@step(stage="simulation", module=build_sweep, libraries=("faiss-cpu", "numba", "numpy"))
def sweep(
    out: Path,
    progress: Progress,
    *,
    variants: Sequence[str],
    baseline: str,
    candidates: Artifact,
    corpus: Artifact,
    pairs: Artifact,
    logit_shards: Sequence[Artifact],
    clusters: Artifact,
    dense: Artifact | None,
    classes: Artifact | None,
    protocol: str,
    stream: StreamParams,
    params: SweepParams,
) -> None:
    """Replay some cells of a grid on many streams, and measure each."""
    sources = _sources(candidates, corpus, pairs, logit_shards, clusters, dense, classes)
    build_sweep.build(variants, baseline, sources, protocol, stream, params, out, progress)


def _sources(
    candidates: Artifact,
    corpus: Artifact,
    pairs: Artifact,
    logit_shards: Sequence[Artifact],
    clusters: Artifact | None,
    dense: Artifact | None,
    classes: Artifact | None,
) -> Sources:
    return Sources(
        candidates=candidates.path,
        corpus=corpus.path,
        pairs=pairs.path,
        logit_shards=[shard.path for shard in logit_shards],
        clusters=clusters.path if clusters else None,
        dense=dense.path if dense else None,
        classes=classes.path if classes else None,
    )

"""The query stream and the rankings of the variants as cached steps."""

from collections.abc import Sequence
from pathlib import Path

from tasks.artifacts import Artifact
from tasks.prefect_cache import current_bench, step
from tasks.progress import Progress
from tasks.simulation import build_replay, build_stream
from tasks.simulation.build_replay import ReplayParams
from tasks.simulation.streams import StreamParams
from tasks.simulation.variants import Variant


@step(stage="simulation", module=build_stream, libraries=("numpy",))
def stream(out: Path, progress: Progress, *, corpus: Artifact, protocol: str, params: StreamParams) -> None:
    """Draw the stream of queries that variants with state are replayed on."""
    build_stream.build(corpus.path, protocol, params, out, progress)


@step(stage="simulation", module=build_replay, libraries=("numba", "numpy"))
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
    )


def replay_all(
    variants: Sequence[Variant],
    candidates: Artifact,
    corpus: Artifact,
    params: ReplayParams,
    pairs: Artifact | None,
    logit_shards: Sequence[Artifact],
    clusters: Artifact | None,
    stream: Artifact | None,
) -> dict[str, Artifact]:
    """Return the rankings of every variant by its canonical name. A variant depends only on what it reads."""
    current_bench().listener.announced("simulation", "replay", len(variants))
    return {
        str(variant): replay(
            variant=str(variant),
            candidates=candidates,
            corpus=corpus,
            params=params,
            pairs=pairs if variant.is_reranked else None,
            logit_shards=logit_shards if variant.is_reranked else (),
            clusters=clusters if variant.rif else None,
            stream=stream if variant.rif else None,
        )
        for variant in variants
    }

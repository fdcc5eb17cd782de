"""Reranking as cached steps: the pairs, then one artifact of logits per shard."""

from collections.abc import Sequence
from pathlib import Path

from tasks.artifacts import Artifact
from tasks.prefect_cache import current_bench, step
from tasks.progress import Progress
from tasks.reranking import build
from tasks.reranking.build import ScoreParams
from tasks.reranking.donors import donors_of, holders_of, shards_of_pairs
from tasks.reranking.pairs import PairParams

LIBRARIES = ("onnxruntime", "sentence-transformers", "tokenizers", "torch", "transformers")


@step(stage="reranking", module=build)
def pairs(out: Path, progress: Progress, *, candidates: Artifact, texts: Artifact, params: PairParams) -> None:
    """List the pairs to score, each once, and cut them into shards."""
    build.list_pairs(candidates.path, texts.path, params, out)


@step(stage="reranking", module=build, libraries=LIBRARIES, unkeyed=("donors",))
def logits(
    out: Path,
    progress: Progress,
    *,
    pairs: Artifact,
    texts: Artifact,
    shard_index: int,
    model: Artifact,
    params: ScoreParams,
    donors: Sequence[Artifact],
) -> None:
    """Score the pairs of one shard. Pairs that a donor holds are copied: a logit is a function of its pair."""
    places = [donor.path for donor in donors]
    build.score_shard(pairs.path, texts.path, shard_index, model.path, params, places, out, progress)


def score(
    candidates: Artifact, texts: Artifact, model: Artifact, cut: PairParams, params: ScoreParams
) -> tuple[Artifact, list[Artifact]]:
    """Return the list of pairs, and the shards with their logits."""
    wanted = pairs(candidates=candidates, texts=texts, params=cut)
    count = build.shard_count(wanted.path)
    here = current_bench()
    here.listener.announced("reranking", "logits", count)
    recipes = [
        logits.recipe(pairs=wanted, texts=texts, shard_index=index, model=model, params=params, donors=())
        for index in range(count)
    ]
    donors: dict[int, list[Artifact]] = {}
    if not here.store.has_all(recipes):
        finished = here.store.similar(recipes[0], same_inputs=("model",))
        holders = holders_of([shard.path for shard in finished])
        keys = shards_of_pairs(wanted.path)
        donors = {index: [finished[place] for place in donors_of(keys[index], holders)] for index in range(count)}
    shards = [
        logits(pairs=wanted, texts=texts, shard_index=index, model=model, params=params, donors=donors.get(index, ()))
        for index in range(count)
    ]
    return wanted, shards

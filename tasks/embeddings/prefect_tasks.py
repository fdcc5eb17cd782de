"""Embedding as cached steps: a plan, then one artifact per shard, so that a killed run resumes at the last one."""

from pathlib import Path
from typing import Literal

from tasks.artifacts import Artifact
from tasks.embeddings import build, build_truncation
from tasks.embeddings.encoders import EncoderParams
from tasks.prefect_cache import current_bench, step
from tasks.progress import Progress

LIBRARIES = ("sentence-transformers", "tokenizers", "torch", "transformers")
Table = Literal["document_texts", "query_texts"]


@step(stage="embeddings", module=build, libraries=LIBRARIES)
def plan(
    out: Path, progress: Progress, *, texts: Artifact, table: Table, model: Artifact, params: EncoderParams
) -> None:
    """Cut the distinct texts into batches of similar length, and the batches into shards."""
    build.plan_shards(texts.path, table, model.path, params, out, progress)


@step(stage="embeddings", module=build, libraries=LIBRARIES)
def vectors(
    out: Path, progress: Progress, *, plan: Artifact, shard_index: int, model: Artifact, params: EncoderParams
) -> None:
    """Embed the texts of one shard."""
    build.embed_shard(plan.path, shard_index, model.path, params, out, progress)


@step(stage="embeddings", module=build_truncation, libraries=("tokenizers",))
def truncation(out: Path, progress: Progress, *, plan: Artifact, model: Artifact, params: EncoderParams) -> None:
    """Count the word pieces of the texts that the model reads in part only."""
    build_truncation.build(plan.path, model.path, params, out, progress)


def truncated_documents(texts: Artifact, model: Artifact, params: EncoderParams) -> Artifact:
    """Return the lengths of the documents that fill the model's input."""
    cut = plan(texts=texts, table="document_texts", model=model, params=params)
    return truncation(plan=cut, model=model, params=params)


def embed(texts: Artifact, table: Table, model: Artifact, params: EncoderParams) -> list[Artifact]:
    """Return the shards with the vectors of every distinct text of a table."""
    role = {"document_texts": "document", "query_texts": "query"}[table]
    params = params.model_copy(update={"role": role})
    shards = plan(texts=texts, table=table, model=model, params=params)
    count = build.shard_count(shards.path)
    current_bench().listener.announced("embeddings", "vectors", count)
    return [vectors(plan=shards, shard_index=index, model=model, params=params) for index in range(count)]

"""Embedding as cached steps: a plan, then one artifact per shard, so that a killed run resumes at the last one."""

from pathlib import Path
from typing import Literal

from tasks.artifacts import Artifact
from tasks.downloads.model_facts import read_facts
from tasks.embeddings import build, build_onnx, build_token_vectors, build_truncation
from tasks.embeddings.encoders import EncoderParams
from tasks.embeddings.token_vectors import TokenParams
from tasks.prefect_cache import current_bench, step
from tasks.progress import Progress

LIBRARIES = ("sentence-transformers", "tokenizers", "torch", "transformers")
Table = Literal["document_texts", "query_texts"]
COLBERT = TokenParams()
"""How a ColBERT reads its texts: there is one such model."""


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


@step(stage="embeddings", module=build_onnx, libraries=build_onnx.LIBRARIES)
def onnx_plan(
    out: Path, progress: Progress, *, texts: Artifact, table: Table, model: Artifact, params: EncoderParams
) -> None:
    """Cut the distinct texts into batches and shards, for a model in ONNX."""
    build_onnx.plan_shards(texts.path, table, model.path, params, out, progress)


@step(stage="embeddings", module=build_onnx, libraries=build_onnx.LIBRARIES)
def onnx_vectors(
    out: Path, progress: Progress, *, plan: Artifact, shard_index: int, model: Artifact, params: EncoderParams
) -> None:
    """Embed the texts of one shard with a model in ONNX."""
    build_onnx.embed_shard(plan.path, shard_index, model.path, params, out, progress)


@step(stage="embeddings", module=build_token_vectors, libraries=build_onnx.LIBRARIES)
def token_plan(
    out: Path,
    progress: Progress,
    *,
    texts: Artifact,
    table: Table,
    model: Artifact,
    params: EncoderParams,
    tokens: TokenParams,
) -> None:
    """Cut the distinct texts into batches and shards, for a ColBERT."""
    build_token_vectors.plan_shards(texts.path, table, model.path, params, tokens, out, progress)


@step(stage="embeddings", module=build_token_vectors, libraries=build_onnx.LIBRARIES)
def token_vectors(
    out: Path,
    progress: Progress,
    *,
    plan: Artifact,
    shard_index: int,
    model: Artifact,
    params: EncoderParams,
    tokens: TokenParams,
) -> None:
    """Embed the word pieces of the texts of one shard."""
    build_token_vectors.embed_shard(plan.path, shard_index, model.path, params, tokens, out, progress)


@step(stage="embeddings", module=build_truncation, libraries=("tokenizers",))
def truncation(out: Path, progress: Progress, *, plan: Artifact, model: Artifact, params: EncoderParams) -> None:
    """Count the word pieces of the texts that the model reads in part only."""
    build_truncation.build(plan.path, model.path, params, out, progress)


def truncated_documents(texts: Artifact, model: Artifact, params: EncoderParams) -> Artifact:
    """Return the lengths of the documents that fill the model's input."""
    params = _params_of(model, params, "document_texts")
    cut = _plan_of(texts, "document_texts", model, params)
    return truncation(plan=cut, model=model, params=params)


def has_text_vectors(model: Artifact) -> bool:
    """Say whether a model makes one vector of a text (True), or one of each word piece (a ColBERT)."""
    return read_facts(model.path).pooling is not None


def embed(texts: Artifact, table: Table, model: Artifact, params: EncoderParams) -> list[Artifact]:
    """Return the shards with the vectors of every distinct text of a table, one per text or one per word piece.

    The model's facts decide who embeds: torch, ONNX with pooling (`vectors.parquet`), or ONNX without
    (`token_vectors.npy`). The texts of sessions are `document_texts` of their own artifact (step `session_texts`).
    """
    params = _params_of(model, params, table)
    shards = _plan_of(texts, table, model, params)
    count = build.shard_count(shards.path)
    name = vectors.name if _is_torch(model) else onnx_vectors.name if has_text_vectors(model) else token_vectors.name
    current_bench().listener.announced("embeddings", name, count)
    return [_shard_of(shards, index, model, params) for index in range(count)]


def _params_of(model: Artifact, params: EncoderParams, table: Table) -> EncoderParams:
    """Return the parameters of a table's texts; ONNX models have their precision inside, so the asked one is no key."""
    role: Literal["document", "query"] = "document" if table == "document_texts" else "query"
    fixed = {} if _is_torch(model) else {"dtype": EncoderParams.model_fields["dtype"].default}
    return params.model_copy(update={"role": role, **fixed})


def _plan_of(texts: Artifact, table: Table, model: Artifact, params: EncoderParams) -> Artifact:
    if _is_torch(model):
        return plan(texts=texts, table=table, model=model, params=params)
    if has_text_vectors(model):
        return onnx_plan(texts=texts, table=table, model=model, params=params)
    return token_plan(texts=texts, table=table, model=model, params=params, tokens=COLBERT)


def _shard_of(shards: Artifact, index: int, model: Artifact, params: EncoderParams) -> Artifact:
    if _is_torch(model):
        return vectors(plan=shards, shard_index=index, model=model, params=params)
    if has_text_vectors(model):
        return onnx_vectors(plan=shards, shard_index=index, model=model, params=params)
    return token_vectors(plan=shards, shard_index=index, model=model, params=params, tokens=COLBERT)


def _is_torch(model: Artifact) -> bool:
    return read_facts(model.path).backend == "torch"

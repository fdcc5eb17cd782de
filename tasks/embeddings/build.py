"""Build the plan of an embedding, and its shards of vectors."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from tasks.downloads.model_facts import ModelFacts, read_facts
from tasks.embeddings.encoders import Encoder, EncoderParams, Vectors, load_encoder, n_cores
from tasks.embeddings.plan import cut_batches, cut_shards
from tasks.progress import Progress
from tasks.records import BenchError

LIBRARIES = ("sentence-transformers", "torch", "tokenizers", "transformers")
"""Distributions whose version changes the vectors."""

PLAN_SCHEMA = {
    "shard_index": pl.Int32,
    "batch_index": pl.Int32,
    "text_key": pl.String,
    "text": pl.String,
    "n_tokens": pl.Int32,
}
COUNTED_AT_ONCE = 4_096


def plan_shards(
    texts_dir: Path,
    table: Literal["document_texts", "query_texts"],
    model_dir: Path,
    params: EncoderParams,
    out: Path,
    progress: Progress,
) -> None:
    """Write `plan.parquet`: every distinct text once, by (n_tokens, text_key), in batches and shards.

    `n_tokens` is what the model reads, prefix included; `text` is without the prefix.
    """
    facts = _checked_facts(model_dir, params)
    texts = pl.read_parquet(texts_dir / f"{table}.parquet", columns=["text_key", "text"])
    distinct = texts.unique("text_key", keep="first", maintain_order=True)
    prefix = _prefix(facts, params)
    encoder = load_encoder(model_dir, params.dtype)
    counts = [np.zeros(0, dtype=np.int32)]
    for start in range(0, distinct.height, COUNTED_AT_ONCE):
        part = distinct["text"][start : start + COUNTED_AT_ONCE]
        counts.append(encoder.count_tokens([prefix + text for text in part]))
        progress(start + len(part), distinct.height, "texts")
    plan = distinct.with_columns(n_tokens=pl.Series(np.concatenate(counts), dtype=pl.Int32)).sort(
        "n_tokens", "text_key"
    )
    n_tokens = plan["n_tokens"].to_numpy()
    batch_of = cut_batches(n_tokens, params.batch_tokens)
    shard_of = cut_shards(n_tokens, batch_of, params.shard_tokens)
    plan.with_columns(shard_index=pl.Series(shard_of), batch_index=pl.Series(batch_of)).select(
        pl.col(name).cast(dtype) for name, dtype in PLAN_SCHEMA.items()
    ).write_parquet(out / "plan.parquet", compression="zstd", statistics=True)


def shard_count(plan_dir: Path) -> int:
    """Return the number of shards of a plan (0 when there is no text)."""
    last = pl.scan_parquet(plan_dir / "plan.parquet").select(pl.col("shard_index").max()).collect().item()
    return 0 if last is None else int(last) + 1


def embed_shard(
    plan_dir: Path, shard_index: int, model_dir: Path, params: EncoderParams, out: Path, progress: Progress
) -> None:
    """Write `vectors.parquet` (text_key, vector: float32[dimension], L2-normalised) of one shard, in the plan's order.

    Uses every core; the bytes do not depend on how many there are.

    Raises
    ------
    BenchError
        When the model does not fit the parameters, or gives a vector that is not finite.
    """
    facts = _checked_facts(model_dir, params)
    shard = pl.scan_parquet(plan_dir / "plan.parquet").filter(pl.col("shard_index") == shard_index).collect()
    prefix = _prefix(facts, params)
    batches = [
        [prefix + text for text in batch["text"]] for batch in shard.partition_by("batch_index", maintain_order=True)
    ]
    encoder = load_encoder(model_dir, params.dtype)
    vectors = np.zeros((shard.height, encoder.dimension), dtype=np.float32)
    done = 0
    for part in _encode_all(encoder, batches):
        vectors[done : done + len(part)] = part
        done += len(part)
        progress(done, shard.height, "texts")
    _check_finite(vectors, shard, facts)
    column = pl.Series("vector", vectors, dtype=pl.Array(pl.Float32, encoder.dimension))
    shard.select("text_key").with_columns(column).write_parquet(out / "vectors.parquet", compression="zstd")


def _encode_all(encoder: Encoder, batches: Sequence[Sequence[str]]) -> Iterator[Vectors]:
    with ThreadPoolExecutor(n_cores(), thread_name_prefix="encode", initializer=encoder.prepare_thread) as pool:
        try:
            yield from pool.map(encoder.encode, batches)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)  # Ctrl-C waits for the batches in work, not for all


def _checked_facts(model_dir: Path, params: EncoderParams) -> ModelFacts:
    facts = read_facts(model_dir)
    if facts.name != params.model:
        raise BenchError(f"asked to embed with {params.model}, but {model_dir} holds the model {facts.name}")
    return facts


def _prefix(facts: ModelFacts, params: EncoderParams) -> str:
    return facts.query_prefix if params.role == "query" else facts.passage_prefix


def _check_finite(vectors: Vectors, shard: pl.DataFrame, facts: ModelFacts) -> None:
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        text = shard["text"][int(bad[0])]
        raise BenchError(
            f"{facts.name} gave {len(bad)} vectors that are not finite, the first for a text of {len(text)} characters "
            f"({text[:60]!r}). The model's files may be damaged: delete the fetched model and run again."
        )

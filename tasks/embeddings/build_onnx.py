"""Build the plan of an embedding by an ONNX model, and its shards: the same tables as `build.py` writes."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.downloads.model_facts import ModelFacts, read_facts
from tasks.embeddings.build import COUNTED_AT_ONCE, PLAN_SCHEMA
from tasks.embeddings.encoders import EncoderParams, Vectors, n_cores
from tasks.embeddings.onnx_encoder import load_onnx_encoder
from tasks.embeddings.plan import cut_batches, cut_shards
from tasks.progress import Progress
from tasks.records import BenchError

LIBRARIES = ("onnxruntime", "tokenizers")
"""Distributions whose version changes the vectors."""

Table = Literal["document_texts", "query_texts"]
Counter = Callable[[Sequence[str]], npt.NDArray[np.int32]]
Lengths = npt.NDArray[np.int32]


def plan_shards(
    texts_dir: Path, table: Table, model_dir: Path, params: EncoderParams, out: Path, progress: Progress
) -> None:
    """Write `plan.parquet`: every distinct text once, by (n_tokens, text_key), in batches and shards.

    `n_tokens` is what the model reads, prefix included; `text` is without the prefix. A batch is only a piece of work
    for a thread: texts of one batch do not meet in the model.
    """
    facts = checked_facts(model_dir, params)
    write_plan(
        texts_dir, table, params, prefix_of(facts, params), load_onnx_encoder(model_dir).count_tokens, out, progress
    )


def embed_shard(
    plan_dir: Path, shard_index: int, model_dir: Path, params: EncoderParams, out: Path, progress: Progress
) -> None:
    """Write `vectors.parquet` (text_key, vector: float32[dimension], L2-normalised) of one shard, in the plan's order.

    Uses every core; a vector depends on its text only.

    Raises
    ------
    BenchError
        When the model does not fit the parameters, or gives a vector that is not finite.
    """
    facts = checked_facts(model_dir, params)
    shard = read_shard(plan_dir, shard_index)
    encoder = load_onnx_encoder(model_dir)
    batches = batches_of(shard, prefix_of(facts, params))
    vectors = np.zeros((shard.height, encoder.dimension), dtype=np.float32)
    done = 0
    with ThreadPoolExecutor(n_cores(), thread_name_prefix="encode", initializer=encoder.prepare_thread) as pool:
        try:
            for part in pool.map(encoder.encode, batches):
                vectors[done : done + len(part)] = part
                done += len(part)
                progress(done, shard.height, "texts")
        finally:
            pool.shutdown(wait=True, cancel_futures=True)  # Ctrl-C waits for the batches in work, not for all
    check_finite(vectors, np.ones(shard.height, dtype=np.int32), shard["text"], facts)
    column = pl.Series("vector", vectors, dtype=pl.Array(pl.Float32, encoder.dimension))
    shard.select("text_key").with_columns(column).write_parquet(out / "vectors.parquet", compression="zstd")


def write_plan(
    texts_dir: Path,
    table: Table,
    params: EncoderParams,
    prefix: str,
    count_tokens: Counter,
    out: Path,
    progress: Progress,
) -> None:
    """Write `plan.parquet` as `build.plan_shards` does, with any way to count the tokens of a text."""
    texts = pl.read_parquet(texts_dir / f"{table}.parquet", columns=["text_key", "text"])
    distinct = texts.unique("text_key", keep="first", maintain_order=True)
    counts = [np.zeros(0, dtype=np.int32)]
    for start in range(0, distinct.height, COUNTED_AT_ONCE):
        part = distinct["text"][start : start + COUNTED_AT_ONCE]
        counts.append(count_tokens([prefix + text for text in part]))
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


def read_shard(plan_dir: Path, shard_index: int) -> pl.DataFrame:
    """Return the rows of one shard of a plan, in its order."""
    return pl.scan_parquet(plan_dir / "plan.parquet").filter(pl.col("shard_index") == shard_index).collect()


def batches_of(shard: pl.DataFrame, prefix: str) -> list[list[str]]:
    """Return the texts of each batch of a shard, with the prefix."""
    return [
        [prefix + text for text in batch["text"]] for batch in shard.partition_by("batch_index", maintain_order=True)
    ]


def checked_facts(model_dir: Path, params: EncoderParams) -> ModelFacts:
    """Return the facts of a fetched model.

    Raises
    ------
    BenchError
        When it is not the model that the parameters name.
    """
    facts = read_facts(model_dir)
    if facts.name != params.model:
        raise BenchError(f"asked to embed with {params.model}, but {model_dir} holds the model {facts.name}")
    return facts


def prefix_of(facts: ModelFacts, params: EncoderParams) -> str:
    """Return what is put before a text of the role."""
    return facts.query_prefix if params.role == "query" else facts.passage_prefix


def check_finite(vectors: Vectors, n_vectors: Lengths, texts: pl.Series, facts: ModelFacts) -> None:
    """Raise a `BenchError` that names the first text with a vector that is not finite.

    `vectors` are those of all texts end to end, (sum of `n_vectors`, d); text i has `n_vectors[i]` of them.
    """
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        text = texts[int(np.searchsorted(np.cumsum(n_vectors), bad[0], side="right"))]
        raise BenchError(
            f"{facts.name} gave {len(bad)} vectors that are not finite, the first for a text of {len(text)} characters "
            f"({text[:60]!r}). The model's files may be damaged: delete the fetched model and run again."
        )

"""Build the plan of a ColBERT's texts, and its shards: the vectors of the word pieces of each text."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.embeddings.build_onnx import (
    Table,
    batches_of,
    check_finite,
    checked_facts,
    prefix_of,
    read_shard,
    write_plan,
)
from tasks.embeddings.encoders import EncoderParams, Vectors, n_cores
from tasks.embeddings.token_vectors import TokenParams, load_token_encoder
from tasks.progress import Progress
from tasks.records import BenchError

VECTORS = "token_vectors.npy"
TEXTS = "texts.parquet"
TEXTS_SCHEMA = {"text_key": pl.String, "n_vectors": pl.Int32}

Halves = npt.NDArray[np.float16]


def plan_shards(
    texts_dir: Path,
    table: Table,
    model_dir: Path,
    params: EncoderParams,
    tokens: TokenParams,
    out: Path,
    progress: Progress,
) -> None:
    """Write `plan.parquet`: every distinct text once, by (n_tokens, text_key), in batches and shards.

    `n_tokens` is what the model reads: marker, special pieces, punctuation and masks included.
    """
    facts = checked_facts(model_dir, params)
    encoder = load_token_encoder(model_dir, params.role, tokens)
    write_plan(texts_dir, table, params, prefix_of(facts, params), encoder.count_tokens, out, progress)


def embed_shard(
    plan_dir: Path,
    shard_index: int,
    model_dir: Path,
    params: EncoderParams,
    tokens: TokenParams,
    out: Path,
    progress: Progress,
) -> None:
    """Write `token_vectors.npy` (float16, all vectors end to end) and `texts.parquet` (text_key, n_vectors).

    Both are of one shard, in the plan's order. Uses every core; a vector depends on its text only. Disk: 2 bytes per
    number, about 800 bytes per word piece of a document. Rounding to float16 changes a max-sim score by at most 5.5e-5
    (all pairs of LoCoMo), and Hit@1 there by one of 1,978 questions (0.6421; with float32 0.6416).

    Raises
    ------
    BenchError
        When the model does not fit the parameters, or gives a vector that is not finite.
    """
    facts = checked_facts(model_dir, params)
    shard = read_shard(plan_dir, shard_index)
    encoder = load_token_encoder(model_dir, params.role, tokens)
    batches = batches_of(shard, prefix_of(facts, params))
    found: list[Vectors] = []
    with ThreadPoolExecutor(n_cores(), thread_name_prefix="encode", initializer=encoder.prepare_thread) as pool:
        try:
            for part in pool.map(encoder.encode, batches):
                found += part
                progress(len(found), shard.height, "texts")
        finally:
            pool.shutdown(wait=True, cancel_futures=True)  # Ctrl-C waits for the batches in work, not for all
    n_vectors = np.array([len(vectors) for vectors in found], dtype=np.int32)
    vectors = np.concatenate([np.empty((0, encoder.dimension), dtype=np.float32), *found])
    check_finite(vectors, n_vectors, shard["text"], facts)
    np.save(out / VECTORS, vectors.astype(np.float16))
    shard.select("text_key").with_columns(n_vectors=pl.Series(n_vectors, dtype=pl.Int32)).write_parquet(
        out / TEXTS, compression="zstd"
    )


class TokenShards:
    """The vectors of texts by their key, memory-mapped. Memory: about 150 bytes per text.

    Raises
    ------
    BenchError
        When a shard is not whole, or the shards have different dimensions.
    """

    def __init__(self, shards: Sequence[Path]) -> None:
        self._arrays: list[Halves] = []
        self._place: dict[str, tuple[int, int, int]] = {}
        for number, shard in enumerate(shards):
            array, table = _read(shard)
            if number and array.shape[1] != self.dimension:
                raise BenchError(f"{shard}: vectors of {array.shape[1]} dimensions; expected {self.dimension}")
            self._arrays.append(array)
            ends = np.cumsum(table["n_vectors"].to_numpy(), dtype=np.int64)
            for key, n, end in zip(table["text_key"], table["n_vectors"], ends, strict=True):
                self._place[key] = (number, int(end) - n, int(end))

    @property
    def dimension(self) -> int:
        """Length of a vector; 0 where there is no shard."""
        return int(self._arrays[0].shape[1]) if self._arrays else 0

    def missing(self, keys: Sequence[str]) -> list[str]:
        """Return the keys without vectors, sorted, each once."""
        return sorted(set(keys) - self._place.keys())

    def n_vectors(self, key: str) -> int:
        """Return the number of vectors of a text."""
        _, start, end = self._place[key]
        return end - start

    def vectors(self, key: str) -> Halves:
        """Return the vectors of a text, shape (n, dimension), float16."""
        number, start, end = self._place[key]
        return self._arrays[number][start:end]


def _read(shard: Path) -> tuple[Halves, pl.DataFrame]:
    for name in (VECTORS, TEXTS):
        if not (shard / name).is_file():
            raise BenchError(
                f"no {name} in {shard}; expected the vectors of word pieces, from a ColBERT. A model with one vector "
                "per text has no late interaction."
            )
    array = np.load(shard / VECTORS, mmap_mode="r")
    table = pl.read_parquet(shard / TEXTS, columns=list(TEXTS_SCHEMA))
    if table["n_vectors"].sum() != len(array):
        raise BenchError(f"{shard}: {len(array)} vectors, but {table['n_vectors'].sum()} in {TEXTS}; expected equal")
    return array, table

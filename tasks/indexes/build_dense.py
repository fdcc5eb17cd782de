"""Build the dense index: the vectors of all documents and queries, in the order of their index."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.indexes.dense import DOCUMENT_VECTORS, QUERY_VECTORS
from tasks.progress import Progress, silent
from tasks.records import BenchError


def build(
    texts_dir: Path,
    document_shards: Sequence[Path],
    query_shards: Sequence[Path],
    out: Path,
    progress: Progress = silent,
) -> None:
    """Write `document_vectors.npy` and `query_vectors.npy`, float32, one row per document or query.

    Parameters
    ----------
    texts_dir
        Artifact of the text stage: `document_texts.parquet` and `query_texts.parquet`.
    document_shards, query_shards
        Artifacts of the embeddings stage, each with `vectors.parquet`. Together they cover every text.
    out
        Where the two arrays are written. Memory: one shard, and the keys of the texts; the arrays stay on disk.

    Raises
    ------
    BenchError
        When a text has no vector, or the vectors have different dimensions.
    """
    _write_rows(
        texts_dir / "document_texts.parquet", "document_index", document_shards, out / DOCUMENT_VECTORS, progress
    )
    _write_rows(texts_dir / "query_texts.parquet", "query_index", query_shards, out / QUERY_VECTORS, progress)


def _write_rows(texts: Path, index: str, shards: Sequence[Path], target: Path, progress: Progress) -> None:
    keys = pl.read_parquet(texts, columns=[index, "text_key"])
    grouped = keys.group_by("text_key", maintain_order=True).agg(index)
    rows_of = {key: np.asarray(rows, np.int64) for key, rows in grouped.iter_rows()}
    n_written, array = 0, np.empty((0, 0), np.float32)
    for shard in shards:
        names, vectors = _read_shard(shard)
        if array.size == 0:
            array = _new_array(target, keys.height, vectors.shape[1])
        if vectors.shape[1] != array.shape[1]:
            raise BenchError(f"{shard}: vectors of {vectors.shape[1]} dimensions; expected {array.shape[1]}")
        n_written += _scatter(array, names, vectors, rows_of)
        progress(n_written, keys.height, "vectors")
    if rows_of:
        raise BenchError(
            f"{keys.height - n_written} of {keys.height} rows of {texts.name} have no vector in {len(shards)} shards "
            f"(first missing text key: {min(rows_of)}); run the embeddings stage again"
        )
    if array.size:
        array.flush()  # type: ignore[attr-defined]
    else:
        np.save(target, array)


def _new_array(target: Path, n_rows: int, width: int) -> npt.NDArray[np.float32]:
    """Return an array on disk; one in memory where nothing would be in it, which cannot be mapped."""
    if n_rows * width == 0:
        return np.empty((n_rows, width), np.float32)
    array = np.lib.format.open_memmap(target, mode="w+", dtype=np.float32, shape=(n_rows, width))
    if hasattr(os, "posix_fallocate"):  # not on macOS
        with target.open("r+b") as file:  # a page without a place on a full disk ends the process without a word
            os.posix_fallocate(file.fileno(), 0, target.stat().st_size)
    return array


def _read_shard(shard: Path) -> tuple[list[str], npt.NDArray[np.float32]]:
    frame = pl.read_parquet(shard / "vectors.parquet", columns=["text_key", "vector"])
    vectors = frame["vector"]
    if not isinstance(vectors.dtype, pl.Array):  # Parquet readers disagree on fixed-size lists
        width = len(vectors[0]) if len(vectors) else 0
        vectors = vectors.cast(pl.Array(pl.Float32, width))
    return frame["text_key"].to_list(), np.ascontiguousarray(vectors.to_numpy(), dtype=np.float32)


def _scatter(
    array: npt.NDArray[np.float32],
    names: Sequence[str],
    vectors: npt.NDArray[np.float32],
    rows_of: dict[str, npt.NDArray[np.int64]],
) -> int:
    """Write each vector to the rows of its text and take the text off `rows_of`; return how many rows were written."""
    n_written = 0
    for name, vector in zip(names, vectors, strict=True):
        rows = rows_of.pop(name, None)
        if rows is not None:
            array[rows] = vector
            n_written += rows.size
    return n_written

"""Write the text of each document and query, with a key that equal texts share."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from tasks.progress import Progress, silent
from tasks.records import BenchError
from tasks.text.documents import TextParams, document_text

ROWS_PER_CHUNK = 20_000
DOCUMENT_SCHEMA = pa.schema(
    [("document_index", pa.int32()), ("text_key", pa.large_string()), ("text", pa.large_string())]
)


def build(corpus_dir: Path, params: TextParams, out: Path, progress: Progress = silent) -> None:
    """Write `document_texts.parquet` (document_index, text_key, text) and `query_texts.parquet` (query_index, ...).

    Memory is bounded by `ROWS_PER_CHUNK` documents; the queries are held whole.

    Parameters
    ----------
    corpus_dir
        Artifact of the stage `corpora`: `documents.parquet` and `queries.parquet` are read, and `sessions.parquet`
        where the dates of sessions are asked for.
    params
        How a document becomes a text; a query is its own text.
    out
        Directory to write into.
    progress
        Told the documents done.

    Raises
    ------
    BenchError
        When the dates of sessions are asked for and there is no table of sessions.
    """
    source = pq.ParquetFile(corpus_dir / "documents.parquet")
    columns = ["document_index", "title", "speaker", "text", "caption"]
    dates = _session_dates(corpus_dir) if params.session_date else None
    columns += [] if dates is None else ["session_id"]
    n_documents = source.metadata.num_rows
    n_done = 0
    with pq.ParquetWriter(out / "document_texts.parquet", DOCUMENT_SCHEMA, compression="zstd") as writer:
        for batch in source.iter_batches(batch_size=ROWS_PER_CHUNK, columns=columns):
            chunk = pl.DataFrame(pl.from_arrow(batch))
            if dates is not None:
                chunk = chunk.join(dates, on="session_id", how="left", validate="m:1", maintain_order="left")
            chunk = chunk.select("document_index", document_text(params))
            writer.write_table(_keyed(chunk, "document_index").to_arrow().cast(DOCUMENT_SCHEMA))
            n_done += chunk.height
            progress(n_done, n_documents, "documents")
    queries = pl.read_parquet(corpus_dir / "queries.parquet", columns=["query_index", "text"])
    queries = queries.with_columns(pl.col("text").fill_null(""))
    _keyed(queries, "query_index").write_parquet(out / "query_texts.parquet", compression="zstd")


def text_keys(texts: Iterable[str]) -> list[str]:
    """Return for each text the first 32 hexadecimal digits (128 bits) of the SHA-256 of its UTF-8 bytes.

    >>> text_keys(["", "abc"])
    ['e3b0c44298fc1c149afbf4c8996fb924', 'ba7816bf8f01cfea414140de5dae2223']
    """
    return [hashlib.sha256(text.encode()).hexdigest()[:32] for text in texts]


def _session_dates(corpus_dir: Path) -> pl.DataFrame:
    """Return session_id and date (null where unknown) of every session: a few dozen bytes each."""
    path = corpus_dir / "sessions.parquet"
    if not path.is_file():
        raise BenchError(
            f"no table {path.name} in {corpus_dir}, but the text is to show the dates of sessions; expected a corpus "
            "artifact: run the corpora stage, or leave text.session_date out"
        )
    return pl.read_parquet(path, columns=["session_id", "date"])


def _keyed(texts: pl.DataFrame, index: str) -> pl.DataFrame:
    keys = pl.Series("text_key", text_keys(texts["text"]), dtype=pl.Utf8)
    return texts.with_columns(keys).select(pl.col(index).cast(pl.Int32), "text_key", "text")

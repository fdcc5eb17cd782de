"""Write the content classes of documents and sessions. A module of its own: no parser is in its cache key."""

from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from tasks.corpora.content_classes import (
    CONTENT_COLUMNS,
    content_digest,
    numbered,
    session_classes,
    twin_defects,
    twin_facts,
)
from tasks.corpora.schemas import defect_row, write_table
from tasks.corpora.tables import Corpus
from tasks.progress import Progress, silent
from tasks.records import BenchError

ROWS_PER_CHUNK = 20_000


def build(corpus_dir: Path, out: Path, progress: Progress = silent) -> None:
    """Write the tables `classes` (document_index, class_index) and `session_classes` (session_id, class_index).

    And `defects`: the rows of the ledger about them, with the columns of the corpus's own.

    Classes are Int32, numbered from 0 by first appearance in the corpus. Memory: one chunk of `ROWS_PER_CHUNK`
    documents, then about 100 bytes per document (its digest, its number, its session).

    Parameters
    ----------
    corpus_dir
        Artifact of the stage `corpora`: `documents.parquet` and `sessions.parquet` are read.
    out
        Directory to write into.
    progress
        Told the documents done.

    Raises
    ------
    BenchError
        When a table is absent.
    """
    for name in ("documents.parquet", "sessions.parquet"):
        if not (corpus_dir / name).is_file():
            raise BenchError(f"no table {name} in {corpus_dir}; expected a corpus artifact: run the corpora stage")
    classes = _document_classes(corpus_dir / "documents.parquet", progress)
    classes.write_parquet(out / "classes.parquet", compression="zstd")
    documents = pl.read_parquet(
        corpus_dir / "documents.parquet", columns=["document_index", "session_id", "turn_index"]
    )
    sessions = pl.read_parquet(corpus_dir / "sessions.parquet", columns=["session_id"])
    of_sessions = session_classes(sessions, documents, classes)
    of_sessions.write_parquet(out / "session_classes.parquet", compression="zstd")
    facts = twin_facts(Corpus.read(corpus_dir, with_texts=False), classes, of_sessions)
    write_table(out, "defects", map(defect_row, twin_defects(facts)))


def _document_classes(path: Path, progress: Progress) -> pl.DataFrame:
    source = pq.ParquetFile(path)
    digests = bytearray()
    indices = [pl.Series(dtype=pl.Int32)]
    for batch in source.iter_batches(batch_size=ROWS_PER_CHUNK, columns=["document_index", *CONTENT_COLUMNS]):
        chunk = pl.DataFrame(pl.from_arrow(batch))
        for parts in chunk.select(CONTENT_COLUMNS).iter_rows():
            digests += content_digest(parts)
        indices.append(chunk["document_index"].cast(pl.Int32))
        progress(len(digests) // 16, source.metadata.num_rows, "documents")
    halves = np.frombuffer(digests, dtype="<u8").reshape(-1, 2)
    classes = numbered(pl.DataFrame({"high": halves[:, 0].copy(), "low": halves[:, 1].copy()}))
    return pl.DataFrame({"document_index": pl.concat(indices), "class_index": classes})

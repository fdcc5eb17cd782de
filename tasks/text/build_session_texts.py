"""Write the texts of whole sessions, as the documents of a text artifact (study B: one vector per session text)."""

import shutil
from pathlib import Path

import polars as pl

from tasks.progress import Progress, silent
from tasks.records import BenchError
from tasks.text.build_texts import DOCUMENT_SCHEMA, text_keys

QUERIES = "query_texts.parquet"


def build(texts_dir: Path, corpus_dir: Path, out: Path, progress: Progress = silent) -> None:
    """Write `document_texts.parquet` with one row per session, and the same `query_texts.parquet` as `texts_dir`.

    The "documents" here are sessions: `document_index` is the 0-based place of the session in the corpus's table
    `sessions`. So the steps that embed texts and `tasks.indexes.build_dense.build` work on this artifact as they are:
    row i of the resulting `document_vectors.npy` is session i. The text is the texts of its turns in source order,
    joined with newlines (protocols.md, B.1); that of a session without turns is empty. Memory: the texts, twice.

    Parameters
    ----------
    texts_dir
        Artifact of the step `texts`.
    corpus_dir
        Artifact of the stage `corpora` that the texts are of: `documents.parquet` and `sessions.parquet` are read.
    out
        Directory to write into.
    progress
        Told the sessions done.

    Raises
    ------
    BenchError
        When the corpus has no sessions, or a text artifact of another corpus came.
    """
    sessions = pl.read_parquet(corpus_dir / "sessions.parquet", columns=["session_id"])
    if not sessions.height:
        raise BenchError(
            f"the corpus in {corpus_dir} has no sessions, so there is no session text; expected conversations"
        )
    turns = pl.read_parquet(corpus_dir / "documents.parquet", columns=["document_index", "session_id"])
    texts = pl.read_parquet(texts_dir / "document_texts.parquet", columns=["document_index", "text"])
    if not turns["document_index"].equals(texts["document_index"]):
        raise BenchError(
            f"{texts_dir} holds {texts.height} texts, not those of the {turns.height} documents in {corpus_dir}; "
            "expected the texts of this corpus: run the text stage again"
        )
    joined = (
        turns.join(texts, on="document_index", validate="1:1", maintain_order="left")
        .group_by("session_id", maintain_order=True)
        .agg(pl.col("text").str.join("\n"))
    )
    table = (
        sessions.with_row_index("document_index")
        .join(joined, on="session_id", how="left", validate="1:1", maintain_order="left")
        .select(pl.col("document_index").cast(pl.Int32), pl.col("text").fill_null(""))
    )
    keyed = table.with_columns(text_key=pl.Series(text_keys(table["text"]), dtype=pl.String))
    keyed.select(DOCUMENT_SCHEMA.names).write_parquet(out / "document_texts.parquet", compression="zstd")
    shutil.copyfile(texts_dir / QUERIES, out / QUERIES)
    progress(table.height, table.height, "sessions")

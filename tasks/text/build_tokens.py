"""Write the tokens of each document and query as numbers, and the vocabulary that names them."""

from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from tasks.progress import Progress, silent
from tasks.text.tokenizers import Tokenizer, TokenizerParams, tokenizer

ROWS_PER_CHUNK = 5_000
TOKENS = pa.large_list(pa.field("item", pa.uint32()))
QUERY_COUNTS_ONCE = frozenset({"word3+stop"})
"""Tokenizers of studies that count a token once however often the question repeats it (protocols.md B.2)."""
DOCUMENT_SCHEMA = pa.schema([("document_index", pa.int32()), ("tokens", TOKENS)])


class Vocabulary(dict[str, int]):
    """Number of each token, in order of first appearance. Looking up a new token adds it.

    >>> words = Vocabulary()
    >>> [words[token] for token in ["to", "be", "or", "not", "to", "be"]]
    [0, 1, 2, 3, 0, 1]
    """

    def __missing__(self, token: str) -> int:
        self[token] = number = len(self)
        return number


def build(texts_dir: Path, params: TokenizerParams, out: Path, progress: Progress = silent) -> None:
    """Write `document_tokens.parquet`, `query_tokens.parquet` and `vocabulary.parquet`.

    Memory is that of the vocabulary and of `ROWS_PER_CHUNK` documents; the queries are held whole.

    Parameters
    ----------
    texts_dir
        Artifact of the step `texts`.
    params
        Which tokenizer.
    out
        Directory to write into: document_tokens (document_index, tokens List[UInt32] in order of the text),
        query_tokens (query_index, tokens without unknown ones, n_unknown Int32; with repeats, except under the
        tokenizers of `QUERY_COUNTS_ONCE`, where each stays at its first place), vocabulary
        (token_id UInt32, token, document_frequency UInt32), token ids in order of first appearance in the documents.
    progress
        Told the documents done.
    """
    tokenize = tokenizer(params.name)
    vocabulary = Vocabulary()
    document_frequency = _write_documents(texts_dir, tokenize, vocabulary, out, progress)
    pl.DataFrame(
        {
            "token_id": pl.Series(np.arange(len(vocabulary), dtype=np.uint32), dtype=pl.UInt32),
            "token": pl.Series(list(vocabulary), dtype=pl.Utf8),
            "document_frequency": pl.Series(document_frequency.astype(np.uint32), dtype=pl.UInt32),
        }
    ).write_parquet(out / "vocabulary.parquet", compression="zstd")
    queries = pl.read_parquet(texts_dir / "query_texts.parquet", columns=["query_index", "text"])
    of_queries = _once(tokenize) if params.name in QUERY_COUNTS_ONCE else tokenize
    _query_tokens(queries, of_queries, vocabulary).write_parquet(out / "query_tokens.parquet", compression="zstd")


def _once(tokenize: Tokenizer) -> Tokenizer:
    return lambda text: list(dict.fromkeys(tokenize(text)))


def _write_documents(
    texts_dir: Path, tokenize: Tokenizer, vocabulary: Vocabulary, out: Path, progress: Progress
) -> np.ndarray:
    """Write the tokens of the documents, fill the vocabulary, and return in how many documents each token occurs."""
    source = pq.ParquetFile(texts_dir / "document_texts.parquet")
    frequency = np.zeros(0, dtype=np.int64)
    n_done = 0
    with pq.ParquetWriter(out / "document_tokens.parquet", DOCUMENT_SCHEMA, compression="zstd") as writer:
        for batch in source.iter_batches(batch_size=ROWS_PER_CHUNK, columns=["document_index", "text"]):
            numbers = [list(map(vocabulary.__getitem__, tokenize(text))) for text in batch.column("text").to_pylist()]
            lengths = np.fromiter(map(len, numbers), dtype=np.int64, count=len(numbers))
            flat = np.fromiter(chain.from_iterable(numbers), dtype=np.uint32, count=int(lengths.sum()))
            offsets = np.concatenate([[0], np.cumsum(lengths)])
            lists = pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(flat), type=TOKENS)
            writer.write_table(pa.table([batch.column("document_index"), lists], schema=DOCUMENT_SCHEMA))
            frequency = _add_frequencies(frequency, flat, lengths, len(vocabulary))
            n_done += len(numbers)
            progress(n_done, source.metadata.num_rows, "documents")
    return frequency


def _add_frequencies(frequency: np.ndarray, flat: np.ndarray, lengths: np.ndarray, n_tokens: int) -> np.ndarray:
    """Add the number of documents in which each token occurs: a token counts once per document."""
    row = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    distinct = np.unique(row << 32 | flat.astype(np.int64)) & 0xFFFFFFFF
    counts = np.bincount(distinct, minlength=n_tokens)
    counts[: len(frequency)] += frequency
    return counts


def _query_tokens(queries: pl.DataFrame, tokenize: Tokenizer, vocabulary: Vocabulary) -> pl.DataFrame:
    tokens = [tokenize(text) for text in queries["text"]]
    known = [[vocabulary[token] for token in query if token in vocabulary] for query in tokens]
    n_unknown = [len(query) - len(found) for query, found in zip(tokens, known, strict=True)]
    return pl.DataFrame(
        {
            "query_index": queries["query_index"].cast(pl.Int32),
            "tokens": pl.Series(known, dtype=pl.List(pl.UInt32)),
            "n_unknown": pl.Series(n_unknown, dtype=pl.Int32),
        }
    )

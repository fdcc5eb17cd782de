"""Build the BM25 index: one sparse matrix per scope of the protocol, with the statistics of that scope.

What is indexed is the ranked unit: a turn, or the turns of a session joined to one text.
"""

from pathlib import Path

import numpy as np
import polars as pl

from tasks.corpora.protocols import parse_protocol
from tasks.corpora.scopes import scope_documents
from tasks.corpora.tables import Corpus
from tasks.indexes.bm25 import Bm25Params, RaggedTokens, index_scope, write_index
from tasks.progress import Progress, silent
from tasks.records import BenchError


def build(
    tokens_dir: Path,
    corpus_dir: Path,
    protocol: str,
    params: Bm25Params,
    out: Path,
    progress: Progress = silent,
) -> None:
    """Write the files that `tasks.indexes.bm25.Bm25Index` reads.

    Parameters
    ----------
    tokens_dir
        Artifact of the text stage: `document_tokens.parquet` and `query_tokens.parquet`.
    corpus_dir
        Artifact of the corpora stage.
    protocol
        Decides the scopes, and with them N, df and the mean length.
    params
        Variant, k1 and b.
    out
        Where the arrays are written. Memory: the tokens of all documents (4 bytes each), and 40 bytes per entry.

    Raises
    ------
    BenchError
        When the tokens are those of another corpus.
    """
    corpus = Corpus.read(corpus_dir, with_texts=False)
    documents = _read_tokens(tokens_dir / "document_tokens.parquet", "document_index", corpus.documents.height)
    queries = _read_tokens(tokens_dir / "query_tokens.parquet", "query_index", corpus.queries.height)
    scopes = scope_documents(corpus, parse_protocol(protocol))
    indexed = []
    for done, (rows, units) in enumerate(zip(scopes.documents, scopes.units, strict=True), start=1):
        indexed.append(index_scope(documents.take(np.asarray(rows, dtype=np.int64)).merged(units), params))
        progress(done, len(scopes.documents), "scopes")
    write_index(list(scopes.scope_ids), indexed, queries, out)


def _read_tokens(path: Path, index: str, n_expected: int) -> RaggedTokens:
    frame = pl.read_parquet(path, columns=[index, "tokens"]).sort(index)
    if frame.height != n_expected:
        raise BenchError(f"{path.name} has {frame.height} rows; expected {n_expected}, as in the corpus")
    return RaggedTokens.from_series(frame["tokens"])

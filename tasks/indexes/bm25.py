"""BM25 on explicit token ids: weights per (token, document), computed when the index is built.

Three variants. `lucene`: idf ln(1 + (N - df + 0.5) / (df + 0.5)), no factor k1 + 1. `okapi-floor`: rank_bm25's Okapi,
idf ln(N - df + 0.5) - ln(df + 0.5), every negative idf replaced by 0.25 x the mean idf over the vocabulary, factor
k1 + 1 (protocols.md A.2). Neither bm25s nor Lucene has that floor. `bm25l`: idf ln((N + 1) / (df + 0.5)), and
(k1 + 1)(c + 0.5) / (k1 + c + 0.5) with c = tf / (1 - b + b len / avglen) where tf > 0 (protocols.md B.2; Lv and Zhai,
SIGIR 2011). bm25s's own BM25L gives documents without the token a score as well.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field

from tasks.records import BenchError, Params

FLOOR_SHARE = 0.25
"""rank_bm25's epsilon: share of the mean idf that replaces a negative idf."""
BM25L_DELTA = 0.5
"""What BM25L adds to every normalised term frequency above 0, so that long documents are not punished too much."""

TokenIds = npt.NDArray[np.uint32]


class Bm25Params(Params):
    """Parameters of BM25. `bm25` alone means Lucene's idf, k1 1.5, b 0.75."""

    variant: Literal["lucene", "okapi-floor", "bm25l"] = "lucene"
    k1: float = Field(default=1.5, ge=0)
    b: float = Field(default=0.75, ge=0, le=1)


class RaggedTokens:
    """Lists of token ids in two arrays. Iterating gives Python lists, one at a time: memory stays that of the arrays.

    Attributes
    ----------
    values
        All token ids, end to end, uint32.
    offsets
        Shape (n + 1,): list i is `values[offsets[i]:offsets[i + 1]]`.
    """

    def __init__(self, values: TokenIds, offsets: npt.NDArray[np.int64]) -> None:
        self.values, self.offsets = values, offsets

    @classmethod
    def from_series(cls, lists: pl.Series) -> Self:
        """Take a polars column of lists."""
        lengths = lists.list.len().fill_null(0).to_numpy().astype(np.int64)
        values = lists.explode(empty_as_null=False, keep_nulls=False).to_numpy().astype(np.uint32)
        return cls(values, np.concatenate([[0], np.cumsum(lengths)]))

    def take(self, rows: npt.NDArray[np.int64]) -> "RaggedTokens":
        """Return the lists of `rows`, in that order."""
        lengths = (self.offsets[1:] - self.offsets[:-1])[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        shift = np.repeat(self.offsets[:-1][rows] - offsets[:-1], lengths)
        return RaggedTokens(self.values[np.arange(offsets[-1]) + shift], offsets)

    def merged(self, units: npt.NDArray[np.int32]) -> "RaggedTokens":
        """Return one list per unit, those of its rows end to end; `units` numbers the rows, ascending from 0."""
        n_units = int(units[-1]) + 1 if units.size else 0
        return RaggedTokens(self.values, self.offsets[np.searchsorted(units, np.arange(n_units + 1))])

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> TokenIds:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def __iter__(self) -> Iterator[list[int]]:
        for row in range(len(self)):
            yield self[row].tolist()


@dataclass(frozen=True, slots=True)
class Bm25Scope:
    """The index of one scope: a sparse matrix, column by column.

    Attributes
    ----------
    tokens
        Shape (v,), ascending: the token ids that occur in the scope.
    starts
        Shape (v + 1,), int64: column i is `weights[starts[i]:starts[i + 1]]`.
    places
        int32: place of the document in the scope, 0 to n_documents - 1.
    weights
        float64: what one occurrence of the token in the query adds to that document's score.
    n_documents
        Documents of the scope.
    """

    tokens: TokenIds
    starts: npt.NDArray[np.int64]
    places: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float64]
    n_documents: int

    def scores(self, query: TokenIds) -> npt.NDArray[np.float64]:
        """Return the score of every document, shape (n_documents,); a token counts as often as it is in the query.

        A document without any of the tokens scores 0, and so does every document when no token is known.
        """
        scores = np.zeros(self.n_documents)
        for column in np.searchsorted(self.tokens, query[np.isin(query, self.tokens)]):
            entries = slice(self.starts[column], self.starts[column + 1])
            scores[self.places[entries]] += self.weights[entries]  # places are distinct within a column
        return scores


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often each token is in each document of a scope: what all variants and parameters have in common.

    Attributes
    ----------
    tokens, starts, places
        As in `Bm25Scope`; places ascend within a column.
    frequencies
        int64, at least 1: occurrences of the token in that document.
    lengths
        Shape (n_documents,), int64: tokens of each document.
    """

    tokens: TokenIds
    starts: npt.NDArray[np.int64]
    places: npt.NDArray[np.int32]
    frequencies: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]


def count_terms(documents: RaggedTokens) -> TermCounts:
    """Count the tokens of one scope. Memory: about 40 bytes per token of its documents."""
    lengths = np.diff(documents.offsets)
    tokens, local = np.unique(documents.values, return_inverse=True)
    n_documents = max(len(documents), 1)
    cells = local.astype(np.int64) * n_documents + np.repeat(np.arange(len(documents)), lengths)
    cells, frequencies = np.unique(cells, return_counts=True)
    starts = np.searchsorted(cells, np.arange(len(tokens) + 1) * n_documents)
    return TermCounts(tokens, starts, (cells % n_documents).astype(np.int32), frequencies.astype(np.int64), lengths)


def term_weights(counts: TermCounts, params: Bm25Params) -> npt.NDArray[np.float64]:
    """Return the weight of each entry of `counts` by the formula of its variant, float64."""
    if not len(counts.places):
        return np.empty(0)
    k1, b, n_documents = params.k1, params.b, len(counts.lengths)
    document_frequency = np.diff(counts.starts)
    norm = (1 - b + b * counts.lengths / counts.lengths.mean())[counts.places]
    if params.variant == "bm25l":  # protocols.md B.2
        c = counts.frequencies / norm + BM25L_DELTA
        idf, saturated = bm25l_idf(document_frequency, n_documents), (k1 + 1) * c / (k1 + c)
    else:
        idf, saturated = (
            _lucene_idf(document_frequency, n_documents),
            counts.frequencies / (counts.frequencies + k1 * norm),
        )
        if params.variant == "okapi-floor":
            idf, saturated = okapi_floor_idf(document_frequency, n_documents), (k1 + 1) * saturated
    return np.asarray(np.repeat(idf, document_frequency) * saturated)


def index_scope(documents: RaggedTokens, params: Bm25Params) -> Bm25Scope:
    """Index one scope in float64, with the statistics of that scope; with bm25s, except BM25L.

    Memory: about 40 bytes per distinct (token, document) pair while building.
    """
    if params.variant == "bm25l" or not documents.values.size:
        counts = count_terms(documents)
        return Bm25Scope(counts.tokens, counts.starts, counts.places, term_weights(counts, params), len(documents))
    return _index_with_bm25s(documents, params)


def _index_with_bm25s(documents: RaggedTokens, params: Bm25Params) -> Bm25Scope:
    import bm25s

    tokens, local = np.unique(documents.values, return_inverse=True)
    # Lucene's idf is positive for every df, so the columns of the Okapi variant can be rescaled from it.
    method = "lucene" if params.variant == "lucene" else "atire"
    engine = bm25s.BM25(k1=params.k1, b=params.b, method=method, idf_method="lucene", dtype="float64")
    columns = engine.build_index_from_ids(
        range(len(tokens)), RaggedTokens(local.astype(np.uint32), documents.offsets), show_progress=False
    )
    starts, weights = np.asarray(columns["indptr"], np.int64), columns["data"]
    if params.variant == "okapi-floor":
        document_frequency = np.diff(starts)
        ratio = okapi_floor_idf(document_frequency, len(documents)) / _lucene_idf(document_frequency, len(documents))
        weights = weights * np.repeat(ratio, document_frequency)
    return Bm25Scope(tokens, starts, np.asarray(columns["indices"], np.int32), weights, len(documents))


def okapi_floor_idf(document_frequency: npt.NDArray[np.int64], n_documents: int) -> npt.NDArray[np.float64]:
    """Return rank_bm25's idf of each token of a vocabulary (every `document_frequency` at least 1).

    >>> okapi_floor_idf(np.array([1, 3]), 4).round(6).tolist()  # ln(3.5/1.5); 0.25 x the mean of that and ln(1.5/3.5)
    [0.847298, 0.0]
    """
    idf: npt.NDArray[np.float64] = np.log(n_documents - document_frequency + 0.5) - np.log(document_frequency + 0.5)
    return np.where(idf < 0, FLOOR_SHARE * float(idf.mean()), idf)


def _lucene_idf(document_frequency: npt.NDArray[np.int64], n_documents: int) -> npt.NDArray[np.float64]:
    return np.asarray(np.log(1 + (n_documents - document_frequency + 0.5) / (document_frequency + 0.5)))


def bm25l_idf(document_frequency: npt.NDArray[np.int64], n_documents: int) -> npt.NDArray[np.float64]:
    """Return BM25L's idf (protocols.md B.2), positive for every df.

    >>> bm25l_idf(np.array([1, 3]), 3).round(6).tolist()  # ln(4/1.5), ln(4/3.5)
    [0.980829, 0.133531]
    """
    return np.asarray(np.log((n_documents + 1) / (document_frequency + 0.5)))


ARRAYS = ("tokens", "starts", "places", "weights")
_NONE = {
    name: np.empty(0, dtype) for name, dtype in zip(ARRAYS, (np.uint32, np.int64, np.int32, np.float64), strict=True)
}


class Bm25Index:
    """The indexes of all scopes of a corpus and the tokens of all queries, memory-mapped.

    Files: `scopes.parquet` (scope_id, n_documents, n_tokens, n_entries), the arrays of `Bm25Scope` end to end in
    `tokens.npy`, `starts.npy`, `places.npy`, `weights.npy`; `query_tokens.npy`, `query_offsets.npy`.
    """

    def __init__(self, directory: Path) -> None:
        if not (directory / "scopes.parquet").is_file():
            raise BenchError(f"no scopes.parquet in {directory}; expected a BM25 index: run the indexes stage")
        self._arrays = {name: np.load(directory / f"{name}.npy", mmap_mode="r") for name in ARRAYS}
        scopes = pl.read_parquet(directory / "scopes.parquet")
        self.scope_ids: list[str] = scopes["scope_id"].to_list()
        self._sizes = scopes.select("n_documents", "n_tokens", "n_entries").to_numpy().astype(np.int64)
        self.queries = RaggedTokens(np.load(directory / "query_tokens.npy"), np.load(directory / "query_offsets.npy"))

    def scope(self, number: int) -> Bm25Scope:
        """Return the index of the scope at that place of `scope_ids`."""
        _, token_start, entry_start = self._sizes[:number].sum(axis=0)
        n_documents, n_tokens, n_entries = self._sizes[number]
        start = token_start + number  # each scope before has one more start than tokens
        return Bm25Scope(
            tokens=self._arrays["tokens"][token_start : token_start + n_tokens],
            starts=self._arrays["starts"][start : start + n_tokens + 1],
            places=self._arrays["places"][entry_start : entry_start + n_entries],
            weights=self._arrays["weights"][entry_start : entry_start + n_entries],
            n_documents=int(n_documents),
        )


def write_index(scope_ids: list[str], scopes: list[Bm25Scope], queries: RaggedTokens, out: Path) -> None:
    """Write what `Bm25Index` reads."""
    for name in ARRAYS:
        parts = [getattr(scope, name) for scope in scopes]
        np.save(out / f"{name}.npy", parts[0] if len(parts) == 1 else np.concatenate([_NONE[name], *parts]))
    np.save(out / "query_tokens.npy", queries.values)
    np.save(out / "query_offsets.npy", queries.offsets)
    pl.DataFrame(
        {
            "scope_id": scope_ids,
            "n_documents": [scope.n_documents for scope in scopes],
            "n_tokens": [len(scope.tokens) for scope in scopes],
            "n_entries": [len(scope.weights) for scope in scopes],
        },
        schema={"scope_id": pl.Utf8, "n_documents": pl.Int64, "n_tokens": pl.Int64, "n_entries": pl.Int64},
    ).write_parquet(out / "scopes.parquet", compression="zstd")

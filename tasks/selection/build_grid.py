"""Build the study of BM25's parameters: every setting of a grid, and the one chosen on other conversations (B.5)."""

from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field

from tasks.candidates.ranking import TieRule
from tasks.candidates.rankings import ranking_table, write_rankings
from tasks.corpora.protocols import parse_protocol
from tasks.corpora.scopes import Scopes, scope_documents
from tasks.corpora.tables import Corpus
from tasks.indexes.bm25 import Bm25Params, RaggedTokens
from tasks.indexes.bm25_grid import grid_scores
from tasks.progress import Progress, silent
from tasks.records import BenchError, Params
from tasks.selection.folds import Folds, folds_of
from tasks.selection.session_lists import SessionLists, SessionTruth, make_lists
from tasks.selection.weights import Choice, choose

Integers = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]

_SETTING = {"variant": pl.Utf8, "k1": pl.Float64, "b": pl.Float64}
GRID_SCHEMA = {**_SETTING, "n": pl.Int32, "n_hits": pl.Int32, "value": pl.Float64}
GRID_CHOICES = {
    "fold": pl.Int32,
    "group": pl.Utf8,
    "n_held_out": pl.Int32,
    "n_development": pl.Int32,
    **_SETTING,
    "development_value": pl.Float64,
    "n_hits_held_out": pl.Int32,
}


class GridParams(Params):
    """Study B's grid; of equal settings the first wins: variants in this order, then k1, then b.

    Attributes
    ----------
    variants, k1, b
        Of BM25; the study's "classic" is `lucene`, up to the constant factor k1 + 1.
    n_folds, fold_seed
        Of the random folds where questions do not share a conversation.
    ties, tie_seed
        Order of equal scores.
    """

    variants: tuple[Literal["lucene", "bm25l"], ...] = Field(default=("lucene", "bm25l"), min_length=1)
    k1: tuple[float, ...] = Field(default=(0.4, 0.6, 0.8, 1.0, 1.2, 1.5, 1.8, 2.2, 2.6, 3.0), min_length=1)
    b: tuple[float, ...] = Field(default=(0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0), min_length=1)
    n_folds: int = Field(default=5, ge=2)
    fold_seed: int = Field(default=0, ge=0)
    ties: TieRule = TieRule.EARLIEST
    tie_seed: int = 0

    @property
    def settings(self) -> list[Bm25Params]:
        """The settings, in the order in which equals win."""
        return [Bm25Params(variant=v, k1=k1, b=b) for v in self.variants for k1 in self.k1 for b in self.b]


def build(
    tokens_dir: Path,
    corpus_dir: Path,
    protocol: str,
    params: GridParams,
    out: Path,
    progress: Progress = silent,
    classes_dir: Path | None = None,
) -> None:
    """Write `grid.parquet`, `grid_choices.parquet` and `rankings.parquet`.

    `grid` (`GRID_SCHEMA`): Success@1 of each setting over all questions with a value; its best is a ceiling, found by
    looking at the answers. `grid_choices` (`GRID_CHOICES`): the setting chosen for each fold on the others, and what it
    gives there. `rankings`: every question ranked by the setting of its fold; a session is known by its first turn.

    Parameters
    ----------
    tokens_dir
        Artifact of the step `tokens` of the stage text.
    corpus_dir
        Artifact of the stage corpora.
    protocol
        One that ranks sessions.
    params
        Grid, folds and ties.
    out
        Where the tables are written. Memory: 8 bytes per setting, question and session (90 MB on LoCoMo).
    classes_dir
        Artifact of the step `classes`; only protocols that collapse twins read it.

    Raises
    ------
    BenchError
        When the protocol ranks no sessions, the tokens are those of another corpus, or there are too few groups or
        questions to choose on.
    """
    corpus, by = Corpus.read(corpus_dir, with_texts=False), parse_protocol(protocol)
    if not by.ranks_sessions:
        raise BenchError(f"protocol {protocol} ranks no sessions; expected e.g. conversation-session")
    scopes = scope_documents(corpus, by)
    lists = _lists(corpus, scopes, params)
    folds = folds_of(
        by, lists.scope_ids, corpus.queries["query_id"].to_list(), n_folds=params.n_folds, seed=params.fold_seed
    )
    scores = _scores(tokens_dir, corpus, scopes, lists, params)
    truth = SessionTruth(lists, corpus, by, classes_dir)
    hits = []
    for done, of_setting in enumerate(scores, start=1):
        hits.append(truth.hits(lists.places(of_setting)))
        progress(done, len(scores), "settings")
    found = _Found(params.settings, np.stack(hits), truth.is_defined, folds)
    found.grid().write_parquet(out / "grid.parquet", compression="zstd")
    found.table().write_parquet(out / "grid_choices.parquet", compression="zstd")
    chosen = np.array([choice.setting for choice in found.choices])[folds.fold]
    held_out = scores[np.repeat(chosen, np.diff(lists.offsets)), np.arange(len(lists.documents))]
    write_rankings(ranking_table(lists.queries, lists.offsets, lists.documents, held_out, lists.places(held_out)), out)


class _Found:
    """What the settings give, and which were chosen. `is_hit` has shape (settings, questions)."""

    def __init__(
        self,
        settings: list[Bm25Params],
        is_hit: npt.NDArray[np.bool_],
        is_defined: npt.NDArray[np.bool_],
        folds: Folds,
    ) -> None:
        self._settings, self._is_hit, self._is_defined, self._folds = settings, is_hit, is_defined, folds
        self.choices: list[Choice] = choose(is_hit, is_defined, folds)

    def grid(self) -> pl.DataFrame:
        """Return one row per setting."""
        n, n_hits = int(self._is_defined.sum()), self._is_hit[:, self._is_defined].sum(axis=1).tolist()
        rows = [(s.variant, s.k1, s.b, n, hits, hits / n) for s, hits in zip(self._settings, n_hits, strict=True)]
        return pl.DataFrame(rows, schema=GRID_SCHEMA, orient="row")

    def table(self) -> pl.DataFrame:
        """Return one row per fold."""
        rows = []
        for fold, (name, choice) in enumerate(zip(self._folds.names, self.choices, strict=True)):
            setting = self._settings[choice.setting]
            hits = int(self._is_hit[choice.setting, self._is_defined & (self._folds.fold == fold)].sum())
            sizes = (choice.n_held_out, choice.n_development)
            rows.append((fold, name, *sizes, setting.variant, setting.k1, setting.b, choice.development_value, hits))
        return pl.DataFrame(rows, schema=GRID_CHOICES, orient="row")


def _lists(corpus: Corpus, scopes: Scopes, params: GridParams) -> SessionLists:
    """Return the sessions of every question's scope, in the order of the scope, each by its first turn; no scores."""
    firsts = [
        documents[np.searchsorted(units, np.arange(n))]
        for documents, units, n in zip(scopes.documents, scopes.units, scopes.n_units, strict=True)
    ]
    of_query = [firsts[scope] for scope in scopes.query_scope.tolist()]
    queries = np.arange(corpus.queries.height, dtype=np.int32)
    rows = pl.DataFrame(
        {
            "query_index": np.repeat(queries, [len(documents) for documents in of_query]),
            "document_index": np.concatenate([np.empty(0, np.int32), *of_query]),
        }
    ).with_columns(bm25_score=pl.lit(0.0), dense_score=pl.lit(0.0))
    names = [scopes.scope_ids[scope] for scope in scopes.query_scope.tolist()]
    return make_lists(
        rows, pl.DataFrame({"query_index": queries, "scope_id": names}), corpus, params.ties, params.tie_seed
    )


def _scores(tokens_dir: Path, corpus: Corpus, scopes: Scopes, lists: SessionLists, params: GridParams) -> Scores:
    """Return (settings, n) float64: the BM25 score of every row of the lists under every setting."""
    documents, queries = (
        _tokens(tokens_dir, name, frame.height)
        for name, frame in (("document", corpus.documents), ("query", corpus.queries))
    )
    scores = np.zeros((len(params.settings), len(lists.documents)))
    for number, (places, units) in enumerate(zip(scopes.documents, scopes.units, strict=True)):
        asking = np.flatnonzero(scopes.query_scope == number)
        if not asking.size or not units.size:
            continue
        sessions = documents.take(places.astype(np.int64)).merged(units)
        found = grid_scores(sessions, queries.take(asking), params.settings)
        rows = lists.offsets[asking][:, None] + np.arange(len(sessions))
        scores[:, rows.ravel()] = found.reshape(len(found), -1)
    return scores


def _tokens(tokens_dir: Path, name: str, n_expected: int) -> RaggedTokens:
    path = tokens_dir / f"{name}_tokens.parquet"
    if not path.is_file():
        raise BenchError(f"no table {path.name} in {tokens_dir}; expected tokens: run the stage text")
    frame = pl.read_parquet(path, columns=[f"{name}_index", "tokens"]).sort(f"{name}_index")
    if frame.height != n_expected:
        raise BenchError(f"{path.name} has {frame.height} rows; expected {n_expected}, as in the corpus")
    return RaggedTokens.from_series(frame["tokens"])

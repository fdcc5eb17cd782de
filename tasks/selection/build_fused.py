"""Build the fused rankings of sessions, with a weight that is chosen on other questions than it is used for."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field, ValidationInfo, field_validator

from tasks.candidates.combination import min_max, reciprocal_ranks, weighted, z_normalised
from tasks.candidates.ranking import TieRule
from tasks.candidates.rankings import ranking_table, write_rankings
from tasks.corpora.protocols import Protocol, parse_protocol
from tasks.corpora.tables import Corpus
from tasks.measures.names import MeasureParams
from tasks.progress import Progress, silent
from tasks.records import BenchError, Params
from tasks.selection.adaptive import adaptive_weights, query_features
from tasks.selection.combining import HELD_OUT, Alpha, fitting_weight
from tasks.selection.folds import Folds, folds_of
from tasks.selection.session_lists import SELECTED_BY, SessionLists, SessionTruth, read_lists
from tasks.selection.weights import GRID, Choice, choice_table, choose

Scores = npt.NDArray[np.float64]
Values = npt.NDArray[np.float64]

CURVE = {"alpha": pl.Float64, "measure": pl.Utf8, "n": pl.Int32, "value": pl.Float64}
WEIGHTS = {"query_index": pl.Int32, "fold": pl.Int32, "alpha": pl.Float64}
_NORMALISED = {"z": z_normalised, "adaptive": z_normalised, "minmax": min_max}


class FusionParams(Params):
    """How the two scores of a session become one.

    Attributes
    ----------
    combine
        `z`, `minmax`: weighted sum of the scores, normalised within the candidate set; `adaptive`: `z` with a weight
        of each question's own (`tasks.selection.adaptive`); `rrf`: reciprocal ranks; `dense`: no fusion, the dense
        score alone.
    alpha
        Weight of BM25, or `held-out`: chosen for each fold on the questions of the others. Only `z` and `minmax` take a
        number.
    n_folds, fold_seed
        Of the random folds of questions; where questions share a conversation, a fold is a conversation.
    rrf_k, rank_origin
        Of reciprocal rank fusion.
    ties, tie_seed
        Order of equal scores; study B's is `earliest`.
    measures
        Of the curve.
    """

    combine: Literal["z", "minmax", "rrf", "adaptive", "dense"] = "z"
    alpha: Alpha = HELD_OUT
    n_folds: int = Field(default=5, ge=2)
    fold_seed: int = Field(default=0, ge=0)
    rrf_k: int = Field(default=60, ge=0)
    rank_origin: int = Field(default=1, ge=0, le=1)
    ties: TieRule = TieRule.EARLIEST
    tie_seed: int = 0
    measures: tuple[str, ...] = (SELECTED_BY, "R@3", "R@5", "RR", "nDCG@5")

    @field_validator("alpha")
    @classmethod
    def _has_a_weight(cls, alpha: float | str, info: ValidationInfo) -> float | str:
        return fitting_weight(alpha, info.data.get("combine"))

    @field_validator("measures")
    @classmethod
    def _are_known(cls, measures: tuple[str, ...]) -> tuple[str, ...]:
        return MeasureParams(names=measures).names


def build(
    sessions_dir: Path,
    corpus_dir: Path,
    protocol: str,
    params: FusionParams,
    out: Path,
    progress: Progress = silent,
    classes_dir: Path | None = None,
    bm25_dir: Path | None = None,
) -> None:
    """Write `rankings.parquet`, `choices.parquet`, `curve.parquet` and `weights.parquet`.

    `rankings` holds every session of every question asked, by its best turn (columns:
    `tasks.candidates.rankings.RANKINGS`). `choices` (`CHOICES`) has a row per fold where a weight was chosen.
    `curve` (`CURVE`) is the mean over all questions with a value for each weight of the grid: in-sample, to look at and
    not to report; `z` and `minmax` have one. `weights` (`WEIGHTS`) has a row per question where there is a weight;
    `fold` is null where it is the same for all. A question without a value takes no part in the choice and is ranked
    with the weight of its fold.

    Parameters
    ----------
    sessions_dir
        Artifact of the step `sessions` of the stage candidates.
    corpus_dir
        Artifact of the stage corpora whose judgements count.
    protocol
        Decides what is right, and the folds: conversations where questions share them, else random folds of questions.
    params
        Combination, weight, folds and ties.
    out
        Where the tables are written. Memory: about 200 bytes per candidate.
    classes_dir
        Artifact of the step `classes`; only protocols that collapse twins read it.
    bm25_dir
        Artifact of the BM25 index of the same protocol; only `adaptive` reads it.

    Raises
    ------
    BenchError
        When the inputs do not belong together, or there are too few groups or questions to choose on.
    """
    corpus, by = Corpus.read(corpus_dir, with_texts=False), parse_protocol(protocol)
    lists = read_lists(sessions_dir, corpus, params.ties, params.tie_seed)
    truth = SessionTruth(lists, corpus, by, classes_dir)
    fused = _Fusion(lists, truth, params, by, corpus, bm25_dir).fused(progress)
    rankings = ranking_table(lists.queries, lists.offsets, lists.documents, fused.scores, lists.places(fused.scores))
    write_rankings(rankings, out)
    for name, table in fused.tables.items():
        table.write_parquet(out / f"{name}.parquet", compression="zstd")


@dataclass(frozen=True, slots=True)
class _Fused:
    """The final scores, (n,), and the tables that say where their weights come from."""

    scores: Scores
    tables: Mapping[str, pl.DataFrame]


class _Fusion:
    """One fusion of one set of lists."""

    def __init__(
        self,
        lists: SessionLists,
        truth: SessionTruth,
        params: FusionParams,
        protocol: Protocol,
        corpus: Corpus,
        bm25_dir: Path | None,
    ) -> None:
        self._lists, self._truth, self._params, self._protocol = lists, truth, params, protocol
        self._query_ids = corpus.queries["query_id"].gather(lists.queries).to_list()
        self._bm25_dir = bm25_dir
        normalise = _NORMALISED.get(params.combine, z_normalised)
        self._bm25, self._dense = (normalise(scores, lists.offsets) for scores in (lists.bm25, lists.dense))

    def fused(self, progress: Progress) -> _Fused:
        """Return the scores of the combination that is asked for."""
        lists, params = self._lists, self._params
        match params.combine:
            case "dense":
                return _Fused(lists.dense, _tables())
            case "rrf":
                ranks = (lists.places(scores) for scores in (lists.bm25, lists.dense))
                rrf = reciprocal_ranks(*ranks, rrf_k=params.rrf_k, rank_origin=params.rank_origin)
                return _Fused(rrf, _tables())
            case "adaptive":
                folds = self._folds()
                return self._with(self._adaptive(folds), folds, _tables())
        curve, is_hit = self._curve(progress)
        if params.alpha != HELD_OUT:
            return self._with(np.full(len(lists.queries), float(params.alpha)), None, _tables(curve=curve))
        folds = self._folds()
        choices = choose(is_hit, self._truth.is_defined, folds)
        alpha = np.array([GRID[choice.setting] for choice in choices])[folds.fold]
        return self._with(alpha, folds, _tables(choices, folds, curve))

    def _with(self, alpha: Values, folds: Folds | None, tables: dict[str, pl.DataFrame]) -> _Fused:
        """Weigh the scores; `alpha` has shape (m,), one weight per question."""
        fold = pl.Series(folds.fold if folds else [None] * len(alpha), dtype=pl.Int32)
        weights = pl.DataFrame({"query_index": self._lists.queries, "fold": fold, "alpha": alpha}, schema=WEIGHTS)
        return _Fused(self._scores(alpha), {**tables, "weights": weights})

    def _scores(self, alpha: float | Values) -> Scores:
        of_row = alpha if isinstance(alpha, float) else np.repeat(alpha, np.diff(self._lists.offsets))
        return weighted(of_row, self._bm25, self._dense)

    def _folds(self) -> Folds:
        how = {"n_folds": self._params.n_folds, "seed": self._params.fold_seed}
        return folds_of(self._protocol, self._lists.scope_ids, self._query_ids, **how)

    def _curve(self, progress: Progress) -> tuple[pl.DataFrame, npt.NDArray[np.bool_]]:
        """Return the in-sample curve, and (weights, m) whether the first result is right."""
        rows, hits = [], []
        for done, alpha in enumerate(GRID, start=1):
            places = self._lists.places(self._scores(alpha))
            hits.append(self._truth.hits(places))
            defined = self._truth.values(places, self._params.measures)[:, self._truth.is_defined]
            means = (float(values.mean()) if values.size else np.nan for values in defined)
            named = zip(self._params.measures, means, strict=True)
            rows += [(alpha, name, defined.shape[1], mean) for name, mean in named]
            progress(done, len(GRID), "weights")
        return pl.DataFrame(rows, schema=CURVE, orient="row"), np.stack(hits)

    def _adaptive(self, folds: Folds) -> Values:
        if self._bm25_dir is None:
            raise BenchError("combine=adaptive came without a BM25 index, whose word counts it looks at; build it")
        lists = self._lists
        rr_bm25, rr_dense = (
            self._truth.values(lists.places(scores), ["RR"])[0] for scores in (lists.bm25, lists.dense)
        )
        features = query_features(lists, self._bm25_dir)
        return adaptive_weights(features, np.where(self._truth.is_defined, np.sign(rr_bm25 - rr_dense), 0.0), folds)


def _tables(
    choices: list[Choice] | None = None, folds: Folds | None = None, curve: pl.DataFrame | None = None
) -> dict[str, pl.DataFrame]:
    return {
        "choices": choice_table(choices or [], folds),
        "curve": pl.DataFrame(schema=CURVE) if curve is None else curve,
        "weights": pl.DataFrame(schema=WEIGHTS),
    }

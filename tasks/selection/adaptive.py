"""A weight of BM25 for each question, from cheap features that can be had before anything is judged.

Study B says only "a query-adaptive weight from cheap query features" (0.6527 under leave-one-conversation-out, no
gain). This is our own, small method. A logistic regression is fitted on the development questions of a fold: will BM25
or the dense score rank the first right session higher? Questions on which both rank it equally teach nothing and are
left out. Its probability that BM25 does is the question's weight, moved to the nearest step of the grid. Nothing is
tuned: the regularisation is scikit-learn's default (C = 1), and features are standardised by the development questions.
"""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tasks.candidates.combination import z_normalised
from tasks.indexes.bm25 import Bm25Index
from tasks.records import BenchError
from tasks.selection.folds import Folds
from tasks.selection.session_lists import SessionLists
from tasks.selection.weights import STEPS

Features = npt.NDArray[np.float64]
Values = npt.NDArray[np.float64]

FEATURES = ("n_known_tokens", "max_idf", "mean_idf", "bm25_gap", "dense_gap")
"""Distinct tokens of the question that occur in its scope; the largest and the mean idf of those (0 without any); by
how many standard deviations the first session leads the second, in either score (0 with fewer than two)."""

UNDECIDED = 0.5
"""Weight where no development question says which score is better."""


def query_features(lists: SessionLists, bm25_dir: Path) -> Features:
    """Return (m, 5) float64: `FEATURES` of each question of `lists`; judgements are not looked at.

    The idf is ln(1 + (N - df + 0.5) / (df + 0.5)), of the sessions of the scope.

    Raises
    ------
    BenchError
        When the index has not the scopes of the lists.
    """
    index = Bm25Index(bm25_dir)
    number = {scope_id: place for place, scope_id in enumerate(index.scope_ids)}
    if unknown := sorted(set(lists.scope_ids) - number.keys()):
        raise BenchError(
            f"the BM25 index in {bm25_dir} lacks {len(unknown)} scopes of the candidates, e.g. {unknown[0]}; expected "
            "the index that they were made with"
        )
    features = np.zeros((len(lists.queries), len(FEATURES)))
    of_scope: dict[str, list[int]] = {}
    for row, scope_id in enumerate(lists.scope_ids):
        of_scope.setdefault(scope_id, []).append(row)
    for scope_id, rows in of_scope.items():
        scope = index.scope(number[scope_id])
        df = np.diff(scope.starts)
        idf = np.log1p((scope.n_documents - df + 0.5) / (df + 0.5))
        for row in rows:
            known = idf[np.isin(scope.tokens, index.queries[int(lists.queries[row])])]
            features[row, :3] = (len(known), known.max(initial=0.0), known.mean() if len(known) else 0.0)
    for column, scores in ((3, lists.bm25), (4, lists.dense)):
        features[:, column] = _gaps(z_normalised(scores, lists.offsets), lists)
    return features


def adaptive_weights(features: Features, preference: Values, folds: Folds) -> Values:
    """Return (m,) float64: the weight of BM25 for each question, fitted on the questions of the other folds.

    Parameters
    ----------
    features
        Shape (m, any number).
    preference
        Shape (m,): above 0 where BM25 ranks the first right session higher than the dense score does, below 0 where
        lower, 0 where it does not matter or is not known.
    folds
        Of the same m questions.
    """
    weights = np.full(len(features), UNDECIDED)
    for fold in range(len(folds.names)):
        is_held_out = folds.fold == fold
        learns = ~is_held_out & (preference != 0)
        if is_held_out.any() and learns.any():
            weights[is_held_out] = _predicted(features[learns], preference[learns] > 0, features[is_held_out])
    return np.asarray(np.rint(weights * STEPS) / STEPS, dtype=np.float64)


def _predicted(seen: Features, is_bm25_better: npt.NDArray[np.bool_], held_out: Features) -> Values:
    """Return the probability of `is_bm25_better` for each held-out question, by logistic regression."""
    if is_bm25_better.all() or not is_bm25_better.any():
        return np.full(len(held_out), float(is_bm25_better[0]))
    from sklearn.linear_model import LogisticRegression

    mean, sd = seen.mean(axis=0), seen.std(axis=0)
    sd = np.where(sd > 0, sd, 1.0)
    # The lbfgs solver draws nothing at random; the maximum of the penalised likelihood is unique.
    model: Any = LogisticRegression(C=1.0, max_iter=1000, tol=1e-8).fit((seen - mean) / sd, is_bm25_better)
    return np.asarray(model.predict_proba((held_out - mean) / sd)[:, 1], dtype=np.float64)


def _gaps(z: Values, lists: SessionLists) -> Values:
    """Return (m,): how far the best score of each list is above its second."""
    gaps = np.zeros(len(lists.queries))
    places, starts = lists.places(z), lists.offsets[:-1]
    lengths = np.diff(lists.offsets)
    ordered = np.empty(len(z))
    ordered[np.repeat(starts, lengths) + places] = z
    has_two = lengths >= 2
    gaps[has_two] = ordered[starts[has_two]] - ordered[starts[has_two] + 1]
    return gaps

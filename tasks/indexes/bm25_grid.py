"""BM25 under many settings at once: all questions of a scope, for every (variant, k1, b) of a grid (protocols.md B.5).

The tokens of a scope are counted once. Then a setting is one multiplication per (token, document) pair that some
question asks for, and one sum over these pairs: 200 settings of LoCoMo's 1,986 questions take seconds.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tasks.indexes.bm25 import Bm25Params, RaggedTokens, TermCounts, count_terms, term_weights

Scores = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


def grid_scores(units: RaggedTokens, queries: RaggedTokens, settings: Sequence[Bm25Params]) -> Scores:
    """Return the score of every ranked unit of a scope for every question, under each setting.

    Equal to `index_scope(units, setting).scores(query)`, but for rounding: the terms are added in the same order.

    Parameters
    ----------
    units
        Tokens of each ranked unit (a turn, or a session: `RaggedTokens.merged`).
    queries
        Tokens of each question; a token counts as often as it is there.
    settings
        Variant, k1 and b of each.

    Returns
    -------
    numpy.ndarray
        Shape (n_settings, n_queries, n_units), float64. Memory: that, and 24 bytes per match of a token of a question
        with a unit.
    """
    counts = count_terms(units)
    entries, cells = _matches(counts, queries)
    shape = (len(queries), len(units))
    scores = np.empty((len(settings), *shape))
    for number, setting in enumerate(settings):
        weights = term_weights(counts, setting)[entries]
        scores[number] = np.bincount(cells, weights=weights, minlength=shape[0] * shape[1]).reshape(shape)
    return scores


def _matches(counts: TermCounts, queries: RaggedTokens) -> tuple[Places, Places]:
    """Return, for each match of a token of a question with a unit, the entry of `counts` and the cell of the scores.

    In the order of the questions and of their tokens; a cell is query x n_units + unit.
    """
    is_known = np.isin(queries.values, counts.tokens)
    columns = np.searchsorted(counts.tokens, queries.values[is_known])
    query_of = np.repeat(np.arange(len(queries)), np.diff(queries.offsets))[is_known]
    sizes = np.diff(counts.starts)[columns]
    ends = np.cumsum(sizes)
    entries = np.arange(ends[-1] if len(ends) else 0) + np.repeat(counts.starts[columns] - (ends - sizes), sizes)
    return entries, np.repeat(query_of, sizes) * len(counts.lengths) + counts.places[entries]

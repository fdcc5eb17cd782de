"""Order of scores, ties and top-k: the one place where scores become a ranking.

Ties are frequent and decide results (two lists fused by rank tie by construction; identical turns tie everywhere), so
the rule is a named parameter and is applied before the list is cut.
"""

from collections.abc import Sequence
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from tasks.randomness import opaque_key

DECIMALS = 9
"""Scores that agree to this many decimals are equal: a sum of the same terms in another order differs in its last
digit (3 of LoCoMo's 1,986 questions have such a BM25 tie in their top 31), and must not decide before the rule does."""

Scores = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


class TieRule(StrEnum):
    """Which of two equal scores comes first."""

    OPAQUE = "opaque"
    """By a keyed hash of the document's opaque key: a fixed order that knows nothing of the source. The default."""
    RELEASED = "released"
    """Study A's code: source order, stable; BM25 alone by numpy's unstable `argsort(scores)[::-1]`."""
    RELEASED_BM25_FIRST = "released-bm25-first"
    """The same, but a fused list has BM25's candidate first: study A's runners for depth and tokenizers."""
    EARLIEST = "earliest"
    """Study B's code: source order."""
    TREC_EVAL = "trec_eval"
    """trec_eval: descending document id."""


_RELEASED = (TieRule.RELEASED, TieRule.RELEASED_BM25_FIRST)


class TieOrder:
    """The order among equal scores of one corpus under one rule.

    Parameters
    ----------
    rule
        The tie rule.
    document_keys, document_ids
        One per document, in source order.
    seed
        Key of the hash of the `opaque` rule; other rules ignore it.
    """

    def __init__(
        self, rule: TieRule, document_keys: Sequence[str], document_ids: Sequence[str], *, seed: int = 0
    ) -> None:
        self.rule = rule
        self._priority = _priority(rule, document_keys, document_ids, seed)

    @property
    def has_bm25_first(self) -> bool:
        """Whether the entries of a fused list come BM25 first, not dense first."""
        return self.rule is TieRule.RELEASED_BM25_FIRST

    def top(self, scores: Scores, documents: Places, k: int) -> Places:
        """Return the places (into `scores`) of the k best, best first; all tied at the cut compete by the rule.

        Parameters
        ----------
        scores
            Shape (n,), finite; larger is better.
        documents
            Shape (n,): `document_index` of each score.
        k
            Depth; cut to n.
        """
        return _top(scores.round(DECIMALS), self._priority[documents], k)

    def top_bm25(self, scores: Scores, documents: Places, k: int) -> Places:
        """Return the top k of a BM25 list: as `top`, except under `released`.

        There it is numpy's `argsort(scores)[::-1]` over all documents of the scope, which must be in source order:
        the order of equal scores is whatever numpy's unstable sort leaves.
        """
        if self.rule in _RELEASED:
            return np.argsort(scores)[::-1][:k]  # the unstable default is what study A ran
        return self.top(scores, documents, k)

    def top_fused(self, scores: Scores, documents: Places, k: int) -> Places:
        """Return the top k of a fused list: the `released` rules keep the order of the entries on ties.

        They are those of one list in its order, then those of the other alone; `has_bm25_first` says of which first.
        """
        if self.rule in _RELEASED:
            return _top(scores, np.arange(len(scores)), k)
        return self.top(scores, documents, k)


def _top(scores: Scores, priority: Places, k: int) -> Places:
    k = min(k, len(scores))
    if k <= 0:
        return np.empty(0, np.int64)
    kth = np.partition(scores, len(scores) - k)[len(scores) - k]
    contenders = np.flatnonzero(scores >= kth)
    order = np.lexsort((priority[contenders], -scores[contenders]))
    return contenders[order[:k]]


def _priority(rule: TieRule, document_keys: Sequence[str], document_ids: Sequence[str], seed: int) -> Places:
    """Return, for each document, its rank among equals: a permutation, lower first."""
    source = range(len(document_keys))
    if rule is TieRule.OPAQUE:
        hashes = [opaque_key(key, seed=seed) for key in document_keys]
        order = sorted(source, key=lambda i: (hashes[i], document_keys[i]))
    elif rule is TieRule.TREC_EVAL:
        order = sorted(source, key=lambda i: document_ids[i], reverse=True)
    else:
        order = list(source)
    priority = np.empty(len(order), np.int64)
    priority[order] = np.arange(len(order))
    return priority

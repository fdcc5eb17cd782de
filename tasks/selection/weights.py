"""Choosing one of several settings for each fold, on the questions of the other folds (study B, protocols.md B.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.records import BenchError
from tasks.selection.folds import Folds

STEPS = 20
GRID: tuple[float, ...] = tuple(k / STEPS for k in range(STEPS + 1))
"""Weights of BM25 that are tried: 0, 0.05, ..., 1 (B.2), each the nearest double."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen for one fold.

    Attributes
    ----------
    setting
        Place of the chosen setting.
    n_held_out, n_development
        Questions with a value in the fold, and in all others.
    n_hits
        Of the development questions, those whose first result is right under the chosen setting.
    """

    setting: int
    n_held_out: int
    n_development: int
    n_hits: int

    @property
    def development_value(self) -> float:
        """Success@1 over the development questions."""
        return self.n_hits / self.n_development


def choose(is_hit: npt.NDArray[np.bool_], is_defined: npt.NDArray[np.bool_], folds: Folds) -> list[Choice]:
    """Return, for every fold, the setting with the most hits among the questions of the other folds.

    All settings are judged on the same questions, so the best mean is the largest count: whole numbers, in which ties
    are ties. Of equal settings the first wins, as in the study (with weights ascending: the least weight of BM25).

    Parameters
    ----------
    is_hit
        Shape (settings, n): whether the first result of each question is right (Success@1).
    is_defined
        Shape (n,): questions without a value take no part.
    folds
        Of the same n questions.

    Raises
    ------
    BenchError
        When a fold leaves no question to choose on.

    >>> hits = np.array([[True, False, False], [False, True, True]])
    >>> [choice.setting for choice in choose(hits, np.ones(3, bool), Folds(np.array([0, 1, 1], np.int32), ("a", "b")))]
    [1, 0]
    """
    n_folds = len(folds.names)
    counted = folds.fold[is_defined]
    held_out = np.bincount(counted, minlength=n_folds)
    hits = np.stack([np.bincount(counted[row], minlength=n_folds) for row in is_hit[:, is_defined]])
    development, development_hits = held_out.sum() - held_out, hits.sum(axis=1, keepdims=True) - hits
    if empty := [folds.names[fold] for fold in np.flatnonzero(development == 0)]:
        raise BenchError(
            f"without {', '.join(empty)} no question with a value is left to choose on; expected questions with "
            "something relevant in at least two groups or folds. Give alpha a number (alpha=0.5)."
        )
    best = development_hits.argmax(axis=0)
    return [
        Choice(int(best[fold]), int(held_out[fold]), int(development[fold]), int(development_hits[best[fold], fold]))
        for fold in range(n_folds)
    ]


CHOICES: dict[str, type[pl.DataType]] = {
    "fold": pl.Int32,
    "group": pl.Utf8,
    "n_held_out": pl.Int32,
    "n_development": pl.Int32,
    "alpha": pl.Float64,
    "development_value": pl.Float64,
}


def choice_table(choices: Sequence[Choice], folds: Folds | None) -> pl.DataFrame:
    """Return one row per fold (`CHOICES`) of choices among `GRID`; none where nothing was chosen."""
    rows = [
        (fold, name, choice.n_held_out, choice.n_development, GRID[choice.setting], choice.development_value)
        for fold, (name, choice) in enumerate(zip(folds.names if folds else (), choices, strict=True))
    ]
    return pl.DataFrame(rows, schema=CHOICES, orient="row")

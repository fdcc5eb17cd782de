"""Folds: which questions a parameter is chosen on, and which it is then used for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tasks.corpora.protocols import Protocol
from tasks.records import BenchError


@dataclass(frozen=True, slots=True)
class Folds:
    """A partition of questions.

    Attributes
    ----------
    fold
        Shape (n,), int32: the fold that holds each question out.
    names
        Name of each fold: the group held out, or "fold 1", "fold 2", ...
    """

    fold: npt.NDArray[np.int32]
    names: tuple[str, ...]


def folds_of(
    protocol: Protocol, scope_ids: Sequence[str], query_ids: Sequence[str], *, n_folds: int, seed: int
) -> Folds:
    """Return the folds of a protocol: its scopes where questions share them (conversations), else random folds.

    Parameters
    ----------
    protocol
        Says whether questions share a history.
    scope_ids, query_ids
        Of each question.
    n_folds, seed
        Of random folds.

    Raises
    ------
    BenchError
        When there are too few groups or questions.
    """
    if protocol.shares_history and not protocol.is_pooled:
        return leave_one_group_out(scope_ids)
    return seeded_folds(query_ids, n_folds, seed)


def leave_one_group_out(groups: Sequence[str]) -> Folds:
    """Return one fold per group, in the order of the groups' names: the questions of a group are held out together.

    Parameters
    ----------
    groups
        The group of each question: a conversation, whose questions share sessions and are no independent evidence.

    Raises
    ------
    BenchError
        When there is only one group: nothing is left to choose on.

    >>> leave_one_group_out(["b", "a", "b"]).fold.tolist()
    [1, 0, 1]
    """
    names, fold = np.unique(np.asarray(groups, dtype=np.str_), return_inverse=True)
    if len(names) < 2:
        came = f"all {len(groups)} questions are of one group ({names[0]})" if len(names) else "no question came"
        raise BenchError(
            f"{came}: a weight chosen on other groups needs at least two. Give alpha a number (alpha=0.5), or choose "
            "in folds of questions."
        )
    return Folds(fold.astype(np.int32), tuple(names.tolist()))


def seeded_folds(ids: Sequence[str], n_folds: int, seed: int) -> Folds:
    """Return `n_folds` random folds of about equal size.

    The questions are put in the order of their ids, permuted by `numpy.random.default_rng(seed).permutation`, and cut:
    a question's fold does not depend on the order of rows.

    Parameters
    ----------
    ids
        Distinct ids of the questions.
    n_folds
        At least 2.

    Raises
    ------
    BenchError
        When there are fewer questions than folds, or an id comes twice.
    """
    if not 2 <= n_folds <= len(ids):
        raise BenchError(f"{n_folds} folds of {len(ids)} questions; expected 2 to {len(ids)} folds, and 2 questions")
    if len(set(ids)) != len(ids):
        raise BenchError(f"{len(ids) - len(set(ids))} ids of questions come twice; expected each once")
    by_id = np.argsort(np.asarray(ids, dtype=np.str_), kind="stable")
    fold = np.empty(len(ids), np.int32)
    for number, part in enumerate(np.array_split(np.random.default_rng(seed).permutation(len(ids)), n_folds)):
        fold[by_id[part]] = number
    return Folds(fold, tuple(f"fold {number + 1}" for number in range(n_folds)))

"""Folds: what is held out together, and refusals in words."""

import numpy as np
import pytest

from tasks.corpora.protocols import parse_protocol
from tasks.records import BenchError
from tasks.selection.folds import folds_of, leave_one_group_out, seeded_folds


def test_one_fold_per_group_in_the_order_of_names() -> None:
    folds = leave_one_group_out(["c2", "c10", "c2", "c1"])
    assert folds.names == ("c1", "c10", "c2")
    assert folds.fold.tolist() == [2, 1, 2, 0]


def test_seeded_folds_against_numpy() -> None:
    """Seven ids in another order than that of their names: cut the permutation of the sorted ids in 3, 2, 2."""
    ids = ["g", "b", "a", "d", "c", "f", "e"]
    parts = np.array_split(np.random.default_rng(5).permutation(7), 3)
    expected = {sorted(ids)[place]: fold for fold, part in enumerate(parts) for place in part.tolist()}
    folds = seeded_folds(ids, 3, 5)
    assert dict(zip(ids, folds.fold.tolist(), strict=True)) == expected
    assert folds.names == ("fold 1", "fold 2", "fold 3")
    assert seeded_folds(ids, 3, 6).fold.tolist() != folds.fold.tolist()


def test_the_protocol_says_which_folds() -> None:
    asked = (["t1", "t2", "t1"], ["a", "b", "c"])
    for name, expected in (("conversation-session", ("t1", "t2")), ("haystack-session", ("fold 1", "fold 2"))):
        assert folds_of(parse_protocol(name), *asked, n_folds=2, seed=0).names == expected


def test_one_group_or_none_is_refused_in_words() -> None:
    with pytest.raises(BenchError, match=r"all 2 questions are of one group \(t1\).*Give alpha a number"):
        leave_one_group_out(["t1", "t1"])
    with pytest.raises(BenchError, match="no question came"):
        leave_one_group_out([])


def test_too_few_questions_or_ids_that_come_twice() -> None:
    with pytest.raises(BenchError, match="5 folds of 3 questions; expected 2 to 3"):
        seeded_folds(["a", "b", "c"], 5, 0)
    with pytest.raises(BenchError, match="1 folds"):
        seeded_folds(["a", "b", "c"], 1, 0)
    with pytest.raises(BenchError, match="1 ids of questions come twice"):
        seeded_folds(["a", "b", "a"], 2, 0)

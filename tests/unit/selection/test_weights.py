"""The choice of a setting on other folds."""

import numpy as np
import pytest

from tasks.records import BenchError
from tasks.selection.folds import Folds
from tasks.selection.weights import CHOICES, GRID, choice_table, choose

FOLDS = Folds(np.array([0, 0, 1, 1, 1, 2], np.int32), ("a", "b", "c"))
HITS = np.array([[1, 1, 0, 0, 0, 1], [0, 0, 1, 1, 1, 0], [0, 0, 1, 1, 1, 1]], bool)


def test_the_grid_is_every_twentieth() -> None:
    assert len(GRID) == 21
    assert [f"{alpha:.2f}" for alpha in GRID[:3]] == ["0.00", "0.05", "0.10"]
    assert GRID[13] == 0.65  # the nearest double, not a sum of steps
    assert GRID[-1] == 1.0


def test_choices_against_hand_computed() -> None:
    # Without a: 1, 3, 4 hits of 4. Without b: 3, 0, 1 of 3. Without c: 2, 3, 3 of 5: equal, the first of them.
    found = choose(HITS, np.ones(6, bool), FOLDS)
    rows = [(choice.setting, choice.n_held_out, choice.n_development, choice.n_hits) for choice in found]
    assert rows == [(2, 2, 4, 4), (0, 3, 3, 3), (1, 1, 5, 3)]
    assert found[2].development_value == 3 / 5


def test_questions_without_a_value_take_no_part() -> None:
    """Without question 5 the choice for c is the same, but for a the second and third setting are equal."""
    is_defined = np.array([1, 1, 1, 1, 1, 0], bool)
    found = choose(HITS, is_defined, FOLDS)
    assert [(c.setting, c.n_held_out, c.n_development) for c in found] == [(1, 2, 3), (0, 3, 2), (1, 0, 5)]


def test_equal_everywhere_takes_the_first() -> None:
    assert [c.setting for c in choose(np.ones((21, 6), bool), np.ones(6, bool), FOLDS)] == [0, 0, 0]


def test_nothing_to_choose_on_is_refused_in_words() -> None:
    with pytest.raises(BenchError, match="without a no question with a value is left"):
        choose(HITS, np.array([1, 1, 0, 0, 0, 0], bool), FOLDS)
    with pytest.raises(BenchError, match="without a, b, c no question"):
        choose(HITS, np.zeros(6, bool), FOLDS)


def test_table_of_choices() -> None:
    table = choice_table(choose(HITS, np.ones(6, bool), FOLDS), FOLDS)
    assert table.rows()[1] == (1, "b", 3, 3, 0.0, 1.0)
    assert table["alpha"].to_list() == [0.1, 0.0, 0.05]
    assert choice_table([], None).schema == table.schema == dict(CHOICES)

"""The query-adaptive weight: learns on other folds only, and says what it must where there is nothing to learn."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from tasks.candidates.ranking import TieRule
from tasks.corpora.tables import Corpus
from tasks.indexes.bm25 import Bm25Params, RaggedTokens, index_scope, write_index
from tasks.records import BenchError
from tasks.selection.adaptive import FEATURES, adaptive_weights, query_features
from tasks.selection.folds import Folds
from tasks.selection.session_lists import read_lists
from tests.unit.selection.talks import Talks

N = 60
FOLDS = Folds(np.arange(N, dtype=np.int32) % 3, ("a", "b", "c"))


def _ragged(lists: list[list[int]]) -> RaggedTokens:
    return RaggedTokens.from_series(pl.Series(lists, dtype=pl.List(pl.UInt32)))


def _made_up() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(N, 2))
    return features, np.sign(features[:, 0] + 0.3 * rng.normal(size=N))


def test_features_against_hand_computed(tmp_path: Path) -> None:
    talks = Talks(tmp_path, [0, 0])
    talks.write_corpus([[0], [1]])
    talks.write_sessions([[0.0, 2.0, 1.0], [0.0, 0.0, 0.0]], [[0.5, 0.5, 0.5], [0.9, 0.3, 0.3]])
    bm25 = tmp_path / "bm25"
    bm25.mkdir()
    # Of three sessions token 1 is in all, token 2 in one; question 0 asks for 1 twice, 2, and the unknown 9.
    write_index(["t0"], [index_scope(_ragged([[1], [1, 2], [1]]), Bm25Params())], _ragged([[1, 2, 1, 9], [9]]), bm25)
    lists = read_lists(talks.sessions, Corpus.read(talks.corpus), TieRule.EARLIEST, 0)
    everywhere, rare = np.log(1 + 0.5 / 3.5), np.log(1 + 2.5 / 1.5)
    sd = np.sqrt(2 / 3)  # of 0, 1, 2
    expected = [
        [2, rare, (everywhere + rare) / 2, 1 / sd, 0],
        [0, 0, 0, 0, 0.6 / np.std([0.9, 0.3, 0.3])],
    ]
    assert len(FEATURES) == 5
    np.testing.assert_allclose(query_features(lists, bm25), expected, atol=1e-12)


def test_an_index_of_other_scopes_is_refused(tmp_path: Path, talks: Talks) -> None:
    bm25 = tmp_path / "bm25"
    bm25.mkdir()
    write_index(["t0"], [index_scope(_ragged([[1]]), Bm25Params())], _ragged([[1]] * 12), bm25)
    lists = read_lists(talks.sessions, Corpus.read(talks.corpus), TieRule.EARLIEST, 0)
    with pytest.raises(BenchError, match=r"lacks 2 scopes of the candidates, e\.g\. t1"):
        query_features(lists, bm25)


def test_weights_follow_what_can_be_learnt_and_lie_on_the_grid() -> None:
    features, preference = _made_up()
    weights = adaptive_weights(features, preference, FOLDS)
    assert weights[features[:, 0] > 1].min() > 0.8
    assert weights[features[:, 0] < -1].max() < 0.2
    assert weights.tolist() == [round(weight * 20) / 20 for weight in weights]


def test_labels_of_the_held_out_group_do_not_reach_its_weights() -> None:
    features, preference = _made_up()
    before = adaptive_weights(features, preference, FOLDS)
    changed = preference.copy()
    changed[FOLDS.fold == 1] *= -1
    after = adaptive_weights(features, changed, FOLDS)
    assert after[FOLDS.fold == 1].tolist() == before[FOLDS.fold == 1].tolist()
    assert after[FOLDS.fold != 1].tolist() != before[FOLDS.fold != 1].tolist()


def test_undecided_questions_teach_nothing() -> None:
    features, preference = _made_up()
    kept = preference.copy()
    kept[::2] = 0
    moved = features.copy()
    moved[::2] += 100  # as features to learn from they would matter; they are still predicted themselves
    odd = np.arange(N) % 2 == 1
    assert adaptive_weights(moved, kept, FOLDS)[odd].tolist() == adaptive_weights(features, kept, FOLDS)[odd].tolist()


@pytest.mark.parametrize(("sign", "expected"), [(1.0, 1.0), (-1.0, 0.0), (0.0, 0.5)])
def test_one_answer_only_or_none(sign: float, expected: float) -> None:
    features, _ = _made_up()
    assert set(adaptive_weights(features, np.full(N, sign), FOLDS).tolist()) == {expected}


def test_global_random_state_does_not_matter() -> None:
    features, preference = _made_up()
    found = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002  (the global state is what must not matter)
        found.append(adaptive_weights(features, preference, FOLDS).tolist())
    assert found[0] == found[1]


def test_a_feature_without_spread_is_harmless() -> None:
    features, preference = _made_up()
    constant = np.hstack([features, np.full((N, 1), 7.0)])
    found, plain = (adaptive_weights(given, preference, FOLDS).tolist() for given in (constant, features))
    assert found == plain

import math

import pytest

from tasks.simulation import reference
from tasks.simulation.reference import Candidate, State
from tasks.simulation.suppression import RifParams, Rule, RuleSet, sigmoid, strength, updated


@pytest.mark.parametrize("x", [-800.0, -3.0, 0.0, 3.0, 800.0])
def test_sigmoid_against_definition(x: float) -> None:
    expected = 0.0 if x < -700 else 1 / (1 + math.exp(-x))
    assert sigmoid(x) == pytest.approx(expected, abs=1e-15)


def test_strength_against_hand_computed() -> None:
    assert strength(Rule.UNIFORM, 0, 29, 30, 0.0) == 0.5
    assert strength(Rule.UNIFORM, 15, 2, 30, 0.0) == 0.25
    assert strength(Rule.GAP, 3, 18, 30, 0.0) == 0.25
    assert strength(Rule.GAP, 18, 3, 30, 0.0) == 0.0  # moved up: nothing to forget
    assert strength(Rule.UNIFORM, 0, 0, 1, math.log(3)) == pytest.approx(0.25)


def test_released_update_against_hand_computed() -> None:
    params = RifParams(lambda_=math.log(2), eta=0.1, rho=0.05, s_max=0.5)
    assert updated(params, 0.4, None, is_winner=False, push=0.5) == pytest.approx(0.45)
    assert updated(params, 0.4, 1, is_winner=False, push=0.5) == pytest.approx(0.25)
    assert updated(params, 0.4, 2, is_winner=True, push=0.5) == pytest.approx(0.05)
    assert updated(params, 0.01, None, is_winner=True, push=0.5) == 0.0
    assert updated(params, 0.49, None, is_winner=False, push=1.0) == 0.5


@pytest.mark.parametrize("rule_set", [RuleSet.PAPER, RuleSet.PAPER_LITERAL])
@pytest.mark.parametrize("is_winner", [True, False])
def test_paper_has_no_decay_reinforcement_or_cap(rule_set: RuleSet, is_winner: bool) -> None:
    params = RifParams(rule_set=rule_set, s_max=0.5)
    assert updated(params, 0.9, 100, is_winner=is_winner, push=0.5) == pytest.approx(0.95)


TWO = [Candidate(10, 0.02, -1.0), Candidate(20, 0.01, 1.0)]


def test_reference_step_against_hand_computed() -> None:
    """Document 20 wins, 10 moves from place 0 to 1 of 2: gap 1/2, sigmoid(1), eta 0.1."""
    state = State()
    reference.step(TWO, 3, 7, state, RifParams(rule=Rule.GAP, winners=1))
    assert state.s == {(3, 10): pytest.approx(0.1 * 0.5 / (1 + math.exp(-1))), (3, 20): 0.0}
    assert state.last == {(3, 10): 7, (3, 20): 7}


def test_reference_suppression_removes_from_the_pool() -> None:
    state = State(s={(0, 10): 0.1})
    params = RifParams(alpha=0.3, pool=1)
    assert [c.document for c in reference.rank(TWO, 0, State(), params)] == [10]
    assert [c.document for c in reference.rank(TWO, 0, state, params)] == [20]
    assert [c.document for c in reference.rank(TWO, 1, state, params)] == [10]  # another cluster
    literal = params.model_copy(update={"rule_set": RuleSet.PAPER_LITERAL})
    assert [c.document for c in reference.rank(TWO, 0, state, literal)] == [10]

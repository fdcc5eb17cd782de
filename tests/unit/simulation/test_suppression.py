import math

import pytest
from pydantic import ValidationError

from tasks.simulation import reference
from tasks.simulation.reference import Candidate, State
from tasks.simulation.suppression import Decay, RifParams, Rule, RuleSet, sigmoid, strength, updated


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
    assert [c.document for c in reference.rank(TWO, 0, 1, State(), params)] == [10]
    assert [c.document for c in reference.rank(TWO, 0, 1, state, params)] == [20]
    assert [c.document for c in reference.rank(TWO, 1, 1, state, params)] == [10]  # another cluster
    literal = params.model_copy(update={"rule_set": RuleSet.PAPER_LITERAL})
    assert [c.document for c in reference.rank(TWO, 0, 1, state, literal)] == [10]


def test_reference_decay_on_read_against_hand_computed() -> None:
    """0.08 halves every 2 steps: 0.02 after 4, and 0.3 x 0.02 no longer outweighs the difference of 0.01 in RRF."""
    state = State(s={(0, 10): 0.08}, last={(0, 10): 3})
    params = RifParams(alpha=0.3, pool=1, lambda_=math.log(2) / 2, decay=Decay.READ)
    assert [c.document for c in reference.rank(TWO, 0, 3, state, params)] == [20]
    (kept,) = reference.rank(TWO, 0, 7, state, params)
    assert kept.document == 10
    assert kept.suppression == pytest.approx(0.02)
    stored = params.model_copy(update={"decay": Decay.WRITE})
    assert [c.document for c in reference.rank(TWO, 0, 7, state, stored)] == [20]
    assert state.s == {(0, 10): 0.08}, "reading changes nothing"


def test_reference_cold_step_learns_nothing_and_meets_nothing() -> None:
    state = State(s={(0, 10): 0.1}, last={(0, 10): 0})
    reference.step(TWO, None, 1, state, RifParams())
    assert (state.s, state.last) == ({(0, 10): 0.1}, {(0, 10): 0})
    assert [c.suppression for c in reference.rank(TWO, None, 1, state, RifParams())] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"source": "buffer"}, "say how many: burn_in=300"),
        ({"source": "online", "burn_in": 0}, "say how many: burn_in=300"),
        ({"burn_in": 300}, "burn_in is for buffer and online"),
        ({"source": "corpus", "burn_in": 300}, "burn_in is for buffer and online"),
        ({"source": "entries", "burn_in": 300}, "all-queries"),
        ({"decay": "read", "rule_set": "paper"}, "rule_set=paper has no decay"),
        ({"decay": "read", "rule_set": "paper-literal"}, "rule_set=paper-literal has no decay"),
        ({"steps": -1}, "greater than or equal to 0"),
    ],
)
def test_wrong_parameters_say_what_goes_together(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words) as caught:
        RifParams.model_validate(wrong)
    assert len(caught.value.errors()) == 1, "one fault, named once"
    assert caught.value.errors()[0]["loc"], "the fault has a place: a variant's message names it"


def test_the_paper_s_three_versions_of_the_burn_in_are_valid() -> None:
    for burn_in, steps in ((300, 0), (2000, 3000), (5000, 0), (5000, 5000), (5000, 10000)):
        params = RifParams.model_validate({"source": "buffer", "burn_in": burn_in, "steps": steps})
        assert (params.burn_in, params.steps) == (burn_in, steps)

"""How often the gate is wrong: noise only, against the stated level; and whether it sees what it must see."""

import numpy as np
import pytest
from scipy import stats

from tasks.gate.quality import Column, Name, compare_columns
from tests.unit.gate.nights import RULE

N_REPEATS, N_QUESTIONS = 200, 300
VARIANTS, MEASURES = ("bm25", "hybrid-rerank", "rif"), ("nDCG@10", "R@10", "Success@1")
GRAINS = {"nDCG@10": 0.01, "R@10": 0.5, "Success@1": 1.0}


def night(rng: np.random.Generator, questions: np.ndarray, loss: float = 0.0) -> dict[Name, Column]:
    """Return one run's values: the questions' own difficulty, and what a new seed of the stream adds to it.

    The measures of a question move together, and so do the variants that share a first stage, as in life.
    """
    found = {}
    shared = rng.normal(0, 0.15, len(questions))
    for variant in VARIANTS:
        own = rng.normal(0, 0.1, len(questions))
        for measure, grain in GRAINS.items():
            raw = questions + shared + own - loss * (variant == "rif")
            values = np.clip(np.round(raw / grain) * grain, 0.0, 1.0)
            found["pooled-turn", variant, measure] = Column(tuple(map(str, range(len(values)))), values)
    return found


def verdicts(repeat: int, loss: float = 0.0, margin: float = 0.0) -> set[str]:
    rng = np.random.default_rng(repeat)
    questions = rng.choice(rng.random(1000), N_QUESTIONS)  # resampled: another set of questions in each repeat
    rule = RULE.model_copy(update={"margin": margin, "measures": MEASURES})
    cells = compare_columns(night(rng, questions), night(rng, questions, loss), rule, "locomo")
    assert len(cells) == 9
    return {cell.verdict for cell in cells}


@pytest.mark.slow
@pytest.mark.parametrize("verdict", ["regress", "improve"])
def test_false_alarms_of_noise_stay_within_the_level(verdict: str) -> None:
    """Without a margin, which only takes alarms away. The bound is the 99.9 % quantile of the stated level."""
    alarms = sum(verdict in verdicts(repeat) for repeat in range(N_REPEATS))
    assert alarms <= stats.binom.ppf(0.999, N_REPEATS, RULE.level)
    assert alarms > 0  # a gate that never alarms would be as wrong


@pytest.mark.slow
def test_a_real_loss_is_seen_in_nearly_all_repeats() -> None:
    assert sum("regress" in verdicts(repeat, loss=0.08, margin=0.005) for repeat in range(20)) >= 19


def test_noise_and_a_real_loss_once() -> None:
    assert verdicts(1) == {"pass"}  # 0 is one of the false alarms
    assert "regress" in verdicts(1, loss=0.08, margin=0.005)

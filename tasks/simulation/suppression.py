"""The rules of retrieval-induced forgetting as formulas (study A; protocols.md A.4).

State per (cluster, document): the suppression `s`, 0 at first, and the step of its last update.
"""

import math
from enum import StrEnum

from pydantic import Field, ValidationInfo, field_validator

from tasks.clusters.kmeans import STREAM_SOURCES, ClusterSource
from tasks.records import Params


class Rule(StrEnum):
    """How strongly one retrieval suppresses a candidate that lost."""

    UNIFORM = "uniform"
    """By how high it stood before reranking."""
    GAP = "gap"
    """By how many places reranking moved it down."""


class RuleSet(StrEnum):
    """Which text the update follows."""

    RELEASED = "released"
    """The released code: losers are suppressed, winners reinforced, with decay and a cap."""
    PAPER = "paper"
    """The paper's text: no reinforcement, no decay, no cap; every competitor is suppressed, winners too."""
    PAPER_LITERAL = "paper-literal"
    """The paper's algorithm box: as `paper`, but the pool is cut before the penalty, which so changes no result."""


class Decay(StrEnum):
    """When suppression decays."""

    WRITE = "write"
    """Only where it is updated (the released code): one that is not touched stays as strong as it was."""
    READ = "read"
    """Whenever it is read: a retrieval at step t meets s exp(-lambda (t - last)). Not in the study."""


class RifParams(Params):
    """Parameters of suppression; the order of the fields is their order in a variant's name.

    Attributes
    ----------
    rule, clusters
        The update rule and the requested number of query clusters; 1 (or 0, the same) is global.
    rule_set
        Whose rules.
    alpha
        Weight of suppression against RRF.
    eta
        Learning rate.
    rho
        Reinforcement of winners.
    lambda_
        Decay per step (lambda in the study and in a variant's name).
    s_max
        Cap of suppression.
    pool
        P: competitors that reach the reranker.
    winners
        k_final: the best of them count as winners.
    source
        What the clusters are fitted on.
    burn_in
        Sources `buffer` and `online`: the steps (those with a lower number) whose retrievals make the first clusters;
        until then nothing is learned. 0 for the other sources.
    steps
        Steps of each scope's stream that are served (those with a lower number); 0 is all of them.
    decay
        When suppression decays.
    """

    rule: Rule = Rule.UNIFORM
    clusters: int = Field(default=1, ge=0)
    rule_set: RuleSet = RuleSet.RELEASED
    alpha: float = Field(default=0.3, ge=0, allow_inf_nan=False)
    eta: float = Field(default=0.1, ge=0, allow_inf_nan=False)
    rho: float = Field(default=0.05, ge=0, allow_inf_nan=False)
    lambda_: float = Field(default=0.005, ge=0, allow_inf_nan=False)
    s_max: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    pool: int = Field(default=30, ge=1)
    winners: int = Field(default=10, ge=0)
    source: ClusterSource = ClusterSource.ALL_QUERIES
    burn_in: int = Field(default=0, ge=0, validate_default=True)
    steps: int = Field(default=0, ge=0)
    decay: Decay = Decay.WRITE

    @field_validator("clusters")
    @classmethod
    def _global_is_one(cls, clusters: int) -> int:
        """Give the global state one name: the study writes both 0 and 1."""
        return max(1, clusters)

    @field_validator("burn_in")
    @classmethod
    def _belongs_to_the_source(cls, burn_in: int, info: ValidationInfo) -> int:
        source = info.data.get("source")  # absent where it was refused itself
        if source in STREAM_SOURCES and not burn_in:
            raise ValueError(f"source={source} fits its clusters on the first retrievals; say how many: burn_in=300")
        if source not in (*STREAM_SOURCES, None) and burn_in:
            raise ValueError(f"source={source} has its clusters from the start; burn_in is for buffer and online")
        return burn_in

    @field_validator("decay")
    @classmethod
    def _paper_has_no_decay(cls, decay: Decay, info: ValidationInfo) -> Decay:
        rule_set = info.data.get("rule_set")
        if decay is Decay.READ and rule_set not in (RuleSet.RELEASED, None):
            raise ValueError(f"rule_set={rule_set} has no decay; decay=read goes with rule_set=released")
        return decay


def sigmoid(x: float) -> float:
    """Return 1 / (1 + exp(-x)), without overflow."""
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    return math.exp(x) / (1.0 + math.exp(x))


def strength(rule: Rule, r_init: int, r_final: int, n_competitors: int, logit: float) -> float:
    """Return how strongly a competitor is suppressed (A.4, step 3).

    Parameters
    ----------
    rule
        Uniform: (1 - r_init / p) sigmoid(-logit). Gap: max(0, r_final - r_init) / p sigmoid(-logit).
    r_init, r_final
        0-based positions before and after reranking.
    n_competitors
        p: competitors, winners included.
    logit
        The cross-encoder's raw logit.
    """
    weight = 1.0 - r_init / n_competitors if rule is Rule.UNIFORM else max(0, r_final - r_init) / n_competitors
    return weight * sigmoid(-logit)


def decayed(s: float, lambda_: float, elapsed: int) -> float:
    """Return `s` after `elapsed` steps of exponential decay."""
    return s * math.exp(-lambda_ * elapsed)


def updated(params: RifParams, s: float, elapsed: int | None, *, is_winner: bool, push: float) -> float:
    """Return the new suppression of one competitor.

    Parameters
    ----------
    params
        Rule set, eta, rho, lambda and cap.
    s
        Its suppression as stored.
    elapsed
        Steps since its last update; None when there was none.
    is_winner
        Whether it is among the best after reranking.
    push
        Its `strength`.
    """
    if params.rule_set is not RuleSet.RELEASED:
        return s + params.eta * push
    old = s if elapsed is None else decayed(s, params.lambda_, elapsed)
    if is_winner:
        return max(0.0, old - params.rho)
    return min(old + params.eta * push, params.s_max)

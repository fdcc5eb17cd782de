"""Parameters of the variants that rank whole sessions (study B; protocols.md B.2)."""

from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from tasks.embeddings.pooling import pool_name
from tasks.records import Params
from tasks.selection.combining import HELD_OUT, Alpha, fitting_weight


class SessionParams(Params):
    """Sessions by one dense score.

    Attributes
    ----------
    pool
        What a session's score is made of: `mean` (the cosine to the mean of its turns), `max` (its best turn), `top3`
        (the mean of its three best; any number), `lse10` (log-sum-exp with beta 10; any), `text` (one vector of the
        session's text).
    """

    pool: str = "max"

    @field_validator("pool")
    @classmethod
    def _is_known(cls, pool: str) -> str:
        return pool_name(pool)


class FusionParams(SessionParams):
    """BM25 and the dense score together.

    Attributes
    ----------
    combine
        `z` and `minmax` weigh the normalised scores, `rrf` adds reciprocal ranks, `adaptive` weighs question by
        question.
    alpha
        Weight of BM25; `held-out` chooses it on the questions of other conversations, or of other folds. `rrf` and
        `adaptive` have none.
    """

    combine: Literal["z", "minmax", "rrf", "adaptive"] = "z"
    alpha: Alpha = HELD_OUT

    @field_validator("alpha")
    @classmethod
    def _has_a_weight(cls, alpha: float | str, info: ValidationInfo) -> float | str:
        return fitting_weight(alpha, info.data.get("combine"))


class FusionRerankParams(FusionParams):
    """The same, its best sessions reranked.

    Attributes
    ----------
    top
        How many the cross-encoder sees, each by its best turn.
    """

    top: int = Field(default=10, ge=1)


_POOLS = {"mean": "mean of turns", "max": "max-sim", "text": "session text"}
_COMBINATIONS = {"z": "fusion", "minmax": "min-max fusion", "rrf": "RRF", "adaptive": "adaptive fusion"}


def session_labels(params: SessionParams) -> list[str]:
    """Return the parts of the label of a variant that ranks sessions.

    >>> session_labels(FusionRerankParams(pool="top3", alpha=0.6))
    ['fusion with top 3 turns', 'alpha 0.6', 'best 10 reranked']
    """
    pool = _POOLS.get(params.pool) or params.pool.replace("lse", "log-sum-exp ").replace("top", "top ")
    pool += " turns" if params.pool.startswith("top") else ""
    parts = [pool]
    if isinstance(params, FusionParams):
        parts = [f"{_COMBINATIONS[params.combine]} with {pool}"]
        parts += [f"alpha {params.alpha}"] if params.alpha != HELD_OUT else []
    parts += [f"best {params.top} reranked"] if isinstance(params, FusionRerankParams) else []
    return parts

"""The first stage of a variant: what makes the lists that it starts from."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, field_validator

from tasks.candidates.ranking import TieRule
from tasks.records import Params
from tasks.text.tokenizers import TokenizerParams


class FirstStage(Params):
    """What makes the lists that a variant starts from; the order of the fields is their order in a variant's name.

    Attributes
    ----------
    tokenizer, idf, k1, b
        Of BM25.
    encoder
        Of the dense list.
    k
        Depth of each list.
    rrf_k, rank_origin
        Of reciprocal rank fusion.
    combine
        How the two lists become one order: by reciprocal ranks, or by their z-normalised scores (study B).
    bm25_weight
        Weight of BM25 where scores are combined; the dense score has the rest of 1.
    ties, tie_seed
        The order of equal scores.
    fill
        Whether documents that match no word of the query fill a BM25 list with fewer than k matching ones.
    """

    tokenizer: str = "regex"
    idf: Literal["lucene", "okapi-floor", "bm25l"] = "lucene"
    k1: float = Field(default=1.5, ge=0, allow_inf_nan=False)
    b: float = Field(default=0.75, ge=0, le=1)
    encoder: str = "all-MiniLM-L6-v2"
    k: int = Field(default=30, ge=1)
    rrf_k: int = Field(default=60, ge=0)
    rank_origin: int = Field(default=1, ge=0, le=1)
    combine: Literal["rrf", "z"] = "rrf"
    bm25_weight: float = Field(default=0.5, ge=0, le=1)
    ties: TieRule = TieRule.OPAQUE
    tie_seed: int = 0
    fill: bool = False

    @field_validator("tokenizer")
    @classmethod
    def _is_known(cls, name: str) -> str:
        return TokenizerParams(name=name).name


DEFAULT_STAGE = FirstStage()

_LEXICAL = {"tokenizer", "idf", "k1", "b"}
_DENSE = {"encoder"}
_TIES = {"ties", "tie_seed"}
_BY_RANK = {"rrf_k", "rank_origin"}
_BY_SCORE = {"combine", "bm25_weight"}

_USED = {
    "bm25": _LEXICAL | _TIES | {"fill", "k"},
    "dense": _DENSE | _TIES | {"k"},
    "dense-rerank": _DENSE | _TIES | {"k"},
    "hybrid-rrf": set(FirstStage.model_fields) - {"bm25_weight"},
    "session": _DENSE | _TIES,
    "fusion": _LEXICAL | _DENSE | _TIES | _BY_RANK,
    "fusion-rerank": _LEXICAL | _DENSE | _TIES | _BY_RANK,
}

FORCED: Mapping[str, Mapping[str, str]] = {"hybrid-rrf": {"combine": "rrf"}, "hybrid-fusion": {"combine": "z"}}
"""Parameters that the name of a variant says by itself."""


def stage_names(variant: str) -> tuple[str, ...]:
    """Return the parameters of the first stage that the variants of a name use, in their order.

    >>> stage_names("session")
    ('encoder', 'ties', 'tie_seed')
    """
    used = _USED.get(variant, set(FirstStage.model_fields))
    return tuple(field for field in FirstStage.model_fields if field in used)

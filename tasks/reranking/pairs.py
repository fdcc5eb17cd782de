"""Pairs of query and document: their identity, and how they are cut into shards of equal work."""

import hashlib
from collections.abc import Sequence

import polars as pl
from pydantic import Field

from tasks.records import Params

CHARACTERS_PER_TOKEN = 4.2
"""English text with a BERT vocabulary; used only to cut shards, never for a result."""
MAX_TOKENS = 512
SPECIAL_TOKENS = 3


class PairParams(Params):
    """How pairs are cut into shards.

    `shard_tokens` is the estimated number of word pieces in a shard: 150,000 take about 40 s on 2 cores.
    """

    shard_tokens: int = Field(default=150_000, gt=0)


def pair_key(query_text: str, document_text: str) -> str:
    """Return 32 hexadecimal digits that identify a pair of texts (SHA-256).

    >>> pair_key("a", "b") == pair_key("ab", "")
    False
    """
    return hashlib.sha256(f"{query_text}\x1f{document_text}".encode()).hexdigest()[:32]


def estimated_tokens(query_text: str, document_text: str) -> int:
    """Return about how many word pieces a cross-encoder reads of a pair.

    >>> estimated_tokens("x" * 42, "y" * 420)
    113
    """
    tokens = int((len(query_text) + len(document_text)) / CHARACTERS_PER_TOKEN) + SPECIAL_TOKENS
    return min(tokens, MAX_TOKENS)


def cut_pairs(keys: Sequence[str], costs: Sequence[int], shard_tokens: int) -> pl.DataFrame:
    """Return (pair_key, shard_index) of each distinct pair, in order of first appearance.

    Shards are contiguous in that order and hold about `shard_tokens` each; a pair belongs to exactly one.

    >>> cut_pairs(["a", "b", "a", "c"], [6, 6, 6, 6], shard_tokens=10)["shard_index"].to_list()
    [0, 0, 1]
    """
    shard_of: dict[str, int] = {}
    shard = filled = 0
    for key, cost in zip(keys, costs, strict=True):
        if key in shard_of:
            continue
        if filled >= shard_tokens:
            shard, filled = shard + 1, 0
        shard_of[key] = shard
        filled += cost
    return pl.DataFrame(
        {"pair_key": list(shard_of), "shard_index": list(shard_of.values())},
        schema={"pair_key": pl.String, "shard_index": pl.Int32},
    )

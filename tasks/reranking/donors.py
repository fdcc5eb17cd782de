"""Which finished shards hold the logits of which pairs: the others need not be read."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl


def shards_of_pairs(pairs_dir: Path) -> dict[int, list[str]]:
    """Return the keys of the pairs of each shard of a list of pairs."""
    pairs = pl.read_parquet(pairs_dir / "pairs.parquet", columns=["shard_index", "pair_key"]).unique(
        maintain_order=True
    )
    return {
        int(shard): keys for shard, keys in pairs.group_by("shard_index", maintain_order=True).agg("pair_key").rows()
    }


def holders_of(finished: Sequence[Path]) -> dict[str, int]:
    """Return, for each pair that a finished shard holds, the place of the first one that does."""
    holders: dict[str, int] = {}
    for place, shard in enumerate(finished):
        for key in pl.read_parquet(shard / "logits.parquet", columns=["pair_key"])["pair_key"]:
            holders.setdefault(key, place)
    return holders


def donors_of(keys: Sequence[str], holders: Mapping[str, int]) -> list[int]:
    """Return the places of the shards that together hold all of the pairs that any holds, ascending.

    >>> donors_of(["a", "b", "x"], {"a": 3, "b": 0, "c": 1})
    [0, 3]
    """
    return sorted({holders[key] for key in keys if key in holders})

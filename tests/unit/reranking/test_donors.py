"""Which finished shards are read: those that hold a pair that is wanted, and no others."""

from pathlib import Path

import polars as pl

from tasks.reranking.donors import donors_of, holders_of, shards_of_pairs


def write_shard(directory: Path, keys: list[str]) -> Path:
    directory.mkdir()
    pl.DataFrame({"pair_key": keys, "logit": [0.0] * len(keys)}).write_parquet(directory / "logits.parquet")
    return directory


def test_donors_hold_all_that_any_holds_and_nothing_else_is_read(tmp_path: Path) -> None:
    finished = [write_shard(tmp_path / str(i), keys) for i, keys in enumerate([["a", "b"], ["b", "c"], ["d"]])]
    holders = holders_of(finished)
    assert holders == {"a": 0, "b": 0, "c": 1, "d": 2}
    assert donors_of(["b", "d", "new"], holders) == [0, 2]
    assert donors_of(["new"], holders) == []


def test_pairs_of_each_shard(tmp_path: Path) -> None:
    rows = {
        "shard_index": [0, 0, 1],
        "query_index": [0, 1, 2],
        "document_index": [5, 5, 6],
        "pair_key": ["a", "a", "b"],
    }
    pl.DataFrame(rows).write_parquet(tmp_path / "pairs.parquet")
    assert shards_of_pairs(tmp_path) == {0: ["a"], 1: ["b"]}

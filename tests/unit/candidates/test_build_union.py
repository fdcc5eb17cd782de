"""The union of pools, from hand-written ones."""

from pathlib import Path

import polars as pl

from tasks.candidates.build_union import UNION, build


def write_pool(directory: Path, pairs: list[tuple[int, int]]) -> Path:
    directory.mkdir()
    table = pl.DataFrame(pairs, schema=UNION, orient="row").with_row_index("position")
    table.write_parquet(directory / "candidates.parquet")
    return directory


def test_union_has_each_pair_once_in_order(tmp_path: Path) -> None:
    pools = [write_pool(tmp_path / "a", [(1, 9), (0, 5), (0, 3)]), write_pool(tmp_path / "b", [(0, 3), (1, 2)])]
    build(pools, tmp_path)
    found = pl.read_parquet(tmp_path / "candidates.parquet")
    assert dict(found.schema) == UNION
    assert found.rows() == [(0, 3), (0, 5), (1, 2), (1, 9)]


def test_union_of_empty_pools_is_empty(tmp_path: Path) -> None:
    build([write_pool(tmp_path / "a", [])], tmp_path)
    assert pl.read_parquet(tmp_path / "candidates.parquet").is_empty()

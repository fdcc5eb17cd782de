from collections.abc import Callable

import polars as pl
import pytest

from tasks.records import BenchError
from tests.unit.reporting.handmade import World

Change = Callable[[pl.DataFrame], pl.DataFrame]
IS_FIRST = pl.int_range(pl.len()) == 0


def set_first(column: str, value: object) -> Change:
    return lambda table: table.with_columns(
        pl.when(IS_FIRST).then(pl.lit(value).cast(table.schema[column])).otherwise(pl.col(column)).alias(column)
    )


@pytest.mark.parametrize(
    ("table", "change", "message"),
    [
        ("metrics/query_metrics", set_first("value", 1.2), "value outside 0 to 1"),
        ("metrics/query_metrics", set_first("value", -0.1), "value outside 0 to 1"),
        ("metrics/query_metrics", set_first("value", float("inf")), "value outside 0 to 1"),
        ("metrics/query_metrics", lambda t: t[1:], "expected one per question"),
        ("metrics/query_metrics", lambda t: pl.concat([t, t[:1]]), "share their key"),
        ("metrics/query_metrics", set_first("query_id", "stranger"), "not questions of the corpus: stranger"),
        ("metrics/query_metrics", set_first("measure", "invented"), "has no declared range"),
        ("metrics/query_metrics", lambda t: t.filter(pl.col("variant") != "bm25"), "no values of bm25"),
        ("behaviour/behaviour_metrics", set_first("value", 0.5), "is 0 or 1"),
        ("behaviour/behaviour_metrics", set_first("value", 0.0), "must sum to 1"),
        ("significance/summary", set_first("mean", 0.99), "mean is not the mean of the per-query rows"),
        ("significance/summary", set_first("n", 4), "not that of the per-query rows"),
        ("significance/summary", lambda t: t.filter(pl.col("measure") != "nDCG@10"), r"no nDCG@10 of bm25"),
        ("significance/comparisons", set_first("p", 0.0), "a sampled p-value is never zero"),
        ("significance/comparisons", set_first("p_adjusted", 0.0001), "never below the raw one"),
        ("significance/comparisons", set_first("wins", 99), "must sum to n"),
        ("significance/comparisons", set_first("lo", 0.9), "must lie in its own interval"),
        ("rankings/0/rankings", lambda t: t.filter(pl.col("rank") != 2), "without gaps"),
        ("rankings/0/rankings", set_first("document_index", 1), "ranked once only"),
        ("rankings/0/rankings", set_first("score", float("nan")), "finite"),
        ("rankings/0/rankings", set_first("suppression", -0.2), "never negative"),
        ("rankings/3/suppression", set_first("n_documents_above", 9_999), "more documents above 0.01 than there are"),
        ("rankings/3/suppression", set_first("n_entries_above", 999), "exceeds its whole"),
        ("corpus/queries", lambda t: t[:-1], "the corpus has 7 questions"),
    ],
)  # fmt: skip
def test_planted_fault_stops_the_report(world: World, table: str, change: Change, message: str) -> None:
    world.edit(table, change)
    with pytest.raises(BenchError, match=message):
        world.report(is_drawn=False)
    assert not (world.root / "report").exists()


def test_all_failures_are_listed_at_once(world: World) -> None:
    world.edit("metrics/query_metrics", set_first("value", 1.2))
    world.edit("significance/comparisons", set_first("wins", 99))
    with pytest.raises(BenchError) as caught:
        world.report(is_drawn=False)
    assert "value outside" in str(caught.value)
    assert "must sum to n" in str(caught.value)


def test_sound_report_passes(world: World) -> None:
    assert (world.report(is_drawn=False) / "report.json").is_file()

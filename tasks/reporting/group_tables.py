"""Groups of questions for the warehouse: which questions are in which, and the mean of each group with its interval."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from tasks.corpora.question_kinds import ALL_BLOCKS
from tasks.measures.query_groups import BY, QUESTION_TYPE
from tasks.reporting.declared import fit
from tasks.reporting.group_schemas import GROUP_SUMMARY, QUERY_GROUPS
from tasks.reporting.sources import Sources, read_parquet
from tasks.reporting.tables import in_blocks
from tasks.significance.bootstrap import column_intervals

DECIMALS = 12
"""As in the stage significance: the order of summation, which threads may change, moves only later digits."""

Row = tuple[Any, ...]


def query_groups(source: Sources, asked: pl.DataFrame) -> pl.DataFrame:
    """Return the groups (`QUERY_GROUPS`) of every question of the table `queries`."""
    found = read_parquet(source.inputs.groups / "query_groups.parquet")
    ids = source.query_ids.join(asked, on="query_id", how="semi")
    named = found.join(ids, on="query_index", validate="m:1").with_columns(source.of_protocol())
    return fit(named, QUERY_GROUPS)


def group_summary(
    metrics: pl.DataFrame,
    asked: pl.DataFrame,
    groups: pl.DataFrame,
    measures: Sequence[str],
    *,
    seed: int = 0,
    n_resamples: int = 10_000,
) -> pl.DataFrame:
    """Return the mean of each group, block, variant and measure with its 95 % bootstrap interval (`GROUP_SUMMARY`).

    A group is taken within each block of questions, and over all of them where several blocks have values: LoCoMo's
    adversarial questions are never in the mean of another block. Questions without a value are left out and counted; a
    block without any is left out. Variants see the same draws where they are defined on the same questions.

    Parameters
    ----------
    metrics
        Table `query_metrics` of one protocol, one stream per variant.
    asked
        Table `queries` of the same.
    groups
        Table `query_groups` of the same.
    measures
        Which measures.
    seed, n_resamples
        Of the bootstrap; the generator is named after block, grouping and group.
    """
    rows = [
        row
        for measure in measures
        for row in _rows(metrics.filter(pl.col("measure") == measure), asked, groups, measure, seed, n_resamples)
    ]
    protocol = groups["protocol"].first() if groups.height else None
    names = [name for name in GROUP_SUMMARY.schema if name != "protocol"]
    schema = {name: GROUP_SUMMARY.schema[name] for name in names}
    table = pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.lit(protocol, pl.String).alias("protocol"))
    return fit(table.with_columns(pl.col("mean", "lo", "hi").round(DECIMALS)), GROUP_SUMMARY)


def _rows(
    metrics: pl.DataFrame, asked: pl.DataFrame, groups: pl.DataFrame, measure: str, seed: int, n_resamples: int
) -> Iterator[Row]:
    wide = metrics.pivot(on="variant", index="query_id", values="value")
    variants = [name for name in wide.columns if name != "query_id"]
    blocks = _blocks_with_values(metrics, asked)
    members = (
        groups.join(in_blocks(asked), on="query_id", validate="m:m")
        .filter(pl.col("block").is_in(blocks))
        .join(wide, on="query_id", how="left", validate="m:1")
        .sort("query_id")
    )
    for (block, by, group), part in sorted(members.group_by("block", "by", "group"), key=lambda found: str(found[0])):
        columns = part.select(pl.col(variants).cast(pl.Float64).fill_null(float("nan"))).to_numpy()
        names = ("group means", str(block), str(by), str(group))
        intervals = column_intervals(columns, seed=seed, names=names, n_resamples=n_resamples)
        for variant, one in zip(variants, intervals, strict=True):
            yield block, by, group, variant, measure, one.n, one.n_undefined, one.mean, one.lo, one.hi


def _blocks_with_values(metrics: pl.DataFrame, asked: pl.DataFrame) -> list[str]:
    """Return the blocks with a defined value; with all questions where these are several."""
    defined = metrics.filter(pl.col("value").is_not_nan()).join(asked, on="query_id", how="inner", validate="m:1")
    own = defined["block"].unique().sort().to_list()
    return [*own, ALL_BLOCKS] if len(own) > 1 else own


def in_order(by: str, groups: Sequence[str]) -> list[str]:
    """Return groups as people read them: question types by name, classes by the number they begin with.

    >>> in_order("gold_session_length", ["26+", "8-15", "16-25", "1-7"])
    ['1-7', '8-15', '16-25', '26+']
    """
    if by == QUESTION_TYPE:
        return sorted(set(groups))
    return sorted(set(groups), key=lambda group: int(group.rstrip("+").split("-")[0]))


def groupings(summary: pl.DataFrame) -> list[str]:
    """Return what the questions of a table `group_summary` are grouped by, in the order of the report."""
    return [by for by in BY if by in set(summary["by"])]

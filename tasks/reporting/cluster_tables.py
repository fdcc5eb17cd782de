"""Comparisons over groups of questions for the warehouse."""

import polars as pl

from tasks.reporting.cluster_schemas import CLUSTER_COMPARISONS
from tasks.reporting.declared import conform, fit
from tasks.reporting.sources import Sources, read_parquet


def cluster_comparisons(source: Sources) -> pl.DataFrame:
    """Return the comparisons by every method (`CLUSTER_COMPARISONS`), as the significance stage computed them.

    Raises
    ------
    BenchError
        When the stage has not written them, or they do not fit the table.
    """
    frame = read_parquet(source.inputs.significance / "cluster_comparisons.parquet")
    return conform(fit(frame.with_columns(source.of_protocol()), CLUSTER_COMPARISONS), CLUSTER_COMPARISONS)

"""The same question to the results in polars and in DuckDB: the mean of nDCG@10 by variant, latest run of each dataset.

Run it in the root of the checkout, after `make run`:  .venv/bin/python examples/read_results.py
"""

import duckdb
import polars as pl

WAREHOUSE = "reports/warehouse"


def with_polars() -> pl.DataFrame:
    """Return (dataset, variant, mean, n) with polars. NaN is an undefined value: it is left out."""
    tables = {
        name: pl.scan_parquet(f"{WAREHOUSE}/{name}/**/*.parquet", hive_partitioning=True)
        for name in ("runs", "queries", "query_metrics")
    }
    latest = tables["runs"].sort("finished_at").group_by("dataset").agg(pl.col("run_id", "protocol").last())
    return (
        tables["query_metrics"]
        .join(latest, on=["dataset", "run_id", "protocol"], how="semi")  # the main protocol of the latest run
        .join(tables["queries"], on=["dataset", "run_id", "protocol", "query_id"])
        .filter(pl.col("measure") == "nDCG@10", pl.col("block") == "main", pl.col("value").is_not_nan())
        .group_by("dataset", "variant")
        .agg(pl.col("value").mean().round(4).alias("mean"), pl.len().cast(pl.Int64).alias("n"))
        .sort("dataset", "mean", descending=[False, True])
        .collect()
    )


def with_duckdb() -> pl.DataFrame:
    """Return the same with DuckDB and the views of reports/views.sql."""
    connection = duckdb.connect()
    with open("reports/views.sql", encoding="utf-8") as views:  # noqa: PTH123  (as plain as an example should be)
        connection.execute(views.read())
    return connection.sql(
        """
        SELECT dataset, variant, round(avg(value), 4) AS mean, count(*) AS n
        FROM scores SEMI JOIN latest_runs USING (dataset, run_id, protocol)
        WHERE measure = 'nDCG@10' AND block = 'main' AND isfinite(value)
        GROUP BY ALL
        ORDER BY dataset, mean DESC
        """
    ).pl()


if __name__ == "__main__":
    print(with_polars())  # noqa: T201
    print(with_duckdb())  # noqa: T201

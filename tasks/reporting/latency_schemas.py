"""The warehouse's table of times; merged into `TABLES` by `schemas`."""

from tasks.reporting.declared import INT32, REAL, STRING, Table, columns

LATENCY = Table(
    "latency",
    columns(
        protocol=STRING,
        encoder=STRING,
        reranker=STRING,
        stage=STRING,
        n=INT32,
        mean_ms=REAL,
        median_ms=REAL,
        p95_ms=REAL,
        min_ms=REAL,
        cpu_model=STRING,
        n_cores=INT32,
    ),
    key=("protocol", "encoder", "reranker", "stage"),
)

LATENCY_TABLES = (LATENCY,)
"""Written by `build`, from what the stage selection measured; empty where nothing was."""

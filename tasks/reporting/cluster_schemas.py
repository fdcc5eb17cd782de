"""The warehouse's table of comparisons over groups of questions; merged into `TABLES` by `schemas`."""

from tasks.reporting.declared import BOOLEAN, INT32, REAL, STRING, Table, columns

CLUSTER_COMPARISONS = Table(
    "cluster_comparisons",
    columns(
        protocol=STRING,
        block=STRING,
        family=STRING,
        variant=STRING,
        baseline=STRING,
        measure=STRING,
        method=STRING,
        n=INT32,
        n_groups=INT32,
        delta=REAL,
        lo_OR_NULL=REAL,
        hi_OR_NULL=REAL,
        p_OR_NULL=REAL,
        p_floor_OR_NULL=REAL,
        is_one_sided=BOOLEAN,
    ),
    key=("protocol", "block", "family", "variant", "baseline", "measure", "method"),
)

CLUSTER_TABLES = (CLUSTER_COMPARISONS,)
"""Written by `build`: functions of the results alone."""

"""The warehouse's tables about groups of questions; merged into `TABLES` by `schemas`."""

from tasks.reporting.declared import INT32, REAL, STRING, Table, columns

QUERY_GROUPS = Table(
    "query_groups",
    columns(protocol=STRING, query_id=STRING, by=STRING, group=STRING),
    key=("protocol", "query_id", "by"),
)
GROUP_SUMMARY = Table(
    "group_summary",
    columns(
        protocol=STRING,
        block=STRING,
        by=STRING,
        group=STRING,
        variant=STRING,
        measure=STRING,
        n=INT32,
        n_undefined=INT32,
        mean=REAL,
        lo=REAL,
        hi=REAL,
    ),
    key=("protocol", "block", "by", "group", "variant", "measure"),
)

GROUP_TABLES = (QUERY_GROUPS, GROUP_SUMMARY)
"""Written by `build`: functions of the results alone."""

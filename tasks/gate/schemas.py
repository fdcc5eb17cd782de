"""The tables that the gate adds to the warehouse. Rows are only ever added. Dictionary: data/README.md."""

from tasks.reporting.declared import STRING, TIME, Table, columns

ACCEPTED = Table(
    "accepted",
    columns(
        profile=STRING,
        accepted_at=TIME,
        accepted_by=STRING,
        why=STRING,
        git_commit=STRING,
        dataset_fingerprint=STRING,
        config_fingerprint=STRING,
    ),
    key=("profile", "accepted_at"),
)
VERDICTS = Table(
    "verdicts",
    columns(
        profile=STRING,
        judged_at=TIME,
        accepted_run_OR_NULL=STRING,
        verdict=STRING,
        quality=STRING,
        cost=STRING,
        sentence=STRING,
        host=STRING,
        machine=STRING,
    ),
    key=("profile", "judged_at"),
)
GATE_TABLES = (ACCEPTED, VERDICTS)

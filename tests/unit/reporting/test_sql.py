import csv
import io
import json
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import polars as pl
import pytest

from tasks.records import BenchError
from tasks.reporting.run_facts import DataFacts
from tasks.reporting.schemas import EXTRA_TABLES, TABLES
from tasks.reporting.sql import Output, open_warehouse, run_query
from tasks.reporting.warehouse import publish, publish_sweep
from tests.unit.reporting.handmade import make_run, sweep_rows

CHECKOUT = Path(__file__).resolve().parents[3]
VIEWS = CHECKOUT / "reports" / "views.sql"
SWEPT = DataFacts("locomo", "conversation-turn", {"n_queries": 7, "n_documents": 24}, "nDCG@10")
QUESTIONS = sorted((CHECKOUT / "reports" / "queries").glob("*.sql"))


@pytest.fixture(scope="module")
def root(report_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout's root with two runs and a sweep in its warehouse; the folder's name has a quote."""
    folder = tmp_path_factory.mktemp("it's here")
    publish_sweep(sweep_rows(), SWEPT, make_run("s1"), folder / "reports" / "warehouse")
    publish([report_dir], make_run("r1"), folder / "reports" / "warehouse")
    publish([report_dir], make_run("2026-11-04"), folder / "reports" / "warehouse")
    return folder


@pytest.fixture
def connection(root: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    opened = open_warehouse(root / "reports" / "warehouse", VIEWS)
    yield opened
    opened.close()


def rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(run_query(connection, sql, "json"))
    return found


@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: path.stem)
def test_committed_question_runs_and_says_what_it_answers(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    sql = path.read_text(encoding="utf-8")
    assert sql.startswith("-- ")
    assert "?" in sql.splitlines()[0] or "." in sql.splitlines()[0]
    found = rows(connection, sql)
    assert bool(found) == (path.stem != "same_numbers")  # there, a row is a contradiction


def test_at_least_twelve_questions() -> None:
    assert len(QUESTIONS) >= 12


def test_every_table_is_a_view_with_its_columns_and_partitions(connection: duckdb.DuckDBPyConnection) -> None:
    for name, table in TABLES.items():
        found = [row["column_name"] for row in rows(connection, f"DESCRIBE {name}")]
        assert found == [*table.schema, "dataset", "run_id"]
    assert {row["run_id"] for row in rows(connection, "FROM runs")} == {"r1", "2026-11-04", "s1"}  # text, not a date


def test_views_work_in_a_plain_shell_from_the_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    with duckdb.connect() as shell:
        shell.execute(VIEWS.read_text(encoding="utf-8"))
        assert shell.execute("SELECT count(*) FROM runs").fetchone() == (3,)


def test_means_view_against_summary(connection: duckdb.DuckDBPyConnection) -> None:
    sql = """SELECT count(*) AS n, max(abs(s.mean - m.mean)) AS apart, bool_and(s.n = m.n) AS same_n,
                    bool_and(s.n_undefined = m.n_undefined) AS same_lost
             FROM summary AS s JOIN means AS m USING (dataset, run_id, block, variant, measure)"""
    (row,) = rows(connection, sql)
    assert row["n"] == 2 * 3 * 5 * 4  # runs, blocks, variants, measures
    assert row["apart"] == pytest.approx(0, abs=1e-12)
    assert row["same_n"] is True
    assert row["same_lost"] is True


def test_paired_differences_against_comparisons(connection: duckdb.DuckDBPyConnection) -> None:
    sql = """SELECT avg(d.delta) - any_value(c.delta) AS apart, count(*) - any_value(c.n) AS n_apart
             FROM paired_differences('nDCG@10', 'hybrid-rerank') AS d
             JOIN main_comparisons AS c USING (dataset, run_id, block, variant, measure)
             GROUP BY run_id, block, variant"""
    found = rows(connection, sql)
    assert len(found) == 2 * 2 * 4
    assert all(row["apart"] == pytest.approx(0, abs=1e-12) and row["n_apart"] == 0 for row in found)


def test_nan_is_found_by_every_predicate(connection: duckdb.DuckDBPyConnection) -> None:
    for predicate in ("NOT isnan(value)", "isfinite(value)", "value <> 'nan'::DOUBLE", "value <= 1"):
        (row,) = rows(connection, f"SELECT count(*) AS n FROM query_metrics WHERE {predicate} AND run_id = 'r1'")
        assert row["n"] == 5 * 4 * 6, predicate


def test_a_run_without_its_last_table_is_not_shown(report_dir: Path, tmp_path: Path) -> None:
    publish([report_dir], make_run("r1"), tmp_path)
    publish([report_dir], make_run("killed"), tmp_path)
    (tmp_path / "runs" / "dataset=locomo" / "run_id=killed" / "part-0.parquet").unlink()
    with open_warehouse(tmp_path, VIEWS) as opened:
        for name in set(TABLES) - {table.name for table in EXTRA_TABLES}:  # these are empty here
            assert {row["run_id"] for row in rows(opened, f"SELECT DISTINCT run_id FROM {name}")} == {"r1"}


def test_warehouse_of_an_older_version_has_views_of_every_table_and_column(report_dir: Path, tmp_path: Path) -> None:
    publish([report_dir], make_run("old"), tmp_path)
    for name in ("suppression_trace", "stream_metrics", "sweep_metrics", "study_cells"):
        shutil.rmtree(tmp_path / name)
    for name, column in (("comparisons", "family"), ("comparisons", "family_index"), ("runs", "kind")):
        path = tmp_path / name / "dataset=locomo" / "run_id=old" / "part-0.parquet"
        frame = pl.read_parquet(path)
        if column == "family":
            frame = frame.filter(family_index=0)
        frame.drop(column).write_parquet(path)
    with open_warehouse(tmp_path, VIEWS) as opened:
        for name, table in TABLES.items():
            found = [row["column_name"] for row in rows(opened, f"DESCRIBE {name}")]
            assert found == [*table.schema, "dataset", "run_id"]
        assert rows(opened, "SELECT count(*) AS n FROM stream_metrics") == [{"n": 0}]
        assert rows(opened, "SELECT run_id FROM latest_runs") == [{"run_id": "old"}]
        (main,) = rows(opened, "SELECT count(*) AS n, count(family) AS named FROM main_comparisons")
        assert (main["n"], main["named"]) == (3 * 4 * 4, 0)
        for path in QUESTIONS:
            run_query(opened, path.read_text(encoding="utf-8"))


def test_main_comparisons_have_one_row_for_each_variant(connection: duckdb.DuckDBPyConnection) -> None:
    sql = """SELECT count(*) AS n, count(DISTINCT (run_id, protocol, block, variant, measure)) AS n_distinct FROM """
    (main,), (every,) = rows(connection, f"{sql} main_comparisons"), rows(connection, f"{sql} comparisons")
    assert main["n"] == main["n_distinct"] == every["n_distinct"] == 2 * 3 * 4 * 4
    assert every["n"] == 2 * 3 * 5 * 4  # the gap rule against the uniform one too


def test_a_sweep_is_not_the_latest_run(report_dir: Path, tmp_path: Path) -> None:
    publish([report_dir], make_run("r1"), tmp_path)
    later = make_run("r2", finished_at=datetime(2027, 1, 1, tzinfo=UTC))
    publish_sweep(sweep_rows(), SWEPT, later, tmp_path)
    with open_warehouse(tmp_path, VIEWS) as opened:
        assert rows(opened, "SELECT run_id FROM latest_runs") == [{"run_id": "r1"}]
        assert rows(opened, "SELECT DISTINCT run_id FROM sweep_metrics") == [{"run_id": "r2"}]


def test_other_streams_against_hand_computed(connection: duckdb.DuckDBPyConnection) -> None:
    sql = (CHECKOUT / "reports" / "queries" / "other_streams.sql").read_text(encoding="utf-8")
    gap, uniform = rows(connection, sql)
    # 0.274 in the run; the second of five questions loses 0.1, 0.2 and 0.3 on the three other streams
    assert gap["n_streams"] == 4
    assert [gap[name] for name in ("delta", "least", "largest", "delta_here", "share_opposite")] == pytest.approx(
        [0.274 - 0.12 / 4, 0.274 - 0.06, 0.274, 0.274, 0.0], abs=1e-7
    )
    assert uniform["delta"] == pytest.approx(-0.12 / 4, abs=1e-7)
    assert uniform["share_opposite"] == 0  # the run's own difference is 0: it has no sign


@pytest.mark.parametrize("is_made", [False, True])
def test_empty_warehouse_says_what_to_do(tmp_path: Path, is_made: bool) -> None:
    if is_made:
        (tmp_path / "warehouse" / "runs").mkdir(parents=True)
    with pytest.raises(BenchError, match=r"no runs yet.*make run"):
        open_warehouse(tmp_path / "warehouse", VIEWS)


@pytest.mark.parametrize(
    "sql",
    [
        "COPY (SELECT 1) TO '{root}/planted.csv'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{root}/planted.csv'",
        "/* x */ explain -- y\n analyze copy (SELECT 1) TO '{root}/planted.csv'",
        "EXPLAIN (ANALYZE, FORMAT json) COPY (SELECT 1) TO '{root}/planted.csv'",
        "COPY (PIVOT runs ON profile USING count(*)) TO '{root}/planted.csv'",
        "SELECT 1; COPY (SELECT 1) TO '{root}/planted.csv'",
        "PREPARE p AS COPY (SELECT 1) TO '{root}/planted.csv'",
        "ATTACH '{root}/planted.db'",
        "EXPORT DATABASE '{root}/planted'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "CREATE TABLE t AS SELECT 1",
        "DROP VIEW runs",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('{root}/../secret.txt')",
        "SELECT * FROM glob('/etc/*')",
    ],
)
def test_reading_connection_neither_writes_nor_looks_elsewhere(
    root: Path, connection: duckdb.DuckDBPyConnection, sql: str
) -> None:
    warehouse = root / "reports" / "warehouse"
    (root / "reports" / "secret.txt").write_text("x", encoding="utf-8")
    before = sorted(warehouse.rglob("*"))
    with pytest.raises(BenchError):
        run_query(connection, sql.format(root=str(warehouse).replace("'", "''")))
    assert sorted(warehouse.rglob("*")) == before


@pytest.mark.parametrize(
    "sql",
    [
        "FROM runs", "-- x\nSELECT 1", "DESCRIBE runs", "SHOW TABLES", "SUMMARIZE runs", "EXPLAIN SELECT 1",
        "VALUES (1)", "EXPLAIN ANALYZE SELECT 1", "PIVOT summary ON measure USING avg(mean) GROUP BY variant",
        "WITH a AS (SELECT 1) FROM a", "SELECT 1; SELECT 2",
    ],
)  # fmt: skip
def test_reading_statements_are_accepted(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    assert run_query(connection, sql).endswith(")\n")


def test_writing_is_possible_when_asked_for(root: Path, tmp_path: Path) -> None:
    with open_warehouse(root / "reports" / "warehouse", VIEWS, read_only=False) as opened:
        target = str(tmp_path / "out.csv").replace("'", "''")
        run_query(opened, f"COPY (SELECT 1 AS x) TO '{target}'")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "x\n1\n"


ODD = """SELECT * FROM (VALUES ('a,"b"\n\x1b[31m', 'nan'::DOUBLE, NULL, 1.5::DECIMAL(3,1), DATE '2026-01-02',
                                [1, NULL])) t(x, "y", x2, d, day, list)"""


@pytest.mark.parametrize("output", ["text", "csv", "json"])
def test_outputs_of_odd_values(connection: duckdb.DuckDBPyConnection, output: Output) -> None:
    text = run_query(connection, ODD, output)
    if output == "json":
        assert json.loads(text) == [
            {"x": 'a,"b"\n\x1b[31m', "y": None, "x2": None, "d": 1.5, "day": "2026-01-02", "list": [1, None]}
        ]
    elif output == "csv":
        assert list(csv.reader(io.StringIO(text, newline=""))) == [
            ["x", "y", "x2", "d", "day", "list"],
            ['a,"b"\n\x1b[31m', "NaN", "", "1.5", "2026-01-02", "[1, null]"],
        ]
    else:
        assert "\x1b" not in text
        assert "NULL" in text
        assert "(1 row)" in text


def test_repeated_column_names_lose_nothing(connection: duckdb.DuckDBPyConnection) -> None:
    assert rows(connection, "SELECT 1 AS x, 2 AS x") == [{"x": 1, "x_1": 2}]


@pytest.mark.parametrize(
    ("sql", "message"), [("SELEC 1", "the query failed"), ("", "empty"), ("FROM nowhere", "nowhere")]
)
def test_wrong_sql_is_an_error_for_people(connection: duckdb.DuckDBPyConnection, sql: str, message: str) -> None:
    with pytest.raises(BenchError, match=message):
        run_query(connection, sql)


def test_tables_read_with_polars_as_the_dictionary_says(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    found = pl.scan_parquet("reports/warehouse/query_metrics/**/*.parquet", hive_partitioning=True).collect()
    assert found.height == 2 * 5 * 4 * 7
    assert {"dataset", "run_id"} <= set(found.columns)
    assert os.access(root, os.R_OK)

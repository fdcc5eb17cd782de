import hashlib
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from tasks.records import BenchError
from tasks.reporting import schemas, warehouse
from tasks.reporting.run_facts import DataFacts
from tasks.reporting.schemas import COMPARISONS, RUNS, TABLES, conform
from tasks.reporting.warehouse import Partition, publish, publish_sweep, publish_together
from tests.unit.reporting.handmade import World, make_run, study_rows, sweep_rows, write_world

TABLE_NAMES = sorted(TABLES)


def visible(root: Path) -> list[Path]:
    return sorted(path for path in root.glob("*/*/*/*") if path.is_file())


def test_every_table_is_written_once_per_run(report_dir: Path, tmp_path: Path) -> None:
    publish([report_dir], make_run("r1"), tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in visible(tmp_path)] == [
        f"{name}/dataset=locomo/run_id=r1/part-0.parquet" for name in TABLE_NAMES
    ]
    assert not list(tmp_path.glob(".*"))


def test_a_second_run_leaves_the_first_untouched(report_dir: Path, tmp_path: Path) -> None:
    publish([report_dir], make_run("r1"), tmp_path)
    before = {
        path: (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()) for path in visible(tmp_path)
    }
    publish([report_dir], make_run("r2"), tmp_path)
    assert len(visible(tmp_path)) == 2 * len(TABLE_NAMES)
    for path, (mtime, digest) in before.items():
        assert (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()) == (mtime, digest)


def test_published_run_is_never_rewritten(report_dir: Path, tmp_path: Path) -> None:
    publish([report_dir], make_run("r1"), tmp_path)
    before = visible(tmp_path)
    with pytest.raises(BenchError, match="never rewritten"):
        publish([report_dir], make_run("r1"), tmp_path)
    assert visible(tmp_path) == before


@pytest.fixture(scope="module")
def second_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of another data set."""
    made = World(tmp_path_factory.mktemp("second") / "world")
    write_world(made)
    return made.report(is_drawn=False, dataset="nfcorpus")


def test_a_run_over_two_data_sets_has_a_partition_of_each(report_dir: Path, second_dir: Path, tmp_path: Path) -> None:
    parts = [Partition([report_dir], make_run("r1")), Partition([second_dir], make_run("r1", stages=()))]
    publish_together(parts, tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in visible(tmp_path)] == [
        f"{name}/dataset={dataset}/run_id=r1/part-0.parquet"
        for name in TABLE_NAMES
        for dataset in ("locomo", "nfcorpus")
    ]
    assert pl.read_parquet(tmp_path / "timings" / "dataset=locomo" / "run_id=r1").height
    assert not pl.read_parquet(tmp_path / "timings" / "dataset=nfcorpus" / "run_id=r1").height
    with pytest.raises(BenchError, match="never rewritten"):
        publish([second_dir], make_run("r1"), tmp_path)


@pytest.mark.parametrize("n_before_crash", [0, 1, 5, 16, 31, 32, 33])
def test_crash_between_the_renames_of_two_data_sets_takes_both_back(
    report_dir: Path, second_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_before_crash: int
) -> None:
    real, calls = Path.rename, iter(range(100))

    def crash(self: Path, target: Path) -> Path:
        if next(calls) == n_before_crash:
            raise KeyboardInterrupt
        return real(self, target)

    parts = [Partition([report_dir], make_run("r1")), Partition([second_dir], make_run("r1"))]
    monkeypatch.setattr(Path, "rename", crash)
    with pytest.raises(KeyboardInterrupt):
        publish_together(parts, tmp_path)
    monkeypatch.undo()
    assert next(calls) == n_before_crash + 1
    assert not visible(tmp_path)
    publish_together(parts, tmp_path)
    assert len(visible(tmp_path)) == 2 * len(TABLE_NAMES)


def test_partitions_that_do_not_fit_together_are_refused(report_dir: Path, second_dir: Path, tmp_path: Path) -> None:
    for parts in (
        [Partition([report_dir], make_run("r1")), Partition([second_dir], make_run("r2"))],
        [Partition([report_dir], make_run("r1")), Partition([report_dir], make_run("r1"))],
        [],
    ):
        with pytest.raises(BenchError, match="expected one id, and each data set once"):
            publish_together(parts, tmp_path)
    assert not visible(tmp_path)


def test_cells_of_a_study_come_with_the_report(report_dir: Path, tmp_path: Path) -> None:
    publish([report_dir], make_run("r1"), tmp_path, extra={"study_cells": study_rows()})
    cells = pl.read_parquet(tmp_path / "study_cells" / "dataset=locomo" / "run_id=r1" / "part-0.parquet")
    assert cells["row"].to_list() == ["clustered30-gap", "tables"]
    assert cells["ours"].is_nan().to_list() == [False, True]  # was null
    assert cells["p"].null_count() == 2  # was not there


@pytest.mark.parametrize(
    ("name", "frame", "message"),
    [
        ("study_cells", study_rows().with_columns(artifact_keys=pl.lit([], pl.List(pl.String))), "names the artifacts"),
        ("study_cells", study_rows().with_columns(verdict=pl.lit("fine")), "a verdict not of"),
        ("study_cells", study_rows().drop("published"), "no column published"),
        ("study_cells", pl.concat([study_rows()] * 2), "share their key"),
        ("sweep_metrics", sweep_rows().with_columns(min=pl.lit(0.65)), "least and largest stream"),
        ("sweep_metrics", sweep_rows().with_columns(delta_max=pl.lit(-0.02)), "least and largest"),
        ("sweep_metrics", sweep_rows().with_columns(share_opposite=pl.lit(25.0)), "is a share"),
        ("sweep_metrics", sweep_rows().with_columns(n=pl.lit("many")), "expected the types"),
        ("summary", sweep_rows(), "tables summary cannot be added"),
    ],
)
def test_wrong_further_tables_stop_the_publication(
    report_dir: Path, tmp_path: Path, name: str, frame: pl.DataFrame, message: str
) -> None:
    with pytest.raises(BenchError, match=message):
        publish([report_dir], make_run("r1"), tmp_path, extra={name: frame})
    assert not visible(tmp_path)


def test_a_sweep_is_published_without_reports(report_dir: Path, tmp_path: Path) -> None:
    corpus = {"n_queries": 7, "n_documents": 24, "licence": "MIT", "source": None}
    facts = DataFacts("locomo", "conversation-turn", corpus, main_measure="nDCG@10", baseline="hybrid-rerank")
    publish([report_dir], make_run("r1"), tmp_path)
    publish_sweep(sweep_rows(), facts, make_run("r2"), tmp_path)
    own = {path.parts[-4]: pl.read_parquet(path) for path in visible(tmp_path) if path.parent.name == "run_id=r2"}
    assert {name for name, table in own.items() if table.height} == {"sweep_metrics", "runs", "timings", "artifacts"}
    assert set(own) == set(TABLES)
    assert own["sweep_metrics"].equals(sweep_rows().sort("variant"))
    row = own["runs"].row(0, named=True)
    assert (row["kind"], row["licence"], row["n_queries"], row["note"]) == ("sweep", "MIT", 7, None)


def test_fingerprint_of_the_data_is_that_of_the_report(report_dir: Path) -> None:
    facts = warehouse.read_facts(report_dir)
    assert DataFacts.of_report(facts).fingerprint == facts["dataset_fingerprint"]


@pytest.mark.parametrize("n_before_crash", [0, 1, 5, 10])
def test_crash_while_writing_leaves_nothing(
    report_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_before_crash: int
) -> None:
    calls = iter(range(100))

    def crash(frame: pl.DataFrame, table: schemas.Table, path: Path) -> None:
        if next(calls) == n_before_crash:
            raise KeyboardInterrupt
        schemas.write(frame, table, path)

    monkeypatch.setattr(warehouse, "write", crash)
    with pytest.raises(KeyboardInterrupt):
        publish([report_dir], make_run(), tmp_path)
    assert not visible(tmp_path)
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("n_before_crash", [1, 6, 10])
def test_crash_between_renames_is_taken_back(
    report_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_before_crash: int
) -> None:
    real, calls = Path.rename, iter(range(100))

    def crash(self: Path, target: Path) -> Path:
        if next(calls) == n_before_crash:
            raise KeyboardInterrupt
        return real(self, target)

    monkeypatch.setattr(Path, "rename", crash)
    with pytest.raises(KeyboardInterrupt):
        publish([report_dir], make_run(), tmp_path)
    monkeypatch.undo()
    assert not visible(tmp_path)
    publish([report_dir], make_run(), tmp_path)
    assert len(visible(tmp_path)) == len(TABLE_NAMES)


def test_what_a_killed_publication_left_is_replaced(report_dir: Path, tmp_path: Path) -> None:
    left = tmp_path / "summary" / "dataset=locomo" / "run_id=r1"
    left.mkdir(parents=True)
    (left / "part-0.parquet").write_bytes(b"half")
    publish([report_dir], make_run("r1"), tmp_path)
    assert pl.read_parquet(left / "part-0.parquet").height


def test_unwritable_warehouse_is_an_error_for_people(report_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(BenchError, match="Nothing was published"):
        publish([report_dir], make_run(), tmp_path / "file")


@pytest.mark.parametrize("run_id", ["../../etc", "a/b", "", ".hidden", "a b", "a=b"])
def test_run_id_cannot_leave_the_warehouse(run_id: str) -> None:
    with pytest.raises(BenchError, match="cannot name a folder"):
        make_run(run_id)


def test_times_without_a_zone_are_refused() -> None:
    with pytest.raises(BenchError, match="no time zone"):
        make_run(started_at=datetime(2026, 1, 1))  # the fault under test


def test_run_row_says_what_was_run(report_dir: Path, tmp_path: Path) -> None:
    publish([report_dir], make_run("r1"), tmp_path)
    row = pl.read_parquet(tmp_path / "runs" / "dataset=locomo" / "run_id=r1" / "part-0.parquet").row(0, named=True)
    assert row["note"] == "499 of 500 questions"
    assert row["is_official_source"] is False
    assert row["baseline"] == "hybrid-rerank"
    assert row["models"][0]["name"] == "all-MiniLM-L6-v2"
    assert row["report_digest"] == "0" * 64
    assert row["finished_at"] == datetime(2026, 11, 3, 2, 19)


def test_foreign_schema_version_is_refused(report_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warehouse, "SCHEMA_VERSION", 99)
    with pytest.raises(BenchError, match="schema version 4, expected 99"):
        publish([report_dir], make_run(), tmp_path)


def test_schema_violations_are_listed_together(report_dir: Path) -> None:
    table = pl.read_parquet(report_dir / "tables" / "comparisons.parquet")
    broken = table.drop("p").with_columns(
        pl.col("n").cast(pl.Int64), pl.lit(1).alias("surplus"), pl.lit(None, pl.String).alias("block")
    )
    with pytest.raises(BenchError) as caught:
        conform(broken, COMPARISONS)
    for fault in ("column p is missing", "surplus is not declared", "n has type Int64", "block has 60"):
        assert fault in str(caught.value)
    with pytest.raises(BenchError, match="share their key"):
        conform(pl.concat([table, table[:1]]), COMPARISONS)


def test_written_files_have_the_declared_types(report_dir: Path, tmp_path: Path) -> None:
    publish([report_dir], make_run("r1"), tmp_path)
    for name, table in TABLES.items():
        found = pl.read_parquet(tmp_path / name / "dataset=locomo" / "run_id=r1" / "part-0.parquet")
        assert dict(found.schema) == table.schema
    assert TABLES["runs"] is RUNS

"""What the gate reads of a published run: its partitions of the warehouse, one per data set."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tasks.records import BenchError
from tasks.reporting.schemas import ARTIFACTS, QUERY_METRICS, RUNS, TIMINGS, Table

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class RunPart:
    """One run on one data set.

    Attributes
    ----------
    warehouse
        Where its tables are.
    facts
        Its row of `runs`, with `dataset` and `run_id`.
    """

    warehouse: Path
    facts: dict[str, Any]

    @property
    def run_id(self) -> str:
        """Id of the run."""
        return str(self.facts["run_id"])

    @property
    def dataset(self) -> str:
        """Name of the data set."""
        return str(self.facts["dataset"])

    @property
    def profile(self) -> str:
        """Name of the profile."""
        return str(self.facts["profile"])

    def metrics(self) -> pl.DataFrame:
        """Return the values of single questions."""
        return self._read(QUERY_METRICS)

    def artifacts(self) -> pl.DataFrame:
        """Return the artifacts that the run needed."""
        return self._read(ARTIFACTS)

    def timings(self) -> pl.DataFrame:
        """Return what each of them cost."""
        return self._read(TIMINGS)

    def _read(self, table: Table) -> pl.DataFrame:
        folder = self.warehouse / table.name / f"dataset={self.dataset}" / f"run_id={self.run_id}"
        paths = sorted(folder.glob("*.parquet"))
        if not paths:
            raise BenchError(f"no table {table.name} of run {self.run_id} in {self.warehouse}; expected {folder}")
        return pl.concat([read_part(path) for path in paths])


def parts_of(warehouse: Path, run_id: str) -> list[RunPart]:
    """Return the partitions of a complete evaluation, by data set.

    Raises
    ------
    BenchError
        When there is no such run, it did not come to its end, it is a sweep, or a file of it is damaged.
    """
    parts = [RunPart(warehouse, facts) for facts in _rows(warehouse, run_id)]
    if not parts:
        raise BenchError(_unknown(warehouse, run_id))
    for part in parts:
        if part.facts.get("kind", "evaluation") == "sweep":
            raise BenchError(
                f"run {run_id} is a sweep over parameters; expected the run of a profile: `mnemobench run`"
            )
        if part.facts["status"] != "complete":
            raise BenchError(
                f"run {run_id} ended as {part.facts['status']!r} on {part.dataset}; expected a complete run. "
                "Run its command again: " + str(part.facts["command"])
            )
    return parts


def all_runs(warehouse: Path) -> list[dict[str, Any]]:
    """Return the rows of `runs` with data set and run id, by their end.

    Raises
    ------
    BenchError
        When a file is damaged: names it.
    """
    return sorted(_rows(warehouse), key=lambda facts: (facts["finished_at"], facts["run_id"], facts["dataset"]))


def read_part(path: Path) -> pl.DataFrame:
    """Read one file of the warehouse, with `dataset` and `run_id` from the names of its folders.

    Raises
    ------
    BenchError
        When it is damaged: names it, and says what to do.
    """
    try:
        frame = pl.read_parquet(path, hive_partitioning=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BenchError(
            f"{path} cannot be read ({said}); expected a Parquet file of the warehouse. It is damaged: bring it back "
            "from a copy, or remove the run's folders and run its profile again."
        ) from error
    dataset, run_id = (path.parents[level].name.partition("=")[2] for level in (1, 0))
    return frame.with_columns(dataset=pl.lit(dataset), run_id=pl.lit(run_id))


def _rows(warehouse: Path, run_id: str | None = None) -> Iterator[dict[str, Any]]:
    for path in sorted((warehouse / RUNS.name).glob("dataset=*/run_id=*/*.parquet")):
        if run_id in (None, path.parent.name.removeprefix("run_id=")):
            yield from read_part(path).iter_rows(named=True)


def _unknown(warehouse: Path, run_id: str) -> str:
    if any(path.name == f"run_id={run_id}" for path in warehouse.glob("*/dataset=*/run_id=*")):
        return f"run {run_id} did not come to its end: its row in `runs` is missing. Run its profile again."
    ids = sorted({path.name.removeprefix("run_id=") for path in (warehouse / RUNS.name).glob("dataset=*/run_id=*")})
    last = ", ".join(ids[-_SHOWN:])
    told = f"the last of {len(ids):,} are: {last}" if ids else "there are no runs yet, make one first: `make run`"
    return f"no run {run_id!r} in {warehouse}; {told}"

"""Build a study's artifact: its tables, over all data sets of a run, and its figures."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tasks.files import write_text
from tasks.progress import Progress, silent
from tasks.records import BenchError
from tasks.reporting.schemas import STUDY_CELLS, conform, write
from tasks.reporting.warehouse import read_facts
from tasks.studies.causes import causes
from tasks.studies.cells import agreement, published_cells, unpublished_cells
from tasks.studies.estimates import StudyParams, estimates
from tasks.studies.names import PROTOCOL_OF
from tasks.studies.published import STUDY_A_FOLDER, Published
from tasks.studies.readings import readings
from tasks.studies.results import Keys, Results
from tasks.studies.schemas import STUDY_TABLES
from tasks.studies.streams import streams, traces
from tasks.studies.study_a import tables
from tasks.studies.text_against_code import places

DATA_SETS = "data_sets.json"
"""By data set that the run holds, in the order of the run: the protocols, and the note of its source."""


def build(
    reports: Mapping[str, Sequence[Path]],
    params: StudyParams,
    out: Path,
    progress: Progress = silent,
    *,
    keys: Mapping[str, Keys] | None = None,
    published: Path = STUDY_A_FOLDER,
) -> None:
    """Write `study_cells.parquet`, the other tables of `STUDY_TABLES`, `data_sets.json` and `figures/` into `out`.

    Parameters
    ----------
    reports
        By data set: folders that the stage `reporting` wrote, one for each protocol. A data set of the study that is
        not there is not measured.
    params
        Resamples and seed; the digest of the published files, where it is given, must be theirs.
    out
        Directory to write into.
    progress
        Told the data sets done.
    keys
        By data set, protocol and variant: keys of the artifacts that hold the rankings, for the receipts.
    published
        Folder of the published files.

    Raises
    ------
    BenchError
        For a data set that the study does not have, a report of another one, or other published files than promised.
    """
    strangers = sorted(set(reports) - set(PROTOCOL_OF))
    if strangers:
        raise BenchError(f"study A has no data set {', '.join(strangers)}; expected some of {', '.join(PROTOCOL_OF)}")
    files = Published(published)
    if params.published_digest not in ("", files.digest):
        raise BenchError(
            f"{published}: the published files have digest {files.digest}, expected {params.published_digest}; they "
            "changed while the run went on: run it again"
        )
    frames: dict[str, list[pl.DataFrame]] = {table.name: [] for table in STUDY_TABLES}
    n_steps = len(PROTOCOL_OF) + 1
    for n_done, dataset in enumerate(PROTOCOL_OF, start=1):
        results = Results.of(dataset, reports.get(dataset, ()), (keys or {}).get(dataset))
        for name, frame in _of_one(results, files, params).items():
            frames[name].append(frame)
        progress(n_done, n_steps, "steps")
    for table in STUDY_TABLES:
        write(pl.concat(frames[table.name]), table, out / f"{table.name}.parquet")
    write_text(out / DATA_SETS, json.dumps(_data_sets(reports), indent=1, ensure_ascii=False) + "\n")
    _draw(out, files)
    progress(n_steps, n_steps, "steps")


def study_cells(study_dir: Path, dataset: str) -> pl.DataFrame:
    """Return the warehouse's table `study_cells` of one data set, from what `build` wrote."""
    cells = pl.read_parquet(study_dir / "study_cells.parquet").filter(pl.col("dataset") == dataset)
    return conform(cells.drop("dataset"), STUDY_CELLS)


def _of_one(results: Results, published: Published, params: StudyParams) -> dict[str, pl.DataFrame]:
    cells = tuple(cell for cell in tables() if cell.dataset == results.dataset)
    found = estimates(results, (cell.quantity for cell in cells), params)
    frames = (
        published_cells(cells, results, found, published, params),
        unpublished_cells(cells, results, found),
        agreement(results, published, params),
        readings(places(), results, published, params),
        causes(results, published, params),
        streams(cells, results, published),
        traces(results),
    )
    return {table.name: frame for table, frame in zip(STUDY_TABLES, frames, strict=True)}


def _data_sets(reports: Mapping[str, Sequence[Path]]) -> dict[str, dict[str, Any]]:
    found = {dataset: [read_facts(folder) for folder in folders] for dataset, folders in reports.items() if folders}
    return {
        dataset: {
            "protocols": [facts["protocol"] for facts in reports_of],
            "note": (reports_of[0].get("corpus") or {}).get("note"),
        }
        for dataset, reports_of in found.items()
    }


def _draw(out: Path, published: Published) -> None:
    from tasks.studies import figures  # matplotlib is slow to import

    figures.draw_all(out, out / "figures", published)

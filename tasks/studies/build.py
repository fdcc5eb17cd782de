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
from tasks.studies.catalog import Declarations, declarations
from tasks.studies.cells import published_cells, unpublished_cells
from tasks.studies.estimates import StudyParams, estimates
from tasks.studies.published import STUDY_A, Published
from tasks.studies.results import Keys, Results
from tasks.studies.schemas import CELLS, UNPUBLISHED

DATA_SETS = "data_sets.json"
"""By data set that the run holds, in the order of the run: the protocols, and the note of its source."""
STUDY = "study.json"
"""The name of the study."""


def build(
    reports: Mapping[str, Sequence[Path]],
    params: StudyParams,
    out: Path,
    progress: Progress = silent,
    *,
    keys: Mapping[str, Keys] | None = None,
    published: Path | None = None,
) -> None:
    """Write `study_cells.parquet`, the study's other tables, `data_sets.json`, `study.json` and `figures/` into `out`.

    Parameters
    ----------
    reports
        By data set: folders that the stage `reporting` wrote, one for each protocol. A data set of the study that is
        not there is not measured.
    params
        The study, resamples and seed; the digest of the published files, where it is given, must be theirs.
    out
        Directory to write into.
    progress
        Told the data sets done.
    keys
        By data set, protocol and variant: keys of the artifacts that hold the rankings, for the receipts.
    published
        Folder of the published files; None for the study's own.

    Raises
    ------
    BenchError
        For a data set that the study does not have, a report of another one, or other published files than promised.
    """
    declared, known = declarations(params.study), declarations(params.study).protocol_of
    if strangers := sorted(set(reports) - set(known)):
        raise BenchError(
            f"{declared.label} has no data set {', '.join(strangers)}; expected some of {', '.join(known)}"
        )
    files = Published(params.study, published)
    if params.published_digest not in ("", files.digest):
        raise BenchError(
            f"{files.folder}: the published files have digest {files.digest}, expected {params.published_digest}; they "
            "changed while the run went on: run it again"
        )
    tables = (CELLS, UNPUBLISHED, *declared.tables)
    frames: dict[str, list[pl.DataFrame]] = {table.name: [] for table in tables}
    n_steps = len(known) + 1
    for n_done, dataset in enumerate(known, start=1):
        results = Results.of(dataset, reports.get(dataset, ()), (keys or {}).get(dataset), declared.blocks)
        for table, frame in zip(tables, _of_one(declared, results, files, params), strict=True):
            frames[table.name].append(frame)
        progress(n_done, n_steps, "steps")
    for table in tables:
        write(pl.concat(frames[table.name]), table, out / f"{table.name}.parquet")
    write_text(out / DATA_SETS, json.dumps(_data_sets(reports), indent=1, ensure_ascii=False) + "\n")
    write_text(out / STUDY, json.dumps({"study": params.study}) + "\n")
    _draw(out, files)
    progress(n_steps, n_steps, "steps")


def study_cells(study_dir: Path, dataset: str) -> pl.DataFrame:
    """Return the warehouse's table `study_cells` of one data set, from what `build` wrote."""
    cells = pl.read_parquet(study_dir / "study_cells.parquet").filter(pl.col("dataset") == dataset)
    return conform(cells.drop("dataset"), STUDY_CELLS)


def _of_one(
    declared: Declarations, results: Results, published: Published, params: StudyParams
) -> tuple[pl.DataFrame, ...]:
    cells = tuple(cell for cell in declared.cells() if cell.dataset == results.dataset)
    found = estimates(results, (cell.quantity for cell in cells), params)
    return (
        published_cells(cells, results, found, published, params, declared.pairs_of),
        unpublished_cells(cells, results, found),
        *declared.frames(cells, results, published, params),
    )


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
    from tasks.studies import study_a_figures, study_b_figures  # matplotlib is slow to import

    draw_all = study_a_figures.draw_all if published.study == STUDY_A else study_b_figures.draw_all
    draw_all(out, out / "figures", published)

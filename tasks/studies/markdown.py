"""A study's report: the opening screen, then every table, then why numbers differ, then what it cost."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tasks.files import write_text
from tasks.records import BenchError
from tasks.reporting.data_sections import cost
from tasks.reporting.run_facts import RunFacts
from tasks.reporting.run_sections import make_it_again, models, run_line, write_manifest
from tasks.reporting.scratch import report_folder
from tasks.reporting.text_format import escape
from tasks.studies import study_a_report, study_b_report
from tasks.studies.build import DATA_SETS
from tasks.studies.links import other_study
from tasks.studies.opening import opening
from tasks.studies.published import STUDY_A, Published
from tasks.studies.study import DATASET_LABELS, Study


def render(
    study_dir: Path,
    runs: Sequence[RunFacts] = (),
    published: Path | None = None,
    reports_root: Path | None = None,
) -> str:
    """Return the report of a study as Markdown (GitHub flavour).

    Parameters
    ----------
    study_dir
        What `build` wrote.
    runs
        Facts of the run, one for each data set of the report; without them the report does not name the run.
    published
        Folder of the published files; None for the study's own.
    reports_root
        Where other reports are: the one of the other study is linked; None for no link.
    """
    study = Study.read(study_dir)
    if published is not None:
        study = Study.read(study_dir, Published(study.name, published))
    data = json.loads((study_dir / DATA_SETS).read_text(encoding="utf-8"))
    sections = study_a_report.sections if study.name == STUDY_A else study_b_report.sections
    lines = [*opening(study), *_notes(data), *(run_line(runs[0]) if runs else [])]
    lines += [*(other_study(study.name, reports_root) if reports_root else []), *sections(study)]
    lines += [
        *_models(runs),
        *_costs(list(data), runs),
        *(make_it_again(runs[0], f", seed {runs[0].seed}.") if runs else []),
    ]
    return "\n".join(lines).rstrip() + "\n"


def write_study_report(
    study_dir: Path, runs: Sequence[RunFacts], reports_root: Path, published: Path | None = None
) -> Path:
    """Write `<reports_root>/<run_id>/` (report.md, figures/, manifest.json) under a hidden name, then rename it.

    Returns
    -------
    Path
        The report.md.

    Raises
    ------
    BenchError
        When there is no run, or the folder cannot be written.
    """
    if not runs:
        raise BenchError("no run of a data set was given; expected the facts of at least one")
    with report_folder(reports_root, runs[0].run_id) as folder:
        shutil.copytree(study_dir / "figures", folder / "figures")
        write_text(folder / "report.md", render(study_dir, runs, published, reports_root))
        write_manifest(folder, {"runs": [asdict(run) for run in runs]})
    return reports_root / runs[0].run_id / "report.md"


def _notes(data: dict[str, dict[str, Any]]) -> list[str]:
    """Say what a data set lacks: every report from our copy of LongMemEval-S must say that it has 499 of 500."""
    notes = [(name, facts["note"]) for name, facts in data.items() if facts.get("note")]
    return [line for name, note in notes for line in (f"> **{DATASET_LABELS[name]}: {escape(note)}**", "")]


def _models(runs: Sequence[RunFacts]) -> list[str]:
    used = dict.fromkeys(model for run in runs for model in run.models)
    return models(used) if used else []


def _costs(datasets: Sequence[str], runs: Sequence[RunFacts]) -> list[str]:
    """Show what each stage took, data set by data set."""
    lines = ["## Cost", ""] if runs else []
    for place, run in enumerate(runs):
        name = DATASET_LABELS[datasets[place]] if place < len(datasets) else f"data set {place + 1}"
        lines += [f"<details><summary>{name}</summary>", "", *cost(run)[2:], "</details>", ""]
    return lines

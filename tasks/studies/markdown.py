"""A study's report: the opening screen, then every table, then why numbers differ."""

import shutil
from pathlib import Path

from tasks.files import write_text
from tasks.reporting.run_facts import RunFacts
from tasks.reporting.text_format import escape
from tasks.studies import difference_sections, sections
from tasks.studies.opening import opening
from tasks.studies.published import STUDY_A_FOLDER, Published
from tasks.studies.study import Study


def render(study_dir: Path, run: RunFacts | None = None, published: Path = STUDY_A_FOLDER) -> str:
    """Return the report of study A as Markdown (GitHub flavour).

    Parameters
    ----------
    study_dir
        What `build` wrote.
    run
        Facts of the run, where they should be named.
    published
        Folder of the published files.
    """
    study = Study.read(study_dir, Published(published))
    lines = [*opening(study), *_run(run), "![Published effects and ours](figures/effects.png)", ""]
    for section in (
        sections.gap_against_uniform,
        sections.streams,
        sections.main_details,
        sections.sweeps,
        sections.retrieval,
        sections.behaviour,
        sections.suppression,
        sections.bm25_variants,
        difference_sections.text_against_code,
        difference_sections.causes,
        sections.locomo,
        difference_sections.method,
    ):
        lines += section(study)
    return "\n".join(lines).rstrip() + "\n"


def write_study_report(
    study_dir: Path, folder: Path, run: RunFacts | None = None, published: Path = STUDY_A_FOLDER
) -> Path:
    """Write `<folder>/study_a.md` and its figures into `<folder>/figures/`; return the path of the former."""
    shutil.copytree(study_dir / "figures", folder / "figures", dirs_exist_ok=True)
    write_text(folder / "study_a.md", render(study_dir, run, published))
    return folder / "study_a.md"


def _run(run: RunFacts | None) -> list[str]:
    if run is None:
        return []
    models = ", ".join(f"{model.role} {escape(model.name)}" for model in run.models)
    said = f"Run `{run.run_id}` · profile `{run.profile}` · {run.started_at:%Y-%m-%d %H:%M %Z} · {models}"
    return [said, "", "```sh", run.command.replace("```", "` ` `"), "```", ""]

"""A run from the command line: the deployment's flow, with a live line per step and the headline at its end."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from flows.environment import reports_root, store_root
from flows.evaluate_memory import evaluate_memory
from flows.local_server import wait_until_ready
from flows.publish import Published, runs_from_the_future
from flows.reproduce_study import reproduce_study
from flows.resources import check_room
from flows.run_config import load_config
from flows.settings import profile_names
from flows.study_config import load_study
from flows.terminal import live, short
from tasks.reporting.headline import HeadlineTable, headline_sentences, headline_table
from tasks.reporting.labels import sharing_a_stage
from tasks.reporting.warehouse import read_facts
from tasks.studies.opening import in_words
from tasks.studies.study import Study


def run_here(
    console: Console,
    profile: str,
    settings: Sequence[str],
    mirror: Path | None,
    store: Path | None,
    accept_local: Path | None,
) -> None:
    """Run a profile and print where its report is.

    Raises
    ------
    BenchError
        For a wrong profile or setting, or too little disk, before any work.
    """
    is_study = profile in profile_names(studies=True)
    check_room(load_study(profile, settings).runs if is_study else [load_config(profile, settings)], store_root(store))
    wait_until_ready()
    run = reproduce_study if is_study else evaluate_memory
    with live(console):
        published = run(profile, list(settings), mirror, store, accept_local)
    show_headline(console, published)
    if later := runs_from_the_future(published, reports_root()):
        console.print(
            f"\nThe clock of this machine was set back: {len(later)} of the runs published before are of a later time, "
            f"the last of them {later[-1]}. The view latest_runs shows that one; ask for this run by its id.",
            markup=False,
            soft_wrap=True,
        )


def show_headline(console: Console, published: Published) -> None:
    """Print the headline table, what it says in words, and where the report is; of a study only words."""
    console.print()
    if published.study is not None:
        verdicts, told = in_words(Study.read(published.study.path))
        for sentence in (verdicts, *(f"{label}. {said}" for label, said in told.items())):
            console.print(sentence, markup=False, soft_wrap=True)
    else:
        folder = published.tables.path
        with sharing_a_stage(read_facts(folder)["variants"]):
            _show_table(console, headline_table(folder, is_compact=True), headline_sentences(folder))
    console.print(f"\nReport: {short(Path(published.report))}", markup=False, soft_wrap=True)


def _show_table(console: Console, shown: HeadlineTable, sentences: Sequence[str]) -> None:
    table = Table(title=shown.title, title_justify="left", header_style="bold")
    for name, side in zip(shown.header, shown.align, strict=True):
        table.add_column(name, justify="left" if side == "l" else "right")
    for row in shown.rows:
        table.add_row(*row)
    console.print(table)
    for sentence in sentences:
        console.print(sentence, markup=False)

"""`mnemobench accept`, `gate` and `history`: the gate outside Prefect. It reads the warehouse, and adds rows to it."""

import getpass
import json as json_format
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from flows import environment
from tasks.files import CHECKOUT

if TYPE_CHECKING:
    import polars as pl

    from tasks.gate.gate import GateVerdict, Machine

_COLOURS = {"pass": "green", "improve": "cyan", "regress": "red", "not comparable": "yellow"}
_MOST_ROWS = 20
_WIDTH_IN_A_FILE = 200
Run = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, as its report and `mnemobench history` show it.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def accept(
    run: Run,
    why: Annotated[str, typer.Option(help="What changed, and why later runs should be compared with this one.")],
    by: Annotated[str | None, typer.Option(help="Who accepts it; by default the name of your account.")] = None,
) -> None:
    """Accept a run: later runs of its profile are compared with it. Nothing else changes, and no row is rewritten."""
    from tasks.gate.accepted import accept as accept_run

    who = by or account()
    for found in accept_run(_warehouse(), run, why=why, by=who, git_commit=git_commit()):
        _console().print(
            f"Accepted: {found.run_id} is what profile {found.profile} is held to on {found.dataset} from now on.",
            markup=False,
            soft_wrap=True,
        )


def gate(
    run: Run,
    store: Annotated[Path | None, typer.Option("--store", help="Where results of stages live.")] = None,
    json: Json = False,
) -> None:
    """Judge a run against the accepted one: exit code 0 for pass or improve, 1 for regress, 2 for not comparable."""
    judged = judge_and_record(run, environment.store_root(store))
    if json:
        from tasks.gate.words import as_json

        sys.stdout.write(json_format.dumps(as_json(judged), ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    else:
        show_verdict(_console(), judged)
    if judged.exit_code:
        sys.exit(judged.exit_code)


def history(
    last: Annotated[int, typer.Option(min=1, help="How many rows, the newest last.")] = 20,
    figure: Annotated[Path | None, typer.Option(help="Draw all runs: writes PATH as .png and .svg.")] = None,
    json: Json = False,
) -> None:
    """Show the last runs: main measure, verdict, time."""
    from tasks.gate.history import draw_history, read_history

    runs = read_history(_warehouse(), environment.VIEWS)
    written = draw_history(runs, figure) if figure else []
    shown = runs.tail(last)
    if json:
        rows = [_plain(row) for row in shown.iter_rows(named=True)]
        sys.stdout.write(json_format.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
        return
    _show_history(_console(), shown)
    for path in written:
        _console().print(f"Figure: {path}", markup=False, soft_wrap=True)


def judge_and_record(run_id: str, store: Path) -> "GateVerdict":
    """Judge a published run, and add the verdict to the warehouse.

    Raises
    ------
    BenchError
        When the run or the accepted one cannot be read, or the expectations do not fit.
    """
    from tasks.gate.expectations import load_expectations
    from tasks.gate.gate import judge_run, record
    from tasks.gate.words import sentences

    def ingredients_of(wanted: Iterable[tuple[str, str]]) -> dict[str, Mapping[str, Any]]:
        return read_ingredients(store, wanted)

    judged = judge_run(_warehouse(), run_id, load_expectations(), ingredients_of, this_machine())
    record(_warehouse(), judged, sentences(judged), this_machine())
    return judged


def read_ingredients(store: Path, wanted: Iterable[tuple[str, str]]) -> dict[str, Mapping[str, Any]]:
    """Return the ingredients of artifacts (stage, key) by key; those that left the store are absent."""
    from tasks.artifacts import read_manifest

    manifests = {key: read_manifest(store / stage / key) for stage, key in wanted}
    return {key: manifest["ingredients"] for key, manifest in manifests.items() if manifest is not None}


def this_machine() -> "Machine":
    """Return what costs are compared within."""
    from tasks.gate.gate import Machine

    return Machine(platform.node(), f"{platform.machine()}, {os.cpu_count()} cores")


def account() -> str:
    """Return the name of the account, `unknown` where there is none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return "unknown"


def git_commit() -> str:
    """Return the commit of the checkout, with `+changes` where files differ from it; `unknown` outside of git."""
    try:
        commit = _git("rev-parse", "HEAD")
        return commit + ("+changes" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def show_verdict(console: Console, judged: "GateVerdict") -> None:
    """Print a verdict: a line per data set, its sentence, the means that moved, and how to accept it."""
    from tasks.gate.quality import IMPROVE, REGRESS
    from tasks.gate.words import accept_command, cell_rows, sentences

    for part, sentence in zip(judged.parts, sentences(judged), strict=True):
        console.print(f"{part.part.dataset}: {part.verdict}", style=_COLOURS[part.verdict], markup=False)
        console.print(sentence, markup=False, soft_wrap=True)
        rows = [row for row in cell_rows(part) if row["verdict"] in (REGRESS, IMPROVE)]
        if rows:
            _show_table(console, list(rows[0]), [list(row.values()) for row in rows[:_MOST_ROWS]])
    if judged.proposes_acceptance:
        console.print(f"To accept it: {accept_command(judged.run_id)}", markup=False, soft_wrap=True)


def _warehouse() -> Path:
    return environment.reports_root() / "warehouse"


def _console() -> Console:
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH_IN_A_FILE)
    return console


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=CHECKOUT, capture_output=True, text=True, check=True, timeout=20)
    return done.stdout.strip()


def _show_history(console: Console, runs: "pl.DataFrame") -> None:
    header = ["finished (UTC)", "run", "data set", "measure", "baseline", "best", "variant", "time", "verdict", "cost"]
    _show_table(console, header, [_printed(row) for row in runs.iter_rows(named=True)])


def _printed(row: Mapping[str, Any]) -> list[str]:
    from tasks.reporting.labels import variant_label
    from tasks.reporting.text_format import number, seconds

    return [
        f"{row['finished_at']:%Y-%m-%d %H:%M}",
        f"{row['run_id']}{' (accepted)' if row['is_accepted'] else ''}",
        row["dataset"],
        row["main_measure"],
        number(row["baseline_mean"]),
        number(row["best_mean"]),
        variant_label(row["best_variant"]) if row["best_variant"] else "–",
        seconds(row["seconds"]),
        row["verdict"] or "not judged",
        row["cost"] or "–",
    ]


def _show_table(console: Console, header: list[str], rows: list[list[str]]) -> None:
    table = Table(header_style="bold")
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        style = next((_COLOURS[cell] for cell in row if cell in _COLOURS), None)
        table.add_row(*row, style=style)
    console.print(table, markup=False)


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in row.items()}

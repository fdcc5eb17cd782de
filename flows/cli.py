"""The command line: `mnemobench run`, `sweep`, `doctor`, `overlay`, `sql`.

Heavy imports happen inside the commands, after `environment.prepare()`: Prefect reads its settings when it is imported.
"""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn, ParamSpec

import typer
from rich.console import Console

from flows import environment, gate_commands
from flows.full_disk import full_disk_in_words
from flows.local_server import local_server
from tasks.records import BenchError

P = ParamSpec("P")

app = typer.Typer(
    name="mnemobench",
    help="Did retrieval over a long conversation history get better, and can that number be trusted?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)

Profile = Annotated[str, typer.Option(help="What to run: a file of flows/profiles/.")]
Mirror = Annotated[Path | None, typer.Option(help="Folder <dataset>/<file> to read datasets from.")]
StoreRoot = Annotated[Path | None, typer.Option("--store", help="Where results of stages live (or MNEMOBENCH_STORE).")]
Overrides = Annotated[list[str] | None, typer.Option("--set", help="key=value, e.g. candidates.k=20; repeatable.")]
AcceptLocal = Annotated[Path | None, typer.Option(help="A local dataset file, taken under its own recorded hash.")]


def for_people(command: Callable[P, None]) -> Callable[P, None]:
    """Turn an error a person can act on, or a stop (Ctrl-C, SIGTERM), into words and an exit code."""

    @wraps(command)
    def run_command(*args: P.args, **kwargs: P.kwargs) -> None:
        with _in_words():
            command(*args, **kwargs)

    return run_command


class _TerminatedError(KeyboardInterrupt):
    """SIGTERM: unwinds as Ctrl-C does, so that nothing half-written and no server stays."""


def _terminate(_number: int, _frame: FrameType | None) -> NoReturn:
    raise _TerminatedError


@contextmanager
def _in_words() -> Iterator[None]:
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    except BenchError as error:
        errors.print(f"mnemobench: {error}", style="red", markup=False, soft_wrap=True)
        sys.exit(2)
    except KeyboardInterrupt as stop:
        errors.print("\nmnemobench: stopped. Finished work is kept: the same command goes on where it stopped.")
        sys.exit(128 + (signal.SIGTERM if isinstance(stop, _TerminatedError) else signal.SIGINT))
    except BrokenPipeError:
        sys.exit(141)
    except UnicodeError as error:
        errors.print(f"mnemobench: text that cannot be read or written here: {error}", style="red", markup=False)
        sys.exit(2)
    finally:
        signal.signal(signal.SIGTERM, before)


@app.command()
@for_people
def run(
    profile: Profile = "sample",
    mirror: Mirror = None,
    store: StoreRoot = None,
    set_: Overrides = None,
    accept_local: AcceptLocal = None,
) -> None:
    """Run every stage of a profile and write its report and tables."""
    environment.prepare()
    places = [environment.store_root(store), environment.reports_root(), environment.prefect_home()]
    with full_disk_in_words(places), local_server():
        from flows.run_here import run_here

        run_here(console, profile, set_ or [], mirror, store, accept_local)


@app.command()
@for_people
def sweep(
    grid: Annotated[
        str, typer.Option(help="Axes, e.g. 'alpha=0.1,0.3,1;eta=0.05:0.5:10;clusters=1,30;rule=uniform,gap'.")
    ],
    profile: Profile = "sample",
    base: Annotated[str, typer.Option(help="The variant whose parameters change.")] = "rif(rule=gap,clusters=30)",
    streams: Annotated[int, typer.Option(help="Streams that each cell is replayed on.")] = 20,
    first_seed: Annotated[int, typer.Option(help="Seed of the first stream; the others follow.")] = 0,
    measure: Annotated[
        list[str] | None, typer.Option(help="Measure or behaviour, the main one first; repeatable.")
    ] = None,
    mirror: Mirror = None,
    store: StoreRoot = None,
    set_: Overrides = None,
    accept_local: AcceptLocal = None,
    yes: Annotated[bool, typer.Option("--yes", help="Go on with more than 20,000 replays.")] = False,
) -> None:
    """Replay a grid of suppression's parameters on many streams; report, heat maps and the table sweep_metrics."""
    environment.prepare()
    from flows.sweep_cost import cost_of, in_words
    from flows.sweep_plan import plan_sweep, refuse_unasked

    plan = plan_sweep(profile, grid, base, streams, first_seed, measure or [], set_ or [])
    console.print(in_words(plan, cost_of(plan)), markup=False, soft_wrap=True)
    refuse_unasked(plan, is_asked=yes)
    places = [environment.store_root(store), environment.reports_root(), environment.prefect_home()]
    with full_disk_in_words(places), local_server():
        from flows.sweep_here import sweep_here

        sweep_here(console, plan, set_ or [], mirror, store, accept_local)


@app.command()
@for_people
def doctor(mirror: Mirror = None, store: StoreRoot = None) -> None:
    """Say what is installed, reachable, downloaded and cached, and what each profile needs."""
    environment.prepare()
    from flows.doctor import examine

    if not examine(console, environment.mirror_root(mirror), environment.store_root(store)):
        sys.exit(1)


@app.command()
@for_people
def overlay(
    audit_file: Annotated[Path, typer.Argument(metavar="AUDIT_FILE", help="The audit, in its authors' own format.")],
    out: Annotated[Path, typer.Option(help="The qrels overlay to write: JSON Lines, see data/README.md.")],
    dataset: Annotated[str, typer.Option(help="The data set that was audited.")] = "locomo",
    mirror: Mirror = None,
    store: StoreRoot = None,
    accept_local: AcceptLocal = None,
) -> None:
    """Turn somebody's audit of a data set into a qrels overlay: corrections of its judgements, with their source."""
    environment.prepare()
    with local_server():
        from flows.overlay import overlay_here

        overlay_here(console, dataset, audit_file, out, mirror, store, accept_local)


@app.command(context_settings={"ignore_unknown_options": True})  # SQL may begin with a comment: `-- ...`
@for_people
def sql(
    query: Annotated[str, typer.Argument(help="One SQL statement; - reads it from standard input.")],
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, one array of objects.")] = False,
) -> None:
    """Query the results in DuckDB, with the views of reports/views.sql loaded."""
    from tasks.reporting.sql import open_warehouse, run_query

    if csv and json:
        raise BenchError("--csv and --json were both given: choose one")
    text = sys.stdin.read() if query == "-" else query
    connection = open_warehouse(environment.reports_root() / "warehouse", environment.VIEWS)
    sys.stdout.write(run_query(connection, text, "csv" if csv else "json" if json else "text"))


for _command in (gate_commands.accept, gate_commands.gate, gate_commands.history):
    app.command()(for_people(_command))


if __name__ == "__main__":
    app()

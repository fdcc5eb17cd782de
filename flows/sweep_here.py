"""A sweep from the command line: the deployment's flow, with a live line per step and the headline at its end."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from flows.environment import store_root
from flows.local_server import wait_until_ready
from flows.resources import check_room
from flows.sweep_parameters import sweep_parameters
from flows.sweep_plan import SweepPlan
from flows.terminal import live, short
from tasks.reporting.sweep_report import headline


def sweep_here(
    console: Console,
    plan: SweepPlan,
    settings: Sequence[str],
    mirror: Path | None,
    store: Path | None,
    accept_local: Path | None,
) -> None:
    """Run a sweep that was planned, and that somebody said yes to where it is large; print what it found.

    Raises
    ------
    BenchError
        For too little disk, before any work; and as `sweep_parameters`.
    """
    check_room([plan.config], store_root(store))
    wait_until_ready()
    params = plan.params
    what = (plan.config.profile, str(plan.grid), str(plan.grid.base), params.n_streams, params.first_seed)
    with live(console):
        done = sweep_parameters(*what, list(params.measures), list(settings), mirror, store, accept_local, yes=True)
    console.print()
    for sentence in headline(done.found, str):
        console.print(sentence.replace("**", ""), markup=False)
    console.print(f"Report: {short(Path(done.report))}", markup=False, soft_wrap=True)

"""`mnemobench` that stops inside a named step, so that a test can kill it there: the real process, stopped for a while.

    python -m tests.flows.stall --at FILE --step STAGE/STEP[=VALUE] [--before] [--clock SECONDS] -- run ...

`--step` names a step of the store (with VALUE, the one that has it among its parameters: a shard's index, a variant),
`publishing/report` or `publishing/warehouse`. By default the step does its work, its largest file is then cut in half
(what a process leaves that is killed while it writes), and the process says where it is in FILE and waits to be
killed. With `--before` it stops before the work, and goes on when FILE with the suffix `.go` is there.
`--clock` sets the clock back, for this process.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from flows import cli
from tasks import artifacts
from tasks.artifacts import Artifact, Recipe, Store
from tasks.reporting import scratch as report_scratch
from tasks.reporting import warehouse

TABLES_MOVED = 3
"""A stalled publication has moved so many tables of the warehouse into place."""


class Stall:
    """Where the process stops, and how it says so."""

    def __init__(self, at: Path, step: str, is_before: bool) -> None:
        self.at, self.is_before = at, is_before
        self.step, _, self.value = step.partition("=")

    def wait(self, folder: Path) -> None:
        """Say where the process is; return when the test says so."""
        scratch = self.at.with_suffix(".writing")
        scratch.write_text(json.dumps({"pid": os.getpid(), "step": self.step, "folder": str(folder)}))
        scratch.replace(self.at)
        while not (self.is_before and self.at.with_suffix(".go").exists()):
            time.sleep(0.02)

    def is_here(self, recipe: Recipe) -> bool:
        """Say whether the recipe is that of the step."""
        values = {str(value) for value in recipe.params.values()}
        return f"{recipe.stage}/{recipe.step}" == self.step and (not self.value or self.value in values)


def stall_in_store(stall: Stall) -> None:
    """Stop in the work of a step of the store."""
    make = Store.make

    def make_slowly(self: Store, recipe: Recipe, build: Callable[[Path], None]) -> Artifact:
        def build_and_wait(out: Path) -> None:
            if stall.is_before:
                stall.wait(out)
            build(out)
            if not stall.is_before:
                _halve(out)
                stall.wait(out)

        return make(self, recipe, build_and_wait if stall.is_here(recipe) else build)

    Store.make = make_slowly  # type: ignore[method-assign]


def stall_in_report(stall: Stall) -> None:
    """Stop before the report's folder gets its name."""
    replace = report_scratch._replace

    def replace_slowly(scratch: Path, target: Path) -> None:
        stall.wait(scratch)
        replace(scratch, target)

    report_scratch._replace = replace_slowly


def stall_in_warehouse(stall: Stall) -> None:
    """Stop when some tables are in place and others are not."""
    prepare = warehouse._remove_leftover
    moved: list[str] = []

    def prepare_slowly(target: Path, table: Any) -> None:
        if len(moved) == TABLES_MOVED:
            stall.wait(target)
        moved.append(table.name)
        prepare(target, table)

    warehouse._remove_leftover = prepare_slowly


def set_clock_back(seconds: int) -> None:
    """Give the modules that tell times to people, Prefect's client and `time.time` a clock in the past."""
    from flows import environment

    environment.prepare()
    import prefect.types._datetime as prefect_time

    from flows import publish

    now = time.time

    class Past(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) - timedelta(seconds=seconds)

    time.time = lambda: now() - seconds
    for module in (publish, artifacts):
        module.datetime = Past  # type: ignore[attr-defined]
    prefect_now = prefect_time.now
    prefect_time.now = lambda *zone: prefect_now(*zone) - timedelta(seconds=seconds)


def _halve(folder: Path) -> None:
    """Cut the largest file of a folder in half."""
    largest = max((path for path in folder.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    os.truncate(largest, largest.stat().st_size // 2)


def main() -> None:
    """Prepare the stall, then be the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--at", type=Path, required=True)
    parser.add_argument("--step", default="")
    parser.add_argument("--before", action="store_true")
    parser.add_argument("--clock", type=int, default=0)
    split = sys.argv.index("--")
    options = parser.parse_args(sys.argv[1:split])
    sys.argv = ["mnemobench", *sys.argv[split + 1 :]]
    stall = Stall(options.at, options.step, options.before)
    places = {"publishing/report": stall_in_report, "publishing/warehouse": stall_in_warehouse}
    places.get(stall.step, stall_in_store)(stall)
    if options.clock:
        set_clock_back(options.clock)
    cli.app()


if __name__ == "__main__":
    main()

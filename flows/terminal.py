"""What a run prints while it works: one live line per step."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.text import Text

from flows.listeners import listening
from tasks.prefect_cache import StepEvent

HEARTBEAT_S = 20.0
"""Between two lines of one step where there is no terminal to redraw."""


class TerminalListener:
    """Prints a line per step: what, how far, how long, cached or computed and why.

    Consecutive steps of one name (shards) share a line. On a terminal it is redrawn; elsewhere it is printed when the
    step ends, with a heartbeat in between.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.events: list[StepEvent] = []
        self._group: list[StepEvent] = []
        self._name = ""
        self._expected = 1
        self._began = self._spoke = time.monotonic()
        self._live = Live(console=console, transient=True, auto_refresh=False) if console.is_terminal else None

    def announced(self, stage: str, step: str, count: int) -> None:
        """Take note that `count` steps of one name follow."""
        self._switch(f"{stage}/{step}")
        self._expected = count

    def started(self, stage: str, step: str, reason: str | None) -> None:
        """Start a line, or go on with it when the step has the same name."""
        name = f"{stage}/{step}"
        if name != self._name:
            self._switch(name)
        if reason is not None:
            self._draw(f"computing ({reason})")

    def progressed(self, done: int, total: int, unit: str) -> None:
        """Redraw the line."""
        self._draw(f"{done:,} of {total:,} {unit}")

    def finished(self, event: StepEvent) -> None:
        """Take the event into the line."""
        self.events.append(event)
        self._group.append(event)

    def close(self) -> None:
        """Finish the last line."""
        self._switch("")
        if self._live is not None:
            self._live.stop()

    def _switch(self, name: str) -> None:
        if name == self._name:
            return
        if self._group:
            self._print_group()
        self._name, self._group, self._expected = name, [], 1
        self._began = self._spoke = time.monotonic()

    def _print_group(self) -> None:
        computed = [event for event in self._group if not event.is_cached]
        state = "cached" if not computed else "computed"
        count = f" {len(computed) or len(self._group)} of {len(self._group)}" if len(self._group) > 1 else ""
        reasons = sorted({event.reason for event in computed})
        line = Text.assemble(
            (f"{self._name:<30}", "bold"),
            (f"{state + count:<18}", "green" if state == "cached" else "cyan"),
            f"{sum(event.elapsed_s for event in self._group):8.1f} s",
            (f"  {'; '.join(reasons)}" if reasons else "", "dim"),
        )
        self.console.print(line, soft_wrap=True)

    def _draw(self, state: str) -> None:
        now = time.monotonic()
        shard = f"{len(self._group) + 1} of {self._expected}: " if self._expected > 1 else ""
        line = Text.assemble(
            (f"{self._name:<30}", "bold"), f"{shard}{state}, {now - self._began:.0f} s{self._left(now)}"
        )
        if self._live is not None:
            if not self._live.is_started:
                self._live.start()
            self._live.update(line, refresh=True)
        elif now - self._spoke >= HEARTBEAT_S:
            self._spoke = now
            self.console.print(line, soft_wrap=True)

    def _left(self, now: float) -> str:
        """Return the time left by the rate of the steps computed so far in this line."""
        computed = [event.elapsed_s for event in self._group if not event.is_cached]
        if not computed or self._expected <= len(self._group):
            return ""
        seconds = sum(computed) / len(computed) * (self._expected - len(self._group))
        return f", about {seconds / 60:.0f} min left" if seconds >= 90 else f", about {seconds:.0f} s left"


@contextmanager
def live(console: Console) -> Iterator[None]:
    """Print the steps of the flows called inside; the last line is finished however they end."""
    listener = TerminalListener(console)
    with listening(listener):
        try:
            yield
        finally:
            listener.close()


def short(path: Path) -> Path:
    """Return a path as a person in the current folder would write it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path

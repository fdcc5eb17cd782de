"""Who listens to a run: the terminal of the command line, or Prefect's log."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from prefect import get_run_logger

from tasks.prefect_cache import Listener, StepEvent


class RunListener(Listener, Protocol):
    """A listener that remembers the events of its run."""

    events: list[StepEvent]


class LogListener:
    """Writes a line per computed step into the log of the flow run."""

    def __init__(self) -> None:
        self.events: list[StepEvent] = []

    def announced(self, stage: str, step: str, count: int) -> None:
        """Log how many shards follow."""
        get_run_logger().info("%s/%s: %d shards", stage, step, count)

    def started(self, stage: str, step: str, reason: str | None) -> None:
        """Log why a step must be computed; say nothing of a cached one."""
        if reason is not None:
            get_run_logger().info("%s/%s: computing (%s)", stage, step, reason)

    def progressed(self, done: int, total: int, unit: str) -> None:
        """Say nothing: a log is not a live line."""

    def finished(self, event: StepEvent) -> None:
        """Remember the event, and log what a computed step took."""
        self.events.append(event)
        if not event.is_cached:
            get_run_logger().info("%s/%s: %.1f s", event.stage, event.step, event.elapsed_s)


_listener: ContextVar[RunListener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: RunListener) -> Iterator[None]:
    """Make `listener` the one of the flows called inside."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def current_listener() -> RunListener:
    """Return the listener of the caller, else one that writes to Prefect's log."""
    return _listener.get() or LogListener()

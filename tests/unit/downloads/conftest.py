"""A web server on this machine that misbehaves on demand."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Server:
    """Answers request number n with `answers[n]`, and every later one with the last."""

    url: str = ""
    answers: list[Answer] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests.append(handler.path)
        self.answers[min(len(self.requests), len(self.answers)) - 1](handler)


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.answer(self)

        def do_HEAD(self) -> None:
            state.answer(self)

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        state.url = f"http://127.0.0.1:{listening.server_address[1]}"
        thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield state
        finally:
            listening.shutdown()
            thread.join()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Record the seconds that a retry would wait, and do not wait them."""
    seconds: list[float] = []
    monkeypatch.setattr("tasks.downloads.transfer.time.sleep", seconds.append)
    return seconds

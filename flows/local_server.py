"""Prefect's API server for one run from the command line, when the person has no server of their own.

Prefect would start one by itself, in our process group: Ctrl-C would kill it before the run has told it what happened
(a minute of silence, then tracebacks), a killed run would leave it behind, its tracebacks would land on the terminal.
This one has a session and a log file of its own, and ends with us.
"""

import ctypes
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tasks.records import BenchError

PATIENCE_S = 120.0
"""A cold machine takes up to 75 s."""
PR_SET_PDEATHSIG = 1


@contextmanager
def local_server() -> Iterator[None]:
    """Run a server, and name it in `PREFECT_API_URL`; do nothing where the person has set that.

    Prefect must not have been imported yet. It is ready when the caller calls `wait_until_ready`, so that its start and
    the imports of the caller overlap.

    Raises
    ------
    BenchError
        From `wait_until_ready`, when the server does not start: with the end of its log.
    """
    if os.environ.get("PREFECT_API_URL"):
        yield
        return
    home = Path(os.environ["PREFECT_HOME"])
    with _starting:
        _starting.enter_context(_turn(home))
        server = _Server.start(home)
        os.environ["PREFECT_API_URL"] = f"http://127.0.0.1:{server.port}/api"
        _running.append(server)
        try:
            yield
        finally:
            del os.environ["PREFECT_API_URL"]
            _running.remove(server)
            server.stop()


def wait_until_ready() -> None:
    """Return when the server of `local_server` answers; at once where there is none of ours."""
    for server in _running:
        end = time.monotonic() + PATIENCE_S
        while not server.answers():
            if server.process.poll() is not None or time.monotonic() > end:
                raise BenchError(server.why())
            time.sleep(0.05)
    _starting.close()


@contextmanager
def _turn(home: Path) -> Iterator[None]:
    """Let the servers of one home start one after the other: two that make its database at once make each other fail.

    The system ends the turn of a process that is killed.
    """
    home.mkdir(parents=True, exist_ok=True)
    with (home / "local_server.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True, slots=True)
class _Server:
    """A server process; what it wrote stands in `log` from `offset` on."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path
    offset: int

    @classmethod
    def start(cls, home: Path) -> "_Server":
        path, port = home / "local_server.log", _free_port()
        ours = {"PREFECT_UI_ENABLED": "0", "PREFECT__SERVER_EPHEMERAL": "1", "PREFECT__SERVER_FINAL": "1"}
        app = ["prefect.server.api.server:create_app", "--factory"]
        where = ["--host", "127.0.0.1", "--port", str(port), "--log-level", "error"]
        with path.open("ab") as log:
            offset = log.tell()
            process = subprocess.Popen(
                [sys.executable, "-m", "uvicorn", *app, *where],
                env={**os.environ, **ours},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )
        return cls(process, port, path, offset)

    def answers(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/api/health", timeout=5, trust_env=False).is_success
        except httpx.HTTPError:
            return False

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def why(self) -> str:
        said = self.log.read_bytes()[self.offset :].decode("utf-8", "replace")
        if "malformed" in said or "not a database" in said:
            return (
                f"Prefect's database {self.log.with_name('prefect.db')} is damaged: delete it and run again (it holds "
                "the history of flow runs; results are elsewhere)"
            )
        code = self.process.poll()
        state = "did not answer in time" if code is None else f"ended with exit code {code}"
        return f"Prefect's local server {state}; it said why at the end of {self.log}"


_running: list[_Server] = []
_starting = ExitStack()
"""Holds our turn to start, until the server answers."""


def _die_with_parent() -> None:
    """Ask Linux to end this process when its parent is gone, however that happens."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port

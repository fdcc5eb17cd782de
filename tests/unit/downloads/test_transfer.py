import hashlib
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Protocol

import pytest

from tasks.downloads.transfer import ATTEMPTS, download
from tasks.progress import silent
from tasks.records import BenchError

BODY = b"a turn of a conversation\n" * 1_000
SHA256 = hashlib.sha256(BODY).hexdigest()

Answer = Callable[[BaseHTTPRequestHandler], None]


class Server(Protocol):
    url: str
    answers: list[Answer]
    requests: list[str]


def send(body: bytes, *, claimed: int | None = None, status: int = 200) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body) if claimed is None else claimed))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def fetch(server: Server, folder: Path) -> Path:
    target = folder / "file.json"
    download(f"{server.url}/file.json", SHA256, len(BODY), target, silent)
    return target


def test_download_writes_the_bytes_and_reports_progress(server: Server, tmp_path: Path) -> None:
    server.answers = [send(BODY)]
    seen: list[tuple[int, int, str]] = []
    download(server.url, SHA256, len(BODY), tmp_path / "f", lambda *state: seen.append(state))
    assert (tmp_path / "f").read_bytes() == BODY
    assert seen[-1] == (len(BODY), len(BODY), "bytes")
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_server_that_fails_twice_is_asked_a_third_time(server: Server, tmp_path: Path, waits: list[float]) -> None:
    server.answers = [send(b"", status=503), send(b"", status=429), send(BODY)]
    assert fetch(server, tmp_path).read_bytes() == BODY
    assert len(server.requests) == 3
    assert waits == [1.0, 2.0]


def test_truncated_body_is_retried_from_the_start(server: Server, tmp_path: Path, waits: list[float]) -> None:
    server.answers = [send(BODY[:9_000], claimed=len(BODY)), send(BODY)]
    assert fetch(server, tmp_path).read_bytes() == BODY
    assert len(waits) == 1


@pytest.mark.parametrize("claimed", [len(BODY), 9_000], ids=["connection broken", "short but complete"])
def test_truncated_for_ever_stops_and_leaves_nothing(
    server: Server, tmp_path: Path, waits: list[float], claimed: int
) -> None:
    server.answers = [send(BODY[:9_000], claimed=claimed)]
    with pytest.raises(BenchError, match=r"could not fetch .* in 5 attempts.*--mirror"):
        fetch(server, tmp_path)
    assert len(server.requests) == ATTEMPTS
    assert not list(tmp_path.iterdir())


def test_wrong_hash_shows_both_and_is_not_retried(server: Server, tmp_path: Path, waits: list[float]) -> None:
    other = BODY[:-1] + b"!"
    server.answers = [send(other)]
    with pytest.raises(BenchError) as caught:
        fetch(server, tmp_path)
    assert SHA256 in str(caught.value)
    assert hashlib.sha256(other).hexdigest() in str(caught.value)
    assert len(server.requests) == 1
    assert not waits
    assert not list(tmp_path.iterdir())


def test_endless_body_is_cut_off(server: Server, tmp_path: Path) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            for _ in range(1_000):
                handler.wfile.write(b"\0" * 1_000_000)
        except OSError:
            handler.close_connection = True

    server.answers = [endless]
    with pytest.raises(BenchError, match="at least"):
        fetch(server, tmp_path)
    assert not list(tmp_path.iterdir())


def test_refusal_is_not_retried_and_names_the_mirror(server: Server, tmp_path: Path, waits: list[float]) -> None:
    server.answers = [send(b"", status=404)]
    with pytest.raises(BenchError, match=r"404 Not Found.*--mirror"):
        fetch(server, tmp_path)
    assert len(server.requests) == 1


def test_unreachable_server_names_the_mirror(tmp_path: Path, waits: list[float]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(BenchError, match=r"could not fetch http://127.*--mirror DIR \(or MNEMOBENCH_MIRROR\)"):
        download(f"http://127.0.0.1:{port}/f", SHA256, len(BODY), tmp_path / "f", silent)
    assert waits == [1.0, 2.0, 4.0, 8.0]

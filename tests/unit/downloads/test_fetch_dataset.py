import hashlib
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tasks.downloads.build import fetch_dataset, read_source, resolve_dataset
from tasks.downloads.catalog import DatasetEntry, LocalSource
from tasks.progress import silent
from tasks.records import BenchError

OFFICIAL = b'{"questions": 500}'
PARTIAL = b"packed, 499 questions"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def entry(url: str = "http://127.0.0.1:9/d.json") -> DatasetEntry:
    partial = LocalSource(file="d.json.zst", sha256=sha256(PARTIAL), bytes=len(PARTIAL), note="499 of 500 questions")
    return DatasetEntry(
        name="data",
        url=url,
        file="d.json",
        sha256=sha256(OFFICIAL),
        bytes=len(OFFICIAL),
        licence="MIT",
        local_sources=(partial,),
    )


def put(folder: Path, name: str, content: bytes) -> Path:
    path = folder / "data" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return folder


def made(folder: Path, **options: Any) -> Path:
    out = folder / "out"
    out.mkdir()
    fetch_dataset(options.pop("entry", entry()), options.get("mirror"), options.get("local"), out, silent)
    return out


def test_official_file_from_mirror_and_url_give_equal_files(server: Any, tmp_path: Path) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(OFFICIAL)

    server.answers = [answer]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    mirrored = made(tmp_path / "a", mirror=put(tmp_path / "m", "d.json", OFFICIAL))
    downloaded = made(tmp_path / "b", entry=entry(f"{server.url}/d.json"))
    assert {p.name: p.read_bytes() for p in mirrored.iterdir()} == {
        p.name: p.read_bytes() for p in downloaded.iterdir()
    }
    assert read_source(mirrored).is_official
    assert (mirrored / "d.json").read_bytes() == OFFICIAL


def test_known_local_source_is_accepted_and_says_what_it_is(tmp_path: Path) -> None:
    out = made(tmp_path, mirror=put(tmp_path / "m", "d.json.zst", PARTIAL))
    source = read_source(out)
    assert (source.is_official, source.origin, source.note) == (False, "local", "499 of 500 questions")
    assert source.sha256 == sha256((out / source.file).read_bytes()) == sha256(PARTIAL)


def test_official_file_wins_over_a_local_source(tmp_path: Path) -> None:
    mirror = put(put(tmp_path / "m", "d.json.zst", PARTIAL), "d.json", OFFICIAL)
    assert resolve_dataset(entry(), mirror, None).is_official


@pytest.mark.parametrize("name", ["d.json", "d.json.zst"])
def test_wrong_file_in_mirror_shows_both_hashes(tmp_path: Path, name: str) -> None:
    expected = {"d.json": OFFICIAL, "d.json.zst": PARTIAL}[name]
    mirror = put(tmp_path / "m", name, expected[:-3])
    with pytest.raises(BenchError) as caught:
        made(tmp_path, mirror=mirror)
    assert sha256(expected) in str(caught.value)
    assert sha256(expected[:-3]) in str(caught.value)
    assert "--accept-local" in str(caught.value)
    assert not list((tmp_path / "out").iterdir())


def test_mirror_without_the_dataset_does_not_fall_back_to_the_network(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"has no dataset data: looked for d\.json, d\.json\.zst"):
        made(tmp_path, mirror=tmp_path)


def test_accepted_local_file_has_its_own_hash(tmp_path: Path) -> None:
    local = tmp_path / "mine.json"
    local.write_bytes(b"[]")
    source = read_source(made(tmp_path, local=local))
    assert (source.sha256, source.bytes, source.is_official) == (sha256(b"[]"), 2, False)
    assert source.note is not None
    assert source.note.startswith("a local file, not the official one")
    assert source.file == "d.json"


@pytest.mark.parametrize(("content", "is_official"), [(OFFICIAL, True), (PARTIAL, False)])
def test_accepted_local_file_that_is_known_is_recognised(tmp_path: Path, content: bytes, is_official: bool) -> None:
    local = tmp_path / "renamed.bin"
    local.write_bytes(content)
    assert resolve_dataset(entry(), None, local).is_official is is_official


def test_accepted_local_file_that_is_absent(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no such file"):
        resolve_dataset(entry(), None, tmp_path / "none")


def test_real_mirror_against_the_catalogue(mirror: Path, tmp_path: Path) -> None:
    from tasks.downloads.catalog import load_catalog

    for name, is_official in {"locomo": True, "nfcorpus": True, "longmemeval-s": False}.items():
        out = tmp_path / name
        out.mkdir()
        fetch_dataset(load_catalog().dataset(name), mirror, None, out, silent)
        assert read_source(out).is_official is is_official

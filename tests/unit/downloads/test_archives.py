import stat
import zipfile
from pathlib import Path

import pytest

from tasks.downloads.archives import extract, names
from tasks.records import BenchError


def archive(folder: Path, members: dict[str, bytes], mode: int = 0) -> Path:
    path = folder / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, content)
    return path


def test_extract_writes_only_the_named_members(tmp_path: Path) -> None:
    path = archive(tmp_path, {"n/corpus.jsonl": b"one", "n/queries.jsonl": b"two", "n/qrels/test.tsv": b"three"})
    written = extract(path, tmp_path / "out", ["n/qrels/test.tsv", "n/corpus.jsonl"])
    assert [file.read_bytes() for file in written] == [b"three", b"one"]
    assert sorted(p.name for p in (tmp_path / "out").rglob("*") if p.is_file()) == ["corpus.jsonl", "test.tsv"]
    assert names(path) == ["n/corpus.jsonl", "n/qrels/test.tsv", "n/queries.jsonl"]


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/evil", "..\\evil", "C:/evil"])
def test_paths_that_leave_the_folder_are_refused(tmp_path: Path, name: str) -> None:
    path = archive(tmp_path, {name: b"x"})
    with pytest.raises(BenchError, match="refused to unpack"):
        extract(path, tmp_path / "deep" / "out", [name])
    assert not [file for file in tmp_path.rglob("*") if "evil" in file.name]


def test_symbolic_link_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, {"link": b"/etc/passwd"}, mode=stat.S_IFLNK | 0o777)
    with pytest.raises(BenchError, match="link"):
        extract(path, tmp_path / "out", ["link"])


def test_bomb_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    path = archive(tmp_path, {"bomb": b"\0" * 20_000_000})
    with pytest.raises(BenchError, match="unpack to 20,000,000"):
        extract(path, tmp_path / "out", ["bomb"])
    assert not (tmp_path / "out").exists()


def test_small_repetitive_member_is_no_bomb(tmp_path: Path) -> None:
    path = archive(tmp_path, {"spaces": b" " * 900_000})
    assert extract(path, tmp_path / "out", ["spaces"])[0].stat().st_size == 900_000


def test_missing_and_duplicate_members_are_errors(tmp_path: Path) -> None:
    path = archive(tmp_path, {"a": b"x"})
    with pytest.raises(BenchError, match="0 members named 'b', expected 1; it holds a"):
        extract(path, tmp_path / "out", ["b"])
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as file:
        file.writestr("a", b"y")
    with pytest.raises(BenchError, match="2 members named 'a'"):
        extract(path, tmp_path / "out", ["a"])


@pytest.mark.parametrize("cut", [10, 60, 200])
def test_truncated_archive_is_an_error_at_any_length(tmp_path: Path, cut: int) -> None:
    path = archive(tmp_path, {"a": bytes(range(256)) * 4})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(BenchError, match="not an intact zip archive"):
        extract(path, tmp_path / "out", ["a"])
    with pytest.raises(BenchError, match="not an intact zip archive"):
        names(path)


def test_damaged_content_is_an_error(tmp_path: Path) -> None:
    path = archive(tmp_path, {"a": b"abcdefgh" * 50})
    content = bytearray(path.read_bytes())
    content[35] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(BenchError, match="not an intact zip archive"):
        extract(path, tmp_path / "out", ["a"])

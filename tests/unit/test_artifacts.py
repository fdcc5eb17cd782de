"""The content-addressed store: what is in a key, and what is left on disk."""

import errno
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from tasks.artifacts import Artifact, Recipe, Store, read_manifest
from tasks.files import write_text
from tasks.records import BenchError

CODE = "c0de"


def recipe(**changes: object) -> Recipe:
    return Recipe("text", "tokens", CODE, **{"params": {"k": 1}, "inputs": {"corpus": "d1"}, **changes})  # type: ignore[arg-type]


def write_table(out: Path) -> None:
    pl.DataFrame({"x": [1, 2, 3]}).write_parquet(out / "table.parquet")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_an_artifact_is_made_once_and_found_again(store: Store) -> None:
    calls: list[Path] = []

    def build(out: Path) -> None:
        calls.append(out)
        write_table(out)

    first = store.make(recipe(), build)
    assert store.make(recipe(), build) == first
    assert len(calls) == 1
    manifest = read_manifest(first.path)
    assert manifest is not None
    assert manifest["files"]["table.parquet"]["rows"] == 3
    assert manifest["cost"]["wall_s"] >= 0


@pytest.mark.parametrize(
    "change",
    [{"params": {"k": 2}}, {"inputs": {"corpus": "d2"}}, {"libraries": ("numpy",)}, {"params": {"k": 1, "b": None}}],
)
def test_each_ingredient_changes_the_key(change: dict[str, object]) -> None:
    assert recipe(**change).key != recipe().key


def test_the_reason_of_a_miss_names_the_changed_ingredient(store: Store) -> None:
    assert store.why_missing(recipe()) == "first time"
    store.make(recipe(), write_table)
    assert store.why_missing(recipe(params={"k": 2})) == "changed: params k"
    assert store.why_missing(recipe(inputs={"corpus": "d2"})) == "changed: inputs corpus"


def test_equal_content_has_an_equal_digest_whatever_made_it(store: Store) -> None:
    one, two = store.make(recipe(), write_table), store.make(recipe(params={"k": 2}), write_table)
    assert one.key != two.key
    assert one.digest == two.digest


@pytest.mark.parametrize(
    "damage", ["truncate", "flip", "delete", "no-manifest", "broken-manifest", "no-files", "odd-files", "no-step"]
)
def test_a_damaged_artifact_is_not_found_and_is_replaced(store: Store, damage: str) -> None:
    made = store.make(recipe(), write_table)
    path = made.path / "table.parquet"
    content = path.read_bytes()
    match damage:
        case "truncate":
            path.write_bytes(content[:-1])
        case "flip":
            path.write_bytes(content[:10] + bytes([content[10] ^ 1]) + content[11:])
            os.utime(path, (1, 1))
        case "delete":
            path.unlink()
        case "no-manifest":
            (made.path / "manifest.json").unlink()
        case "no-files" | "odd-files" | "no-step":
            manifest = json.loads((made.path / "manifest.json").read_text())
            odd: dict[str, object] = {"table.parquet": {}}
            manifest |= {"no-files": {"files": {}}, "odd-files": {"files": odd}, "no-step": {"step": None}}[damage]
            (made.path / "manifest.json").write_text(json.dumps(manifest))
        case _:
            (made.path / "manifest.json").write_text("{")
    assert store.find(recipe()) is None
    assert store.why_missing(recipe()) == "the artifact on disk is damaged"
    assert store.make(recipe(), write_table) == made
    assert path.read_bytes() == content


def test_a_failed_build_leaves_nothing(store: Store) -> None:
    def build(out: Path) -> None:
        write_table(out)
        raise BenchError("stop")

    with pytest.raises(BenchError, match="stop"):
        store.make(recipe(), build)
    assert not [path for path in store.root.rglob("*") if path.is_file()]
    assert not list((store.root / "text").iterdir())


def test_a_full_disk_is_said_in_words(store: Store) -> None:
    def build(out: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(BenchError, match="no space left on the disk"):
        store.make(recipe(), build)


def test_a_store_that_cannot_be_written_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BenchError, match="cannot write to the store"):
        Store(tmp_path / "file").make(recipe(), write_table)


def test_the_loser_of_a_race_adopts_the_winners_artifact(store: Store) -> None:
    def build_while_another_wins(out: Path) -> None:
        store.make(recipe(), write_table)
        write_table(out)

    artifact = store.make(recipe(), build_while_another_wins)
    assert store.find(recipe()) == artifact
    assert [path.name for path in (store.root / "text").iterdir()] == [artifact.key]


def test_what_a_dead_process_left_is_swept_and_nothing_else(store: Store) -> None:
    dead = subprocess.Popen([sys.executable, "-c", "pass"])
    dead.wait()
    made = store.make(recipe(), write_table)
    names = {
        f".0123456789abcdef-aaaa0000-{platform.node()}-{dead.pid}.tmp": False,
        f".0123456789abcdef-bbbb0000-{platform.node()}-{os.getpid()}.tmp": True,
        f".0123456789abcdef-cccc0000-another-host-{dead.pid}.tmp": True,
        ".somebody-elses.tmp": True,
    }
    for name in names:
        (store.root / "text" / name).mkdir()
    assert [path.name for path in store.sweep()] == [name for name, stays in names.items() if not stays]
    assert {path.name for path in (store.root / "text").iterdir()} == {made.key} | {
        n for n, stays in names.items() if stays
    }


def test_an_artifact_knows_its_place(store: Store) -> None:
    artifact = store.make(recipe(), write_table)
    assert artifact == Artifact("text", recipe().key, artifact.digest, str(store.root))
    assert (artifact.path / "table.parquet").is_file()


def test_text_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_text(path, json.dumps([1]))
    write_text(path, json.dumps([2]))
    assert json.loads(path.read_text()) == [2]
    assert [item.name for item in tmp_path.iterdir()] == ["a.json"]

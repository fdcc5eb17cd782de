"""Raw directories as the downloads stage leaves them, and corpora built from them."""

import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tasks.corpora import build_locomo, build_longmemeval, build_nfcorpus
from tasks.corpora.locomo import LocomoParams
from tasks.corpora.longmemeval import LongmemevalParams
from tasks.corpora.nfcorpus import NfcorpusParams
from tasks.corpora.tables import Corpus
from tasks.progress import silent

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "corpora"
NFCORPUS_MEMBERS = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "qrels/dev.tsv", "qrels/train.tsv")

REPLACEMENTS: tuple[Any, ...] = (None, 7, "x", [], {}, ["x"], "remove")
Members = dict[str, bytes]
BuildBytes = Callable[..., Corpus]


@pytest.fixture
def locomo_records() -> Any:
    return json.loads((FIXTURES / "locomo_faults.json").read_text(encoding="utf-8"))


@pytest.fixture
def longmemeval_records() -> Any:
    return json.loads((FIXTURES / "longmemeval_faults.json").read_text(encoding="utf-8"))


@pytest.fixture
def nfcorpus_members() -> Members:
    return {f"nfcorpus/{name}": (FIXTURES / "nfcorpus" / name).read_bytes() for name in NFCORPUS_MEMBERS}


@pytest.fixture(scope="session")
def build_bytes(tmp_path_factory: pytest.TempPathFactory) -> BuildBytes:
    """Build a corpus from a raw file given as bytes (or as a path): `build_bytes("locomo", content, evidence=...)`."""

    def build(dataset: str, content: bytes | Path, *, is_official: bool = False, **params: Any) -> Corpus:
        raw, out = tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("out")
        name = f"{dataset}.raw"
        if isinstance(content, Path):
            (raw / name).symlink_to(content)
        else:
            (raw / name).write_bytes(content)
        facts = {"name": dataset, "file": name, "sha256": "0" * 64, "bytes": 1, "is_official": is_official}
        (raw / "source.json").write_text(json.dumps(facts), encoding="utf-8")
        if dataset == "locomo":
            build_locomo.build(raw, LocomoParams(**params), out, silent)
        elif dataset == "nfcorpus":
            build_nfcorpus.build(raw, NfcorpusParams(**params), out, silent)
        else:
            build_longmemeval.build(raw, LongmemevalParams(**params), out, silent)
        return Corpus.read(out)

    return build


@pytest.fixture
def zipped(tmp_path: Path) -> Callable[[Members], bytes]:
    def write(members: Members) -> bytes:
        path = tmp_path / "made.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        return path.read_bytes()

    return write


@pytest.fixture
def mutations() -> Callable[[Any], Iterator[tuple[str, Any]]]:
    """Yield (description, mutated copy) of a JSON value: at each place another type, or the place removed."""
    return _mutations


def _mutations(value: Any) -> Iterator[tuple[str, Any]]:
    for path in _paths(value):
        for replacement in REPLACEMENTS:
            copy = json.loads(json.dumps(value))
            parent = copy
            for part in path[:-1]:
                parent = parent[part]
            if replacement == "remove":
                del parent[path[-1]]
            else:
                parent[path[-1]] = replacement
            yield f"{path}: {replacement!r}", copy


def _paths(value: Any) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (key,)
        yield from ((key, *rest) for rest in _paths(item))

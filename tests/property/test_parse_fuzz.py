"""The slow tier of the parsers: a fuzz run, single turns of 50 MB, and the real LongMemEval-S in three packings."""

import copy
import gzip
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.property.hostile_files import (
    NFCORPUS,
    PACKINGS,
    VALID,
    at,
    build_in_child,
    outcome,
    places,
    raw_folder,
    to_bytes,
)
from tests.property.independent_reading import CORPUS, QRELS, QUERIES
from tests.property.test_parsers_survive_anything import EDITS, edited

pytestmark = pytest.mark.slow

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "corpora"
MAX_PEAK_MB, MAX_CPU_S = 1_500, 60
"""Seconds of processor, not of the clock: a bound on the clock fails when other processes want the machine."""

# --- fuzz ----------------------------------------------------------------------------------------------------------

_HOSTILE_TEXTS = [
    *(
        "",
        " ",
        "\x00",
        "\n",
        "\ud800",
        "../../x",
        "<script>",
        "x" * 10_000,
        "D1:1",
        "D1:2; D:2:01",
        "D0:0",
        "D",
        "_abs",
    ),
    *("session_1", "session_0", "session_02", "session_1_date_time", "gold", "filler", "talk", "D2", "Q1", "user"),
    *("2023/05/28 (Sun) 19:47", "0000/00/00 (Mon) 00:00", "12:05 am on 1 March, 2024", "13:61 pm on 40 March, 2024"),
]
TEXTS = st.sampled_from(_HOSTILE_TEXTS) | st.text(st.characters(), max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from([1, 2, 5]) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["replace", "remove", "repeat", "transplant", "rename"]),
        st.integers(0, 10**6),
        st.integers(0, 10**6),
        VALUES,
    ),
    min_size=1,
    max_size=4,
)
FEW_EDITS: st.SearchStrategy[list[Any]] = st.just([]) | st.just([]) | st.just([]) | EDITS
"""A tree is mostly left readable: an edited byte seldom is."""
FUZZ = settings(
    max_examples=3_000,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
)


def _fixtures(dataset: str) -> Any:
    if dataset == "nfcorpus":
        names = {CORPUS: "corpus.jsonl", QUERIES: "queries.jsonl"}
        read = {key: (FIXTURES / dataset / name).read_text(encoding="utf-8") for key, name in names.items()}
        qrels = {QRELS: (FIXTURES / dataset / "qrels" / "test.tsv").read_text(encoding="utf-8")}
        return {key: [json.loads(line) for line in text.splitlines()] for key, text in read.items()} | qrels
    return json.loads((FIXTURES / f"{dataset}_faults.json").read_text(encoding="utf-8"))


def _changed(value: Any, change: tuple[str, int, int, Any]) -> Any:
    """Return a tree with one change; a change that its place does not allow leaves it as it is."""
    kind, first, second, new = change
    made = copy.deepcopy(value)
    found = list(places(made))
    if not found:
        return made
    place = found[first % len(found)]
    parent, key = at(made, place[:-1]), place[-1]
    if kind == "replace":
        parent[key] = new
    elif kind == "remove":
        del parent[key]
    elif kind == "repeat" and isinstance(parent, list):
        parent.insert(second % (len(parent) + 1), copy.deepcopy(parent[key]))
    elif kind == "transplant":
        parent[key] = copy.deepcopy(at(value, found[second % len(found)]))
    elif kind == "rename" and isinstance(parent, dict):
        parent[str(new)] = parent.pop(key)
    return made


def _file(dataset: str, tree: Any) -> bytes:
    if dataset != "nfcorpus":
        return to_bytes(dataset, tree)
    members = {str(name).encode("utf-8", "replace").decode(): content for name, content in tree.items()}
    return to_bytes(dataset, {name: _member(content) for name, content in members.items()})


def _member(content: Any) -> Any:
    """Return what `nfcorpus_members` writes: lines of JSON from a list, else text."""
    return content if isinstance(content, list) else str(content).encode("utf-8", "replace").decode()


def _fuzz(dataset: str, packing: str, start: Any, changes: list[Any], edits: list[Any]) -> None:
    tree = start
    for change in changes:
        tree = _changed(tree, change)
    content = PACKINGS[packing](_file(dataset, tree))
    outcome(dataset, edited(content, edits))


@FUZZ
@given(start=st.sampled_from([VALID["locomo"], _fixtures("locomo")]), changes=CHANGES, edits=FEW_EDITS)
def test_fuzzed_locomo(start: Any, changes: list[Any], edits: list[Any]) -> None:
    _fuzz("locomo", "plain", start, changes, edits)


@FUZZ
@given(
    packing=st.sampled_from(sorted(PACKINGS)),
    start=st.sampled_from([VALID["longmemeval"], _fixtures("longmemeval")]),
    changes=CHANGES,
    edits=FEW_EDITS,
)
def test_fuzzed_longmemeval(packing: str, start: Any, changes: list[Any], edits: list[Any]) -> None:
    _fuzz("longmemeval", packing, start, changes, edits)


_CELLS = st.sampled_from(["Q1", "D1", "D2", "PLAIN-1", "MED-2", "1", "-1", "0", "2", "x", "", "1e3", "\r", "\x00"])
QRELS_TEXTS = st.lists(st.lists(_CELLS, min_size=2, max_size=4).map("\t".join), max_size=5).map(
    lambda lines: "\n".join(["query-id\tcorpus-id\tscore", *lines])
)


@FUZZ
@given(
    start=st.sampled_from([NFCORPUS, _fixtures("nfcorpus")]),
    qrels=st.none() | QRELS_TEXTS,
    changes=CHANGES,
    edits=FEW_EDITS,
)
def test_fuzzed_nfcorpus(start: Any, qrels: str | None, changes: list[Any], edits: list[Any]) -> None:
    _fuzz("nfcorpus", "plain", start if qrels is None else start | {QRELS: qrels}, changes, edits)


# --- one huge turn -------------------------------------------------------------------------------------------------

HUGE = 50_000_000
HUGE_TEXTS = {
    "ascii": "x" * HUGE,
    "one-emoji": "x" * HUGE + "\U0001f600",  # four bytes for each character in memory
    "quotes": '"' * HUGE,
}


@pytest.mark.parametrize("text", HUGE_TEXTS)
@pytest.mark.parametrize(
    ("dataset", "packing"),
    [("locomo", "plain"), ("longmemeval", "plain"), ("longmemeval", "zst"), ("nfcorpus", "plain")],
)
def test_a_turn_of_50_mb_is_read_in_bounded_memory(tmp_path: Path, dataset: str, packing: str, text: str) -> None:
    value = copy.deepcopy(VALID[dataset])
    if dataset == "locomo":
        value[0]["conversation"]["session_1"][0]["text"] = HUGE_TEXTS[text]
    elif dataset == "longmemeval":
        value[0]["haystack_sessions"][0][0]["content"] = HUGE_TEXTS[text]
    else:
        value[CORPUS][0]["text"] = HUGE_TEXTS[text]
    raw_folder(tmp_path / "raw", PACKINGS[packing](to_bytes(dataset, value)))
    (facts,) = build_in_child((dataset, tmp_path))
    assert facts["refusal"] is None
    assert facts["peak_mb"] < MAX_PEAK_MB


# --- the real file -------------------------------------------------------------------------------------------------


def _table_hashes(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("*.parquet"))}


def _facts(folder: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    del facts["source"]
    return facts


def test_real_longmemeval_in_three_packings_within_time_and_memory(mirror: Path, tmp_path: Path) -> None:
    path = mirror / "longmemeval-s" / "longmemeval_s_cleaned.json.zst"
    if not path.is_file():
        pytest.skip(f"the mirror has no LongMemEval-S: looked for {path}")
    plain, packed = tmp_path / "plain.json", tmp_path / "packed.json.gz"
    with path.open("rb") as source, plain.open("wb") as sink:
        zstandard.ZstdDecompressor().copy_stream(source, sink)
    with plain.open("rb") as source, gzip.open(packed, "wb", compresslevel=1) as sink:
        shutil.copyfileobj(source, sink)
    results = []
    for name, file in (("zst", path), ("plain", plain), ("gz", packed)):
        folder = tmp_path / name
        folder.mkdir()
        raw_folder(folder / "raw", file)
        (took,) = build_in_child(("longmemeval", folder))
        assert took["refusal"] is None
        assert took["peak_mb"] < MAX_PEAK_MB
        assert took["cpu_s"] < MAX_CPU_S
        results.append((_facts(folder / "out"), _table_hashes(folder / "out")))
    facts, hashes = results[0]
    assert (facts["n_documents"], facts["n_queries"], facts["note"]) == (199_240, 499, "499 of 500 questions")
    assert len(hashes) == 7
    assert results[1:] == [results[0]] * 2

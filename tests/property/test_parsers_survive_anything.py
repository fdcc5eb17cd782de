"""Every parser on files whose bytes were cut, edited, encoded otherwise or nested deeply: refused, or read whole."""

import codecs
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.corpora import json_stream
from tasks.corpora.tables import Corpus
from tasks.records import BenchError
from tests.property.hostile_files import (
    FORMS,
    PACKINGS,
    VALID,
    Place,
    accepted,
    build,
    build_in_child,
    nfcorpus_members,
    outcome,
    raw_folder,
    refusal,
    replaced,
    to_bytes,
    valid_bytes,
    zipped,
)
from tests.property.independent_reading import CORPUS, QRELS, QUERIES, summary


@pytest.mark.parametrize(("dataset", "packing"), FORMS)
def test_file_cut_at_every_byte_is_refused(dataset: str, packing: str) -> None:
    content = valid_bytes(dataset, packing)
    for length in range(len(content)):
        result = outcome(dataset, content[:length])
        is_whole_but_for_the_checksum = packing == "zst" and length >= len(content) - 4
        assert result.refusal is not None or is_whole_but_for_the_checksum, length


@pytest.mark.parametrize("member", [CORPUS, QUERIES, QRELS])
def test_member_cut_at_every_byte_is_refused_or_listed(member: str) -> None:
    members = nfcorpus_members(VALID["nfcorpus"])
    whole = summary(accepted("nfcorpus", zipped(members)))
    n_refused = 0
    for length in range(len(members[member])):
        result = outcome("nfcorpus", zipped(members | {member: members[member][:length]}))
        if result.corpus is None:
            n_refused += 1
        elif member != QRELS:  # fewer lines of judgements are another valid file
            assert result.kinds or summary(result.corpus) == whole, length
    assert n_refused > len(members[member]) // 2


@pytest.mark.parametrize("dataset", VALID)
def test_what_a_refused_file_left_is_no_corpus(dataset: str, tmp_path: Path) -> None:
    """The last record is at fault: the tables of the others may have been written, `facts.json` was not."""
    broken = {"locomo": (0, "qa", 0, "category"), "longmemeval": (0, "question_date"), "nfcorpus": (QUERIES, 0, "text")}
    content = to_bytes(dataset, replaced(VALID[dataset], broken[dataset], None))
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(BenchError, match=str(broken[dataset][-1])):
        build(dataset, raw_folder(tmp_path / "raw", content), out)
    assert list(out.iterdir())
    with pytest.raises(BenchError, match=r"no facts\.json in .*; expected a whole corpus artifact"):
        Corpus.read(out)


EDITS = st.lists(
    st.tuples(st.sampled_from(["flip", "delete", "insert", "set"]), st.floats(0, 1), st.integers(0, 255)),
    min_size=1,
    max_size=3,
)


def edited(content: bytes, edits: list[tuple[str, float, int]]) -> bytes:
    made = bytearray(content)
    for kind, where, value in edits:
        at_byte = min(int(where * len(made)), len(made) - 1)
        if kind == "flip":
            made[at_byte] ^= 1 << value % 8
        elif kind == "delete":
            del made[at_byte]
        elif kind == "insert":
            made.insert(at_byte, value)
        else:
            made[at_byte] = value
    return bytes(made)


@pytest.mark.parametrize(("dataset", "packing"), FORMS)
@settings(max_examples=60, deadline=None)
@given(edits=EDITS)
def test_edited_bytes_never_escape(dataset: str, packing: str, edits: list[tuple[str, float, int]]) -> None:
    outcome(dataset, edited(valid_bytes(dataset, packing), edits))


@pytest.mark.parametrize("bad", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80"], ids=bytes.hex)
@pytest.mark.parametrize("dataset", VALID)
def test_what_is_not_utf8_is_refused_wherever_it_stands(dataset: str, bad: bytes) -> None:
    if dataset == "nfcorpus":
        members = nfcorpus_members(VALID[dataset])
        files = [
            zipped(members | {name: data[:place] + bad + data[place:]})
            for name, data in members.items()
            for place in range(0, len(data), 5)
        ]
    else:
        data = valid_bytes(dataset)
        files = [data[:place] + bad + data[place:] for place in range(0, len(data), 5)]
    for content in files:
        refusal(dataset, content)


@pytest.mark.parametrize(("dataset", "packing"), FORMS)
def test_bom_and_crlf_change_nothing_and_utf16_is_refused(dataset: str, packing: str) -> None:
    whole = summary(accepted(dataset, valid_bytes(dataset, packing)))
    if dataset == "nfcorpus":
        members = nfcorpus_members(VALID[dataset])
        windows = {name: codecs.BOM_UTF8 + data.replace(b"\n", b"\r\n") for name, data in members.items()}
        contents = zipped(windows), zipped({name: data.decode().encode("utf-16") for name, data in members.items()})
    else:
        text = json.dumps(VALID[dataset], indent=1)
        windows_text = codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode() + b"\r\n"
        contents = PACKINGS[packing](windows_text), PACKINGS[packing](text.encode("utf-16"))
    assert summary(accepted(dataset, contents[0])) == whole
    refusal(dataset, contents[1])


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 480])
def test_size_of_the_read_buffer_changes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, size: int) -> None:
    """Records, numbers, escapes and signs may be cut anywhere by the end of a buffer."""
    values: list[Any] = [12345, -1.5e-3, True, None, 'ä\\"\U0001f600', {"né": [1, {"a": "𝄞"}]}, [], {}, "", 0]
    path = tmp_path / "x.json"
    for text in (json.dumps(values), json.dumps(values, ensure_ascii=False, indent=2)):
        path.write_bytes(text.encode())
        monkeypatch.setattr(json_stream, "_BUFFER", size)
        assert list(json_stream.stream_records(path)) == values
    monkeypatch.setattr(json_stream, "_BUFFER", size)
    content = valid_bytes("longmemeval")
    accepted("longmemeval", content)
    for length in range(0, len(content), 11):
        refusal("longmemeval", content[:length])


@pytest.mark.parametrize(
    "content", [b"", b" ", b"[]", b"{}", b"null", b"0", b"[[]]", b"[{}]", b"[null]", b"[1,]", b"[,]", b"\x00", b"[" * 9]
)
@pytest.mark.parametrize(("dataset", "packing"), FORMS)
def test_other_files_are_refused(dataset: str, packing: str, content: bytes) -> None:
    refusal(dataset, PACKINGS[packing](content))
    if dataset == "nfcorpus":
        for member in (CORPUS, QUERIES, QRELS):
            outcome(dataset, zipped(nfcorpus_members(VALID[dataset]) | {member: content}))


def _nested(n: int) -> list[str]:
    return ["[" * n, "[" * n + "]" * n, '{"a":' * n + "0" + "}" * n]


def _deep_file(dataset: str, place: Place, deep: str) -> bytes:
    value = replaced(VALID[dataset], place, "@")
    if dataset == "nfcorpus":
        members = nfcorpus_members(value)
        return zipped({name: data.replace(b'"@"', deep.encode()) for name, data in members.items()})
    return to_bytes(dataset, value).replace(b'"@"', deep.encode())


def test_deep_nesting_is_refused_in_a_process_that_lives_on(tmp_path: Path) -> None:
    deep_places: list[tuple[str, Place]] = [
        ("locomo", (0, "event_summary")),
        ("locomo", (0, "conversation", "session_1")),
        ("longmemeval", (0, "haystack_sessions")),
        ("longmemeval", (0, "answer")),
        ("nfcorpus", (CORPUS, 0, "metadata")),
    ]
    jobs: list[tuple[str, Path]] = []
    for dataset, place in deep_places:
        for n in (100_000, 900, 300, 18):
            for deep in _nested(n):
                folder = tmp_path / str(len(jobs))
                folder.mkdir()
                raw_folder(folder / "raw", _deep_file(dataset, place, deep))
                jobs.append((dataset, folder))
    for facts in build_in_child(*jobs):
        assert facts["refusal"] is not None
        assert len(facts["refusal"]) < 400
        assert facts["peak_mb"] < 1_000

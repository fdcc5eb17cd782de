"""Raw files: JSON with faults at a line, dates in one format, evidence strings."""

import json
from pathlib import Path

import pytest

from tasks.corpora.dates import parse_locomo_date, parse_longmemeval_date
from tasks.corpora.locomo_evidence import read_evidence
from tasks.corpora.raw import load_json, read_raw
from tasks.records import BenchError


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1, column 1: .* the file ends too early"),
        (b'{"a":\n  1,', "line 2, column 5: .* the file ends too early"),
        (b'{"a": 1}\n{}', "line 2, column 1: Extra data; expected JSON"),
        (b'{"a":\n "\xff"}', "line 2, byte 8: not UTF-8"),
        (b'{"a": "\x00"}', "line 1, column 8: Invalid control character"),
        (b"[" * 100_000, "nest too deeply"),
        (b"9" * 5_000, "numbers of an ordinary size"),
    ],
)
def test_fault_of_json_names_its_place(content: bytes, message: str) -> None:
    with pytest.raises(BenchError, match=message):
        load_json(content)


def test_byte_order_mark_is_accepted() -> None:
    assert load_json(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


@pytest.mark.parametrize("source", [{}, {"file": "../x"}, {"file": ""}, {"file": 3}, [], {"file": "absent.json"}])
def test_source_that_names_no_file_is_refused(tmp_path: Path, source: object) -> None:
    (tmp_path / "source.json").write_text(json.dumps(source), encoding="utf-8")
    with pytest.raises(BenchError, match=r"source\.json"):
        read_raw(tmp_path)


def test_folder_that_is_no_download_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"no source\.json"):
        read_raw(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12:00 am on 1 January, 2024", "2024-01-01T00:00:00"),
        ("12:59 pm on 31 December, 1999", "1999-12-31T12:59:00"),
        ("1:05 pm on 29 February, 2024", "2024-02-29T13:05:00"),
    ],
)
def test_locomo_date_against_hand_computed(text: str, expected: str) -> None:
    assert parse_locomo_date(text).isoformat() == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "13:00 pm on 1 May, 2023",
        "0:10 am on 1 May, 2023",
        "1:60 pm on 1 May, 2023",
        "1:00 pm on 30 February, 2023",
        "1:00 pm on 1 Mai, 2023",
        "1:00 PM on 1 May, 2023",
        "1:00 pm on 1 May, 2023 ",
        "1:00 pm on 1 May, 0000",
    ],
)
def test_other_locomo_dates_are_refused(text: str) -> None:
    with pytest.raises(BenchError, match="expected a date such as '1:56 pm on 8 May, 2023'"):
        parse_locomo_date(text)


@pytest.mark.parametrize(
    "text", ["", "2023/05/28 (Mon) 19:47", "2023/05/28 19:47", "2023/02/30 (Thu) 19:47", "2023/05/28 (Sun) 24:00"]
)
def test_other_longmemeval_dates_are_refused(text: str) -> None:
    with pytest.raises(BenchError, match="right weekday"):
        parse_longmemeval_date(text)


@pytest.mark.parametrize(
    ("strings", "tolerant", "strict", "kinds"),
    [
        (["D1:3"], [(1, 3)], [(1, 3)], []),
        (["D8:6; D9:17"], [(8, 6), (9, 17)], [], ["evidence_joined"]),
        (["D9:1 D4:4 D4:6"], [(9, 1), (4, 4), (4, 6)], [], ["evidence_joined"]),
        (["D:11:26"], [(11, 26)], [], ["evidence_malformed"]),
        (["D30:05"], [(30, 5)], [(30, 5)], ["evidence_leading_zero"]),
        (["D4:5", "D4:5"], [(4, 5)], [(4, 5)], ["evidence_repeated"]),
        (["D4:5", "D4:05"], [(4, 5)], [(4, 5)], ["evidence_leading_zero", "evidence_repeated"]),
        (["D"], [], [], ["evidence_unreadable"]),
        (["", "ID3:4", "D3", "D3:", "D" + "1" * 12 + ":1", "D１:2"], [], [], ["evidence_unreadable"] * 6),
    ],
)
def test_evidence_against_hand_computed(
    strings: list[str], tolerant: list[tuple[int, int]], strict: list[tuple[int, int]], kinds: list[str]
) -> None:
    assert list(read_evidence(strings, is_strict=False).references) == tolerant
    assert list(read_evidence(strings, is_strict=True).references) == strict
    assert [fault.kind for fault in read_evidence(strings, is_strict=False).faults] == kinds

"""Compressed files and ZIP archives that were damaged, forged or packed in an unusual way."""

import io
import struct
import zipfile

import pytest
import zstandard
from hypothesis import given, settings

from tasks.corpora import json_stream
from tests.property.hostile_files import (
    NFCORPUS,
    PACKINGS,
    accepted,
    nfcorpus_members,
    outcome,
    refusal,
    valid_bytes,
    zipped,
)
from tests.property.independent_reading import CORPUS, QRELS, QUERIES, summary
from tests.property.test_parsers_survive_anything import EDITS, edited

HEADER = "query-id\tcorpus-id\tscore\n"


def _with_qrels(text: str) -> bytes:
    return zipped(nfcorpus_members(NFCORPUS | {QRELS: text}))


# --- gzip and zstd -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("packing", ["gz", "zst"])
def test_several_frames_are_one_file(packing: str) -> None:
    pack, text = PACKINGS[packing], valid_bytes("longmemeval")
    whole = summary(accepted("longmemeval", text))
    for cut in (1, 2, 100, len(text) - 1):
        parts = [pack(text[:cut]), pack(b""), pack(text[cut:]), pack(b"")]
        assert summary(accepted("longmemeval", b"".join(parts))) == whole
    assert "expected nothing after the list" in refusal("longmemeval", pack(text) + pack(b"[]"))


def test_padding_of_gzip_is_allowed_and_rubbish_is_not() -> None:
    packed = valid_bytes("longmemeval", "gz")
    accepted("longmemeval", packed + b"\x00" * 512)
    for packing in ("gz", "zst"):
        text = refusal("longmemeval", valid_bytes("longmemeval", packing) + b"rubbish!")
        assert "damaged compression" in text


@pytest.mark.parametrize("packing", ["gz", "zst"])
def test_a_wrong_checksum_is_refused(packing: str) -> None:
    packed = bytearray(valid_bytes("longmemeval", packing))
    packed[-5 if packing == "gz" else -1] ^= 1
    assert "damaged compression" in refusal("longmemeval", bytes(packed))


def test_a_window_that_needs_gigabytes_is_refused() -> None:
    params = zstandard.ZstdCompressionParameters(window_log=30, strategy=1, hash_log=6, chain_log=6)
    packer = zstandard.ZstdCompressor(compression_params=params).compressobj()
    packed = packer.compress(valid_bytes("longmemeval")) + packer.flush()
    assert "damaged compression" in refusal("longmemeval", packed)


@pytest.mark.parametrize("text", [b'[{"a": "' + b"x" * 200_000, b'[{"a": [' + b"0," * 100_000])
@pytest.mark.parametrize("packing", PACKINGS)
def test_a_record_beyond_the_bound_is_refused(packing: str, text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "_BUFFER", 1_000)
    monkeypatch.setattr(json_stream, "MAX_RECORD_CHARACTERS", 20_000)
    assert "a record of more than 20000 characters" in refusal("longmemeval", PACKINGS[packing](text))


# --- the ZIP archive -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["/etc/x", "../../x", "nfcorpus/../../x", "C:\\x", "\u202e", "n" * 60_000])
def test_members_with_hostile_names_are_not_touched(name: str) -> None:
    members = nfcorpus_members(NFCORPUS)
    whole = summary(accepted("nfcorpus", zipped(members)))
    assert summary(accepted("nfcorpus", zipped({name: b"x", **members}))) == whole
    refusal("nfcorpus", zipped({name: b"x"} | {key: members[key] for key in (CORPUS, QUERIES)}))


@pytest.mark.parametrize("member", [CORPUS, QUERIES, QRELS])
def test_a_missing_member_is_named(member: str) -> None:
    members = nfcorpus_members(NFCORPUS)
    del members[member]
    assert f"no member {member}" in refusal("nfcorpus", zipped(members))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("member", [CORPUS, QUERIES, QRELS])
def test_a_member_that_comes_twice_is_refused(member: str) -> None:
    made = io.BytesIO(valid_bytes("nfcorpus"))
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr(member, b"")
    assert f"2 members {member}" in refusal("nfcorpus", made.getvalue())


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_unpack_without_a_bound_are_refused(method: int) -> None:
    assert f"packed by method {method}" in refusal("nfcorpus", zipped(nfcorpus_members(NFCORPUS), method))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@settings(max_examples=60, deadline=None)
@given(edits=EDITS)
def test_edited_archives_never_escape(method: int, edits: list[tuple[str, float, int]]) -> None:
    outcome("nfcorpus", edited(zipped(nfcorpus_members(NFCORPUS), method), edits))


# Of a record in the central directory: version, flags, method, CRC, sizes, offset (APPNOTE 4.3.12).
@pytest.mark.parametrize(
    ("offset", "form", "value"),
    [
        (6, "<H", 255),
        (8, "<H", 1),
        (10, "<H", 99),
        (16, "<I", 1),
        (20, "<I", 0),
        (24, "<I", 0),
        (24, "<I", 1),
        (24, "<I", 2**32 - 1),
        (42, "<I", 2**31),
    ],
)
def test_a_forged_directory_is_refused(offset: int, form: str, value: int) -> None:
    forged = bytearray(valid_bytes("nfcorpus"))
    struct.pack_into(form, forged, forged.index(b"PK\x01\x02") + offset, value)
    refusal("nfcorpus", bytes(forged))


@pytest.mark.parametrize(("offset", "form", "value"), [(8, "<H", 0x2000), (20, "<I", 2**31), (24, "<I", 2**28)])
def test_a_forged_directory_that_hides_nothing_changes_nothing(offset: int, form: str, value: int) -> None:
    """The checksum is that of the content, although a flag or a size is wrong."""
    forged = bytearray(valid_bytes("nfcorpus"))
    struct.pack_into(form, forged, forged.index(b"PK\x01\x02") + offset, value)
    assert summary(accepted("nfcorpus", bytes(forged))) == summary(accepted("nfcorpus", valid_bytes("nfcorpus")))


def test_a_member_beyond_the_bound_is_refused_before_it_is_unpacked() -> None:
    forged = bytearray(valid_bytes("nfcorpus"))
    struct.pack_into("<I", forged, forged.index(b"PK\x01\x02") + 24, 2**31)
    assert f"{CORPUS}: unpacks to {2**31} bytes" in refusal("nfcorpus", bytes(forged))


# --- judgements ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header", ["", "\n", "query-id corpus-id score\n", "Q1\tD1\t1\n", "query-id\tcorpus-id\tscore\tx\n", "#" * 10_000]
)
def test_another_header_is_refused(header: str) -> None:
    text = refusal("nfcorpus", _with_qrels(header + "Q1\tD1\t1\n"))
    assert f"{QRELS}, line " in text
    assert "expected the header" in text


@pytest.mark.parametrize(
    "score",
    ["", "x", "1.0", "1e0", "+1", " 1", "1 ", "--1", "-", "NaN", "inf", "0x1", "1_0", "١", "²", "9" * 10, "9" * 9_999],
)
def test_a_score_that_is_no_whole_number_is_refused(score: str) -> None:
    text = refusal("nfcorpus", _with_qrels(f"{HEADER}Q1\tD1\t1\n\nQ1\tD2\t{score}\n"))
    assert f"{QRELS}, line 4: score " in text


@pytest.mark.parametrize("line", ["Q1", "Q1\tD2", "Q1\tD2\t1\t", "Q1 D2 1", "Q1\tD2\r1"])
def test_another_number_of_cells_is_refused(line: str) -> None:
    assert f"{QRELS}, line 3: " in refusal("nfcorpus", _with_qrels(f"{HEADER}Q1\tD1\t1\n{line}\n"))


@pytest.mark.parametrize(
    ("lines", "kinds"),
    [
        ("Q1\tD1\t1\r\nQ1\tD2\t2\r\n", set()),
        ("Q1\tD1\t1\nQ1\tD1\t1\n", {"judgement_repeated"}),
        ("Q1\tD9\t1\n", {"judgement_of_unknown_document", "no_relevant_document"}),
        ("Q9\tD1\t1\n", {"judgements_of_unknown_query"}),
        ("Q1\tD1\t0\n", {"no_relevant_document"}),
        ("Q1\tD1\t-1\n", {"negative_gain", "no_relevant_document"}),
        ("Q1\tD1\t-1\nQ1\tD1\t-1\n", {"judgement_repeated", "negative_gain", "no_relevant_document"}),
        ("\t\t1\n", {"judgement_of_unknown_document", "judgements_of_unknown_query"}),
        ("", set()),
    ],
)
def test_faults_of_judgements_are_listed(lines: str, kinds: set[str]) -> None:
    assert outcome("nfcorpus", _with_qrels(HEADER + lines)).kinds == kinds


def test_two_gains_of_one_pair_are_refused() -> None:
    text = refusal("nfcorpus", _with_qrels(f"{HEADER}Q1\tD1\t1\nQ1\tD1\t2\n"))
    assert f"{QRELS}, line 3: gain 2 for a pair that had gain 1" in text


def test_a_file_packed_twice_is_not_unpacked_twice() -> None:
    for packing, pack in PACKINGS.items():
        if packing != "plain":
            assert "after 0 whole records" in refusal("longmemeval", pack(valid_bytes("longmemeval", "gz")))

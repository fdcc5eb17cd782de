"""qrels overlays: the file format, and what a corpus is after one."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.corpora.build_overlay import MAX_NAMED, OVERLAY_SCHEMA, build
from tasks.corpora.overlays import Correction, read_overlay, write_overlay
from tasks.corpora.schemas import SCHEMAS
from tasks.corpora.tables import Corpus, CorpusWriter
from tasks.files import sha256_of
from tasks.records import BenchError, Defect, Document, Judgement, Query, ScopeMember, Session

PATCHED = {"judgements_turn", "judgements_session", "defects"}
TURNS = [("q1", "s1:1", 1), ("q1", "s1:2", 2), ("q1", "s2:1", 1), ("q3", "s2:2", 1), ("q4", "s1:3", 1)]
SESSIONS = [("q1", "s1", 1), ("q1", "s2", 1), ("q2", "s3", 1), ("q3", "s2", 1)]
"""q2's session s3 is gold without any relevant turn (row M3); q4's turn lies in a session that is not gold."""

CHANGES = [
    ("q1", "s2:1", 1, 0),
    ("q1", "s1:2", 2, 1),
    ("q1", "s1:1", 1, 0),
    ("q1", "s3:1", 0, 1),
    ("q2", "s1:1", 0, 2),
    ("q2", "o1:1", 0, 1),
    ("q3", "s2:2", 1, 0),
    ("q4", "s1:3", 1, 2),
]


@pytest.fixture
def corpus_dir(tmp_path: Path) -> Path:
    """Return a corpus of two conversations: talk (s1 of three turns, s2 of two, s3 of one) and other (o1 of one)."""
    out = tmp_path / "corpus"
    out.mkdir()
    with CorpusWriter(out, "tiny", source={"file": "x"}, licence="CC0") as writer:
        for position, (session, n_turns) in enumerate([("s1", 3), ("s2", 2), ("s3", 1), ("o1", 1)]):
            writer.add_session(Session(session, position, n_turns))
            writer.add_scope_member(ScopeMember("other" if session == "o1" else "talk", session, position))
            for turn in range(1, n_turns + 1):
                writer.add_document(Document(f"{session}:{turn}", f"words {session} {turn}", session, turn - 1))
        for name in ("q1", "q2", "q3", "q4"):
            writer.add_query(Query(name, f"{name}?", "kind", scope_id="talk"))
        for row in TURNS:
            writer.add_turn_judgement(Judgement(*row))
        for row in SESSIONS:
            writer.add_session_judgement(Judgement(*row))
        writer.add_defect(Defect("q2", "gold_session_without_evidence_turn", "kept", "s3", ("q2",)))
    return out


def line(query: str, document: str, old: Any, new: Any, **others: Any) -> dict[str, Any]:
    sure = {"dataset": "tiny", "query": query, "document": document, "old": old, "new": new}
    return {**sure, "source": "Ada", "reason": f"{old} is wrong", **others}


def write_lines(tmp_path: Path, lines: list[dict[str, Any]]) -> Path:
    path = tmp_path / "fixes.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def patched(tmp_path: Path, corpus_dir: Path, lines: list[dict[str, Any]], name: str = "patched") -> Path:
    out = tmp_path / name
    out.mkdir()
    build(corpus_dir, write_lines(tmp_path, lines), out)
    return out


@pytest.fixture
def overlaid(tmp_path: Path, corpus_dir: Path) -> Path:
    return patched(tmp_path, corpus_dir, [line(*change) for change in CHANGES])


def test_judgements_against_hand_computed(overlaid: Path) -> None:
    corpus = Corpus.read(overlaid)
    assert corpus.judgements_turn.rows() == [
        ("q1", "s1:2", 1),
        ("q4", "s1:3", 2),
        ("q1", "s3:1", 1),
        ("q2", "s1:1", 2),
        ("q2", "o1:1", 1),
    ]
    # s1 keeps a turn of q1; s2 loses its only ones; s3 of q2 never had one; s1 stays unjudged for q4.
    assert corpus.judgements_session.rows() == [
        ("q1", "s1", 1),
        ("q2", "s3", 1),
        ("q1", "s3", 1),
        ("q2", "s1", 1),
        ("q2", "o1", 1),
    ]


def test_ledger_against_hand_computed(overlaid: Path, tmp_path: Path) -> None:
    rows = Corpus.read(overlaid).defects.rows()
    sha = sha256_of(tmp_path / "fixes.jsonl")[:12]
    assert rows[0] == ("q2", "gold_session_without_evidence_turn", "kept", "s3", 1, ["q2"])
    assert rows[1:] == [
        ("fixes.jsonl", kind, "qrels_overlay", f"{what}; overlay sha256 {sha}", len(queries), queries)
        for kind, what, queries in [
            ("judgement_added", "turns judged relevant: 3", ["q1", "q2"]),
            ("judgement_removed", "turns judged not relevant: 3", ["q1", "q3"]),
            ("gain_changed", "gains changed: 2", ["q1", "q4"]),
            ("session_judgement_added", "sessions became relevant with a turn: 3", ["q1", "q2"]),
            ("session_judgement_removed", "sessions lost their relevant turns: 2", ["q1", "q3"]),
            ("question_gains_evidence", "questions had no relevant turn: 1", ["q2"]),
            ("question_loses_evidence", "questions have no relevant turn left: 1", ["q3"]),
            ("judgement_outside_scope", "relevant turns outside what the question may search: 1", ["q2"]),
        ]
    ]


def test_everything_else_is_copied_byte_for_byte(overlaid: Path, corpus_dir: Path) -> None:
    assert {path.name for path in overlaid.iterdir()} == {path.name for path in corpus_dir.iterdir()} | {
        "overlay.parquet"
    }
    for name in SCHEMAS.keys() - PATCHED:
        assert (overlaid / f"{name}.parquet").read_bytes() == (corpus_dir / f"{name}.parquet").read_bytes()
    assert Corpus.read(overlaid).defects.schema == Corpus.read(corpus_dir).defects.schema


def test_facts_and_the_overlay_table_say_who_claims_what(overlaid: Path, corpus_dir: Path, tmp_path: Path) -> None:
    before, after = Corpus.read(corpus_dir).facts, Corpus.read(overlaid).facts
    sha256 = sha256_of(tmp_path / "fixes.jsonl")
    entry = {"name": "fixes.jsonl", "sha256": sha256, "n_changes": 8, "sources": ["Ada"]}
    assert after == {**before, "overlay": entry}
    table = pl.read_parquet(overlaid / "overlay.parquet")
    assert table.rows() == [(*change, "Ada", f"{change[2]} is wrong") for change in CHANGES]
    assert dict(table.schema) == {n: pl.Int32() if n in {"old", "new"} else pl.String() for n in OVERLAY_SCHEMA.names}


def test_same_overlay_gives_identical_files(overlaid: Path, corpus_dir: Path, tmp_path: Path) -> None:
    again = patched(tmp_path, corpus_dir, [line(*change) for change in CHANGES], "again")
    assert {path.name: sha256_of(path) for path in overlaid.iterdir()} == {
        path.name: sha256_of(path) for path in again.iterdir()
    }


def test_a_corpus_without_sessions_has_no_session_judgements(tmp_path: Path) -> None:
    flat = tmp_path / "flat"
    flat.mkdir()
    with CorpusWriter(flat, "tiny") as writer:
        writer.add_documents([Document("d1", "x"), Document("d2", "y")])
        writer.add_query(Query("q1", "z", "kind"))
        writer.add_turn_judgement(Judgement("q1", "d1", 2))
    corpus = Corpus.read(patched(tmp_path, flat, [line("q1", "d1", 2, 0), line("q1", "d2", 0, 1)]))
    assert corpus.judgements_turn.rows() == [("q1", "d2", 1)]
    assert corpus.judgements_session.height == 0
    assert set(corpus.defects["kind"]) == {"judgement_added", "judgement_removed"}


def test_all_judgements_may_go(tmp_path: Path, corpus_dir: Path) -> None:
    corpus = Corpus.read(patched(tmp_path, corpus_dir, [line(*turn, 0) for turn in TURNS]))
    assert (corpus.judgements_turn.rows(), corpus.judgements_session.rows()) == ([], [("q2", "s3", 1)])


def test_corrections_that_do_not_fit_are_all_named(tmp_path: Path, corpus_dir: Path) -> None:
    lines = [
        line("q1", "s1:1", 1, 0),
        line("q1", "s1:2", 1, 0),
        line("q9", "s1:1", 0, 1),
        line("q1", "s9:1", 0, 1),
        line("q2", "s1:1", 1, 0),
    ]
    with pytest.raises(BenchError) as caught:
        patched(tmp_path, corpus_dir, lines)
    assert str(caught.value) == (
        "fixes.jsonl was made for another version of tiny: 4 of 5 lines do not fit: "
        "line 2: query 'q1', document 's1:2': old is 1, the corpus has 2; line 3: no query 'q9'; "
        "line 4: no document 's9:1'; line 5: query 'q2', document 's1:1': old is 1, the corpus has 0"
    )
    assert not list((tmp_path / "patched").iterdir())


def test_a_long_list_of_misfits_is_cut(tmp_path: Path, corpus_dir: Path) -> None:
    lines = [line(f"x{number}", "s1:1", 0, 1) for number in range(MAX_NAMED + 7)]
    with pytest.raises(BenchError, match=f"no query 'x{MAX_NAMED - 1}'; and 7 more$"):
        patched(tmp_path, corpus_dir, lines)


def test_an_overlay_of_another_data_set_is_refused(tmp_path: Path, corpus_dir: Path) -> None:
    with pytest.raises(BenchError, match=r"fixes\.jsonl corrects 'locomo'; the corpus is tiny"):
        patched(tmp_path, corpus_dir, [line("q1", "s1:1", 1, 0, dataset="locomo")])


def test_an_overlay_on_an_overlay_is_refused(tmp_path: Path, overlaid: Path) -> None:
    with pytest.raises(BenchError, match=r"has the overlay 'fixes\.jsonl' already"):
        patched(tmp_path, overlaid, [line("q4", "s1:3", 2, 1)], "twice")


@pytest.mark.parametrize("key", Correction.model_fields)
def test_every_key_is_needed(tmp_path: Path, key: str) -> None:
    rest = {name: value for name, value in line("q", "d", 1, 0).items() if name != key}
    with pytest.raises(BenchError, match=rf"line 1\.{key}: the key is missing"):
        read_overlay(write_lines(tmp_path, [rest]))


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (json.dumps(line("q", "e", True, 0)).encode(), r"line 2\.old: True \(bool\) came"),
        (json.dumps(line("q", "e", "1", 0)).encode(), r"line 2\.old: '1' \(str\) came"),
        (json.dumps(line("q", "e", 1.0, 0)).encode(), r"line 2\.old: 1\.0 \(float\) came"),
        (json.dumps(line("q", "e", 0, -1)).encode(), r"line 2\.new: -1 \(int\) came; .*greater than or equal to 0"),
        (json.dumps(line("q", "e", 0, 2**31)).encode(), r"line 2\.new: 2147483648 \(int\) came"),
        (json.dumps(line("", "e", 0, 1)).encode(), r"line 2\.query: '' \(str\) came"),
        (json.dumps(line("q", "e", 0, 1, source="")).encode(), r"line 2\.source: '' \(str\) came"),
        (json.dumps(line("q", "e", 0, 1, weight=3)).encode(), r"line 2\.weight: 3 \(int\) came; extra inputs"),
        (json.dumps(line("q", "e\ud800", 0, 1)).encode(), r"line 2\.document: .*surrogate"),
        (json.dumps(line("q", "e", 1, 1)).encode(), "line 2: old and new are both 1; expected a change"),
        (json.dumps(line("q", "d", 1, 0)).encode(), "line 2: query and document are those of line 1"),
        (json.dumps(line("q", "e", 1, 0, dataset="x")).encode(), "line 2.dataset: 'x' came after 'tiny'"),
        (json.dumps(line("q", "e", 1, 0)).encode()[:-1] + b', "new": 5}', "line 2: key 'new' comes twice"),
        (b"", "line 2: an empty line"),
        (b"[]", r"line 2: \[\] \(list\) came"),
        (b'{"query": ', "line 2, column 11: .*; expected one JSON object per line"),
        (b"\xff{}", "line 2, byte 0: not UTF-8"),
        (b'{"old": ' + b"[" * 100_000, "line 2: values nest too deeply"),
        (b'{"old": ' + b"9" * 5_000 + b"}", "line 2: .*digits"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, fault: bytes, said: str) -> None:
    path = tmp_path / "fixes.jsonl"
    good = [json.dumps(line("q", document, 1, 0)).encode() for document in ("d", "f")]
    path.write_bytes(b"\n".join([good[0], fault, good[1]]) + b"\n")
    with pytest.raises(BenchError, match=rf"^fixes\.jsonl: 1 lines of 3 are no corrections: {said}"):
        read_overlay(path)


def test_the_documented_example_is_an_overlay(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[3] / "data" / "README.md").read_text(encoding="utf-8")
    (tmp_path / "x.jsonl").write_text(page.split("```json\n")[1].split("```")[0], encoding="utf-8")
    assert list(read_overlay(tmp_path / "x.jsonl").corrections[0].model_dump()) == list(Correction.model_fields)


def test_all_wrong_lines_are_counted_and_the_first_are_named(tmp_path: Path) -> None:
    lines = [line("q", f"d{number}", 1, 0 if number == 2 else -1) for number in range(9)]
    with pytest.raises(BenchError) as caught:
        read_overlay(write_lines(tmp_path, lines))
    message = str(caught.value)
    assert "8 lines of 9 are no corrections" in message
    assert [number for number in range(1, 10) if f"line {number}." in message] == [1, 2, 4, 5, 6]
    assert message.endswith("; and 3 more")


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"])
def test_an_empty_overlay_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "fixes.jsonl").write_bytes(content)
    with pytest.raises(BenchError, match=r"fixes\.jsonl: no line came"):
        read_overlay(tmp_path / "fixes.jsonl")


def test_an_absent_overlay_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no such file; expected an overlay"):
        read_overlay(tmp_path / "absent.jsonl")
    with pytest.raises(BenchError, match="a folder, not a file"):
        read_overlay(tmp_path)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    odd = ["../../x", "<script>", "x" * 10_000, "a\u2028b\nc\x00", "é"]
    changes = [Correction(**line(name, name, 0, number + 1, reason=name)) for number, name in enumerate(odd)]
    write_overlay(tmp_path / "one.jsonl", changes)
    overlay = read_overlay(tmp_path / "one.jsonl")
    assert list(overlay.corrections) == changes
    assert (overlay.name, overlay.dataset, overlay.sources) == ("one.jsonl", "tiny", ["Ada"])
    assert overlay.sha256 == sha256_of(tmp_path / "one.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["one.jsonl"]
    with pytest.raises(BenchError, match="cannot be written: No such file or directory"):
        write_overlay(tmp_path / "absent" / "x.jsonl", changes)


def test_byte_order_mark_crlf_and_a_missing_last_newline_are_read(tmp_path: Path) -> None:
    path = write_lines(tmp_path, [line("q", "d", 1, 0), line("q", "e", 0, 1)])
    expected = read_overlay(path).corrections
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n").removesuffix(b"\r\n"))
    assert read_overlay(path).corrections == expected

"""LoCoMo's audit as an overlay: what becomes of an item, what is refused, and the real file."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks.corpora import build_locomo, build_overlay
from tasks.corpora.locomo import LocomoParams
from tasks.corpora.locomo_audit import Conversion, Outcome, convert, read_audit
from tasks.corpora.overlays import write_overlay
from tasks.corpora.schemas import SCHEMAS
from tasks.corpora.tables import Corpus
from tasks.files import sha256_of
from tasks.progress import silent
from tasks.records import BenchError

QUESTIONS = {0: "What did Ada sow?", 1: "Two in one string?", 6: "A bare letter?", 9: "No evidence at all?"}
EVIDENCE = {0: ["D1:1"], 1: ["D1:1; D2:1"], 6: ["D1:1", "D", "D1:2"], 9: []}
"""Questions of the fixture's first conversation, talk-1."""

Convert = Callable[..., Conversion]


def item(index: int, correct: list[Any], **others: Any) -> dict[str, Any]:
    return {
        "question_id": f"locomo_0_qa{index}",
        "question": QUESTIONS[index],
        "golden_answer": "x",
        "category": 4,
        "error_type": "WRONG_CITATION",
        "cited_evidence": EVIDENCE[index],
        "correct_evidence": correct,
        "reasoning": "because",
        "correct_answer": "x",
        **others,
    }


@pytest.fixture
def convert_items(tmp_path: Path, locomo_records: Any, build_bytes: Callable[..., Corpus]) -> Convert:
    corpus = build_bytes("locomo", json.dumps(locomo_records).encode())

    def run(*items: Any) -> Conversion:
        path = tmp_path / "audit.json"
        path.write_text(json.dumps(list(items)), encoding="utf-8")
        return convert(read_audit(path), corpus)

    return run


def test_corrections_against_hand_computed(convert_items: Convert, tmp_path: Path) -> None:
    conversion = convert_items(
        item(0, ["D1:3", "D10:01"]),
        item(1, ["D1:1"], error_type="HALLUCINATION"),
        item(9, ["D2:1", "D2:1"], error_type="AMBIGUOUS"),
    )
    assert [(line.query, line.document, line.old, line.new) for line in conversion.corrections] == [
        ("talk-1_qa0", "talk-1:D1:1", 1, 0),
        ("talk-1_qa0", "talk-1:D1:3", 0, 1),
        ("talk-1_qa0", "talk-1:D10:1", 0, 1),
        ("talk-1_qa1", "talk-1:D2:1", 1, 0),
        ("talk-1_qa9", "talk-1:D2:1", 0, 1),
    ]
    assert {line.source for line in conversion.corrections} == {
        f"audit.json, sha256 {sha256_of(tmp_path / 'audit.json')}"
    }
    assert conversion.corrections[3].reason == "locomo_0_qa1 HALLUCINATION: because"
    assert [(found.outcome, found.n_added, found.n_removed) for found in conversion.outcomes] == [
        (Outcome.CORRECTED, 2, 1),
        (Outcome.CORRECTED, 0, 1),
        (Outcome.CORRECTED, 1, 0),
    ]
    assert conversion.emptied == ()


@pytest.mark.parametrize(
    ("index", "correct", "outcome"),
    [
        (1, ["D1:1; D2:1"], Outcome.AS_CITED),
        (1, ["D2:1", "D1:1"], Outcome.SAME_TURNS),
        (6, ["D1:1", "D1:2"], Outcome.ABSENT_ONLY),
    ],
)
def test_items_that_correct_no_judgement(
    convert_items: Convert, index: int, correct: list[str], outcome: Outcome
) -> None:
    conversion = convert_items(item(0, []), item(index, correct))
    assert conversion.outcomes[1].outcome is outcome
    assert [line.query for line in conversion.corrections] == ["talk-1_qa0"]
    assert conversion.emptied == ("talk-1_qa0",)
    assert conversion.n_absent_citations == (index == 6)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"question_id": "locomo_0"}, r"\('locomo_0'\): expected an id locomo_<position"),
        ({"question_id": "locomo_2_qa0"}, "conversation 2 of 2, counted from 0"),
        ({"question_id": "locomo_0_qa12"}, "no question 'talk-1_qa12'"),
        ({"question_id": "locomo_1_qa0"}, "asks 'Two in one string\\?'; 'talk-2_qa0' is 'How hot is the kiln\\?'"),
        ({"cited_evidence": ["D1:1"]}, r"cites \['D1:1'\]; judged are \['talk-1:D1:1', 'talk-1:D2:1'\]"),
        ({"correct_evidence": ["D"]}, r"correct_evidence: \['D'\] cannot be read or does not exist"),
        ({"correct_evidence": ["D1:1", "D1:4"]}, r"correct_evidence: \['talk-1:D1:4'\] cannot be read"),
    ],
)
def test_an_item_that_is_not_about_this_file_is_refused(
    convert_items: Convert, fault: dict[str, Any], said: str
) -> None:
    with pytest.raises(BenchError, match=rf"^1 of 2 items are not about this LoCoMo file: item 1 .*{said}"):
        convert_items(item(0, []), item(1, ["D1:1"], **fault))


def test_all_such_items_are_listed(convert_items: Convert) -> None:
    with pytest.raises(BenchError, match=r"^2 of 3 items .*: item 0 .* asks 'a'; .*; item 2 .* asks 'b'; "):
        convert_items(item(0, [], question="a"), item(1, []), item(6, [], question="b"))


def test_an_audit_without_corrections_is_refused(convert_items: Convert) -> None:
    with pytest.raises(BenchError, match="none of 1 items corrects evidence"):
        convert_items(item(0, ["D1:1"]))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "ends too early"),
        (b"[{]", "line 1, column 3"),
        (b"\xff", "not UTF-8"),
        (b"{}", "expected a list of at least one item"),
        (b"[]", "expected a list of at least one item"),
        (b"[1]", r"items\[0\]: 1 \(int\) came"),
        (b'[{"question_id": 3}]', r"items\[0\]\.question_id: 3 \(int\) came.*items\[0\]\.question: the key is missing"),
        (json.dumps([item(0, [3])]).encode(), r"items\[0\]\.correct_evidence\[0\]: 3 \(int\) came"),
        (json.dumps([item(0, []), item(0, [])]).encode(), "1 question ids come twice: 'locomo_0_qa0'"),
    ],
)
def test_a_malformed_audit_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "audit.json"
    path.write_bytes(content)
    with pytest.raises(BenchError, match=rf"^audit\.json: .*{said}"):
        read_audit(path)


def test_no_type_at_any_place_of_an_item_makes_a_traceback(
    convert_items: Convert, mutations: Callable[[Any], Any]
) -> None:
    n_refused = 0
    for _, mutated in mutations([item(0, ["D1:2"]), item(1, ["D1:1"])]):
        try:
            convert_items(*mutated)
        except BenchError:
            n_refused += 1
    assert n_refused > 50


@pytest.fixture(scope="module")
def real(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the official corpus, tolerant and strict, and the overlay of the real audit."""
    root = tmp_path_factory.mktemp("real")
    raw = root / "raw"
    raw.mkdir()
    (raw / "locomo10.json").symlink_to(mirror / "locomo" / "locomo10.json")
    (raw / "source.json").write_text(json.dumps({"file": "locomo10.json", "is_official": True}), encoding="utf-8")
    for evidence in ("tolerant", "strict"):
        (root / evidence).mkdir()
        build_locomo.build(raw, LocomoParams(evidence=evidence), root / evidence, silent)
    conversion = convert(read_audit(audit_of(mirror)), Corpus.read(root / "tolerant", with_texts=False))
    write_overlay(root / "overlay.jsonl", conversion.corrections)
    return root


def audit_of(mirror: Path) -> Path:
    path = mirror / "locomo" / "audit_errors.json"
    if not path.is_file():
        pytest.skip(f"the audit of LoCoMo is not in the mirror: looked for {path}")
    return path


def test_real_audit_against_pinned_counts(real: Path, mirror: Path) -> None:
    conversion = convert(read_audit(audit_of(mirror)), Corpus.read(real / "tolerant", with_texts=False))
    assert Counter(found.error_type for found in conversion.outcomes) == {
        "WRONG_CITATION": 57,
        "HALLUCINATION": 33,
        "TEMPORAL_ERROR": 26,
        "ATTRIBUTION_ERROR": 24,
        "AMBIGUOUS": 13,
        "INCOMPLETE": 3,
    }
    assert Counter(found.outcome for found in conversion.outcomes) == {
        Outcome.CORRECTED: 93,
        Outcome.AS_CITED: 59,
        Outcome.SAME_TURNS: 3,
        Outcome.ABSENT_ONLY: 1,
    }
    of_citations = [found for found in conversion.outcomes if found.error_type == "WRONG_CITATION"]
    assert sum(found.n_added for found in of_citations) == 69
    assert sum(found.n_removed for found in of_citations) == 51
    assert sum(line.new for line in conversion.corrections) == 117
    assert sum(line.old for line in conversion.corrections) == 77
    assert conversion.n_absent_citations == 3
    assert conversion.emptied == ("conv-47_qa11",)
    assert {line.source for line in conversion.corrections} == {"dial481/locomo-audit, commit 9493fb4b"}


def test_real_overlay_against_the_two_files_read_naively(real: Path, mirror: Path) -> None:
    """Sets of references found by a regular expression, ids counted in the file: no code of ours."""
    conversations = json.loads((mirror / "locomo" / "locomo10.json").read_text(encoding="utf-8"))
    expected = set()
    for found in json.loads(audit_of(mirror).read_text(encoding="utf-8")):
        conversation, question = map(int, re.findall(r"\d+", found["question_id"]))
        name, record = conversations[conversation]["sample_id"], conversations[conversation]["conversation"]
        turns = {turn["dia_id"] for key, value in record.items() if isinstance(value, list) for turn in value}
        cited, correct = (
            {f"D{int(s)}:{int(t)}" for s, t in re.findall(r"D(\d+):(\d+)", " ".join(found[key]))} & turns
            for key in ("cited_evidence", "correct_evidence")
        )
        changes = [(turn, 1, 0) for turn in cited - correct] + [(turn, 0, 1) for turn in correct - cited]
        expected |= {(f"{name}_qa{question}", f"{name}:{turn}", old, new) for turn, old, new in changes}
    lines = [json.loads(text) for text in (real / "overlay.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {(line["query"], line["document"], line["old"], line["new"]) for line in lines} == expected
    assert len(lines) == len(expected) == 194
    assert len({line["query"] for line in lines}) == 93


@pytest.mark.parametrize(("evidence", "n_scorable"), [("tolerant", 1982 - 1), ("strict", 1978 - 1)])
def test_real_overlay_changes_these_judgements_only(real: Path, tmp_path: Path, evidence: str, n_scorable: int) -> None:
    build_overlay.build(real / evidence, real / "overlay.jsonl", tmp_path)
    before, after = Corpus.read(real / evidence), Corpus.read(tmp_path)
    turns_before, turns_after = set(before.judgements_turn.rows()), set(after.judgements_turn.rows())
    lines = [json.loads(text) for text in (real / "overlay.jsonl").read_text(encoding="utf-8").splitlines()]
    assert turns_before - turns_after == {(line["query"], line["document"], 1) for line in lines if line["old"]}
    assert turns_after - turns_before == {(line["query"], line["document"], 1) for line in lines if line["new"]}
    assert after.judgements_turn["query_id"].n_unique() == n_scorable
    for name in SCHEMAS.keys() - {"judgements_turn", "judgements_session", "defects"}:
        assert sha256_of(real / evidence / f"{name}.parquet") == sha256_of(tmp_path / f"{name}.parquet")
    assert after.defects.head(before.defects.height).equals(before.defects)


def test_real_overlay_at_session_level_against_sessions_of_its_turns(real: Path, tmp_path: Path) -> None:
    """A session of LoCoMo's is in its turns' ids; here one judged session (conv-47_qa38: D4) has no turn at all."""
    build_overlay.build(real / "tolerant", real / "overlay.jsonl", tmp_path)
    before, after = Corpus.read(real / "tolerant"), Corpus.read(tmp_path)
    corrected = {line["query"] for line in map(json.loads, (real / "overlay.jsonl").read_text("utf-8").splitlines())}
    sessions = set(after.judgements_session.select("query_id", "session_id").rows())
    for query in corrected:
        turns = after.judgements_turn.filter(query_id=query)["document_id"]
        assert {s for q, s in sessions if q == query} == {turn.rsplit(":", 1)[0] for turn in turns}
    untouched = [row for row in before.judgements_session.rows() if row[0] not in corrected]
    assert [row for row in after.judgements_session.rows() if row[0] not in corrected] == untouched

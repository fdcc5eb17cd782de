"""LoCoMo: each fault of rows L1-L6, L9 and L13 on a hand-written file, and the counts of the official one."""

import hashlib
import json
from typing import Any

import polars as pl
import pytest

from tasks.corpora.locomo import OFFICIAL_COUNTS, Category
from tasks.corpora.tables import Corpus
from tasks.records import BenchError


def _bytes(records: Any) -> bytes:
    return json.dumps(records).encode()


def _turns(corpus: Corpus, query: int) -> list[str]:
    rows = corpus.judgements_turn.filter(pl.col("query_id") == f"talk-1_qa{query}")
    return [name.removeprefix("talk-1:") for name in rows["document_id"]]


def _sessions(corpus: Corpus, query: int) -> list[str]:
    rows = corpus.judgements_session.filter(pl.col("query_id") == f"talk-1_qa{query}")
    return [name.removeprefix("talk-1:") for name in rows["session_id"]]


def _ledger(corpus: Corpus) -> set[tuple[str, str, str]]:
    return set(corpus.defects.select("record_id", "kind", "policy").iter_rows())


@pytest.fixture
def tolerant(build_bytes: Any, locomo_records: Any) -> Corpus:
    corpus: Corpus = build_bytes("locomo", _bytes(locomo_records))
    return corpus


def test_documents_against_hand_written(tolerant: Corpus) -> None:
    ids = tolerant.documents["document_id"].to_list()
    assert ids == [f"talk-1:{turn}" for turn in ("D1:1", "D1:2", "D1:3", "D2:1", "D2:2", "D10:1")] + ["talk-2:D1:1"]
    third = tolerant.documents.row(2, named=True)
    assert (third["session_id"], third["turn_index"], third["speaker"]) == ("talk-1:D1", 2, "Ada")
    assert (third["text"], third["caption"]) == ("Here they are.", "a tray of small green seedlings")
    assert tolerant.documents["is_empty"].to_list() == [False, False, False, False, True, False, False]
    assert ("talk-1:D2:2", "empty_text", "kept") in _ledger(tolerant)


def test_sessions_and_scopes_against_hand_written(tolerant: Corpus) -> None:
    assert tolerant.sessions.select("session_id", "position", "n_turns").rows() == [
        ("talk-1:D1", 0, 3),
        ("talk-1:D2", 1, 2),
        ("talk-1:D3", 2, 0),
        ("talk-1:D10", 3, 1),
        ("talk-2:D1", 0, 1),
    ]
    dates = [None if date is None else date.isoformat() for date in tolerant.sessions["date"]]
    assert dates == ["2024-03-01T00:05:00", "2024-02-29T12:30:00", None, "2024-03-10T09:41:00", "2023-01-02T20:00:00"]
    assert tolerant.scopes["scope_id"].to_list() == ["talk-1"] * 4 + ["talk-2"]
    ledger = _ledger(tolerant)
    assert ("talk-1:D3", "session_without_turns", "kept") in ledger
    assert ("talk-1:D3", "session_without_date", "kept_without_date") in ledger
    assert ("talk-1", "date_without_session", "ignored") in ledger


def test_queries_against_hand_written(tolerant: Corpus) -> None:
    queries = tolerant.queries
    assert queries["query_id"].to_list() == [*(f"talk-1_qa{i}" for i in range(12)), "talk-2_qa0"]
    assert queries["question_type"].to_list()[:5] == ["single-hop", "multi-hop", "open-domain", "multi-hop", "temporal"]
    assert queries.filter(pl.col("block") == "adversarial")["query_id"].to_list() == ["talk-1_qa10", "talk-1_qa11"]
    assert queries["answer"].to_list()[3] == "3"
    assert queries["answer"].to_list()[10:12] == [None, "nothing"]
    assert queries["scope_id"].to_list() == ["talk-1"] * 12 + ["talk-2"]


@pytest.mark.parametrize(
    ("query", "turns", "sessions", "kind", "policy"),
    [
        (1, ["D1:1", "D2:1"], ["D1", "D2"], "evidence_joined", "split"),
        (2, ["D2:1", "D1:2", "D1:3"], ["D2", "D1"], "evidence_joined", "split"),
        (3, ["D1:2", "D10:1"], ["D1", "D10"], "evidence_malformed", "normalised"),
        (4, ["D10:1"], ["D10"], "evidence_leading_zero", "normalised"),
        (5, ["D1:3"], ["D1"], "evidence_repeated", "counted_once"),
        (6, ["D1:1", "D1:2"], ["D1"], "evidence_unreadable", "dropped"),
        (7, [], ["D10"], "evidence_out_of_range", "dropped_at_turn_level"),
        (7, [], ["D10"], "no_evidence_turn", "excluded_at_turn_level"),
        (8, [], [], "evidence_out_of_range", "dropped"),
        (8, [], [], "no_readable_evidence", "excluded"),
        (9, [], [], "no_evidence", "excluded"),
    ],
)
def test_tolerant_evidence_against_hand_computed(
    tolerant: Corpus, query: int, turns: list[str], sessions: list[str], kind: str, policy: str
) -> None:
    assert _turns(tolerant, query) == turns
    assert _sessions(tolerant, query) == sessions
    rows = tolerant.defects.filter(pl.col("kind") == kind, pl.col("record_id") == f"talk-1_qa{query}")
    assert rows["policy"].to_list() == [policy]
    assert rows["query_ids"].to_list() == [[f"talk-1_qa{query}"]]


def test_strict_evidence_against_hand_computed(build_bytes: Any, locomo_records: Any) -> None:
    strict = build_bytes("locomo", _bytes(locomo_records), evidence="strict")
    assert [_turns(strict, query) for query in (1, 2, 3, 4, 5)] == [[], [], ["D1:2"], ["D10:1"], ["D1:3"]]
    assert ("talk-1_qa1", "evidence_joined", "dropped") in _ledger(strict)
    assert ("talk-1_qa1", "no_readable_evidence", "excluded") in _ledger(strict)
    assert strict.facts["options"] == {"evidence": "strict"}


def test_question_without_answer_is_scored_and_listed(tolerant: Corpus) -> None:
    rows = tolerant.defects.filter(pl.col("kind") == "question_without_answer")
    assert rows["query_ids"].to_list() == [["talk-1_qa10"]]
    assert _turns(tolerant, 10) == ["D1:2"]


def test_sessions_beyond_19_are_indexed_and_listed(build_bytes: Any, locomo_records: Any) -> None:
    talk = locomo_records[1]["conversation"]
    for number in range(2, 22):
        talk[f"session_{number}"] = [{"speaker": "Cleo", "dia_id": f"D{number}:1", "text": f"Day {number}."}]
        talk[f"session_{number}_date_time"] = "8:00 pm on 2 January, 2023"
    locomo_records[1]["qa"][0]["evidence"] = ["D20:1"]
    corpus = build_bytes("locomo", _bytes(locomo_records))
    rows = corpus.defects.filter(pl.col("kind") == "sessions_beyond_official_code")
    assert rows["query_ids"].to_list() == [["talk-2_qa0"]]
    assert corpus.judgements_turn["document_id"].to_list()[-1] == "talk-2:D20:1"


def test_category_labels_against_papers_counts() -> None:
    assert {category.label: OFFICIAL_COUNTS[category] for category in Category} == {
        "multi-hop": 282,
        "temporal": 321,
        "open-domain": 96,
        "single-hop": 841,
        "adversarial": 446,
    }


def test_official_counts_are_asserted(build_bytes: Any, locomo_records: Any) -> None:
    with pytest.raises(BenchError, match="questions per category"):
        build_bytes("locomo", _bytes(locomo_records), is_official=True)


def _broken(records: Any, place: str, value: Any) -> bytes:
    first = records[0]
    if place == "category":
        first["qa"][2]["category"] = value
    elif place == "turn":
        first["conversation"]["session_1"][1] = value
    elif place == "date":
        first["conversation"]["session_1_date_time"] = value
    elif place == "dia_id":
        first["conversation"]["session_1"][1]["dia_id"] = value
    else:
        first[place] = value
    return _bytes(records)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("category", 6, r"conversation 0 \('talk-1'\): qa\[2\]: category 6 came; expected one of 1 multi-hop"),
        ("category", "4", r"conversation 0\.qa\[2\]\.category: '4' \(str\) came"),
        ("turn", {"speaker": "Ben", "dia_id": "D1:2"}, r"session_1\[1\]\.text: the key is missing"),
        ("turn", {"speaker": None, "dia_id": "D1:2", "text": "x"}, r"session_1\[1\]\.speaker: None"),
        ("date", "2024-03-01", "session_1_date_time: '2024-03-01' came; expected a date such as"),
        ("date", "1:00 pm on 31 April, 2024", "31 April"),
        ("dia_id", "D2:2", r"session_1\[1\].dia_id: 'D2:2' came; expected D1:<number of the turn>"),
        ("dia_id", "D1:1", "document id 'talk-1:D1:1' comes twice"),
        ("sample_id", "talk-2", "sample_id: that of conversation 0 came again"),
        ("sample_id", 5, r"conversation 0\.sample_id: 5 \(int\) came"),
        ("conversation", {}, "at least one session"),
        ("qa", None, r"conversation 0\.qa: None"),
    ],
)
def test_fault_names_file_record_and_field(
    build_bytes: Any, locomo_records: Any, place: str, value: Any, message: str
) -> None:
    with pytest.raises(BenchError, match=message) as caught:
        build_bytes("locomo", _broken(locomo_records, place, value))
    assert str(caught.value).startswith("locomo.raw: ")


@pytest.mark.parametrize("name", ["../../x", "<script>", "x" * 10_000, "ü\u0000 y"])
def test_odd_ids_are_only_ids(build_bytes: Any, locomo_records: Any, name: str) -> None:
    locomo_records[1]["sample_id"] = name
    assert build_bytes("locomo", _bytes(locomo_records)).queries["query_id"].to_list()[-1] == f"{name}_qa0"


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"null", b"[1]", b"[null]", b"[" * 100_000])
def test_other_shapes_are_refused(build_bytes: Any, content: bytes) -> None:
    with pytest.raises(BenchError, match=r"locomo\.raw"):
        build_bytes("locomo", content)


def test_bom_and_crlf_change_nothing(build_bytes: Any, locomo_records: Any, tolerant: Corpus) -> None:
    content = b"\xef\xbb\xbf" + json.dumps(locomo_records, indent=1).replace("\n", "\r\n").encode()
    assert build_bytes("locomo", content).documents.equals(tolerant.documents)


def test_no_mutation_gives_anything_but_bench_error(build_bytes: Any, locomo_records: Any, mutations: Any) -> None:
    small = [locomo_records[0] | {"qa": locomo_records[0]["qa"][:2]}]
    small[0]["conversation"] = {key: value for key, value in small[0]["conversation"].items() if "_1" in key}
    outcomes = {"read": 0, "refused": 0}
    for _, mutated in mutations(small):
        try:
            build_bytes("locomo", _bytes(mutated))
            outcomes["read"] += 1
        except BenchError as error:
            assert str(error).startswith("locomo.raw: ")
            outcomes["refused"] += 1
    assert outcomes["read"] > 10
    assert outcomes["refused"] > 100


# --- the official file ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def official(build_bytes: Any, mirror: Any) -> Corpus:
    corpus: Corpus = build_bytes("locomo", mirror / "locomo" / "locomo10.json", is_official=True)
    return corpus


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def test_official_counts(official: Corpus) -> None:
    assert (official.documents.height, official.sessions.height, official.queries.height) == (5_882, 272, 1_986)
    assert official.scopes["scope_id"].n_unique() == 10
    assert official.documents["caption"].count() == 1_226
    assert official.judgements_turn["query_id"].n_unique() == 1_982
    assert official.judgements_session["query_id"].n_unique() == 1_982
    assert (official.judgements_turn.height, official.judgements_session.height) == (2_820, 2_559)
    assert dict(official.queries.group_by("block").len().iter_rows()) == {"main": 1_540, "adversarial": 446}


def test_official_strict_count_against_study_b(build_bytes: Any, mirror: Any) -> None:
    strict = build_bytes("locomo", mirror / "locomo" / "locomo10.json", is_official=True, evidence="strict")
    assert strict.judgements_session["query_id"].n_unique() == 1_978


def test_official_ledger(official: Corpus) -> None:
    summaries = ["sessions_beyond_official_code", "question_without_answer", "turn_with_image"]
    rows = official.defects.filter(~pl.col("kind").is_in(summaries))
    assert sorted(rows.select("record_id", "kind").rows()) == [
        ("conv-26", "date_without_session"),
        ("conv-26_qa30", "no_evidence"),
        ("conv-26_qa37", "evidence_joined"),
        ("conv-26_qa46", "no_evidence"),
        ("conv-42_qa58", "evidence_out_of_range"),
        ("conv-42_qa88", "evidence_unreadable"),
        ("conv-43_qa18", "evidence_malformed"),
        ("conv-47_qa38", "evidence_out_of_range"),
        ("conv-49_qa31", "evidence_joined"),
        ("conv-49_qa38", "evidence_joined"),
        ("conv-49_qa46", "evidence_joined"),
        ("conv-50_qa39", "no_evidence"),
        ("conv-50_qa42", "no_evidence"),
        ("conv-50_qa5", "evidence_repeated"),
        ("conv-50_qa69", "evidence_leading_zero"),
    ]
    unanswered = official.defects.filter(pl.col("kind") == "question_without_answer")
    assert (unanswered.height, unanswered["n_queries"].sum()) == (10, 444)
    beyond = official.defects.filter(pl.col("kind") == "sessions_beyond_official_code")
    assert (beyond.height, beyond["n_queries"].sum()) == (8, 700)
    images = official.defects.filter(pl.col("kind") == "turn_with_image")
    n_turns = sum(int(detail.split()[0]) for detail in images["detail"])
    assert (n_turns, images["n_queries"].sum()) == (1_226, 633)  # row L9 of the data issues


def test_official_records_0_9_and_last(official: Corpus) -> None:
    chosen = official.documents[[0, 9, 5_881]].select("document_id", "text")
    assert [(name, _seal(text)) for name, text in chosen.rows()] == [
        ("conv-26:D1:1", "6c1b58a9"),
        ("conv-26:D1:10", "d050d505"),
        ("conv-50:D30:24", "b1112e12"),
    ]
    questions = official.queries[[0, 9, 1_985]].select("query_id", "question_type", "text")
    assert [(name, kind, _seal(text)) for name, kind, text in questions.rows()] == [
        ("conv-26_qa0", "temporal", "db23cff1"),
        ("conv-26_qa9", "temporal", "d90ae240"),
        ("conv-50_qa203", "adversarial", "3db3762f"),
    ]

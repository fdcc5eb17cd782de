"""Ids that are paths, markup, control characters or thousands of characters long, and ids that come twice."""

import pytest

from tests.property.hostile_files import (
    VALID,
    Place,
    accepted,
    at,
    outcome,
    refusal,
    replaced,
    to_bytes,
)
from tests.property.independent_reading import CORPUS, QRELS, QUERIES

# --- ids -----------------------------------------------------------------------------------------------------------

ODD_IDS = {
    "up": "../../x",
    "absolute": "/etc/passwd",
    "script": "<script>alert(1)</script>",
    "long": "i" * 10_000,
    "control": "a\nb\tc|d\r\x1b[2J",
    "nul": "\x00",
    "direction": "\u202egnp.exe",
    "formula": "=1+1",
    "empty": "",
    "wide": "\U0001f600" * 50,
}


@pytest.mark.parametrize("name", ODD_IDS.values(), ids=ODD_IDS)
@pytest.mark.parametrize(
    ("dataset", "at_places"),
    [
        ("locomo", [(0, "sample_id")]),
        ("longmemeval", [(0, "question_id")]),
        ("longmemeval", [(0, "haystack_session_ids", 1), (0, "answer_session_ids", 0)]),
        ("nfcorpus", [(CORPUS, 0, "_id")]),
        ("nfcorpus", [(QUERIES, 0, "_id")]),
    ],
    ids=["conversation", "question", "session", "document", "query"],
)
def test_odd_ids_are_kept_and_cut_in_messages(dataset: str, at_places: list[Place], name: str) -> None:
    value, top = VALID[dataset], at_places[0][0]
    for place in at_places:
        value = replaced(value, place, name)
    n_judged, again = 1, value * 2 if isinstance(value, list) else value
    if dataset == "nfcorpus":
        is_a_cell = not set(name) & set("\t\n\r")  # else no line of judgements can name it
        old = "D1" if top == CORPUS else "Q1"
        value = value | {QRELS: value[QRELS].replace(old, name) if is_a_cell else value[QRELS]}
        n_judged = 2 if is_a_cell else int(top == CORPUS)
        again = value | {top: value[top] * 2}
    corpus = accepted(dataset, to_bytes(dataset, value))  # compares ids with an independent reading
    assert corpus.judgements_turn.height == n_judged
    if dataset != "nfcorpus" or top == CORPUS or is_a_cell:  # a query that nothing judges is not read
        refusal(dataset, to_bytes(dataset, again))


@pytest.mark.parametrize("key", ["\n\x1b[2J", "k" * 10_000, "\ud800", "session_" + "9" * 5_000])
def test_odd_keys_of_a_conversation_are_listed_or_refused_in_few_words(key: str) -> None:
    conversation = VALID["locomo"][0]["conversation"]
    result = outcome(
        "locomo", to_bytes("locomo", replaced(VALID["locomo"], (0, "conversation"), {**conversation, key: 1}))
    )
    assert (result.refusal is not None) == (key == "\ud800")
    assert result.corpus is None or result.corpus.defects["detail"].str.len_chars().max() < 200  # type: ignore[operator]


@pytest.mark.parametrize("key", ["session_01", "session_1 ", "Session_1", "session_1_date", "session_1_date_time "])
def test_a_misspelt_session_is_listed(key: str) -> None:
    conversation = VALID["locomo"][0]["conversation"]
    turns = [{"speaker": "Ada", "dia_id": "D1:1", "text": "x"}]
    made = replaced(VALID["locomo"], (0, "conversation"), {**conversation, key: turns})
    assert outcome("locomo", to_bytes("locomo", made)).kinds == {"unknown_conversation_keys"}


# --- the same id twice ---------------------------------------------------------------------------------------------


def _doubled(dataset: str, place: Place) -> bytes:
    made = replaced(VALID[dataset], place, at(VALID[dataset], place) * 2)
    return to_bytes(dataset, made)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (to_bytes("locomo", VALID["locomo"] * 2), "conversation 1 ('talk'): sample_id: that of conversation 0"),
        (
            _doubled("locomo", (0, "conversation", "session_1")),
            "conversation 0 ('talk'): conversation.session_1[2].dia_id: document id 'talk:D1:1' comes twice",
        ),
        (to_bytes("longmemeval", VALID["longmemeval"] * 2), "question 1 ('q1'): query id 'q1' comes twice"),
        (_doubled("nfcorpus", (CORPUS,)), f"{CORPUS}, line 3: document id 'D1' comes twice"),
        (_doubled("nfcorpus", (QUERIES,)), f"{QUERIES}, line 2: query id 'Q1' comes twice"),
    ],
    ids=["conversation", "turn", "question", "document", "query"],
)
def test_an_id_that_comes_twice_is_refused_at_its_second_place(content: bytes, message: str) -> None:
    dataset = next(name for name in ("locomo", "longmemeval") if b"dia_id" in content or name == "longmemeval")
    assert message in refusal("nfcorpus" if content.startswith(b"PK") else dataset, content)


def test_a_conversation_split_in_two_records_is_refused() -> None:
    """Without a check of its own, two records with other sessions each would become one memory."""
    value = VALID["locomo"]
    second = replaced(value, (0, "conversation"), {"session_2": []})[0] | {"qa": []}
    assert "sample_id" in refusal("locomo", to_bytes("locomo", [*value, second]))


def test_repeated_evidence_and_gold_are_counted_once_and_listed() -> None:
    talk = replaced(VALID["locomo"], (0, "qa", 0, "evidence"), ["D1:01", "D1:01", "D1:1", "D1:1"])
    assert outcome("locomo", to_bytes("locomo", talk)).kinds == {"evidence_leading_zero", "evidence_repeated"}
    value = replaced(VALID["longmemeval"], (0, "answer_session_ids"), ["gold", "gold", "absent", "absent"])
    kinds = outcome("longmemeval", to_bytes("longmemeval", value)).kinds
    assert kinds == {"gold_session_repeated", "gold_session_absent"}
    value = replaced(VALID["longmemeval"], (0, "haystack_session_ids"), ["filler", "filler"])
    assert "session_listed_twice" in outcome("longmemeval", to_bytes("longmemeval", value)).kinds

"""Every field of every record in turn: another value, none, a key too many, half a character, no number."""

import json
from typing import Any

import pytest

from tests.property.hostile_files import (
    VALID,
    Place,
    accepted,
    at,
    faults,
    nfcorpus_members,
    places,
    refusal,
    removed,
    replaced,
    to_bytes,
    valid_bytes,
    zipped,
)
from tests.property.independent_reading import CORPUS, QUERIES, summary

REPLACEMENTS: dict[str, Any] = {
    "null": None,
    "int": 7,
    "huge": 10**30,
    "float": 7.5,
    "string": "x",
    "digits": "7",
    "bool": True,
    "list": [],
    "nulls": [None],
    "dict": {},
}
_STRINGS = {"string", "digits"}
_ANYTHING = set(REPLACEMENTS)
_ANSWER = _STRINGS | {"null", "int", "float", "huge"}
# What a field may hold instead, by its name; what is absent here must be refused.
FIELDS: dict[str, set[str]] = {
    **dict.fromkeys(("sample_id", "speaker", "text", "question", "question_id", "question_type", "content"), _STRINGS),
    **dict.fromkeys(("_id", "evidence[]", "answer_session_ids[]", "haystack_session_ids[]"), _STRINGS),
    **dict.fromkeys(("blip_caption", "title"), _STRINGS | {"null"}),
    **dict.fromkeys(("speaker_a", "img_url", "event_summary", "metadata"), _ANYTHING),
    **{name: {"list"} for name in ("qa", "evidence", "session_1", "answer_session_ids", "haystack_sessions[]")},
    "session_1_date_time": {"null"},
    "has_answer": {"null", "bool"},
    "answer": _ANSWER,
}
OPTIONAL = {
    *("speaker_a", "img_url", "event_summary", "metadata", "session_1_date_time", "blip_caption", "title", "answer"),
    *("has_answer", "qa[]", "evidence[]", "session_1[]", "answer_session_ids[]", "haystack_sessions[][]"),
    *(f"{CORPUS}[]", f"{QUERIES}[]"),
}
"""What may be missing."""
IGNORED = {"speaker_a", "img_url", "event_summary", "metadata"}


def _field(place: Place) -> str:
    """Return the last name in a path, and one pair of brackets for each index below it."""
    last = max((i for i, part in enumerate(place) if isinstance(part, str)), default=-1)
    name = place[last] if last >= 0 else ""
    return name + "[]" * (len(place) - 1 - last)


def _name(place: Place) -> str:
    return _field(place).rstrip("[]") if len(place) > 1 else ""


def _record(dataset: str, place: Place) -> str:
    if dataset == "nfcorpus":
        return f"{place[0]}, line {place[1] + 1}"
    return f"{'conversation' if dataset == 'locomo' else 'question'} {place[0]}"


def _places(dataset: str) -> list[Place]:
    found = places(VALID[dataset])
    return [place for place in found if dataset != "nfcorpus" or len(place) > 1]


def _cases(*, is_text: bool = False) -> list[Any]:
    return [
        pytest.param(dataset, place, id=f"{dataset}-{'.'.join(map(str, place))}")
        for dataset in VALID
        for place in _places(dataset)
        if not is_text or isinstance(at(VALID[dataset], place), str)
    ]


def _assert_names_the_place(text: str, dataset: str, place: Place) -> None:
    assert _record(dataset, place) in text
    if not (dataset == "nfcorpus" and len(place) == 2):
        assert _name(place) in text


# --- one field after the other -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", REPLACEMENTS)
@pytest.mark.parametrize(("dataset", "place"), _cases())
def test_another_value_is_refused_at_its_place_or_valid(dataset: str, place: Place, kind: str) -> None:
    content = to_bytes(dataset, replaced(VALID[dataset], place, REPLACEMENTS[kind]))
    if kind in FIELDS.get(_field(place), set()):
        accepted(dataset, content)
    else:
        _assert_names_the_place(refusal(dataset, content), dataset, place)


@pytest.mark.parametrize(("dataset", "place"), _cases())
def test_a_missing_part_is_refused_at_its_place_or_optional(dataset: str, place: Place) -> None:
    content = to_bytes(dataset, removed(VALID[dataset], place))
    if _field(place) in OPTIONAL:
        accepted(dataset, content)
    elif len(place) == 1:
        assert "expected a list of at least one" in refusal(dataset, content)
    else:
        text = refusal(dataset, content)
        assert _record(dataset, place) in text
        assert _name(place).replace("session_1", "session_") in text


@pytest.mark.parametrize(("dataset", "place"), _cases())
def test_an_additional_key_changes_nothing(dataset: str, place: Place) -> None:
    """The policy of `raw.RawRecord`: keys we do not use are ignored; in LoCoMo's `conversation` they are listed."""
    node = at(VALID[dataset], place)
    if not isinstance(node, dict):
        return
    made = replaced(VALID[dataset], place, node | {"extra": {"deep": [1]}, "\ud800" * (place[-1] != "conversation"): 1})
    corpus = accepted(dataset, to_bytes(dataset, made))
    assert summary(corpus) == summary(accepted(dataset, valid_bytes(dataset)))
    assert faults(corpus) == ({"unknown_conversation_keys"} if place[-1] == "conversation" else set())


@pytest.mark.parametrize(("dataset", "place"), _cases(is_text=True))
def test_half_of_a_surrogate_pair_is_refused_in_every_text(dataset: str, place: Place) -> None:
    content = to_bytes(dataset, replaced(VALID[dataset], place, at(VALID[dataset], place) + "\ud83d!"))
    if _field(place) in IGNORED:
        accepted(dataset, content)
    else:
        _assert_names_the_place(refusal(dataset, content), dataset, place)


@pytest.mark.parametrize(("dataset", "place"), _cases(is_text=True))
def test_nul_is_kept_in_texts_and_ids(dataset: str, place: Place) -> None:
    content = to_bytes(dataset, replaced(VALID[dataset], place, at(VALID[dataset], place) + "\x00"))
    if "string" in FIELDS.get(_field(place), set()):
        accepted(dataset, content)  # compares ids and texts with an independent reading
    else:
        _assert_names_the_place(refusal(dataset, content), dataset, place)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
@pytest.mark.parametrize(
    ("dataset", "place"), [case for case in _cases() if case.values[1][-1] in {*IGNORED, "answer"}]
)
def test_a_number_that_is_none_is_refused_everywhere(dataset: str, place: Place, text: str) -> None:
    value = json.dumps(replaced(VALID[dataset], place, "@")).replace('"@"', text)
    if dataset == "nfcorpus":
        members = nfcorpus_members(replaced(VALID[dataset], place, "@"))
        content = zipped({name: data.replace(b'"@"', text.encode()) for name, data in members.items()})
    else:
        content = value.encode()
    assert f"the number {text}" in refusal(dataset, content).replace("'", "")


@pytest.mark.parametrize(("dataset", "place"), _cases())
def test_a_key_that_comes_twice_is_refused(dataset: str, place: Place) -> None:
    """`json` keeps the last of them: a number would change in silence."""
    node = at(VALID[dataset], place)
    if not isinstance(node, dict) or not node:
        return
    key = next(iter(node))
    made = replaced(VALID[dataset], place, node | {"@": node[key]})
    if dataset == "nfcorpus":
        content = zipped(
            {name: data.replace(b'"@"', f'"{key}"'.encode()) for name, data in nfcorpus_members(made).items()}
        )
    else:
        content = json.dumps(made).replace('"@"', f'"{key}"').encode()
    assert f"the key '{key}' comes twice" in refusal(dataset, content)

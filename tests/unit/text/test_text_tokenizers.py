"""Tokenizers do exactly what the studies describe."""

import re

import pytest
from pydantic import ValidationError

from tasks.records import BenchError
from tasks.text.tokenizers import STUDY_A_STOP_WORDS, TOKENIZERS, TokenizerParams, tokenizer

TEXT = "User: I don't know_how the CATS' co-workers were RUNNING, at 7am -- naïve 'X' ok it's rock'n'roll!"

# Written by hand from protocols A.2 and B.2.
EXPECTED = {
    "split": [
        *("user:", "i", "don't", "know_how", "the", "cats'", "co-workers", "were", "running,", "at", "7am", "--"),
        *("naïve", "'x'", "ok", "it's", "rock'n'roll!"),
    ],
    "regex": [
        *("user", "i", "don", "t", "know_how", "the", "cats", "co", "workers", "were", "running", "at", "7am"),
        *("na", "ve", "x", "ok", "it", "s", "rock", "n", "roll"),
    ],
    "regex+stop": [
        *("user", "don", "t", "know_how", "cats", "co", "workers", "running", "7am"),
        *("na", "ve", "x", "ok", "s", "rock", "n", "roll"),
    ],
    "regex+stop+porter": [
        *("user", "don", "t", "know_how", "cat", "co", "worker", "run", "7am"),
        *("na", "ve", "x", "ok", "s", "rock", "n", "roll"),
    ],
    "word3+stop": [
        *("user", "don't", "know_how", "cats'", "co-workers", "were", "running", "7am"),
        *("it's", "rock'n'roll"),
    ],
}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_tokens_against_hand_computed(name: str) -> None:
    assert tokenizer(name)(TEXT) == EXPECTED[name]


def test_every_tokenizer_has_expected_tokens() -> None:
    assert set(EXPECTED) == set(TOKENIZERS)


def test_porter_stems_against_published_examples() -> None:
    # Porter (1980), the examples of steps 1a, 1b, 2 and 3.
    words = "caresses ponies plastered motoring relational conditional vietnamization triplicate hopeful goodness"
    stems = "caress poni plaster motor relat condit vietnam triplic hope good"
    assert tokenizer("regex+stop+porter")(words) == stems.split()


def test_long_word_is_cut_like_study_b() -> None:
    assert tokenizer("word3+stop")("x" * 40) == ["x" * 31, "x" * 9]


def test_every_stop_word_is_removed() -> None:
    assert len(STUDY_A_STOP_WORDS) == 55
    assert tokenizer("regex+stop")(" ".join(STUDY_A_STOP_WORDS)) == []


@pytest.mark.parametrize("name", sorted(TOKENIZERS))
@pytest.mark.parametrize("text", ["", "  \n", "!?…"])
def test_text_without_words_has_no_word_tokens(name: str, text: str) -> None:
    assert [token for token in tokenizer(name)(text) if re.search(r"\w", token)] == []


def test_unknown_name_lists_the_valid_ones() -> None:
    with pytest.raises(BenchError, match=r"'porter' is unknown.*split, regex, regex\+stop"):
        tokenizer("porter")
    with pytest.raises(ValidationError, match=r"choose one of: split, regex"):
        TokenizerParams(name="porter")

r"""Named tokenizers. A name is a version: what it stands for never changes, a changed rule gets a new name.

=====================  ======================================================================================
``split``              ``text.lower().split()`` (study A)
``regex``              ``[A-Za-z0-9_]+`` of the lower-cased text (study A; our default)
``regex+stop``         the same without study A's stop list
``regex+stop+porter``  the same, stemmed by NLTK's ``PorterStemmer`` (study A)
``word3+stop``         ``[a-z0-9][a-z0-9\-_']{1,30}`` of at least 3 characters without study B's stop list; a token
                       counts once in a question, however often it is there (`tasks.text.build_tokens`)
=====================  ======================================================================================
"""

import re
from collections.abc import Callable
from functools import cache

from pydantic import field_validator

from tasks.records import BenchError, Params

Tokenizer = Callable[[str], list[str]]

# Protocol A.2, in the order of the study.
_STUDY_A = (
    "a an the and or of to in on at for is are was were be been being this that these those it its i you he she we "
    "they as by with from about into over so than then do does did have has had but if not no yes my your our "
    "their"
)
STUDY_A_STOP_WORDS = frozenset(_STUDY_A.split())
# Protocol B.2.
_STUDY_B = (
    "the and for with from this that what where when how why who are you was have has did do does is it be been an as "
    "we me my i your yours our of to on in at by or if but not a so all any no yes"
)
STUDY_B_STOP_WORDS = frozenset(_STUDY_B.split())

_WORD = re.compile("[A-Za-z0-9_]+")
_WORD3 = re.compile(r"[a-z0-9][a-z0-9\-_']{1,30}")


def split(text: str) -> list[str]:
    """Split the lower-cased text at white space; punctuation stays on its word.

    >>> split("My cat, Oliver!")
    ['my', 'cat,', 'oliver!']
    """
    return text.lower().split()


def regex(text: str) -> list[str]:
    """Return the runs of ASCII letters, digits and underscores of the lower-cased text.

    >>> regex("My cat's v2_final.")
    ['my', 'cat', 's', 'v2_final']
    """
    return _WORD.findall(text.lower())


def regex_stop(text: str) -> list[str]:
    """Return `regex` without study A's stop words.

    >>> regex_stop("Where is the cat of my sister?")
    ['where', 'cat', 'sister']
    """
    return [word for word in regex(text) if word not in STUDY_A_STOP_WORDS]


def regex_stop_porter(text: str) -> list[str]:
    """Return `regex_stop`, each word stemmed by NLTK's Porter stemmer.

    >>> regex_stop_porter("The cats were running easily")
    ['cat', 'run', 'easili']
    """
    return [_stem(word) for word in regex_stop(text)]


def word3_stop(text: str) -> list[str]:
    """Return study B's tokens.

    >>> word3_stop("What did Caroline's co-worker say to X at 7am, no?")
    ["caroline's", 'co-worker', 'say', '7am']
    """
    return [word for word in _WORD3.findall(text.lower()) if len(word) >= 3 and word not in STUDY_B_STOP_WORDS]


TOKENIZERS: dict[str, Tokenizer] = {
    "split": split,
    "regex": regex,
    "regex+stop": regex_stop,
    "regex+stop+porter": regex_stop_porter,
    "word3+stop": word3_stop,
}


def tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer of that name.

    Raises
    ------
    BenchError
        When there is none: names the valid ones.
    """
    if name not in TOKENIZERS:
        raise BenchError(f"tokenizer {name!r} is unknown; choose one of: {', '.join(TOKENIZERS)}")
    return TOKENIZERS[name]


class TokenizerParams(Params):
    """Which tokenizer makes the tokens that BM25 counts."""

    name: str = "regex"

    @field_validator("name")
    @classmethod
    def _is_known(cls, name: str) -> str:
        if name not in TOKENIZERS:
            raise ValueError(f"unknown tokenizer; choose one of: {', '.join(TOKENIZERS)}")
        return name


@cache
def _stem(word: str) -> str:
    """Stem one word: a conversation repeats its words, so each is stemmed once per process."""
    return _porter()(word)


@cache
def _porter() -> Callable[[str], str]:
    # Imported here because nltk takes a second to import and only this tokenizer needs it.
    from nltk.stem.porter import PorterStemmer

    stem: Callable[[str], str] = PorterStemmer().stem
    return stem

"""Groups of questions that a mean is broken down by: kind of question, length and number of the gold sessions.

Source: study B, protocols.md B.3, whose classes of length are the defaults; the number of gold sessions is ours.
"""

from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import AfterValidator

from tasks.corpora.protocols import Level, Protocol, Relevance, Twins
from tasks.corpora.relevance import judging
from tasks.corpora.tables import Corpus
from tasks.records import Params

QUESTION_TYPE = "question_type"
GOLD_SESSION_LENGTH = "gold_session_length"
N_GOLD_SESSIONS = "n_gold_sessions"
BY = (QUESTION_TYPE, GOLD_SESSION_LENGTH, N_GOLD_SESSIONS)
"""What questions are grouped by, in the order of the table."""

SCHEMA: dict[str, type[pl.DataType]] = {"query_index": pl.Int32, "by": pl.Utf8, "group": pl.Utf8}


def _ascending(starts: tuple[int, ...]) -> tuple[int, ...]:
    if any(start < 2 for start in starts) or any(low >= high for low, high in pairwise(starts)):
        raise ValueError(f"{starts}; expected the first number of each class, 2 or more, ascending, each once")
    return starts


Starts = Annotated[tuple[int, ...], AfterValidator(_ascending)]


class QueryGroupParams(Params):
    """Where one class ends and the next begins.

    Attributes
    ----------
    length_starts
        Turns with which each class of length begins; what is shorter is a class of its own (``1-7``).
    number_starts
        Gold sessions with which each class of their number begins; ``1`` is the class before.
    """

    length_starts: Starts = (8, 16, 26)
    number_starts: Starts = (2, 3)


def query_groups(corpus: Corpus, protocol: Protocol, params: QueryGroupParams) -> pl.DataFrame:
    """Return the groups of every question: columns query_index Int32, by Utf8, group Utf8 (`SCHEMA`).

    Every question has a row for `question_type`. A question with gold has two more: the class of the longest of its
    gold sessions, in turns of the whole session whoever speaks, and the class of their number. Gold sessions are those
    of the protocol judged by session, also where turns are judged; equal sessions count each. A corpus without
    sessions has question types only.

    Parameters
    ----------
    corpus
        Its tables; texts are not needed. The judgements are those of the evidence that the protocol asks for.
    protocol
        Decides which sessions are gold.
    params
        Boundaries of the classes.
    """
    types = corpus.queries.select("query_index", pl.lit(QUESTION_TYPE).alias("by"), group="question_type")
    frames = [types]
    if corpus.sessions.height:
        gold = gold_sessions(corpus, protocol)
        for by, column, starts in (
            (GOLD_SESSION_LENGTH, "longest", params.length_starts),
            (N_GOLD_SESSIONS, "n_sessions", params.number_starts),
        ):
            names = pl.Series("group", class_names(gold[column].to_numpy(), starts), dtype=pl.Utf8)
            frames.append(gold.select("query_index", pl.lit(by).alias("by"), names))
    order = pl.col("by").replace_strict({by: place for place, by in enumerate(BY)}, return_dtype=pl.Int32)
    found = pl.concat([frame.select(pl.col(name).cast(dtype) for name, dtype in SCHEMA.items()) for frame in frames])
    return found.sort("query_index", order)


def gold_sessions(corpus: Corpus, protocol: Protocol) -> pl.DataFrame:
    """Return query_index, longest (turns of the longest gold session) and n_sessions of the questions with gold."""
    by_session = replace(protocol, level=Level.SESSION, relevance=Relevance.EVIDENCE, twins=Twins.RAW)
    lengths = corpus.sessions.select("n_turns").with_row_index("item_index").cast(pl.Int32)  # judging numbers them so
    return (
        judging(corpus, by_session)
        .relevance.filter(pl.col("gain") > 0)
        .join(lengths, on="item_index", how="left", validate="m:1")
        .group_by("query_index")
        .agg(pl.col("n_turns").max().alias("longest"), pl.len().cast(pl.Int32).alias("n_sessions"))
        .sort("query_index")
    )


def class_names(values: NDArray[np.integer[Any]], starts: tuple[int, ...]) -> list[str]:
    """Return the class of each value (0 or more): ``low-high``, one number alone, or ``low+`` for the last class.

    0 is a class of its own: a session may have lost all its turns.

    >>> class_names(np.array([0, 3, 8, 15, 16, 400]), (8, 16))
    ['0', '1-7', '8-15', '8-15', '16+', '16+']
    >>> class_names(np.array([1, 2, 3, 9]), (2, 3))
    ['1', '2', '3+', '3+']
    """
    bounds = (0, 1, *starts)
    names = [str(low) if high == low + 1 else f"{low}-{high - 1}" for low, high in pairwise(bounds)]
    names.append(f"{bounds[-1]}+")
    return [names[place] for place in np.searchsorted(bounds, values, side="right") - 1]

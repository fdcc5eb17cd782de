"""The text a retriever sees of a document: when, and who speaks or the title, before the content."""

from typing import Literal

import polars as pl

from tasks.records import Params


class TextParams(Params):
    """How a document becomes a text.

    Attributes
    ----------
    title
        ``title+text`` puts the title, where there is one, before the text (fault N4 of the data sets); ``text``
        leaves it out.
    caption
        Whether the caption of an image in a turn follows its text (fault L9); study B leaves it out.
    session_date
        Whether the date of the session, where there is one, comes before everything else (fault L9); both studies
        leave it out.
    """

    title: Literal["title+text", "text"] = "title+text"
    caption: bool = False
    session_date: bool = False


def document_text(params: TextParams) -> pl.Expr:
    """Return the expression (Utf8) that makes the text from the columns title, speaker, text, caption and date.

    The column date (timestamp, null where unknown) is read only with `session_date`: ``"[2023-05-08] user: ..."``.
    A turn is ``"{speaker}: {text}"``, an abstract ``"{title} {text}"`` (protocols A.1 and B.1). An empty turn keeps its
    speaker, so a text is empty only where nobody speaks and nothing is said.

    >>> turn = pl.DataFrame({"title": [None], "speaker": ["user"], "text": ["Hello"], "caption": ["a cat"]})
    >>> turn.select(document_text(TextParams()), document_text(TextParams(caption=True)).alias("b")).row(0)
    ('user: Hello', 'user: Hello a cat')
    """
    prefix = _followed_by(pl.col("speaker"), ": ")
    if params.title == "title+text":
        prefix = _followed_by(pl.col("title"), " ") + prefix
    text = prefix + pl.col("text").fill_null("")
    if params.caption:
        caption = pl.col("caption").cast(pl.Utf8).fill_null("")
        text = text + pl.when(caption != "").then(" " + caption).otherwise(pl.lit(""))
    if params.session_date:
        text = _followed_by(pl.col("date").dt.to_string("[%Y-%m-%d]"), " ") + text
    return text.alias("text")


def _followed_by(column: pl.Expr, separator: str) -> pl.Expr:
    """Return the column and the separator, or nothing where the column is null or empty."""
    filled = column.cast(pl.Utf8).fill_null("")
    return pl.when(filled != "").then(filled + separator).otherwise(pl.lit(""))

"""What becomes of the judgements of a corpus when documents are removed and others stand for them.

Turns: a judgement moves to the kept document; where a query has several of it then, the highest gain stays.
Sessions: a judgement follows its evidence.

* A session that held relevant turns and holds none any more is no longer relevant; those that hold them now are, with
  the highest gain of those they came from. A turn out of a session that is not relevant makes none relevant.
* A session that is relevant without any relevant turn (row M3 of the data issues) stays while a turn of it is left;
  then the session that holds the most of the documents that stand for its turns inherits, of several that of the
  earliest turn.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from tasks.corpora.tables import Corpus

Gains = dict[tuple[str, str], int]
"""(query id, document id) or (query id, session id) to gain."""
Held = set[tuple[str, str | None]]
"""(query id, session id) of sessions that hold a relevant turn."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Judgements before and after.

    Attributes
    ----------
    turns_before, sessions_before
        Gains as in the corpus.
    turns, sessions
        Gains afterwards, in the order of the judgements they came from.
    kept_of
        Kept document that stands for each removed one.
    home_of
        Session of every judged document and of those that stand for them; None without sessions.
    homes_of_lost
        Sessions of the documents that stand for those that a session lost, one each; absent where it lost none.
    """

    turns_before: Gains
    sessions_before: Gains
    turns: Gains
    sessions: Gains
    kept_of: dict[str, str]
    home_of: dict[str, str | None]
    homes_of_lost: dict[str, list[str | None]]

    def judged_documents(self) -> Iterator[tuple[str, str, str]]:
        """Yield query, document and the document that stands for it, of every judgement before."""
        for query, document in self.turns_before:
            yield query, document, self.kept_of.get(document, document)

    def fallback_lost(self) -> Iterator[str]:
        """Yield a query per removed document that is relevant to it under study A only, and without an heir.

        Study A takes all turns of the relevant sessions where a query has no relevant turn. Those that stand for
        removed ones are relevant like them when their session is.
        """
        with_turns = {query for query, _ in self.turns_before}
        for query, session in self.sessions_before:
            if query not in with_turns:
                homes = self.homes_of_lost.get(session, [])
                yield from (query for home in homes if home is None or (query, home) not in self.sessions)


def merged(corpus: Corpus, table: pl.DataFrame) -> Merge:
    """Move what was judged of removed documents to those that stand for them.

    Parameters
    ----------
    corpus
        Its judgements.
    table
        One row per document, in source order: document_id, session_id, kept_document_id and kept_session_id (those of
        the document that stands for it: itself, unless it is removed).
    """
    gone = table.filter(pl.col("document_id") != pl.col("kept_document_id"))
    judged = table.filter(pl.col("document_id").is_in(corpus.judgements_turn["document_id"].unique().implode()))
    kept_of = dict(gone.select("document_id", "kept_document_id").iter_rows())
    home_of = dict(judged.select("document_id", "session_id").iter_rows())
    home_of |= dict(judged.select("kept_document_id", "kept_session_id").iter_rows())
    turns_before, sessions_before = _gains(corpus.judgements_turn), _gains(corpus.judgements_session)
    turns: Gains = {}
    for (query, document), gain in turns_before.items():
        _raise(turns, query, kept_of.get(document, document), gain)
    return Merge(
        turns_before=turns_before,
        sessions_before=sessions_before,
        turns=turns,
        sessions=_sessions(turns_before, sessions_before, turns, kept_of, home_of, _heirs(table, gone)),
        kept_of=kept_of,
        home_of=home_of,
        homes_of_lost=dict(gone.drop_nulls("session_id").group_by("session_id").agg("kept_session_id").iter_rows()),
    )


def _holding(turns: Gains, home_of: dict[str, str | None]) -> Held:
    """Return the (query, session) whose session holds a relevant turn."""
    return {(query, home_of[document]) for query, document in turns}


def _heirs(table: pl.DataFrame, gone: pl.DataFrame) -> dict[str, str]:
    """Return who inherits from each session that has lost all its documents."""
    left = table.filter(pl.col("document_id") == pl.col("kept_document_id"))["session_id"].drop_nulls().unique()
    heirs = (
        gone.filter(~pl.col("session_id").is_in(left.implode()))
        .drop_nulls(["session_id", "kept_session_id"])
        .group_by("session_id", "kept_session_id", maintain_order=True)
        .len()
        .sort("len", descending=True, maintain_order=True)
        .unique("session_id", keep="first", maintain_order=True)
    )
    return dict(heirs.select("session_id", "kept_session_id").iter_rows())


def _sessions(
    turns_before: Gains,
    sessions_before: Gains,
    turns: Gains,
    kept_of: dict[str, str],
    home_of: dict[str, str | None],
    heir_of: dict[str, str],
) -> Gains:
    """Return the gains of sessions afterwards."""
    held, holds = _holding(turns_before, home_of), _holding(turns, home_of)
    followers: dict[tuple[str, str | None], dict[str, None]] = {}
    for query, document in turns_before:
        new_home = home_of[kept_of.get(document, document)]
        if new_home is not None:
            followers.setdefault((query, home_of[document]), {})[new_home] = None
    after: Gains = {}
    for (query, session), gain in sessions_before.items():
        pair = query, session
        if pair in held:
            heirs = [session] * (pair in holds) + list(followers.get(pair, ()))
        else:
            heirs = [heir_of.get(session, session)]
        for heir in heirs:
            _raise(after, query, heir, gain)
    return after


def _raise(gains: Gains, query: str, item: str, gain: int) -> None:
    gains[query, item] = max(gain, gains.get((query, item), 0))


def _gains(judgements: pl.DataFrame) -> Gains:
    return {(query, item): gain for query, item, gain in judgements.iter_rows()}

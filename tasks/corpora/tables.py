"""The normalised tables of a corpus: a streaming writer that refuses contradictions, and a reader.

Every parser writes through `CorpusWriter`, so that uniqueness of ids, opaque keys and references between tables are
checked in one place.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import polars as pl

from tasks.corpora.schemas import SCHEMAS, TEXT_COLUMNS, TableWriter, defect_row
from tasks.files import write_text
from tasks.randomness import opaque_key
from tasks.records import BenchError, Defect, Document, Judgement, Query, ScopeMember, Session

FACTS = "facts.json"


@dataclass(frozen=True)
class Corpus:
    """The tables of one corpus, in memory.

    Each attribute is the frame of the table of that name (columns: `SCHEMAS`); `facts` is the content of
    `facts.json`. Memory grows with the size of the texts unless they were left out.
    """

    documents: pl.DataFrame
    sessions: pl.DataFrame
    scopes: pl.DataFrame
    queries: pl.DataFrame
    judgements_turn: pl.DataFrame
    judgements_session: pl.DataFrame
    defects: pl.DataFrame
    facts: dict[str, Any]

    @classmethod
    def read(cls, directory: Path, *, with_texts: bool = True) -> Self:
        """Read the tables that a `CorpusWriter` wrote; without `TEXT_COLUMNS` of the documents on demand.

        Raises
        ------
        BenchError
            When a table or `facts.json` is absent. `facts.json` is written last: tables without it are half-written.
        """
        columns = None if with_texts else [name for name in SCHEMAS["documents"].names if name not in TEXT_COLUMNS]
        frames = {name: _read_table(directory, name, columns if name == "documents" else None) for name in SCHEMAS}
        if not (directory / FACTS).is_file():
            raise BenchError(f"no {FACTS} in {directory}; expected a whole corpus artifact: run the corpora stage")
        return cls(**frames, facts=json.loads((directory / FACTS).read_text(encoding="utf-8")))


def _read_table(directory: Path, name: str, columns: list[str] | None) -> pl.DataFrame:
    path = directory / f"{name}.parquet"
    if not path.is_file():
        raise BenchError(f"no table {path.name} in {directory}; expected a corpus artifact: run the corpora stage")
    return pl.read_parquet(path, columns=columns)


class CorpusWriter:
    """Write the tables of a corpus row by row; check references and write `facts.json` at the end.

    Use as a context manager: the checks run on a normal exit only. Rows keep the order in which they were added
    (source order). Memory: one row group per table, about 100 bytes per document (hashes of ids), and the ids of
    sessions, queries and judgements.

    Parameters
    ----------
    out
        An existing, empty directory.
    dataset
        Name of the data set: it salts the opaque document keys.
    source
        Facts of the raw file: name, sha256, bytes, is_official, ...; None where there is no file.
    licence
        Licence under which the data may be used.
    options
        JSON-able options of the parser or generator.

    Raises
    ------
    BenchError
        From the `add_*` methods: a duplicate id, a gain below 1. At the end: a judgement of an unknown item or
        query, a document of an unknown session, a scope with an unknown session, a query of an unknown scope, a
        session whose number of turns is not that of its documents.
    """

    def __init__(
        self,
        out: Path,
        dataset: str,
        *,
        source: Mapping[str, Any] | None = None,
        licence: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.dataset = dataset
        self.note: str | None = None
        """A sentence that every report must show, e.g. "499 of 500 questions"."""
        self._out = out
        self._facts = {"source": None if source is None else dict(source), "licence": licence}
        self._options = dict(options or {})
        self._tables = {name: TableWriter(out, name) for name in SCHEMAS}
        self._documents: set[int] = set()
        self._turns_seen: Counter[str] = Counter()
        self._sessions: dict[str, int] = {}
        self._queries: dict[str, str | None] = {}
        self._members: set[tuple[str, str]] = set()
        self._judged: dict[str, set[tuple[str, str]]] = {"turn": set(), "session": set()}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for table in self._tables.values():
            table.close(is_complete=kind is None)
        if kind is None:
            self._check_references()
            self._write_facts()

    def add_documents(self, documents: Iterable[Document]) -> None:
        """Add documents in source order."""
        for document in documents:
            self.add_document(document)

    def add_document(self, document: Document) -> None:
        """Add one document: it gets the next `document_index` and its opaque key. An empty one is in the ledger."""
        key = opaque_key(f"{self.dataset}\x1f{document.document_id}")
        if int(key, 16) in self._documents:
            raise BenchError(f"document id {shown(document.document_id)} comes twice; expected unique ids")
        self._documents.add(int(key, 16))
        if document.session_id is not None:
            self._turns_seen[document.session_id] += 1
        is_empty = not (document.text.strip() or (document.title or "").strip())
        if is_empty:
            self.add_defect(Defect(document.document_id, "empty_text", "kept"))
        table = self._tables["documents"]
        content = (document.title, document.text, document.caption)
        table.add(
            table.n_rows,
            key,
            document.document_id,
            document.session_id,
            document.turn_index,
            document.speaker,
            *content,
            is_empty,
            characters=sum(len(text or "") for text in content) + len(document.document_id),
        )

    def add_session(self, session: Session) -> None:
        """Add one session; its documents may come before or after."""
        if session.session_id in self._sessions:
            raise BenchError(f"session id {shown(session.session_id)} comes twice; expected unique ids")
        self._sessions[session.session_id] = session.n_turns
        self._tables["sessions"].add(session.session_id, session.position, session.n_turns, session.date)

    def add_scope_member(self, member: ScopeMember) -> None:
        """Add one session to one scope."""
        pair = (member.scope_id, member.session_id)
        if pair in self._members:
            raise BenchError(f"scope {shown(pair[0])} lists session {shown(pair[1])} twice; expected it once")
        self._members.add(pair)
        self._tables["scopes"].add(member.scope_id, member.session_id, member.position)

    def add_query(self, query: Query) -> None:
        """Add one query: it gets the next `query_index`. An empty one is in the ledger."""
        if query.query_id in self._queries:
            raise BenchError(f"query id {shown(query.query_id)} comes twice; expected unique ids")
        self._queries[query.query_id] = query.scope_id
        if not query.text.strip():
            self.add_defect(Defect(query.query_id, "empty_query", "kept", query_ids=(query.query_id,)))
        row = asdict(query)
        table = self._tables["queries"]
        table.add(table.n_rows, *(row[name] for name in SCHEMAS["queries"].names[1:]))

    def add_turn_judgement(self, judgement: Judgement) -> None:
        """Add the gain of one document for one query."""
        self._add_judgement("turn", judgement)

    def add_session_judgement(self, judgement: Judgement) -> None:
        """Add the gain of one session for one query."""
        self._add_judgement("session", judgement)

    def _add_judgement(self, level: str, judgement: Judgement) -> None:
        pair = (judgement.query_id, judgement.item_id)
        place = f"judgement of {level} {shown(pair[1])} for query {shown(pair[0])}"
        if judgement.gain < 1:
            raise BenchError(f"{place}: gain {judgement.gain}; expected 1 or more (items not listed have gain 0)")
        if pair in self._judged[level]:
            raise BenchError(f"{place} comes twice; expected it once")
        self._judged[level].add(pair)
        self._tables[f"judgements_{level}"].add(*pair, judgement.gain)

    def add_defect(self, defect: Defect) -> None:
        """Add one row to the ledger."""
        self._tables["defects"].add(*defect_row(defect))

    def has_document(self, document_id: str) -> bool:
        """Say whether a document of that id was added."""
        return int(opaque_key(f"{self.dataset}\x1f{document_id}"), 16) in self._documents

    def has_session(self, session_id: str) -> bool:
        """Say whether a session of that id was added."""
        return session_id in self._sessions

    def _check_references(self) -> None:
        scopes = {scope_id for scope_id, _ in self._members}
        judged_queries = {query_id for pairs in self._judged.values() for query_id, _ in pairs}
        turns = {item_id for _, item_id in self._judged["turn"]}
        sessions = {item_id for _, item_id in self._judged["session"]}
        miscounted = {name for name, n in self._sessions.items() if n != self._turns_seen[name]}
        _refuse("judgements of unknown queries", judged_queries - self._queries.keys())
        _refuse("turn judgements of unknown documents", {item for item in turns if not self.has_document(item)})
        _refuse("session judgements of unknown sessions", sessions - self._sessions.keys())
        _refuse("documents of unknown sessions", self._turns_seen.keys() - self._sessions.keys())
        _refuse("scopes with unknown sessions", {name for _, name in self._members} - self._sessions.keys())
        _refuse("queries of unknown scopes", {name for name in self._queries.values() if name} - scopes)
        _refuse("sessions whose n_turns differs from their documents", miscounted)

    def _write_facts(self) -> None:
        facts = {
            "dataset": self.dataset,
            "n_documents": self._tables["documents"].n_rows,
            "n_sessions": self._tables["sessions"].n_rows,
            "n_queries": self._tables["queries"].n_rows,
            **self._facts,
            "note": self.note,
            "options": self._options,
        }
        write_text(self._out / FACTS, json.dumps(facts, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def shown(value: object, limit: int = 80) -> str:
    """Return `repr(value)` cut to `limit` characters: ids in real files can be thousands of characters long.

    >>> shown("x" * 100, limit=8)
    "'xxxxxxx... (102 characters)"
    """
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"


def _refuse(what: str, offenders: Iterable[str]) -> None:
    names = sorted(offenders)
    if names:
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        raise BenchError(f"{len(names)} {what}: {', '.join(map(shown, names[:5]))}{more}; expected none")

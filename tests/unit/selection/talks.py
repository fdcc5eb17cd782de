"""A small corpus of conversations, and artifacts `candidates/sessions` over it, written by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tasks.corpora.tables import CorpusWriter
from tasks.records import Block, Document, Judgement, Query, ScopeMember, Session

N_SESSIONS = 3
TURNS = 2


@dataclass(frozen=True)
class Talks:
    """Conversations of three sessions with two turns each; question i of a conversation may search its sessions.

    Session s of conversation c is the documents 6 c + 2 s and 6 c + 2 s + 1; the second is the best turn in candidates.
    """

    folder: Path
    groups: Sequence[int]
    """The conversation of each question."""

    @property
    def corpus(self) -> Path:
        return self.folder / "corpus"

    @property
    def sessions(self) -> Path:
        return self.folder / "sessions"

    def document(self, query: int, session: int) -> int:
        return (self.groups[query] * N_SESSIONS + session) * TURNS + 1

    def write_corpus(self, gold: Sequence[Sequence[int]], blocks: Sequence[Block] = ()) -> None:
        """Write the corpus; `gold` are the places of each question's relevant sessions."""
        self.corpus.mkdir(exist_ok=True)
        with CorpusWriter(self.corpus, "tiny") as writer:
            for talk in range(max(self.groups) + 1):
                for session in range(N_SESSIONS):
                    name = f"t{talk}-s{session}"
                    writer.add_session(Session(name, session, TURNS))
                    writer.add_scope_member(ScopeMember(f"t{talk}", name, session))
                    writer.add_documents(Document(f"{name}-{turn}", "x", name, turn) for turn in range(TURNS))
            for query, talk in enumerate(self.groups):
                block = blocks[query] if blocks else Block.MAIN
                writer.add_query(Query(f"q{query}", "?", "kind", block, f"t{talk}"))
                for session in gold[query]:
                    writer.add_session_judgement(Judgement(f"q{query}", f"t{talk}-s{session}", 1))
                    writer.add_turn_judgement(Judgement(f"q{query}", f"t{talk}-s{session}-0", 1))

    def write_sessions(self, bm25: Sequence[Sequence[float]], dense: Sequence[Sequence[float]]) -> None:
        """Write the candidates; scores by question and session. The rows are not in order."""
        self.sessions.mkdir(exist_ok=True)
        rows = [
            (query, self.document(query, session), bm25[query][session], dense[query][session])
            for query in range(len(self.groups))
            for session in range(N_SESSIONS)
        ]
        names = {
            "query_index": pl.Int32,
            "document_index": pl.Int32,
            "bm25_score": pl.Float64,
            "dense_score": pl.Float64,
        }
        pl.DataFrame(rows, schema=names, orient="row").reverse().write_parquet(self.sessions / "candidates.parquet")
        pools = [(query, f"t{talk}", N_SESSIONS, N_SESSIONS) for query, talk in enumerate(self.groups)]
        schema = {"query_index": pl.Int32, "scope_id": pl.Utf8, "n_documents": pl.Int32, "n_matching": pl.Int32}
        pl.DataFrame(pools, schema=schema, orient="row").reverse().write_parquet(self.sessions / "pools.parquet")

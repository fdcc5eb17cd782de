"""A corpus without near-duplicates: study A's "cosine >= 0.95 deduplication at build time" (protocols.md A.1).

Of documents that are near each other only the first stays: `tasks.indexes.near_duplicates` says precisely which, and
`tasks.indexes.merged_judgements` what becomes of the judgements. Which documents are near depends on the encoder, and
on what it reads: all-MiniLM-L6-v2 stops after 256 word pieces, so long turns that begin alike are the same to it.

A session without a document is no longer in `sessions` and `scopes`; a query whose scope is then empty has none.

Meant for pools: a question that may search some sessions only cannot reach a kept document elsewhere. The ledger
counts those (`judgement_outside_scope`). Study A's relevance takes all turns of a relevant session where a question has
no relevant turn: a removed one of them has nothing in its place unless the kept one's session is relevant as well
(`fallback_turn_lost`).
"""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from tasks.corpora.schemas import SCHEMAS, defect_row, write_table
from tasks.corpora.tables import FACTS, Corpus
from tasks.files import write_text
from tasks.indexes.dense import Indices, open_vectors
from tasks.indexes.merged_judgements import Merge, merged
from tasks.indexes.near_duplicates import NearDuplicates, near_duplicates
from tasks.progress import Progress, silent
from tasks.records import BenchError, Defect, Params

POLICY = "near_duplicate_removal"
TABLE = "near_duplicates.parquet"

Changes = dict[str, tuple[str, list[str]]]
"""Kind of change to what is counted, in words, and the queries it touches, once per change."""


class DeduplicationParams(Params):
    """Parameters of the removal of near-duplicates: `threshold` is the cosine from which a document is removed."""

    threshold: float = Field(default=0.95, gt=0, le=1)


def build(
    corpus_dir: Path,
    texts_dir: Path,
    dense_dir: Path,
    params: DeduplicationParams,
    out: Path,
    progress: Progress = silent,
) -> None:
    """Write the corpus in `corpus_dir` without its near-duplicates, and the table `near_duplicates`, into `out`.

    Tables: those of `CorpusWriter`. Documents keep order, id and key, and are numbered anew; `turn_index` stays that of
    the source, `n_turns` is the number of turns left. The ledger gets a row per kind of change, `facts.json` an entry
    `deduplication`. `near_duplicates`: document_index (Int32, in the source corpus), document_id, kept_document_id,
    cosine (Float64) of each removed document.

    Parameters
    ----------
    corpus_dir, texts_dir, dense_dir
        The corpus, its texts and its dense index (row = document_index).
    params
        The threshold.
    out
        Memory: the tables without texts, one row group of documents, and what `near_duplicates` takes.

    Raises
    ------
    BenchError
        When the inputs do not belong together, or near-duplicates were removed from the corpus already.
    """
    corpus = Corpus.read(corpus_dir, with_texts=False)
    if "deduplication" in corpus.facts:
        raise BenchError(f"near-duplicates were removed from {corpus_dir} already; expected the corpus as parsed")
    vectors, numbers = open_vectors(dense_dir)[0], _text_numbers(texts_dir, corpus)
    found = near_duplicates(vectors, numbers, params.threshold, progress=progress)
    table = _standing(corpus, found)
    merge = merged(corpus, table)
    tables = _left(corpus, table)
    changes = _changes(corpus, merge, tables["queries"])
    rows = {
        "judgements_turn": ((*pair, gain) for pair, gain in merge.turns.items()),
        "judgements_session": ((*pair, gain) for pair, gain in merge.sessions.items()),
        "defects": [*corpus.defects.rows(), *_ledger(corpus, table, tables, changes, params)],
        **{name: frame.select(SCHEMAS[name].names).iter_rows() for name, frame in tables.items()},
    }
    for name, content in rows.items():
        write_table(out, name, content)
    _write_documents(corpus_dir / "documents.parquet", found, out)
    _removed(table).drop("session_id", "kept_session_id").write_parquet(out / TABLE, compression="zstd")
    if (corpus_dir / "overlay.parquet").is_file():
        shutil.copyfile(corpus_dir / "overlay.parquet", out / "overlay.parquet")
    _write_facts(out, corpus, table, tables, changes, params)


def _text_numbers(texts_dir: Path, corpus: Corpus) -> Indices:
    """Return a number per document, int64, equal where texts are."""
    path = texts_dir / "document_texts.parquet"
    if not path.is_file():
        raise BenchError(f"no {path.name} in {texts_dir}; expected the texts of the corpus: run the text stage")
    keys = pl.read_parquet(path, columns=["document_index", "text_key"]).sort("document_index")["text_key"]
    if len(keys) != corpus.documents.height:
        raise BenchError(f"{path.name} has {len(keys)} rows; expected {corpus.documents.height}, as in the corpus")
    return keys.rank("dense").cast(pl.Int64).to_numpy()


def _standing(corpus: Corpus, found: NearDuplicates) -> pl.DataFrame:
    """Return a row per document, in source order, with what stands for it."""
    documents = corpus.documents.sort("document_index")
    return documents.select(
        "document_index",
        "document_id",
        "session_id",
        kept_document_id=documents["document_id"].gather(found.kept_of),
        kept_session_id=documents["session_id"].gather(found.kept_of),
        cosine=pl.Series(found.cosine),
    )


def _removed(table: pl.DataFrame) -> pl.DataFrame:
    return table.filter(pl.col("document_id") != pl.col("kept_document_id"))


def _left(corpus: Corpus, table: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the tables sessions, scopes and queries afterwards."""
    sizes = (
        table.filter(pl.col("document_id") == pl.col("kept_document_id"), pl.col("session_id").is_not_null())
        .group_by("session_id")
        .agg(left=pl.len().cast(pl.Int32))
    )
    sessions = corpus.sessions.join(sizes, on="session_id", how="left", validate="1:1", maintain_order="left")
    sessions = sessions.with_columns(n_left=pl.col("left").fill_null(0))
    sessions = sessions.filter((pl.col("n_left") > 0) | (pl.col("n_turns") == 0))  # what was empty stays as it was
    scopes = corpus.scopes.join(sessions, on="session_id", how="semi", maintain_order="left")
    is_left = pl.col("scope_id").is_in(scopes["scope_id"].unique().implode())
    return {
        "sessions": sessions.with_columns(n_turns=pl.col("n_left")),
        "scopes": scopes,
        "queries": corpus.queries.with_columns(scope_id=pl.when(is_left).then(pl.col("scope_id"))),
    }


def _changes(corpus: Corpus, merge: Merge, queries: pl.DataFrame) -> Changes:
    moved = [(query, old, new) for query, old, new in merge.judged_documents() if old != new]
    stays = {query for query, old, new in merge.judged_documents() if old == new}
    n_merged = Counter(query for query, _ in merge.turns_before) - Counter(query for query, _ in merge.turns)
    scopes = dict(corpus.queries.select("query_id", "scope_id").iter_rows())
    members = set(corpus.scopes.select("scope_id", "session_id").iter_rows())
    outside = [
        query
        for query, old, new in moved
        if (scopes[query], merge.home_of[old]) in members and (scopes[query], merge.home_of[new]) not in members
    ]
    fallen = corpus.queries.filter(pl.col("scope_id").is_not_null() & queries["scope_id"].is_null())
    return {
        "judgement_moved": ("relevant documents removed, and judged as the one kept", [q for q, _, _ in moved]),
        "judgement_merged": ("relevant documents fewer, as two became one", list(n_merged.elements())),
        "question_all_moved": (
            "questions whose relevant documents were all removed, and are judged as those kept",
            [q for q in dict.fromkeys(q for q, _, _ in moved) if q not in stays],
        ),
        "session_judgement_added": (
            "sessions became relevant with a document",
            [q for q, s in merge.sessions if (q, s) not in merge.sessions_before],
        ),
        "session_judgement_removed": (
            "sessions lost what made them relevant",
            [q for q, s in merge.sessions_before if (q, s) not in merge.sessions],
        ),
        "fallback_turn_lost": (
            "turns removed that are relevant by their session only, and the one kept is in no relevant session",
            list(merge.fallback_lost()),
        ),
        "judgement_outside_scope": ("relevant documents moved out of what the question may search", outside),
        "scope_without_documents": ("questions with nothing of their own to search", fallen["query_id"].to_list()),
    }


def _ledger(
    corpus: Corpus, table: pl.DataFrame, tables: dict[str, pl.DataFrame], changes: Changes, params: DeduplicationParams
) -> Iterator[tuple[Any, ...]]:
    """Yield a row of `defects` per kind of change, the touched queries in the order of the corpus."""
    gone = _removed(table)
    if not gone.height:
        return
    order = dict(corpus.queries.select("query_id", "query_index").iter_rows())
    detail = (
        f"{gone.height:,} of {table.height:,} documents removed: cosine {params.threshold:g} or more with an earlier "
        f"one that is kept; {gone['kept_document_id'].n_unique():,} stand for them; "
        f"{corpus.sessions.height - tables['sessions'].height:,} sessions lost all documents"
    )
    touched = {query for _, query_ids in changes.values() for query in query_ids}
    for kind, what, query_ids in [
        ("near_duplicates_removed", detail, touched),
        *((kind, f"{what}: {len(ids):,}", set(ids)) for kind, (what, ids) in changes.items() if ids),
    ]:
        yield defect_row(Defect("documents", kind, POLICY, what, tuple(sorted(query_ids, key=order.__getitem__))))


def _write_documents(source: Path, found: NearDuplicates, out: Path) -> None:
    """Copy the kept documents row group by row group, numbered anew."""
    schema, is_kept, n_read, n_kept = SCHEMAS["documents"], found.is_kept, 0, 0
    file = pq.ParquetFile(source)
    with pq.ParquetWriter(out / "documents.parquet", schema, compression="zstd") as writer:
        for number in range(file.num_row_groups):
            group = file.read_row_group(number)
            part = group.filter(pa.array(is_kept[n_read : n_read + group.num_rows]))
            index = pa.array(range(n_kept, n_kept + part.num_rows), pa.int32())
            writer.write_table(part.set_column(0, schema.field("document_index"), index).cast(schema))
            n_read, n_kept = n_read + group.num_rows, n_kept + part.num_rows


def _write_facts(
    out: Path,
    corpus: Corpus,
    table: pl.DataFrame,
    tables: dict[str, pl.DataFrame],
    changes: Changes,
    params: DeduplicationParams,
) -> None:
    gone = _removed(table)
    note = f"{gone.height:,} of {table.height:,} documents removed as near-duplicates (cosine >= {params.threshold:g})"
    facts = {
        **corpus.facts,
        "n_documents": table.height - gone.height,
        "n_sessions": tables["sessions"].height,
        "note": "; ".join(filter(None, [corpus.facts.get("note"), note])),
        "deduplication": {
            "threshold": params.threshold,
            "n_documents_removed": gone.height,
            "n_documents_standing_for_others": gone["kept_document_id"].n_unique(),
            "n_sessions_removed": corpus.sessions.height - tables["sessions"].height,
            "n_changes": {kind: len(query_ids) for kind, (_, query_ids) in changes.items()},
            "n_queries": {kind: len(set(query_ids)) for kind, (_, query_ids) in changes.items()},
        },
    }
    write_text(out / FACTS, json.dumps(facts, indent=1, sort_keys=True, ensure_ascii=False) + "\n")

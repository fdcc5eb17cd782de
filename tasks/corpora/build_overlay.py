"""Corpora stage, overlays: a corpus with corrected judgements. A module of its own: no parser is in its cache key.

Turn level: the gains of the overlay. Session level, by what the corrections do to the turns that a session holds:

* it holds a turn that became relevant to the query, and was not relevant itself: relevant, gain 1;
* it held relevant turns and holds none any more: no longer relevant;
* otherwise, and wherever no turn was corrected: as in the data set. So a session that is gold by itself, without any
  relevant turn (row M3 of the data issues), stays.
"""

import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from tasks.corpora.overlays import Correction, Overlay, read_overlay, refuse_faults
from tasks.corpora.schemas import SCHEMAS, defect_row, write_table
from tasks.corpora.tables import FACTS, Corpus, shown
from tasks.files import write_text
from tasks.progress import Progress, silent
from tasks.records import BenchError, Defect

POLICY = "qrels_overlay"
OVERLAY_SCHEMA = pa.schema(
    [
        pa.field(name, pa.int32() if name in {"old", "new"} else pa.string(), nullable=False)
        for name in ("query_id", "document_id", "old", "new", "source", "reason")
    ]
)
"""Schema of `overlay.parquet`."""

MAX_NAMED = 100
"""So many corrections that do not fit the corpus are named in words: who made the overlay wants them all."""

Pair = tuple[str, str]
"""(query id, document id) or (query id, session id)."""
Gains = dict[Pair, int]


def build(corpus_dir: Path, overlay_file: Path, out: Path, progress: Progress = silent) -> None:
    """Write the corpus in `corpus_dir` with its judgements corrected, and the table `overlay`, into `out`.

    Tables: those of `CorpusWriter`. All but both `judgements_*` and `defects` are copied byte for byte. Judgements that
    stay keep their order; added ones follow in the order of the overlay. The ledger gets one row per kind of change.

    Raises
    ------
    BenchError
        When the overlay is malformed, is for another data set, or was made for another version: naming each line
        whose query or document is unknown or whose `old` is not what the corpus has. When the corpus is overlaid.
    """
    corpus = Corpus.read(corpus_dir, with_texts=False)
    overlay = read_overlay(overlay_file)
    patch = _Patch.of(corpus, overlay)
    tables: dict[str, Iterable[tuple[Any, ...]]] = {
        "judgements_turn": _rows(patch.turns),
        "judgements_session": _rows(patch.sessions),
        "defects": [*corpus.defects.rows(), *_ledger(corpus, overlay, patch)],
    }
    for done, name in enumerate(SCHEMAS, start=1):
        if name in tables:
            write_table(out, name, tables[name])
        else:
            shutil.copyfile(corpus_dir / f"{name}.parquet", out / f"{name}.parquet")
        progress(done, len(SCHEMAS), "tables")
    _write_overlay_table(out, overlay)
    _write_facts(out, corpus, overlay)


@dataclass(frozen=True, slots=True)
class _Patch:
    """Gains after the corrections, and what changed.

    Attributes
    ----------
    turns, sessions
        Gains above 0 of both levels, in the order of the rows to write.
    added_sessions, removed_sessions
        Changes at session level.
    homes
        Session of each corrected document; None where the data set has no sessions.
    """

    turns: Gains
    sessions: Gains
    added_sessions: list[Pair]
    removed_sessions: list[Pair]
    homes: dict[str, str | None]

    @classmethod
    def of(cls, corpus: Corpus, overlay: Overlay) -> "_Patch":
        """Apply an overlay."""
        homes = _homes(corpus, {correction.document for correction in overlay.corrections})
        before = _gains(corpus.judgements_turn)
        _check(corpus, overlay, before, homes)
        turns = _corrected(before, overlay)
        sessions = _gains(corpus.judgements_session)
        held = _sessions_held(corpus, turns)
        added, removed = [], []
        for correction in overlay.corrections:
            session = homes[correction.document]
            if session is None:
                continue
            pair = (correction.query, session)
            if pair not in held and pair in sessions:
                del sessions[pair]
                removed.append(pair)
            elif pair in held and pair not in sessions and correction.old == 0:
                sessions[pair] = 1
                added.append(pair)
        return cls(turns, sessions, added, removed, homes)


def _check(corpus: Corpus, overlay: Overlay, gains: Gains, homes: dict[str, str | None]) -> None:
    if known := corpus.facts.get("overlay"):
        raise BenchError(
            f"{overlay.name}: the corpus has the overlay {shown(known['name'])} already; expected one as parsed. Put "
            "all corrections into one file"
        )
    dataset = corpus.facts["dataset"]
    if overlay.dataset != dataset:
        raise BenchError(
            f"{overlay.name} corrects {shown(overlay.dataset)}; the corpus is {dataset}: give its own file"
        )
    queries = set(corpus.queries["query_id"])
    faults = [
        f"line {number}: {fault}"
        for number, correction in enumerate(overlay.corrections, start=1)
        if (fault := _misfit(correction, queries, gains, homes))
    ]
    what = (
        f"{overlay.name} was made for another version of {dataset}: {len(faults)} of {len(overlay.corrections)} lines"
    )
    refuse_faults(f"{what} do not fit", faults, MAX_NAMED)


def _misfit(correction: Correction, queries: set[str], gains: Gains, homes: dict[str, str | None]) -> str | None:
    """Say why a correction does not fit the corpus."""
    unknown = []
    if correction.query not in queries:
        unknown.append(f"no query {shown(correction.query)}")
    if correction.document not in homes:
        unknown.append(f"no document {shown(correction.document)}")
    has = gains.get((correction.query, correction.document), 0)
    if not unknown and has != correction.old:
        place = f"query {shown(correction.query)}, document {shown(correction.document)}"
        return f"{place}: old is {correction.old}, the corpus has {has}"
    return ", ".join(unknown) or None


def _corrected(before: Gains, overlay: Overlay) -> Gains:
    after = before.copy()
    for correction in overlay.corrections:
        pair = (correction.query, correction.document)
        if correction.new:
            after[pair] = correction.new
        else:
            del after[pair]
    return after


def _homes(corpus: Corpus, document_ids: set[str]) -> dict[str, str | None]:
    wanted = pl.Series(sorted(document_ids), dtype=pl.String).implode()
    found = corpus.documents.filter(pl.col("document_id").is_in(wanted)).select("document_id", "session_id")
    return dict(found.iter_rows())


def _sessions_held(corpus: Corpus, turns: Gains) -> set[Pair]:
    """Return the (query, session) whose session holds a relevant turn."""
    judged = pl.DataFrame(list(turns), schema=["query_id", "document_id"], orient="row") if turns else None
    if judged is None:
        return set()
    homes = corpus.documents.select("document_id", "session_id")
    return set(judged.join(homes, on="document_id", validate="m:1").select("query_id", "session_id").iter_rows())


def _ledger(corpus: Corpus, overlay: Overlay, patch: _Patch) -> Iterator[tuple[Any, ...]]:
    """Yield a row of `defects` per kind of change, the affected queries in the order of the corpus.

    No reasons in here: they may quote the data set, and the ledger goes into the warehouse.
    """
    order = dict(corpus.queries.select("query_id", "query_index").iter_rows())
    for kind, (what, query_ids) in _kinds(corpus, overlay, patch).items():
        if not query_ids:
            continue
        affected = tuple(sorted(set(query_ids), key=order.__getitem__))
        detail = f"{what}: {len(query_ids):,}; overlay sha256 {overlay.sha256[:12]}"
        yield defect_row(Defect(overlay.name, kind, POLICY, detail, affected))


def _kinds(corpus: Corpus, overlay: Overlay, patch: _Patch) -> dict[str, tuple[str, list[str]]]:
    """Return by kind of change what is counted, and its queries, once per change."""
    changes = overlay.corrections
    before = set(corpus.judgements_turn["query_id"])
    after = {query for query, _ in patch.turns}
    corrected = dict.fromkeys(change.query for change in changes)
    scopes = dict(corpus.queries.select("query_id", "scope_id").iter_rows())
    members = set(corpus.scopes.select("scope_id", "session_id").iter_rows())
    outside = [
        change.query
        for change in changes
        if change.new and scopes[change.query] and (scopes[change.query], patch.homes[change.document]) not in members
    ]
    return {
        "judgement_added": ("turns judged relevant", [c.query for c in changes if not c.old]),
        "judgement_removed": ("turns judged not relevant", [c.query for c in changes if not c.new]),
        "gain_changed": ("gains changed", [c.query for c in changes if c.old and c.new]),
        "session_judgement_added": ("sessions became relevant with a turn", [q for q, _ in patch.added_sessions]),
        "session_judgement_removed": ("sessions lost their relevant turns", [q for q, _ in patch.removed_sessions]),
        "question_gains_evidence": ("questions had no relevant turn", [q for q in corrected if q not in before]),
        "question_loses_evidence": ("questions have no relevant turn left", [q for q in corrected if q not in after]),
        "judgement_outside_scope": ("relevant turns outside what the question may search", outside),
    }


def _gains(judgements: pl.DataFrame) -> Gains:
    return {(query, item): gain for query, item, gain in judgements.iter_rows()}


def _rows(gains: Gains) -> Iterator[tuple[Any, ...]]:
    return ((*pair, gain) for pair, gain in gains.items())


def _write_overlay_table(out: Path, overlay: Overlay) -> None:
    rows = [(c.query, c.document, c.old, c.new, c.source, c.reason) for c in overlay.corrections]
    columns = [
        pa.array(column, type=field.type) for column, field in zip(zip(*rows, strict=True), OVERLAY_SCHEMA, strict=True)
    ]
    pq.write_table(pa.Table.from_arrays(columns, schema=OVERLAY_SCHEMA), out / "overlay.parquet", compression="zstd")


def _write_facts(out: Path, corpus: Corpus, overlay: Overlay) -> None:
    entry = {
        "name": overlay.name,
        "sha256": overlay.sha256,
        "n_changes": len(overlay.corrections),
        "sources": overlay.sources,
    }
    facts = {**corpus.facts, "overlay": entry}
    write_text(out / FACTS, json.dumps(facts, indent=1, sort_keys=True, ensure_ascii=False) + "\n")

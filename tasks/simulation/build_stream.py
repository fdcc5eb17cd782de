"""Build the query stream of each scope."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from tasks.corpora.protocols import parse_protocol
from tasks.corpora.scopes import scope_documents
from tasks.corpora.tables import Corpus
from tasks.progress import Progress, silent
from tasks.records import BenchError
from tasks.simulation.streams import Populations, ScopeStream, StreamParams, draw_streams, populations

STREAM = pl.Schema({"scope_id": pl.Utf8, "step": pl.Int32, "query_index": pl.Int32})
LENGTHS = pl.Schema({"scope_id": pl.Utf8, "n_steps": pl.Int32})


def build(corpus_dir: Path, protocol: str, params: StreamParams, out: Path, progress: Progress = silent) -> None:
    """Write `stream.parquet` (scope_id, step, query_index; in the order of scopes and steps) and `lengths.parquet`.

    `lengths.parquet` has scope_id and n_steps: the length of each scope's stream, steps of missing queries included.

    Parameters
    ----------
    corpus_dir
        Artifact of the corpora stage. All its queries take part, those without an answer too.
    protocol
        Decides the scopes.
    params
        Length, hot set and seed.

    Raises
    ------
    BenchError
        When published ids are given for a protocol with several scopes, or leave queries of the corpus out.
    """
    population = read_populations(corpus_dir, protocol, params)
    streams = draw_streams(population, params, seed=params.seed)
    tables = [_table(population.scope_ids[stream.scope], stream) for stream in streams]
    pl.concat([pl.DataFrame(schema=STREAM), *tables]).write_parquet(out / "stream.parquet", compression="zstd")
    lengths = {"scope_id": population.scope_ids, "n_steps": [stream.n_steps for stream in streams]}
    pl.DataFrame(lengths, schema=LENGTHS).write_parquet(out / "lengths.parquet", compression="zstd")
    progress(len(streams), len(streams), "streams")


def read_populations(corpus_dir: Path, protocol: str, params: StreamParams) -> Populations:
    """Return who asks in each scope of a corpus under a protocol; what `draw_streams` draws over, for any seed."""
    corpus = Corpus.read(corpus_dir, with_texts=False)
    searched = parse_protocol(protocol)
    scopes = scope_documents(corpus, searched)
    query_scope, query_ids = np.asarray(scopes.query_scope), corpus.queries["query_id"].to_list()
    return populations(scopes.scope_ids, query_scope, query_ids, params, is_pooled=searched.is_pooled)


def read_streams(stream_dir: Path, scope_ids: Sequence[str]) -> list[ScopeStream]:
    """Return the stream of each of these scopes, numbered by its place among them, from the artifact.

    Raises
    ------
    BenchError
        When the artifact has no stream for one of them.
    """
    lengths = dict(pl.read_parquet(stream_dir / "lengths.parquet").iter_rows())
    if absent := [scope_id for scope_id in scope_ids if scope_id not in lengths]:
        raise BenchError(f"{len(absent)} scopes have no stream, e.g. {absent[0]}; draw the stream of this protocol")
    of_scope = (
        pl.read_parquet(stream_dir / "stream.parquet")
        .sort("scope_id", "step")
        .partition_by("scope_id", as_dict=True, include_key=False)
    )
    nothing = pl.DataFrame(schema=STREAM).drop("scope_id")
    tables = [of_scope.get((scope_id,), nothing).cast(pl.Int64) for scope_id in scope_ids]
    return [
        ScopeStream(number, lengths[scope_id], table["step"].to_numpy(), table["query_index"].to_numpy())
        for number, (scope_id, table) in enumerate(zip(scope_ids, tables, strict=True))
    ]


def _table(scope_id: str, stream: ScopeStream) -> pl.DataFrame:
    columns = {"scope_id": [scope_id] * stream.steps.size, "step": stream.steps, "query_index": stream.queries}
    return pl.DataFrame(columns, schema_overrides=STREAM)

"""One variant with state over the artifacts of earlier stages: its inputs as arrays, its rankings, and its state."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.clusters.kmeans import STREAM_SOURCES
from tasks.corpora.scopes import POOL
from tasks.indexes.dense import open_vectors
from tasks.records import BenchError
from tasks.simulation.build_stream import read_streams
from tasks.simulation.cluster_sources import Asking, in_clusters
from tasks.simulation.layout import Layout, Pools, Served, lay_out
from tasks.simulation.suppression import RifParams

if TYPE_CHECKING:
    from tasks.simulation.replay import Replayed

SUPPRESSION = pl.Schema(
    {
        "scope_id": pl.Utf8,
        "n_entries": pl.Int64,
        "n_entries_above": pl.Int64,
        "n_documents_above": pl.Int64,
        "n_documents": pl.Int64,
        "max": pl.Float64,
        "mean": pl.Float64,
    }
)
TRACE = pl.Schema({"scope_id": pl.Utf8, "step": pl.Int64} | dict(SUPPRESSION))

SATURATED = 0.01
"""An entry above this counts as suppressed (A.10)."""


@dataclass(frozen=True, slots=True)
class Scoped:
    """Scopes of the queries.

    Attributes
    ----------
    scope_ids
        In the order of their first query.
    n_documents
        Documents of each.
    query_scope
        Shape (n_queries,), int64: number of each query's scope.
    """

    scope_ids: list[str]
    n_documents: list[int]
    query_scope: npt.NDArray[np.int64]

    @property
    def is_pooled(self) -> bool:
        """Whether there is one scope for all."""
        return self.scope_ids == [POOL]


def read_scopes(candidates_dir: Path, corpus_dir: Path) -> Scoped:
    """Return the scopes of the queries as the candidates know them.

    Raises
    ------
    BenchError
        When a query has no pool: a stream asks them all.
    """
    n_queries = pl.read_parquet(corpus_dir / "queries.parquet", columns=["query_index"]).height
    pools = pl.read_parquet(candidates_dir / "pools.parquet").sort("query_index")
    if pools.height != n_queries:
        raise BenchError(
            f"{pools.height} of {n_queries} queries have candidates, but the stream of a rif variant asks them all; "
            "use a protocol without sample"
        )
    scopes = pools.unique("scope_id", keep="first", maintain_order=True)
    number = {scope_id: i for i, scope_id in enumerate(scopes["scope_id"])}
    query_scope = pools["scope_id"].replace_strict(number, return_dtype=pl.Int64).to_numpy()
    return Scoped(scopes["scope_id"].to_list(), scopes["n_documents"].to_list(), query_scope)


def read_asking(
    rif: RifParams, scoped: Scoped, clusters_dir: Path | None, dense_dir: Path | None, *, niter: int, seed: int
) -> Asking:
    """Return the clusters, or the vectors, of the queries: what the variant's source needs.

    Raises
    ------
    BenchError
        When it is not there.
    """
    asking = Asking(scoped.query_scope, scoped.is_pooled, niter=niter, seed=seed)
    if rif.source in STREAM_SOURCES:
        if dense_dir is None:
            raise BenchError(f"source={rif.source} came without a dense index; run the stage indexes")
        return replace(asking, vectors=open_vectors(dense_dir)[1])
    if clusters_dir is None:
        raise BenchError(f"source={rif.source} came without clusters; run the stage clusters")
    everything = pl.read_parquet(clusters_dir / "clusters.parquet")
    wanted = (pl.col("source") == str(rif.source)) & (pl.col("n_clusters") == rif.clusters)
    clusters = everything.filter(wanted).sort("query_index")["cluster"].to_numpy().astype(np.int64)
    if clusters.size != scoped.query_scope.size:
        available = everything.group_by("source").agg(pl.col("n_clusters").unique().sort()).sort("source").rows()
        raise BenchError(
            f"{scoped.query_scope.size} queries have {clusters.size} clusters of source {rif.source} at "
            f"K = {rif.clusters} (clustered: {'; '.join(f'{source} for K in {counts}' for source, counts in available)}"
            "); expected one each: add source and K to the clusters stage"
        )
    return replace(asking, fitted=clusters)


def pools_of(candidates: pl.DataFrame, n_queries: int) -> Pools:
    """Return candidates with logits, sorted by (query_index, position), as arrays."""
    lengths = np.bincount(candidates["query_index"].to_numpy(), minlength=n_queries)
    return Pools(
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        documents=candidates["document_index"].to_numpy().astype(np.int64),
        rrf=candidates["rrf"].to_numpy(),
        logits=candidates["logit"].to_numpy(),
    )


def suppressed(
    rif: RifParams, candidates: pl.DataFrame, scoped: Scoped, asking: Asking, stream_dir: Path, trace_every: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Replay the stream and rank every query.

    Parameters
    ----------
    rif
        The variant.
    candidates
        With logits, sorted by (query_index, position).
    scoped, asking
        Scopes, and clusters or vectors.
    stream_dir
        Artifact of the stream.
    trace_every
        Steps between two rows of the trace.

    Returns
    -------
    (rankings, trace)
        Rankings: the competitors of every query, best first, with `initial_position`, `suppression`, `score`. Trace:
        `TRACE`; the last row of each scope is the end of its stream.
    """
    served = in_clusters(read_streams(stream_dir, scoped.scope_ids), asking, rif)
    layout = lay_out(pools_of(candidates, len(scoped.query_scope)), served)
    result, rows = _traced(rif, layout, served, scoped, trace_every)
    rankings = candidates[result.rows].with_columns(
        initial_position=pl.Series(result.r_init),
        suppression=pl.Series(result.suppression),
        score=pl.col("logit"),
    )
    return rankings, pl.DataFrame(rows, schema=TRACE, orient="row")


def _traced(
    rif: RifParams, layout: Layout, served: Served, scoped: Scoped, every: int
) -> "tuple[Replayed, list[tuple[object, ...]]]":
    """Replay part by part, and look at the state in between. Scopes follow each other in stream and entries."""
    from tasks.simulation.replay import State, as_read, evaluate, new_state, serve  # numba: only here

    state = new_state(layout)
    numbers = range(len(scoped.scope_ids) + 1)
    parts = np.searchsorted(scoped.query_scope[served.queries], numbers)
    entries = np.searchsorted(layout.entry_cluster, np.array(numbers) * rif.clusters)
    rows: list[tuple[object, ...]] = []
    for number, scope_id in enumerate(scoped.scope_ids):
        start, stop = parts[number : number + 2]
        own = slice(*entries[number : number + 2])
        n_steps = int(served.end_steps[scoped.query_scope == number].max(initial=0))
        for step in _checkpoints(n_steps, every):
            until = start + int(np.searchsorted(served.steps[start:stop], step))
            serve(layout, served.part(start, until), rif, state)
            start = until
            here = State(state.s[own], state.last[own])
            is_touched = here.last >= 0
            s, documents = as_read(here, rif, step)[is_touched], layout.entry_document[own][is_touched]
            rows.append((scope_id, step, *_diagnostics(s, documents, scoped.n_documents[number])))
    return evaluate(layout, served, rif, state), rows


def _checkpoints(n_steps: int, every: int) -> list[int]:
    """Return the numbers of steps after which the state is looked at.

    >>> _checkpoints(600, 250), _checkpoints(500, 250), _checkpoints(0, 250)
    ([250, 500, 600], [250, 500], [0])
    """
    return [*range(every, n_steps, every), n_steps]


def _diagnostics(
    s: npt.NDArray[np.float64], documents: npt.NDArray[np.int64], n_documents: int
) -> tuple[int, int, int, int, float, float]:
    """Return the columns of `SUPPRESSION` after the scope, of the touched entries."""
    is_above = s > SATURATED
    n_documents_above = len(np.unique(documents[is_above]))
    mean = float(s.mean()) if s.size else 0.0
    return s.size, int(is_above.sum()), n_documents_above, n_documents, float(s.max(initial=0.0)), mean

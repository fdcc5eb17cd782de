"""Build the query stream of each scope."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks import randomness
from tasks.corpora.protocols import parse_protocol
from tasks.corpora.scopes import scope_documents
from tasks.corpora.tables import Corpus
from tasks.progress import Progress, silent
from tasks.records import BenchError
from tasks.simulation.streams import StreamParams, draw_stream, locate

STREAM = {"scope_id": pl.Utf8(), "step": pl.Int32(), "query_index": pl.Int32()}


def build(corpus_dir: Path, protocol: str, params: StreamParams, out: Path, progress: Progress = silent) -> None:
    """Write `stream.parquet`: scope_id, step, query_index, in the order of scopes and steps.

    A pooled protocol has one stream, drawn with `numpy.random.default_rng(seed)` as study A does; each conversation
    has its own stream and its own generator, named by the scope.

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
    corpus = Corpus.read(corpus_dir, with_texts=False)
    searched = parse_protocol(protocol)
    is_pooled = searched.is_pooled
    scopes = scope_documents(corpus, searched)
    query_scope = np.asarray(scopes.query_scope)
    tables = []
    for number, scope_id in enumerate(scopes.scope_ids):
        population = np.flatnonzero(query_scope == number)
        if params.published_ids:
            population = _published(params, corpus.queries["query_id"].to_list(), len(scopes.scope_ids))
        steps = params.steps if is_pooled else params.steps_per_query * population.size
        rng = np.random.default_rng(params.seed) if is_pooled else randomness.generator(params.seed, "stream", scope_id)
        drawn = population[_draw(population.size, steps, params, rng)]
        table = pl.DataFrame({"step": np.arange(drawn.size), "query_index": drawn})
        tables.append(table.filter(pl.col("query_index") >= 0).select(pl.lit(scope_id).alias("scope_id"), pl.all()))
        progress(number + 1, len(scopes.scope_ids), "streams")
    frame = pl.concat(tables) if tables else pl.DataFrame(schema=STREAM)
    frame.select(pl.col(name).cast(dtype) for name, dtype in STREAM.items()).write_parquet(
        out / "stream.parquet", compression="zstd"
    )


def _draw(n_queries: int, steps: int, params: StreamParams, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    return draw_stream(n_queries, steps, hot_share=params.hot_share, hot_probability=params.hot_probability, rng=rng)


def _published(params: StreamParams, query_ids: list[str], n_scopes: int) -> npt.NDArray[np.int64]:
    if n_scopes != 1:
        raise BenchError(f"published_ids belong to a protocol with one scope; this one has {n_scopes}")
    located = locate(params.published_ids, query_ids)
    if absent := sorted(set(query_ids) - set(params.published_ids)):
        raise BenchError(f"{len(absent)} queries are not among published_ids, e.g. {absent[0]}; expected all of them")
    return located

"""Measure how long one question takes on this machine.

Not deterministic, unlike every other artifact: equal inputs give other times. So an artifact is kept per machine (the
parameter `machine` is in its key), it is made once there, and nothing but a report may be made from it.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tasks.candidates.search import Search
from tasks.corpora.protocols import parse_protocol
from tasks.downloads.model_facts import read_facts
from tasks.embeddings.encoders import Encoder, Vectors, load_encoder
from tasks.embeddings.onnx_encoder import load_onnx_encoder
from tasks.indexes.bm25 import Bm25Scope
from tasks.indexes.dense import open_vectors
from tasks.progress import Progress, silent
from tasks.randomness import generator
from tasks.records import BenchError
from tasks.reranking.cross_encoder import load_cross_encoder
from tasks.selection.latency import (
    SCHEMA,
    Asked,
    LatencyParams,
    Pipeline,
    Searched,
    machine_facts,
    measure,
    summarise,
    this_machine,
)

LATENCY: dict[str, type[pl.DataType]] = {
    "encoder": pl.Utf8,
    "reranker": pl.Utf8,
    **SCHEMA,
    "cpu_model": pl.Utf8,
    "n_cores": pl.Int32,
}
"""Columns of `latency.parquet`: a row per stage; `n` questions, times in milliseconds."""


def _encoder(model_dir: Path, params: LatencyParams) -> Encoder:
    is_torch = read_facts(model_dir).backend == "torch"
    return load_encoder(model_dir, params.dtype) if is_torch else load_onnx_encoder(model_dir)


@dataclass(frozen=True, slots=True)
class LatencyInputs:
    """Directories of the artifacts that are read, of one corpus and one protocol.

    `texts` is that of the stage text, `bm25` and `dense` are of the stage indexes (`dense` made by `encoder`),
    `encoder` and `reranker` are fetched models.
    """

    corpus: Path
    texts: Path
    bm25: Path
    dense: Path
    encoder: Path
    reranker: Path


def build(inputs: LatencyInputs, protocol: str, params: LatencyParams, out: Path, progress: Progress = silent) -> None:
    """Write `latency.parquet` (`LATENCY`): the time of each stage per question, on one thread, warm.

    Memory: the vectors and texts of the turns that the sampled questions search.

    Raises
    ------
    BenchError
        When the protocol does not rank sessions, the machine is not this one, or the inputs do not belong together.
    """
    if not parse_protocol(protocol).ranks_sessions:
        raise BenchError(f"latency under protocol {protocol}; expected one that ranks sessions (study B)")
    if params.machine != this_machine():
        raise BenchError(f"latency of {params.machine}; this machine is {this_machine()}: times are measured in place")
    encoder, reranker = _encoder(inputs.encoder, params), load_cross_encoder(inputs.reranker)
    sample = _sample(inputs, protocol, params, encoder.dimension)
    pipeline = Pipeline(encoder, reranker, _texts(inputs.texts, sample), params)
    with ThreadPoolExecutor(1, thread_name_prefix="latency") as alone:  # prepare_thread is for one thread only
        times = alone.submit(measure, pipeline, sample, progress).result()
    machine = machine_facts()
    summarise(times, params.stages).with_columns(
        encoder=pl.lit(read_facts(inputs.encoder).name),
        reranker=pl.lit(read_facts(inputs.reranker).name),
        cpu_model=pl.lit(machine.cpu_model),
        n_cores=pl.lit(machine.n_cores),
    ).select(pl.col(name).cast(dtype) for name, dtype in LATENCY.items()).write_parquet(
        out / "latency.parquet", compression="zstd"
    )


def _sample(inputs: LatencyInputs, protocol: str, params: LatencyParams, dimension: int) -> list[Asked]:
    """Draw the questions among those that have something to search, and open what they search, each scope once."""
    search = Search(inputs.corpus, inputs.bm25, protocol, None)
    documents, queries = open_vectors(inputs.dense)
    search.refuse_other_sizes(len(documents), len(queries))
    if documents.shape[1] != dimension:
        raise BenchError(
            f"{inputs.dense} holds vectors of {documents.shape[1]} numbers; the encoder makes {dimension}: the index "
            "is that of another model"
        )
    scope_of = np.asarray(search.scopes.query_scope)
    n_units = np.array(search.scopes.n_units, dtype=np.int64)
    able = np.flatnonzero(n_units[scope_of] > 0)
    rng = generator(params.seed, "latency")
    drawn = rng.choice(able, size=min(params.n_queries, len(able)), replace=False)
    texts = search.corpus.queries["text"].to_list()
    prefix = read_facts(inputs.encoder).query_prefix
    opened = {int(number): _open(search, int(number), documents) for number in np.unique(scope_of[drawn])}
    return [
        Asked(prefix + texts[query], texts[query], np.array(search.bm25.queries[query]), opened[int(scope_of[query])])
        for query in drawn.tolist()
    ]


def _open(search: Search, number: int, vectors: Vectors) -> Searched:
    """Read a scope into memory: a mapped file would be read while the clock runs."""
    documents, units = search.members(number)
    mapped = search.bm25_scope(number)
    bm25 = Bm25Scope(
        tokens=np.array(mapped.tokens),
        starts=np.array(mapped.starts),
        places=np.array(mapped.places),
        weights=np.array(mapped.weights),
        n_documents=mapped.n_documents,
    )
    return Searched(documents, np.array(vectors[documents]), units, bm25)


def _texts(texts_dir: Path, sample: list[Asked]) -> dict[int, str]:
    wanted = np.unique(np.concatenate([asked.scope.documents for asked in sample] or [np.empty(0, np.int64)]))
    table = (
        pl.scan_parquet(texts_dir / "document_texts.parquet")
        .filter(pl.col("document_index").is_in(wanted.tolist()))
        .select("document_index", "text")
        .collect()
    )
    if table.height != len(wanted):
        raise BenchError(f"{len(wanted) - table.height} turns have no text in {texts_dir}; expected that of the corpus")
    return dict(table.iter_rows())

"""How long one question takes, stage by stage: encode, BM25, max-sim, fusion, rerank (study B, protocols.md B.3).

Wall-clock times of the very functions that make the results, on one thread, one question at a time. They are no
function of the inputs: another machine, another load, another minute give other numbers.
"""

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from tasks.candidates.combination import weighted, z_normalised
from tasks.candidates.rankings import ranked_places
from tasks.embeddings.encoders import CPU_FACTS, Encoder, Precision, Vectors, n_cores
from tasks.embeddings.pooling import Pool, cosines_of, session_starts
from tasks.indexes.bm25 import Bm25Scope, TokenIds
from tasks.progress import Progress, silent
from tasks.records import BenchError, Params
from tasks.reranking.cross_encoder import CrossEncoder

Clock = Callable[[], int]
Integers = NDArray[np.int64]

SCHEMA: dict[str, type[pl.DataType]] = {
    "stage": pl.Utf8,
    "n": pl.Int32,
    "mean_ms": pl.Float64,
    "median_ms": pl.Float64,
    "p95_ms": pl.Float64,
    "min_ms": pl.Float64,
}
MAX_SIM = Pool.parse("max")


class LatencyParams(Params):
    """What is measured, and where.

    Attributes
    ----------
    machine
        `this_machine()`: an artifact is kept per machine, and never taken for that of another one.
    n_queries
        Questions, drawn without replacement.
    n_warmup
        Questions, the first of the sample, that go through all stages unmeasured before.
    top
        Sessions that are reranked.
    alpha
        Weight of BM25 in the fusion; no time depends on it.
    dtype
        Precision of the encoder.
    seed
        Of the sample.
    """

    machine: str
    n_queries: int = Field(default=200, ge=1)
    n_warmup: int = Field(default=10, ge=1)
    top: int = Field(default=10, ge=1)
    alpha: float = Field(default=0.5, ge=0, le=1)
    dtype: Precision = "fp32"
    seed: int = 0

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages in their order, by the study's names."""
        return "query encode", "bm25", "max-sim", "fusion", f"rerank top-{self.top}"


@dataclass(frozen=True, slots=True)
class Machine:
    """The processor, and how many of its cores this process may use."""

    cpu_model: str
    n_cores: int

    def __str__(self) -> str:
        return f"{self.cpu_model}, {self.n_cores} core{'s' if self.n_cores != 1 else ''}"


def machine_facts() -> Machine:
    """Return what is known of the processor; its name is `unknown` where the system does not tell."""
    try:
        lines = CPU_FACTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return Machine(next(named, "") or platform.processor() or platform.machine() or "unknown", n_cores())


def this_machine() -> str:
    """Return the value of `LatencyParams.machine` here."""
    return str(machine_facts())


@dataclass(frozen=True, slots=True)
class Searched:
    """A scope in memory.

    Attributes
    ----------
    documents
        Shape (n_turns,), int64: document index of each turn.
    turns
        Shape (n_turns, d), float32, L2-normalised.
    units
        Shape (n_turns,), int64: number of the session of each turn, ascending from 0.
    bm25
        Index of the sessions.
    """

    documents: Integers
    turns: Vectors
    units: Integers
    bm25: Bm25Scope


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: what the encoder reads (with its prefix), what the reranker reads, its tokens, what it searches."""

    encoded: str
    text: str
    tokens: TokenIds
    scope: Searched


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The models, the texts of turns by document index, and the clock (nanoseconds)."""

    encoder: Encoder
    reranker: CrossEncoder
    texts: Mapping[int, str]
    params: LatencyParams
    clock: Clock = time.perf_counter_ns

    def prepare_thread(self) -> None:
        """Make both models compute on the calling thread alone."""
        self.encoder.prepare_thread()
        self.reranker.prepare_thread()

    def answer(self, asked: Asked) -> tuple[list[int], list[int]]:
        """Return the nanoseconds of each stage, and the documents that were reranked, best first by the reranker.

        Not counted: splitting the question into tokens, and looking up texts.
        """
        scope, clock = asked.scope, self.clock
        start = clock()
        vector = self.encoder.encode([asked.encoded])
        encoded = clock()
        bm25 = scope.bm25.scores(asked.tokens)
        found = clock()
        cosines = cosines_of(vector, scope.turns)
        pooled = MAX_SIM.scores(cosines, scope.units)[0]
        scored = clock()
        best = self._fused(bm25, pooled)
        fused = clock()
        documents = [int(scope.documents[place]) for place in best_turns(cosines[0], scope.units, best)]
        pairs = [(asked.text, self.texts[document]) for document in documents]
        before = clock()
        logits = [self.reranker.logit(self.reranker.tokenise([pair])[0]) for pair in pairs]
        after = clock()
        order = np.argsort(-np.array(logits), kind="stable")
        times = [encoded - start, found - encoded, scored - found, fused - scored, after - before]
        return times, [documents[place] for place in order]

    def _fused(self, bm25: NDArray[np.float64], dense: NDArray[np.float64]) -> Integers:
        """Return the numbers of the best `top` sessions, best first; of equals the earliest."""
        offsets = np.array([0, len(bm25)])
        scores = weighted(self.params.alpha, z_normalised(bm25, offsets), z_normalised(dense, offsets))
        places = ranked_places(scores, offsets, np.arange(len(bm25)))
        return np.argsort(places)[: self.params.top]


def best_turns(cosines: NDArray[np.float64], units: Integers, sessions: Integers) -> Integers:
    """Return the place of the best turn of each of some sessions; of equals the earliest.

    >>> best_turns(np.array([0.1, 0.5, 0.5, 0.9]), np.array([0, 0, 0, 1]), np.array([1, 0])).tolist()
    [3, 1]
    """
    bounds = np.append(session_starts(units), len(units))
    return np.array([bounds[one] + np.argmax(cosines[bounds[one] : bounds[one + 1]]) for one in sessions], np.int64)


def measure(pipeline: Pipeline, sample: Sequence[Asked], progress: Progress = silent) -> Integers:
    """Return the nanoseconds of every question and stage, (n, 5) int64, after the warm-up; on the calling thread.

    Raises
    ------
    BenchError
        Without a question.
    """
    if not sample:
        raise BenchError("no question to measure with; expected a corpus whose questions have sessions to search")
    pipeline.prepare_thread()
    for asked in sample[: pipeline.params.n_warmup]:
        pipeline.answer(asked)
    times = np.empty((len(sample), len(pipeline.params.stages)), np.int64)
    for place, asked in enumerate(sample):
        times[place], _ = pipeline.answer(asked)
        progress(place + 1, len(sample), "questions")
    return times


def summarise(times: Integers, stages: Sequence[str]) -> pl.DataFrame:
    """Return one row per stage (`SCHEMA`), in milliseconds; percentiles are interpolated linearly.

    >>> summarise(np.array([[1_000_000], [3_000_000]]), ["bm25"]).row(0)
    ('bm25', 2, 2.0, 2.0, 2.9, 1.0)
    """
    ms = times / 1e6
    median, p95 = np.percentile(ms, [50, 95], axis=0)
    columns = (ms.mean(axis=0), median, p95, ms.min(axis=0))
    rows = [(stage, len(ms), *(float(column[at]) for column in columns)) for at, stage in enumerate(stages)]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")

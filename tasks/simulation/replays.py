"""What many replays of the same candidates share, read from the artifacts once: a job for any rules and stream seed."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock

import polars as pl
from pydantic import Field, field_validator

from tasks.clusters.kmeans import STREAM_SOURCES, ClusterSource
from tasks.corpora.protocols import parse_protocol
from tasks.corpora.tables import Corpus
from tasks.records import Params
from tasks.reranking.logits import with_logits
from tasks.simulation.build_stream import read_populations
from tasks.simulation.cluster_sources import Asking, in_clusters
from tasks.simulation.layout import Layout, Served, lay_out
from tasks.simulation.many import Job
from tasks.simulation.quick_measures import QuickMeasures
from tasks.simulation.streams import ScopeStream, StreamParams, draw_streams
from tasks.simulation.suppressed import pools_of, read_asking, read_scopes
from tasks.simulation.suppression import RifParams
from tasks.simulation.truth import truth_of

LARGEST_SEED = 2**31 - 1


class ManyParams(Params):
    """Which streams are replayed, and what is measured.

    Attributes
    ----------
    measures
        Names that `quick_measures` supports.
    n_streams, first_seed
        The seeds are `first_seed`, `first_seed` + 1, ...
    niter, cluster_seed
        Of `faiss.Kmeans`, where clusters are fitted on the stream.
    """

    measures: tuple[str, ...] = Field(min_length=1)
    n_streams: int = Field(default=100, ge=1)
    first_seed: int = Field(default=0, ge=0, le=LARGEST_SEED)
    niter: int = Field(default=20, ge=1)
    cluster_seed: int = 42

    @field_validator("measures")
    @classmethod
    def _are_distinct(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(names)) < len(names):
            raise ValueError(f"got {names}; expected distinct names")
        return names

    @property
    def seeds(self) -> range:
        """The stream seeds."""
        return range(self.first_seed, self.first_seed + self.n_streams)


@dataclass(frozen=True, slots=True)
class Sources:
    """Artifacts of earlier stages.

    Attributes
    ----------
    candidates, corpus, pairs, logit_shards
        Candidates, what they are judged by, and their logits.
    clusters, dense
        Clusters that do not depend on the stream; and the dense index, for those that do.
    classes
        Classes of equal texts, where the protocol collapses twins.
    """

    candidates: Path
    corpus: Path
    pairs: Path
    logit_shards: Sequence[Path]
    clusters: Path | None = None
    dense: Path | None = None
    classes: Path | None = None


@dataclass(slots=True)
class _Kept:
    """What was made once and serves again, under a lock: jobs are made in several threads."""

    lock: RLock = field(default_factory=RLock)
    streams: dict[tuple[int, int], list[ScopeStream]] = field(default_factory=dict)
    askings: dict[tuple[ClusterSource, int], Asking] = field(default_factory=dict)
    layouts: dict[tuple[ClusterSource, int], Layout] = field(default_factory=dict)


class Replays:
    """Candidates, truth and streams of one protocol.

    Parameters
    ----------
    sources
        Where they are.
    protocol
        Decides the streams' scopes, and what is relevant.
    stream
        Length and hot set; its own seed is not looked at.
    params
        Seeds and measures.

    Raises
    ------
    BenchError
        When artifacts do not belong together, a query has no pool, or a measure is not supported.

    Notes
    -----
    Memory: that of `Layout` per number of clusters, and 16 bytes per step of each seed. Layouts of clusters that depend
    on the stream are made for one replay and dropped.
    """

    def __init__(self, sources: Sources, protocol: str, stream: StreamParams, params: ManyParams) -> None:
        corpus = Corpus.read(sources.corpus, with_texts=False)
        candidates = pl.read_parquet(sources.candidates / "candidates.parquet").sort("query_index", "position")
        candidates = with_logits(candidates, sources.pairs, sources.logit_shards)
        self.corpus = corpus
        self.quick = QuickMeasures(
            params.measures, truth_of(candidates, corpus, parse_protocol(protocol), sources.classes)
        )
        self._scoped = read_scopes(sources.candidates, sources.corpus)
        self._pools = pools_of(candidates, corpus.queries.height)
        self._population = read_populations(sources.corpus, protocol, stream)
        self._sources, self._stream, self._params = sources, stream, params
        self._kept = _Kept()

    def job(self, rif: RifParams, seed: int) -> Callable[[], Job]:
        """Return what makes the replay of one stream under some rules, when its turn comes."""

        def make() -> Job:
            served = in_clusters(self._streams(seed, rif.steps), self._asking(rif), rif)
            return Job(self._layout(rif, served), served, rif)

        return make

    def _streams(self, seed: int, steps: int) -> list[ScopeStream]:
        """Return the stream of each scope, in the order of the scopes of the candidates; at least `steps` long."""
        longest = max(self._stream.steps, steps)
        with self._kept.lock:
            if (seed, longest) not in self._kept.streams:
                asked = self._stream.model_copy(update={"steps": longest})
                drawn = draw_streams(self._population, asked, seed=seed)
                of_scope = {self._population.scope_ids[stream.scope]: stream for stream in drawn}
                ours = [(number, of_scope[scope_id]) for number, scope_id in enumerate(self._scoped.scope_ids)]
                self._kept.streams[seed, longest] = [
                    ScopeStream(number, stream.n_steps, stream.steps, stream.queries) for number, stream in ours
                ]
            return self._kept.streams[seed, longest]

    def _asking(self, rif: RifParams) -> Asking:
        key = (rif.source, rif.clusters)
        with self._kept.lock:
            if key not in self._kept.askings:
                how = {"niter": self._params.niter, "seed": self._params.cluster_seed}
                self._kept.askings[key] = read_asking(
                    rif, self._scoped, self._sources.clusters, self._sources.dense, **how
                )
            return self._kept.askings[key]

    def _layout(self, rif: RifParams, served: Served) -> Layout:
        """Return the layout; where clusters do not depend on the stream, every query is evaluated in the only one."""
        if rif.source in STREAM_SOURCES:
            return lay_out(self._pools, served)
        with self._kept.lock:
            key = (rif.source, rif.clusters)
            if key not in self._kept.layouts:
                self._kept.layouts[key] = lay_out(self._pools, served)
            return self._kept.layouts[key]


def n_cores() -> int:
    """Return the number of processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

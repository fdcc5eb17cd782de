"""What one run does: `RunConfig`, read from a committed profile and the overrides of the command line."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from flows.run_limits import check_limits
from flows.searches import protocols_of, searches_of
from flows.settings import apply, complaints, profile_names, read_profile
from tasks.behaviour.decomposition import BehaviourParams
from tasks.candidates.build import CandidateParams
from tasks.clusters.kmeans import STREAM_SOURCES, ClusterParams, ClusterSource
from tasks.corpora.locomo import LocomoParams
from tasks.corpora.longmemeval import LongmemevalParams
from tasks.corpora.nfcorpus import NfcorpusParams
from tasks.corpora.protocols import EvidenceRule, Protocol, parse_protocol
from tasks.corpora.synthetic.params import SyntheticParams
from tasks.embeddings.encoders import EncoderParams, native_precision
from tasks.indexes.bm25 import Bm25Params
from tasks.measures.names import MeasureParams
from tasks.measures.query_groups import QueryGroupParams
from tasks.records import BenchError, Params
from tasks.reporting.build import ReportParams
from tasks.reranking.build import ScoreParams
from tasks.reranking.pairs import PairParams
from tasks.selection.build_grid import GridParams
from tasks.significance.families import Family
from tasks.significance.tables import SignificanceParams
from tasks.simulation.build_replay import ReplayParams
from tasks.simulation.first_stage import FirstStage
from tasks.simulation.streams import StreamParams
from tasks.simulation.suppression import RifParams
from tasks.text.documents import TextParams
from tasks.text.tokenizers import TokenizerParams, tokenizer

if TYPE_CHECKING:
    from tasks.simulation.replays import ManyParams

ENCODER = "all-MiniLM-L6-v2"
RERANKER = "ms-marco-MiniLM-L-12-v2-int8"

DEFAULT_SUPPRESSION = ", ".join(
    f"{name.rstrip('_')} {field.default}"
    for name, field in RifParams.model_fields.items()
    if name not in {"rule", "clusters", "rule_set"}
)

Dataset = Literal["synthetic", "locomo", "longmemeval-s", "nfcorpus"]
OPTIONS_OF = {"synthetic": "synthetic", "locomo": "locomo", "longmemeval-s": "longmemeval", "nfcorpus": "nfcorpus"}
"""The table of options of each dataset."""


class SearchParams(Params):
    """What runs under the protocols of one search: by default nothing that reranks.

    Attributes
    ----------
    variants
        Its variants.
    baseline
        The variant that the others are compared with.
    families
        What is compared with what instead, where a search holds several baselines; the first one is the headline's.
    """

    variants: tuple[str, ...] = Field(default=("bm25", "dense", "hybrid-rrf"), min_length=1)
    baseline: str = "bm25"
    families: tuple[Family, ...] = ()


class RunConfig(Params):
    """Everything that decides the numbers of a run. Where results go and how many cores work is not part of it.

    The table of the dataset's own options bears the dataset's name; giving another dataset's table is an error. The
    main `protocol` is that of the headline; `other_protocols` judge the same rankings in other ways, or search in other
    ways: with the `searches` entry of their search protocol, else with `other_searches`. A variant may name a first
    stage of its own: what it says overrides `tokenizer`, `bm25` and `candidates`. `stream_seeds` says on how many other
    streams variants with state are replayed too. `qrels_overlay` is a file of corrections (data/README.md).
    """

    profile: str
    dataset: Dataset
    protocol: str
    other_protocols: tuple[str, ...] = ()
    other_searches: SearchParams = SearchParams()
    searches: Mapping[str, SearchParams] = Field(default_factory=dict)
    qrels_overlay: str | None = None
    synthetic: SyntheticParams = SyntheticParams()
    locomo: LocomoParams = LocomoParams()
    longmemeval: LongmemevalParams = LongmemevalParams()
    nfcorpus: NfcorpusParams = NfcorpusParams()
    text: TextParams = TextParams()
    tokenizer: TokenizerParams = TokenizerParams()
    bm25: Bm25Params = Bm25Params()
    encoder: EncoderParams
    candidates: CandidateParams = CandidateParams()
    pairs: PairParams = PairParams()
    reranker: ScoreParams
    clusters: ClusterParams = ClusterParams()
    stream: StreamParams = StreamParams()
    replay: ReplayParams = ReplayParams()
    variants: tuple[str, ...] = Field(min_length=1)
    measures: MeasureParams = MeasureParams()
    behaviour: BehaviourParams = BehaviourParams()
    stream_seeds: int = Field(default=0, ge=0)
    groups: QueryGroupParams = QueryGroupParams()
    bm25_grid: GridParams | None = None
    latency_queries: int = Field(default=0, ge=0)
    significance: SignificanceParams = SignificanceParams()
    report: ReportParams = ReportParams()

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """Name the default models, and the fastest precision that this processor computes natively."""
        defaults = {"encoder": {"model": ENCODER, "dtype": native_precision()}, "reranker": {"model": RERANKER}}
        given = {name: settings.get(name, {}) for name in defaults}
        filled = {name: {**defaults[name], **table} for name, table in given.items() if isinstance(table, dict)}
        return {**settings, **filled}

    @model_validator(mode="after")
    def _check(self) -> Self:
        strangers = sorted(set(OPTIONS_OF.values()) & self.model_fields_set - {OPTIONS_OF[self.dataset]})
        if strangers:
            raise ValueError(f"options of {', '.join(strangers)} given, but the dataset is {self.dataset}")
        if unknown := sorted(set(self.searches) - {str(search.protocol) for search in searches_of(self)}):
            raise ValueError(f"searches of {', '.join(unknown)}: no protocol of the run has such a search")
        tokenizer(self.tokenizer.name)
        check_limits(self)
        return self

    @property
    def corpus_params(self) -> SyntheticParams | LocomoParams | LongmemevalParams | NfcorpusParams:
        """The options of the run's dataset."""
        options: SyntheticParams | LocomoParams | LongmemevalParams | NfcorpusParams
        options = getattr(self, OPTIONS_OF[self.dataset])
        return options

    @property
    def strict_params(self) -> LocomoParams | None:
        """The options of the corpus whose evidence is read as study B reads it, where a protocol asks for that."""
        is_asked = any(protocol.evidence is EvidenceRule.STRICT for protocol in protocols_of(self))
        return self.locomo.model_copy(update={"evidence": "strict"}) if is_asked else None

    @property
    def behaviour_params(self) -> BehaviourParams:
        """The behaviours, with the seed of the run's stream as a column of their rows."""
        return self.behaviour.model_copy(update={"stream_seed": self.stream.seed})

    def stream_of(self, steps: int) -> StreamParams:
        """Return the parameters of a stream that has at least so many steps: its beginning is the run's stream."""
        return self.stream.model_copy(update={"steps": max(self.stream.steps, steps)})

    @property
    def unseeded_stream(self) -> StreamParams:
        """Length and hot set of the streams where seeds are given apart: the run's own seed must change no key."""
        return self.stream.model_copy(update={"seed": 0})

    @property
    def many_streams(self) -> "ManyParams":
        """The other streams, and what is measured on them: the measures, and the kinds of first result."""
        from tasks.simulation.quick_measures import BEHAVIOURS  # numba: only where streams are replayed
        from tasks.simulation.replays import ManyParams

        kinds = BEHAVIOURS if self.dataset != "nfcorpus" else ()
        return ManyParams(measures=(*self.measures.names, *kinds), n_streams=self.stream_seeds)

    @property
    def cluster_params(self) -> ClusterParams:
        """The cluster parameters, with the numbers of clusters that the variants ask for."""
        rules = [v.rif for search in searches_of(self) for v in search.variants if v.rif]
        counts = {rif.clusters for rif in rules} | {1}
        sources = {rif.source for rif in rules if rif.source not in STREAM_SOURCES} | {ClusterSource.ALL_QUERIES}
        return self.clusters.model_copy(update={"counts": tuple(sorted(counts)), "sources": tuple(sorted(sources))})

    @property
    def method(self) -> dict[str, Any]:
        """What the report's method paragraph names, by words for people."""
        return {
            "tokenizer": self.tokenizer.name,
            "BM25": f"{self.bm25.variant}, k1 {self.bm25.k1}, b {self.bm25.b}",
            "candidates per list": self.candidates.k,
            "ranking depth": self.replay.depth,
            "tie rule": f"{self.candidates.ties}, seed {self.candidates.tie_seed}",
            "embedding precision": self.encoder.dtype,
            "stream": self._stream_in_words,
            "clusters": "as many as asked for" + (", at most a tenth of a conversation's questions" * self._is_split),
            "suppression": f"{DEFAULT_SUPPRESSION}, unless a variant says otherwise",
            "bootstrap resamples": f"{self.significance.n_resamples:,}, seed {self.significance.seed}",
        }

    @property
    def _is_split(self) -> bool:
        """Whether each conversation has its own stream, clusters and state."""
        return not parse_protocol(self.protocol).is_pooled

    @property
    def _stream_in_words(self) -> str:
        length = f"{self.stream.steps_per_query} steps per question of each conversation" * self._is_split
        shares = (
            f"{self.stream.hot_share:.0%} of the questions hot, asked {self.stream.hot_probability:.0%} of the time"
        )
        return f"{length or f'{self.stream.steps:,} steps'}, {shares}, seed {self.stream.seed}"

    @property
    def first_stage(self) -> FirstStage:
        """What makes the lists that every variant of the run starts from."""
        return FirstStage(
            tokenizer=self.tokenizer.name,
            idf=self.bm25.variant,
            k1=self.bm25.k1,
            b=self.bm25.b,
            encoder=self.encoder.model,
            k=self.candidates.k,
            rrf_k=self.candidates.rrf_k,
            rank_origin=self.candidates.rank_origin,
            combine=self.candidates.combine,
            bm25_weight=self.candidates.bm25_weight,
            ties=self.candidates.ties,
            tie_seed=self.candidates.tie_seed,
            fill=self.candidates.fill_zero_scores,
        )

    def search_params(self, search: Protocol, *, is_main: bool) -> SearchParams:
        """Return what runs under a search protocol."""
        if is_main:
            compared = {"baseline": self.significance.baseline, "families": self.significance.families}
            return SearchParams(variants=self.variants, **compared)
        return self.searches.get(str(search), self.other_searches)


def load_config(profile: str, overrides: Sequence[str] = ()) -> RunConfig:
    """Return the configuration of a profile of one data set with `key=value` overrides applied.

    Keys are dotted (`candidates.k=20`), values are TOML (`0.3`, `true`, `"split"`; a bare word is a string).

    Raises
    ------
    BenchError
        For an unknown profile, key or value: all offenders at once, with what is valid.
    """
    studies = profile_names(studies=True)
    if profile in studies:
        raise BenchError(f"profile {profile} reproduces a study on several data sets; it goes with `mnemobench run`")
    if profile not in profile_names():
        raise BenchError(f"unknown profile {profile!r}; there are: {', '.join(sorted([*profile_names(), *studies]))}")
    settings: dict[str, Any] = {"profile": profile, **read_profile(profile)}
    for override in overrides:
        apply(settings, override)
    try:
        return RunConfig.model_validate(settings)
    except ValidationError as error:
        raise BenchError(f"profile {profile}: " + "; ".join(complaints(RunConfig, error))) from error


def command_of(profile: str, settings: Sequence[str], mirror: Path | None, accept_local: Path | None) -> str:
    """Return the command line that does the same run."""
    words = ["mnemobench", "run", "--profile", profile]
    words += [word for setting in settings for word in ("--set", setting)]
    words += ["--mirror", str(mirror)] if mirror else []
    words += ["--accept-local", str(accept_local)] if accept_local else []
    return shlex.join(words)

"""The searches of a run, and how each is judged: what follows from the protocols of its configuration."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tasks.candidates.build import CandidateParams
from tasks.corpora.protocols import EvidenceRule, Protocol, ProtocolName, Qrels, parse_protocol
from tasks.measures.names import OFFICIAL, MeasureParams
from tasks.reporting.build import ReportParams
from tasks.significance.families import Family
from tasks.significance.tables import SignificanceParams
from tasks.simulation.build_replay import ReplayParams
from tasks.simulation.first_stage import FirstStage
from tasks.simulation.variants import RerankParams, Variant, parse

if TYPE_CHECKING:
    from flows.run_config import RunConfig

PROTOCOLS_OF: dict[str, tuple[ProtocolName, ...]] = {
    "synthetic": (ProtocolName.POOLED_TURN, ProtocolName.CONVERSATION_TURN, ProtocolName.CONVERSATION_SESSION),
    "locomo": (ProtocolName.CONVERSATION_TURN, ProtocolName.CONVERSATION_SESSION, ProtocolName.POOLED_TURN),
    "longmemeval-s": (
        ProtocolName.POOLED_TURN,
        ProtocolName.HAYSTACK_TURN,
        ProtocolName.HAYSTACK_SESSION,
        ProtocolName.OFFICIAL_TURN,
        ProtocolName.OFFICIAL_SESSION,
    ),
    "nfcorpus": (ProtocolName.POOLED_DOCUMENT,),
}
"""The protocols that fit each dataset; the first is its usual one."""

OFFICIAL_DEPTH = 50
"""LongMemEval's own evaluation looks at up to 50 ranks."""


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of one first stage, and the variants that start from them.

    Attributes
    ----------
    stage
        Tokenizer, BM25, encoder, depth, fusion and ties.
    variants
        Over that stage.
    depth
        Least depth of each list: some evaluations look deeper than the stage says.
    """

    stage: FirstStage
    variants: tuple[Variant, ...]
    depth: int = 0

    @property
    def candidates(self) -> CandidateParams:
        """Depth, fusion and ties."""
        return CandidateParams(
            k=max(self.stage.k, self.depth),
            rrf_k=self.stage.rrf_k,
            rank_origin=self.stage.rank_origin,
            combine=self.stage.combine,
            bm25_weight=self.stage.bm25_weight,
            ties=self.stage.ties,
            tie_seed=self.stage.tie_seed,
            fill_zero_scores=self.stage.fill,
        )

    @property
    def adaptive(self) -> tuple[Variant, ...]:
        """The variants with a second pass over deeper lists."""
        return tuple(variant for variant in self.variants if variant.adaptive)

    @property
    def replayed(self) -> tuple[Variant, ...]:
        """The others."""
        return tuple(variant for variant in self.variants if not variant.adaptive)

    @property
    def needs_stream(self) -> bool:
        """Whether a variant keeps state."""
        return any(variant.rif for variant in self.variants)

    @property
    def stream_steps(self) -> tuple[int, ...]:
        """The lengths of stream that variants ask for; 0 is the run's own."""
        return tuple(sorted({variant.rif.steps for variant in self.variants if variant.rif}))

    @property
    def needs_logits(self) -> bool:
        """Whether a variant reranks."""
        return any(variant.is_reranked for variant in self.variants)

    def reranked(self, k: int) -> tuple["Lists", Variant]:
        """Return lists of depth k, and the variant that reranks the best k of their fusion (a pass of A.10)."""
        stage = self.stage.model_copy(update={"k": k})
        variant = Variant("hybrid-rerank", RerankParams(pool=k), stage)
        return replace(self, stage=stage, variants=(variant,)), variant


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched under a protocol, and by which variants.

    Attributes
    ----------
    protocol
        What is searched and ranked.
    judged
        The first protocol of the run that judges it: where a weight is chosen, by its judgements.
    lists
        First stages, each with its variants; in the order of the configuration.
    of_sessions
        The variants that score whole sessions.
    baseline
        The variant that the others are compared with.
    families
        What is compared with what instead, where a search holds several baselines.
    replay
        Depths.
    """

    protocol: Protocol
    judged: Protocol
    lists: tuple[Lists, ...]
    of_sessions: tuple[Variant, ...]
    baseline: str
    families: tuple[Family, ...]
    replay: ReplayParams

    @property
    def variants(self) -> tuple[Variant, ...]:
        """All variants."""
        return (*(variant for lists in self.lists for variant in lists.variants), *self.of_sessions)

    @property
    def needs_stream(self) -> bool:
        """Whether a variant keeps state."""
        return any(lists.needs_stream for lists in self.lists)

    @property
    def everywhere(self) -> str:
        """What is indexed: the same whoever asks, and over a corpus whose near-duplicates are gone already."""
        return str(replace(self.protocol, sample=0, dedup=0.0))

    @property
    def baseline_stage(self) -> FirstStage:
        """What makes the lists of the baseline."""
        return next(variant.first_stage for variant in self.variants if str(variant) == self.baseline)


def protocols_of(config: "RunConfig") -> tuple[Protocol, ...]:
    """Return the protocols of a run, the main one first; with an overlay also the main one under patched judgements."""
    main = parse_protocol(config.protocol)
    found = [main, *map(parse_protocol, config.other_protocols)]
    if config.qrels_overlay is not None and not any(p.qrels is Qrels.PATCHED for p in found):
        found.append(replace(main, qrels=Qrels.PATCHED))
    return tuple(found)


def searches_of(config: "RunConfig") -> tuple[Search, ...]:
    """Return the searches of a run, the main one first."""
    protocols = protocols_of(config)
    judged: dict[Protocol, Protocol] = {}
    for protocol in protocols:
        judged.setdefault(protocol.search, protocol)
    main = protocols[0].search
    return tuple(_search(config, judge, is_main=search == main) for search, judge in judged.items())


def measures_of(config: "RunConfig", protocol: Protocol) -> MeasureParams:
    """Return the measures under a protocol: LongMemEval's own evaluation has its own beside the main one."""
    names = (config.report.main_measure, *OFFICIAL) if protocol.is_official else config.measures.names
    return config.measures.model_copy(update={"names": names, "stream_seed": config.stream.seed})


def significance_of(config: "RunConfig", search: Search, protocol: Protocol) -> SignificanceParams:
    """Return the parameters of the statistics: what the search compares; all measures where a protocol has its own."""
    measures = None if protocol.is_official else config.significance.measures
    compared = {"baseline": search.baseline, "families": search.families}
    return config.significance.model_copy(update={**compared, "measures": measures})


def report_of(config: "RunConfig", protocol: Protocol) -> ReportParams:
    """Return the parameters of the report: figures are drawn of the main protocol."""
    return config.report.model_copy(update={"is_drawn": protocol == protocols_of(config)[0]})


def faults(config: "RunConfig") -> Iterator[str]:
    """Say what protocols and variants do not fit together."""
    protocols = protocols_of(config)
    fitting = PROTOCOLS_OF[config.dataset]
    for protocol in protocols:
        if protocol.name not in fitting:
            yield f"protocol {protocol} does not fit {config.dataset}; expected one of {', '.join(fitting)}"
        if protocol.evidence is EvidenceRule.STRICT and config.dataset != "locomo":
            yield f"protocol {protocol}: evidence=strict is a rule for the evidence strings of locomo"
        if protocol.qrels is Qrels.PATCHED and config.qrels_overlay is None:
            yield f"protocol {protocol}: no qrels_overlay is given; make one with `mnemobench overlay`"
    if len(set(protocols)) < len(protocols):
        yield f"a protocol is there twice: {', '.join(map(str, protocols))}"
    for search in searches_of(config):
        yield from _search_faults(config, search)


def _search_faults(config: "RunConfig", search: Search) -> Iterator[str]:
    names = [str(variant) for variant in search.variants]
    if len(set(names)) < len(names):
        yield f"a variant is there twice: {', '.join(names)}"
    if search.baseline not in names:
        yield f"the baseline {search.baseline} is not among the variants {', '.join(names)}"
    compared = {name for family in search.families for name in (family.baseline, *family.variants)}
    if absent := sorted(compared - set(names)):
        yield f"families compare {', '.join(absent)}, which is not among the variants {', '.join(names)}"
    of_sessions = ", ".join(map(str, search.of_sessions))
    if of_sessions and not search.protocol.ranks_sessions:
        yield f"protocol {search.protocol} does not rank sessions; leave out {of_sessions}"
    stateful = ", ".join(name for name in names if name.startswith("rif("))
    reason = "ranks sessions" if search.protocol.shares_history else "gives every question a history of its own"
    if stateful and (not search.protocol.shares_history or search.protocol.ranks_sessions):
        yield (
            f"protocol {search.protocol} {reason}: there is no suppression of turns to carry over; leave out {stateful}"
        )
    if stateful and search.protocol.sample:
        yield f"protocol {search.protocol} asks a sample: a stream of all questions does not fit; leave out {stateful}"


def _search(config: "RunConfig", judged: Protocol, *, is_main: bool) -> Search:
    search = judged.search
    asked = config.search_params(search, is_main=is_main)
    depth = OFFICIAL_DEPTH if search.is_official else 0
    variants = [parse(variant) for variant in asked.variants]
    named = {str(variant): str(variant.over(config.first_stage)) for variant in variants}
    return Search(
        protocol=search,
        judged=judged,
        lists=_grouped([variant for variant in variants if not variant.session], config.first_stage, depth),
        of_sessions=tuple(variant.over(config.first_stage) for variant in variants if variant.session),
        baseline=str(parse(asked.baseline).over(config.first_stage)),
        families=tuple(_over(family, named) for family in asked.families),
        replay=config.replay.model_copy(update={"depth": max(config.replay.depth, depth)}),
    )


def _over(family: Family, named: dict[str, str]) -> Family:
    """Return the family with the names that its variants have over the run's first stage."""
    names = [family.baseline, *family.variants]
    baseline, *variants = [named.get(str(parse(name)), name) for name in names]
    return family.model_copy(update={"baseline": baseline, "variants": tuple(variants)})


def _grouped(variants: Sequence[Variant], first_stage: FirstStage, depth: int) -> tuple[Lists, ...]:
    """Group variants by what makes their lists; one that uses a part of a stage joins the first group that has it."""
    groups: dict[FirstStage, list[Variant]] = {}
    for variant in sorted(variants, key=lambda v: len(v.stage_names), reverse=True):
        ours = variant.over(first_stage)
        names = variant.stage_names
        alike = (g for g in groups if all(getattr(g, n) == getattr(ours.first_stage, n) for n in names))
        groups.setdefault(next(alike, variant.full_stage(first_stage)), []).append(ours)
    order = [str(variant.over(first_stage)) for variant in variants]
    return tuple(
        Lists(stage, tuple(sorted(found, key=lambda v: order.index(str(v)))), depth) for stage, found in groups.items()
    )


def encoders_of(config: "RunConfig") -> tuple[str, ...]:
    """Return the encoders of a run, its own first."""
    used = (variant for search in searches_of(config) for variant in search.variants)
    named = (variant.first_stage.encoder for variant in used if "encoder" in variant.stage_names)
    return tuple(dict.fromkeys([config.encoder.model, *named]))

"""The searches of a run, and how each is judged: what follows from the protocols of its configuration."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tasks.candidates.build import CandidateParams
from tasks.corpora.protocols import Protocol, ProtocolName, Qrels, parse_protocol
from tasks.measures.names import OFFICIAL, MeasureParams
from tasks.reporting.build import ReportParams
from tasks.significance.tables import SignificanceParams
from tasks.simulation.build_replay import ReplayParams
from tasks.simulation.variants import Variant, parse

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
class Search:
    """One way to search, and the protocols that judge its rankings.

    Attributes
    ----------
    protocol
        What is searched and ranked.
    judged_by
        Protocols with that search, in the order of the configuration.
    variants, baseline
        Over the run's first stage.
    candidates, replay
        Depths.
    """

    protocol: Protocol
    judged_by: tuple[Protocol, ...]
    variants: tuple[Variant, ...]
    baseline: str
    candidates: CandidateParams
    replay: ReplayParams

    @property
    def needs_stream(self) -> bool:
        """Whether a variant keeps state."""
        return any(variant.rif for variant in self.variants)

    @property
    def needs_logits(self) -> bool:
        """Whether a variant reranks."""
        return any(variant.is_reranked for variant in self.variants)


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
    distinct = list(dict.fromkeys(protocol.search for protocol in protocols))
    return tuple(_search(config, search, protocols) for search in distinct)


def measures_of(config: "RunConfig", protocol: Protocol) -> MeasureParams:
    """Return the measures under a protocol: LongMemEval's own evaluation has its own beside the main one."""
    names = (config.report.main_measure, *OFFICIAL) if protocol.is_official else config.measures.names
    return config.measures.model_copy(update={"names": names, "stream_seed": config.stream.seed})


def significance_of(config: "RunConfig", search: Search, protocol: Protocol) -> SignificanceParams:
    """Return the parameters of the statistics: the search's baseline; all measures where a protocol has its own."""
    measures = None if protocol.is_official else config.significance.measures
    return config.significance.model_copy(update={"baseline": search.baseline, "measures": measures})


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
        if protocol.qrels is Qrels.PATCHED and config.qrels_overlay is None:
            yield f"protocol {protocol}: no qrels_overlay is given; make one with `mnemobench overlay`"
    if len(set(protocols)) < len(protocols):
        yield f"a protocol is there twice: {', '.join(map(str, protocols))}"
    for search in searches_of(config):
        names = [str(variant) for variant in search.variants]
        if search.baseline not in names:
            yield f"the baseline {search.baseline} is not among the variants {', '.join(names)}"
        if search.needs_stream and (not search.protocol.shares_history or search.protocol.ranks_sessions):
            stateful = ", ".join(name for name in names if name.startswith("rif("))
            reason = "ranks sessions" if search.protocol.shares_history else "gives every question a history of its own"
            yield (
                f"protocol {search.protocol} {reason}: there is no suppression of turns to carry over; leave out "
                f"{stateful}"
            )


def _search(config: "RunConfig", search: Protocol, protocols: tuple[Protocol, ...]) -> Search:
    is_main = search == protocols[0].search
    chosen = config.variants if is_main else config.other_searches.variants
    baseline = config.significance.baseline if is_main else config.other_searches.baseline
    depth = OFFICIAL_DEPTH if search.is_official else 0
    candidates = config.candidates.model_copy(update={"k": max(config.candidates.k, depth)})
    return Search(
        protocol=search,
        judged_by=tuple(protocol for protocol in protocols if protocol.search == search),
        variants=tuple(parse(variant).over(config.first_stage) for variant in chosen),
        baseline=str(parse(baseline).over(config.first_stage)),
        candidates=candidates,
        replay=config.replay.model_copy(update={"depth": max(config.replay.depth, depth)}),
    )

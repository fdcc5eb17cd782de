"""From rankings to a report's tables: measures, behaviour and statistics under one protocol."""

from flows.prepare_corpus import Prepared
from flows.rank_sessions import measure_latency, study_bm25
from flows.rank_variants import Found
from flows.run_config import RunConfig
from flows.searches import measures_of, protocols_of, report_of, significance_of
from tasks.artifacts import Artifact
from tasks.behaviour import prefect_tasks as behaviour
from tasks.corpora.protocols import Protocol
from tasks.measures import prefect_tasks as measures
from tasks.prefect_cache import current_bench
from tasks.reporting import prefect_tasks as reporting
from tasks.significance import prefect_tasks as significance
from tasks.simulation import prefect_tasks as simulation


def judge(config: RunConfig, protocol: Protocol, found: Found, ready: Prepared) -> Artifact:
    """Judge the rankings of a search by one protocol: measures, behaviour, statistics; tables and figures."""
    corpus, classes = ready.labels.corpus_of(protocol), ready.labels.classes_of(protocol)
    rankings = {str(variant): found.rankings[str(variant)] for variant in found.search.variants}
    metrics = measures.query_metrics(
        rankings=rankings,
        corpus=corpus,
        classes=classes,
        protocol=str(protocol),
        params=measures_of(config, protocol),
        asked=found.asked,
    )
    ties = measures.tie_audit(
        rankings=rankings,
        corpus=corpus,
        protocol=str(protocol),
        params=measures_of(config, protocol),
        asked=found.asked,
    )
    groups = measures.query_groups(corpus=corpus, protocol=str(protocol), params=config.groups)
    errors = behaviour.behaviour_metrics(
        rankings=rankings,
        corpus=corpus,
        classes=classes,
        protocol=str(protocol),
        params=config.behaviour_params,
        asked=found.asked,
    )
    statistics = significance.statistics(
        metrics=metrics, corpus=corpus, params=significance_of(config, found.search, protocol)
    )
    is_main = protocol == protocols_of(config)[0]
    return reporting.tables_and_figures(
        dataset=config.dataset,
        protocol=str(protocol),
        corpus=corpus,
        candidates={variant: found.candidates[variant] for variant in rankings},
        rankings=rankings,
        metrics=metrics,
        ties=ties,
        behaviour=errors,
        significance=statistics,
        classes=ready.labels.classes,
        texts=ready.texts,
        truncation=ready.truncation,
        groups=groups,
        fused=found.fused,
        grid=study_bm25(config, found.search, ready) if is_main else None,
        latency=measure_latency(config, found.search, ready) if is_main else (),
        params=report_of(config, protocol),
        streams=other_streams(config, protocol, found, corpus, classes),
    )


def other_streams(
    config: RunConfig, protocol: Protocol, found: Found, corpus: Artifact, classes: Artifact | None
) -> dict[str, Artifact]:
    """Replay the variants with state on other streams, under the main protocol of a run that asks for that."""
    stateful = [variant for variant in found.search.variants if variant.rif]
    if not config.stream_seeds or protocol != protocols_of(config)[0]:
        return {}
    current_bench().listener.announced("simulation", "stream_seeds", len(stateful))
    return {
        str(variant): simulation.stream_seeds(
            **found.inputs[str(variant)].on_many_streams(variant),
            corpus=corpus,
            classes=classes,
            protocol=str(protocol),
            stream=config.unseeded_stream,
            params=config.many_streams,
        )
        for variant in stateful
    }

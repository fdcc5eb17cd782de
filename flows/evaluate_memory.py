"""The main job: from a dataset file to a report, every stage for the variants of one run."""

from pathlib import Path

from prefect import flow

from flows import environment
from flows.listeners import current_listener
from flows.publish import Published, Start, publish
from flows.run_config import RunConfig, command_of, load_config
from tasks.artifacts import Artifact, Store
from tasks.behaviour import prefect_tasks as behaviour
from tasks.candidates import prefect_tasks as candidates
from tasks.clusters import prefect_tasks as clusters
from tasks.corpora import prefect_tasks as corpora
from tasks.downloads import prefect_tasks as downloads
from tasks.embeddings import prefect_tasks as embeddings
from tasks.indexes import prefect_tasks as indexes
from tasks.measures import prefect_tasks as measures
from tasks.prefect_cache import bench
from tasks.reporting import prefect_tasks as reporting
from tasks.reranking import prefect_tasks as reranking
from tasks.significance import prefect_tasks as significance
from tasks.simulation import prefect_tasks as simulation
from tasks.text import prefect_tasks as text


@flow(name="evaluate-memory", flow_run_name="{profile}")
def evaluate_memory(
    profile: str = "sample",
    settings: list[str] | None = None,
    mirror: Path | None = None,
    store: Path | None = None,
    accept_local: Path | None = None,
) -> Published:
    """Evaluate the variants of a profile and publish report and tables.

    Parameters
    ----------
    profile
        Name of a file in `flows/profiles/`.
    settings
        Overrides, each `key=value`.
    mirror
        Folder `<dataset>/<file>` to read datasets from; default `MNEMOBENCH_MIRROR`, else their own addresses.
    store
        Where the results of stages live; default `MNEMOBENCH_STORE`, else `data/derived`.
    accept_local
        A local dataset file to take under its own recorded hash.

    Returns
    -------
    Published
        The run's id, its report, and the artifact with its tables.

    Raises
    ------
    BenchError
        Before any work for a wrong profile or setting; later when data, models or disk are not as they should be.
    """
    config = load_config(profile, settings or [])
    start = Start.now(profile, command_of(profile, settings or [], mirror, accept_local))
    listener = current_listener()
    here = Store(environment.store_root(store))
    here.sweep()
    with bench(here, listener):
        report, models = evaluate(config, environment.mirror_root(mirror), accept_local)
    return publish(config, report, models, start, listener.events, environment.reports_root())


def evaluate(
    config: RunConfig, mirror: Path | None, accept_local: Path | None
) -> tuple[Artifact, list[tuple[str, Artifact]]]:
    """Run the stages in the order of the data flow; return tables and figures, and the models by their role."""
    protocol = config.protocol
    corpus = corpora.corpus(config.corpus_params, mirror, accept_local)
    encoder = downloads.fetch_model(config.encoder.model)
    reranker = downloads.fetch_model(config.reranker.model)
    texts = text.texts(corpus=corpus, params=config.text)
    tokens = text.tokens(texts=texts, params=config.tokenizer)

    document_shards = embeddings.embed(texts, "document_texts", encoder, config.encoder)
    query_shards = embeddings.embed(texts, "query_texts", encoder, config.encoder)
    dense = indexes.dense(texts=texts, document_shards=document_shards, query_shards=query_shards)
    bm25 = indexes.bm25(tokens=tokens, corpus=corpus, protocol=protocol, params=config.bm25)
    pool = candidates.pool(corpus=corpus, dense=dense, bm25=bm25, protocol=protocol, params=config.candidates)

    pairs, logit_shards = reranking.score(pool, texts, reranker, config.pairs, config.reranker)
    groups = clusters.clusters(dense=dense, corpus=corpus, protocol=protocol, params=config.cluster_params)
    stream = simulation.stream(corpus=corpus, protocol=protocol, params=config.stream)
    rankings = simulation.replay_all(
        config.parsed_variants, pool, corpus, config.replay, pairs, logit_shards, groups, stream
    )

    metrics = measures.query_metrics(rankings=rankings, corpus=corpus, protocol=protocol, params=config.measure_params)
    errors = behaviour.behaviour_metrics(
        rankings=rankings, corpus=corpus, protocol=protocol, params=config.behaviour_params
    )
    statistics = significance.statistics(metrics=metrics, corpus=corpus, params=config.significance_params)
    report = reporting.tables_and_figures(
        dataset=config.dataset,
        protocol=protocol,
        corpus=corpus,
        candidates=pool,
        rankings=rankings,
        metrics=metrics,
        behaviour=errors,
        significance=statistics,
        params=config.report,
    )
    return report, [("encoder", encoder), ("reranker", reranker)]

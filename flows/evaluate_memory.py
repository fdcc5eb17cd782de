"""The main job: from a dataset file to a report, every stage for the variants of one run."""

from dataclasses import dataclass
from pathlib import Path

from prefect import flow

from flows import environment
from flows.listeners import current_listener
from flows.publish import Published, Start, publish
from flows.run_config import RunConfig, command_of, load_config
from flows.searches import Search, measures_of, protocols_of, report_of, searches_of, significance_of
from tasks.artifacts import Artifact, Store
from tasks.behaviour import prefect_tasks as behaviour
from tasks.candidates import prefect_tasks as candidates
from tasks.clusters import prefect_tasks as clusters
from tasks.corpora import prefect_tasks as corpora
from tasks.corpora.protocols import Protocol, Qrels, Twins
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


@dataclass(frozen=True, slots=True)
class Prepared:
    """What every search of a run starts from."""

    corpus: Artifact
    texts: Artifact
    tokens: Artifact
    dense: Artifact
    reranker: Artifact
    truncation: Artifact


@dataclass(frozen=True, slots=True)
class Found:
    """The candidates and rankings of one search."""

    search: Search
    pool: Artifact
    rankings: dict[str, Artifact]


@dataclass(frozen=True, slots=True)
class Labels:
    """What rankings are judged by: the corpus, its corrected copy where asked for, and its classes of equal texts."""

    original: Artifact
    patched: Artifact | None
    classes: Artifact

    @classmethod
    def of(cls, config: RunConfig, corpus: Artifact) -> "Labels":
        """Make what the protocols of a run need."""
        return cls(
            original=corpus,
            patched=corpora.with_overlay(corpus, Path(config.qrels_overlay)) if config.qrels_overlay else None,
            classes=corpora.classes(corpus=corpus),
        )


@dataclass(frozen=True, slots=True)
class Results:
    """A report artifact for each protocol, the main one first; and the models by their role."""

    reports: list[Artifact]
    models: list[tuple[str, Artifact]]


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
    with bench(Store(environment.store_root(store)), listener):
        results = evaluate(config, environment.mirror_root(mirror), accept_local)
    return publish(config, results.reports, results.models, start, listener.events, environment.reports_root())


def evaluate(config: RunConfig, mirror: Path | None, accept_local: Path | None) -> Results:
    """Run the stages in the order of the data flow; return a report per protocol, and the models by their role."""
    corpus = corpora.corpus(config.corpus_params, mirror, accept_local)
    encoder = downloads.fetch_model(config.encoder.model)
    reranker = downloads.fetch_model(config.reranker.model)
    texts = text.texts(corpus=corpus, params=config.text)
    tokens = text.tokens(texts=texts, params=config.tokenizer)

    document_shards = embeddings.embed(texts, "document_texts", encoder, config.encoder)
    query_shards = embeddings.embed(texts, "query_texts", encoder, config.encoder)
    dense = indexes.dense(texts=texts, document_shards=document_shards, query_shards=query_shards)

    truncation = embeddings.truncated_documents(texts, encoder, config.encoder)

    ready = Prepared(corpus, texts, tokens, dense, reranker, truncation)
    found = {search.protocol: run_search(config, search, ready) for search in searches_of(config)}
    labels = Labels.of(config, corpus)
    reports = [judge(config, protocol, found[protocol.search], labels, ready) for protocol in protocols_of(config)]
    return Results(reports, [("encoder", encoder), ("reranker", reranker)])


def run_search(config: RunConfig, search: Search, ready: Prepared) -> Found:
    """Rank for every variant of one search; pairs are scored and a stream is drawn only where a variant needs them."""
    corpus, dense, protocol = ready.corpus, ready.dense, str(search.protocol)
    bm25 = indexes.bm25(tokens=ready.tokens, corpus=corpus, protocol=protocol, params=config.bm25)
    pool = candidates.pool(corpus=corpus, dense=dense, bm25=bm25, protocol=protocol, params=search.candidates)

    pairs: Artifact | None = None
    logits: list[Artifact] = []
    if search.needs_logits:
        pairs, logits = reranking.score(pool, ready.texts, ready.reranker, config.pairs, config.reranker)
    groups = stream = None
    if search.needs_stream:
        groups = clusters.clusters(dense=dense, corpus=corpus, protocol=protocol, params=config.cluster_params)
        stream = simulation.stream(corpus=corpus, protocol=protocol, params=config.stream)
    rankings = simulation.replay_all(search.variants, pool, corpus, search.replay, pairs, logits, groups, stream)
    return Found(search, pool, rankings)


def judge(config: RunConfig, protocol: Protocol, found: Found, labels: Labels, ready: Prepared) -> Artifact:
    """Judge the rankings of a search by one protocol: measures, behaviour, statistics; tables and figures."""
    corpus = labels.patched if protocol.qrels is Qrels.PATCHED and labels.patched else labels.original
    classes = labels.classes if protocol.twins is Twins.COLLAPSED else None
    metrics = measures.query_metrics(
        rankings=found.rankings,
        corpus=corpus,
        classes=classes,
        protocol=str(protocol),
        params=measures_of(config, protocol),
    )
    ties = measures.tie_audit(
        rankings=found.rankings, corpus=corpus, protocol=str(protocol), params=measures_of(config, protocol)
    )
    errors = behaviour.behaviour_metrics(
        rankings=found.rankings,
        corpus=corpus,
        classes=classes,
        protocol=str(protocol),
        params=config.behaviour_params,
    )
    statistics = significance.statistics(
        metrics=metrics, corpus=corpus, params=significance_of(config, found.search, protocol)
    )
    return reporting.tables_and_figures(
        dataset=config.dataset,
        protocol=str(protocol),
        corpus=corpus,
        candidates=found.pool,
        rankings=found.rankings,
        metrics=metrics,
        ties=ties,
        behaviour=errors,
        significance=statistics,
        classes=labels.classes,
        texts=ready.texts,
        truncation=ready.truncation,
        params=report_of(config, protocol),
    )

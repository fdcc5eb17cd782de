"""The main job: from a dataset file to a report, every stage for the variants of one run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from prefect import flow

from flows import environment
from flows.listeners import current_listener
from flows.publish import Published, Start, publish
from flows.run_config import RunConfig, command_of, load_config
from flows.searches import Lists, Search, measures_of, protocols_of, report_of, searches_of, significance_of
from tasks.artifacts import Artifact, Store
from tasks.behaviour import prefect_tasks as behaviour
from tasks.candidates import prefect_tasks as candidates
from tasks.clusters import prefect_tasks as clusters
from tasks.corpora import prefect_tasks as corpora
from tasks.corpora.protocols import Protocol, Qrels, Twins
from tasks.corpora.tables import Corpus
from tasks.downloads import prefect_tasks as downloads
from tasks.embeddings import prefect_tasks as embeddings
from tasks.indexes import prefect_tasks as indexes
from tasks.indexes.build_deduplicated import DeduplicationParams
from tasks.measures import prefect_tasks as measures
from tasks.prefect_cache import bench, current_bench
from tasks.reporting import prefect_tasks as reporting
from tasks.reranking import prefect_tasks as reranking
from tasks.significance import prefect_tasks as significance
from tasks.simulation import prefect_tasks as simulation
from tasks.simulation.variants import Variant
from tasks.text import prefect_tasks as text


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the searches of a run in one corpus start from."""

    corpus: Artifact
    texts: Artifact
    dense: Artifact
    reranker: Artifact
    truncation: Artifact
    labels: "Labels"


@dataclass(frozen=True, slots=True)
class Found:
    """The rankings of one search, and what each was replayed on, by canonical name of the variant.

    `asked` says which questions were asked, None for all.
    """

    search: Search
    asked: Artifact | None
    inputs: dict[str, simulation.ReplayInputs]
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
    """What a run found.

    Attributes
    ----------
    reports
        A report artifact for each protocol, the main one first.
    models
        The models by their role.
    rankings
        By protocol and variant.
    """

    reports: list[Artifact]
    models: list[tuple[str, Artifact]]
    rankings: dict[str, dict[str, Artifact]]


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
    """Run the stages in the order of the data flow; return what was found."""
    ready, models = prepare(config, mirror, accept_local)
    found = {
        search.protocol: run_search(config, search, ready[search.protocol.dedup]) for search in searches_of(config)
    }
    protocols = protocols_of(config)
    reports = [judge(config, protocol, found[protocol.search], ready[protocol.dedup]) for protocol in protocols]
    rankings = {str(protocol): found[protocol.search].rankings for protocol in protocols}
    return Results(reports, models, rankings)


def prepare(
    config: RunConfig, mirror: Path | None, accept_local: Path | None
) -> tuple[dict[float, Prepared], list[tuple[str, Artifact]]]:
    """Read, embed and index the corpus, for each threshold of near-duplicates that a protocol has (0 for none).

    Returns what searches start from, by threshold; and the models by their role.
    """
    corpus = corpora.corpus(config.corpus_params, mirror, accept_local)
    encoder = downloads.fetch_model(config.encoder.model)
    reranker = downloads.fetch_model(config.reranker.model)
    texts = text.texts(corpus=corpus, params=config.text)

    document_shards = embeddings.embed(texts, "document_texts", encoder, config.encoder)
    query_shards = embeddings.embed(texts, "query_texts", encoder, config.encoder)
    dense = indexes.dense(texts=texts, document_shards=document_shards, query_shards=query_shards)
    truncation = embeddings.truncated_documents(texts, encoder, config.encoder)

    whole = Prepared(corpus, texts, dense, reranker, truncation, Labels.of(config, corpus))
    ready = {
        threshold: deduplicated(config, whole, threshold, document_shards, query_shards) if threshold else whole
        for threshold in dict.fromkeys(protocol.dedup for protocol in protocols_of(config))
    }
    return ready, [("encoder", encoder), ("reranker", reranker)]


def deduplicated(
    config: RunConfig,
    whole: Prepared,
    threshold: float,
    document_shards: Sequence[Artifact],
    query_shards: Sequence[Artifact],
) -> Prepared:
    """Prepare the corpus without its near-duplicates, with the vectors of the whole: nothing is embedded twice."""
    corpus = indexes.deduplicated(
        corpus=whole.corpus, texts=whole.texts, index=whole.dense, params=DeduplicationParams(threshold=threshold)
    )
    texts = text.texts(corpus=corpus, params=config.text)
    dense = indexes.dense(texts=texts, document_shards=document_shards, query_shards=query_shards)
    labels = Labels(original=corpus, patched=None, classes=corpora.classes(corpus=corpus))
    return replace(whole, corpus=corpus, texts=texts, dense=dense, labels=labels)


def run_search(config: RunConfig, search: Search, ready: Prepared) -> Found:
    """Rank for every variant of one search, first stage by first stage."""
    asked = None
    if search.protocol.sample:
        population = config.stream.published_ids
        asked = corpora.sample(corpus=ready.corpus, size=search.protocol.sample, population=population)
    found = Found(search, asked, {}, {})
    for lists in search.lists:
        inputs = replay_inputs(config, search, lists, asked, ready)
        found.rankings.update(simulation.replay_all(lists.replayed, inputs))
        for variant in lists.adaptive:
            found.rankings[str(variant)] = adaptive_rerank(config, search, lists, variant, asked, ready)
        found.inputs.update({str(variant): inputs for variant in lists.variants})
    return found


def replay_inputs(
    config: RunConfig, search: Search, lists: Lists, asked: Artifact | None, ready: Prepared
) -> simulation.ReplayInputs:
    """Make the candidates of one first stage; pairs are scored and streams drawn only where a variant needs them."""
    corpus, dense, protocol = ready.corpus, ready.dense, str(search.protocol)
    tokens = text.tokens(texts=ready.texts, params=lists.tokenizer)
    everywhere = str(replace(search.protocol, sample=0, dedup=0.0))  # the same index, whoever asks
    bm25 = indexes.bm25(tokens=tokens, corpus=corpus, protocol=everywhere, params=lists.bm25)
    pool = candidates.pool(
        corpus=corpus, dense=dense, bm25=bm25, protocol=everywhere, params=lists.candidates, asked=asked
    )
    pairs: Artifact | None = None
    logits: list[Artifact] = []
    if lists.needs_logits:
        pairs, logits = reranking.score(pool, ready.texts, ready.reranker, config.pairs, config.reranker)
    groups, streams = None, {}
    if lists.needs_stream:
        groups = clusters.clusters(dense=dense, corpus=corpus, protocol=protocol, params=config.cluster_params)
        streams = {
            steps: simulation.stream(corpus=corpus, protocol=protocol, params=config.stream_of(steps))
            for steps in lists.stream_steps
        }
    return simulation.ReplayInputs(pool, corpus, search.replay, pairs, logits, groups, streams, dense)


def adaptive_rerank(
    config: RunConfig, search: Search, lists: Lists, variant: Variant, asked: Artifact | None, ready: Prepared
) -> Artifact:
    """Rank with the lists as deep as they are, and once more with deeper ones where that was not sure (A.10)."""
    n_queries = Corpus.read(ready.corpus.path, with_texts=False).queries.height
    second = variant.adaptive
    assert second is not None
    shallow, first_pass = lists.reranked(lists.stage.k)
    first = simulation.replay(**replay_inputs(config, search, shallow, asked, ready).of(first_pass))
    unsure = simulation.unsure(first=first, n_queries=n_queries, threshold=second.threshold)
    deeper, deep_pass = lists.reranked(second.k_deep)
    deep = simulation.replay(**replay_inputs(config, search, deeper, unsure, ready).of(deep_pass))
    return simulation.second_pass(first=first, unsure=unsure, deep=deep, n_queries=n_queries)


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
            stream=config.stream_of(variant.rif.steps if variant.rif else 0),
            params=config.many_streams,
        )
        for variant in stateful
    }


def judge(config: RunConfig, protocol: Protocol, found: Found, ready: Prepared) -> Artifact:
    """Judge the rankings of a search by one protocol: measures, behaviour, statistics; tables and figures."""
    labels = ready.labels
    corpus = labels.patched if protocol.qrels is Qrels.PATCHED and labels.patched else labels.original
    classes = labels.classes if protocol.twins is Twins.COLLAPSED else None
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
    return reporting.tables_and_figures(
        dataset=config.dataset,
        protocol=str(protocol),
        corpus=corpus,
        candidates={variant: found.inputs[variant].candidates for variant in rankings},
        rankings=rankings,
        metrics=metrics,
        ties=ties,
        behaviour=errors,
        significance=statistics,
        classes=labels.classes,
        texts=ready.texts,
        truncation=ready.truncation,
        params=report_of(config, protocol),
        streams=other_streams(config, protocol, found, corpus, classes),
    )

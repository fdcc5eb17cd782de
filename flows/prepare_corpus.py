"""From a dataset file to indexed vectors: what every search of a run starts from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flows.run_config import RunConfig
from flows.searches import protocols_of
from tasks.artifacts import Artifact
from tasks.corpora import prefect_tasks as corpora
from tasks.corpora.protocols import Protocol, Qrels, Twins
from tasks.downloads import prefect_tasks as downloads
from tasks.embeddings import prefect_tasks as embeddings
from tasks.indexes import prefect_tasks as indexes
from tasks.indexes.build_deduplicated import DeduplicationParams
from tasks.text import prefect_tasks as text


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

    def corpus_of(self, protocol: Protocol) -> Artifact:
        """Return the corpus whose judgements a protocol counts."""
        return self.patched if protocol.qrels is Qrels.PATCHED and self.patched else self.original

    def classes_of(self, protocol: Protocol) -> Artifact | None:
        """Return the classes of equal texts where a protocol collapses them."""
        return self.classes if protocol.twins is Twins.COLLAPSED else None


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the searches of a run in one corpus start from."""

    corpus: Artifact
    texts: Artifact
    dense: Artifact
    reranker: Artifact
    truncation: Artifact
    labels: Labels


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

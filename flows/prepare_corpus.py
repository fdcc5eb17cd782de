"""From a dataset file to indexed vectors: what every search of a run starts from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flows.run_config import RunConfig
from flows.searches import encoders_of, protocols_of
from tasks.artifacts import Artifact
from tasks.corpora import prefect_tasks as corpora
from tasks.corpora.protocols import EvidenceRule, Protocol, Qrels, Twins
from tasks.downloads import prefect_tasks as downloads
from tasks.embeddings import prefect_tasks as embeddings
from tasks.embeddings.encoders import EncoderParams
from tasks.indexes import prefect_tasks as indexes
from tasks.indexes.build_deduplicated import DeduplicationParams
from tasks.records import BenchError
from tasks.text import prefect_tasks as text


@dataclass(frozen=True, slots=True)
class Labels:
    """What rankings are judged by.

    Attributes
    ----------
    original
        The corpus.
    patched
        Its corrected copy, where an overlay is given.
    strict
        The same documents and questions with the evidence that study B counts, where a protocol asks for it.
    classes
        Classes of equal texts.
    """

    original: Artifact
    patched: Artifact | None
    strict: Artifact | None
    classes: Artifact

    @classmethod
    def of(cls, config: RunConfig, corpus: Artifact, strict: Artifact | None) -> "Labels":
        """Make what the protocols of a run need."""
        return cls(
            original=corpus,
            patched=corpora.with_overlay(corpus, Path(config.qrels_overlay)) if config.qrels_overlay else None,
            strict=strict,
            classes=corpora.classes(corpus=corpus),
        )

    def corpus_of(self, protocol: Protocol) -> Artifact:
        """Return the corpus whose judgements a protocol counts."""
        if protocol.evidence is EvidenceRule.STRICT and self.strict:
            return self.strict
        return self.patched if protocol.qrels is Qrels.PATCHED and self.patched else self.original

    def classes_of(self, protocol: Protocol) -> Artifact | None:
        """Return the classes of equal texts where a protocol collapses them."""
        return self.classes if protocol.twins is Twins.COLLAPSED else None


@dataclass(frozen=True, slots=True)
class Encoded:
    """The texts of a corpus through one encoder.

    Attributes
    ----------
    model, params
        The encoder.
    document_shards, query_shards
        Vectors of texts, or of their word pieces.
    dense
        Index of the vectors of texts; None where an encoder gives one for each word piece.
    """

    model: Artifact
    params: EncoderParams
    document_shards: Sequence[Artifact]
    query_shards: Sequence[Artifact]
    dense: Artifact | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the searches of a run in one corpus start from; `encoded` is by encoder, that of the run first."""

    corpus: Artifact
    texts: Artifact
    encoded: Mapping[str, Encoded]
    reranker: Artifact
    truncation: Artifact
    labels: Labels

    @property
    def dense(self) -> Artifact:
        """The dense index of the run's own encoder."""
        return self.dense_of(next(iter(self.encoded)))

    def dense_of(self, encoder: str) -> Artifact:
        """Return the dense index of an encoder."""
        found = self.encoded[encoder].dense
        if found is None:
            raise BenchError(f"{encoder} gives a vector for each word piece: it ranks sessions only, session(pool=max)")
        return found


def prepare(
    config: RunConfig, mirror: Path | None, accept_local: Path | None
) -> tuple[dict[float, Prepared], list[tuple[str, Artifact]]]:
    """Read, embed and index the corpus, for each threshold of near-duplicates that a protocol has (0 for none).

    Returns what searches start from, by threshold; and the models by their role.
    """
    corpus = corpora.corpus(config.corpus_params, mirror, accept_local)
    strict = corpora.corpus(config.strict_params, mirror, accept_local) if config.strict_params else None
    models = {name: downloads.fetch_model(name) for name in encoders_of(config)}
    reranker = downloads.fetch_model(config.reranker.model)
    texts = text.texts(corpus=corpus, params=config.text)

    encoded = {name: encode(config, texts, name, model) for name, model in models.items()}
    own = encoded[config.encoder.model]
    truncation = embeddings.truncated_documents(texts, own.model, own.params)

    whole = Prepared(corpus, texts, encoded, reranker, truncation, Labels.of(config, corpus, strict))
    ready = {
        threshold: deduplicated(config, whole, threshold) if threshold else whole
        for threshold in dict.fromkeys(protocol.dedup for protocol in protocols_of(config))
    }
    return ready, [*(("encoder", model) for model in models.values()), ("reranker", reranker)]


def encode(config: RunConfig, texts: Artifact, name: str, model: Artifact) -> Encoded:
    """Embed and index the texts with one encoder."""
    params = config.encoder.model_copy(update={"model": name})
    documents = embeddings.embed(texts, "document_texts", model, params)
    queries = embeddings.embed(texts, "query_texts", model, params)
    has_vectors = embeddings.has_text_vectors(model)
    dense = indexes.dense(texts=texts, document_shards=documents, query_shards=queries) if has_vectors else None
    return Encoded(model, params, documents, queries, dense)


def deduplicated(config: RunConfig, whole: Prepared, threshold: float) -> Prepared:
    """Prepare the corpus without its near-duplicates, with the vectors of the whole: nothing is embedded twice."""
    corpus = indexes.deduplicated(
        corpus=whole.corpus, texts=whole.texts, index=whole.dense, params=DeduplicationParams(threshold=threshold)
    )
    texts = text.texts(corpus=corpus, params=config.text)
    encoded = {
        name: replace(
            one, dense=indexes.dense(texts=texts, document_shards=one.document_shards, query_shards=one.query_shards)
        )
        for name, one in whole.encoded.items()
        if one.dense
    }
    labels = Labels(original=corpus, patched=None, strict=None, classes=corpora.classes(corpus=corpus))
    return replace(whole, corpus=corpus, texts=texts, encoded=encoded, labels=labels)

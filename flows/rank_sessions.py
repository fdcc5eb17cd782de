"""From indexes to the rankings of the variants that score whole sessions (study B)."""

from collections.abc import Sequence

from flows.prepare_corpus import Encoded, Prepared
from flows.run_config import RunConfig
from flows.searches import Search
from tasks.artifacts import Artifact
from tasks.candidates import prefect_tasks as candidates
from tasks.candidates.build_sessions import SessionScoreParams
from tasks.embeddings import prefect_tasks as embeddings
from tasks.indexes import prefect_tasks as indexes
from tasks.indexes.bm25 import Bm25Params
from tasks.reranking import prefect_tasks as reranking
from tasks.selection import prefect_tasks as selection
from tasks.selection.build_fused import FusionParams
from tasks.selection.build_head import HeadParams
from tasks.selection.build_reranked import RerankedParams
from tasks.selection.latency import LatencyParams, this_machine
from tasks.simulation.first_stage import FirstStage
from tasks.simulation.session_params import FusionRerankParams
from tasks.simulation.variants import Variant
from tasks.text import prefect_tasks as text
from tasks.text.tokenizers import TokenizerParams


def rank_sessions(
    config: RunConfig, search: Search, ready: Prepared, asked: Artifact | None
) -> dict[str, tuple[Artifact, Artifact, Artifact]]:
    """Return, by variant: every session of every question with its scores, how these are combined, and the ranking."""
    lexical = {variant: stage_bm25(search, variant.first_stage, ready) for variant in search.of_sessions}
    scored = {variant: session_scores(search, variant, lexical[variant], ready, asked) for variant in lexical}
    fused = {variant: combined(search, variant, scored[variant], lexical[variant], ready) for variant in lexical}
    reranked = rerank_best(config, {variant: found for variant, found in fused.items() if variant.is_reranked}, ready)
    return {
        str(variant): (scored[variant], fused[variant], (fused | reranked)[variant]) for variant in search.of_sessions
    }


def stage_bm25(search: Search, stage: FirstStage, ready: Prepared) -> Artifact:
    """Index what a search ranks, turns or the texts of sessions, as a first stage does."""
    params = Bm25Params(variant=stage.idf, k1=stage.k1, b=stage.b)
    tokens = stage_tokens(stage, ready)
    return indexes.bm25(tokens=tokens, corpus=ready.corpus, protocol=search.everywhere, params=params)


def stage_tokens(stage: FirstStage, ready: Prepared) -> Artifact:
    """Tokenise as a first stage does."""
    return text.tokens(texts=ready.texts, params=TokenizerParams(name=stage.tokenizer))


def session_scores(
    search: Search, variant: Variant, bm25: Artifact, ready: Prepared, asked: Artifact | None
) -> Artifact:
    """Score every session that a question may find, by BM25 and by the pooled scores of its turns."""
    assert variant.session is not None
    stage, pool = variant.first_stage, variant.session.pool
    encoded, protocol = ready.encoded[stage.encoder], search.everywhere
    return candidates.sessions(
        corpus=ready.corpus,
        bm25=bm25,
        dense=encoded.dense,
        session_texts=text_vectors(encoded, ready) if pool == "text" else None,
        turn_scores=None if encoded.dense else late_interaction(encoded, ready, protocol),
        protocol=protocol,
        params=SessionScoreParams(
            pool=pool,
            rrf_k=stage.rrf_k,
            rank_origin=stage.rank_origin,
            ties=stage.ties,
            tie_seed=stage.tie_seed,
        ),
        asked=asked,
    )


def text_vectors(encoded: Encoded, ready: Prepared) -> Artifact:
    """Embed and index the texts of whole sessions, cut where the encoder stops reading."""
    texts = text.session_texts(texts=ready.texts, corpus=ready.corpus)
    shards = embeddings.embed(texts, "document_texts", encoded.model, encoded.params)
    return indexes.dense(texts=texts, document_shards=shards, query_shards=encoded.query_shards)


def late_interaction(encoded: Encoded, ready: Prepared, protocol: str) -> Artifact:
    """Score every turn that a question may find by its word pieces."""
    return indexes.late_interaction(
        corpus=ready.corpus,
        texts=ready.texts,
        document_shards=encoded.document_shards,
        query_shards=encoded.query_shards,
        protocol=protocol,
    )


def combined(search: Search, variant: Variant, scored: Artifact, bm25: Artifact, ready: Prepared) -> Artifact:
    """Rank the sessions by one score or by two; a weight that is to be chosen is chosen on other questions."""
    stage, fusion = variant.first_stage, variant.fusion
    combine = fusion.combine if fusion else "dense"
    return selection.fused(
        sessions=scored,
        corpus=ready.labels.corpus_of(search.judged),
        classes=ready.labels.classes_of(search.judged),
        bm25=bm25 if combine == "adaptive" else None,
        protocol=str(search.judged),
        params=FusionParams(
            combine=combine,
            alpha=fusion.alpha if fusion else "held-out",
            rrf_k=stage.rrf_k,
            rank_origin=stage.rank_origin,
            ties=stage.ties,
            tie_seed=stage.tie_seed,
        ),
    )


def rerank_best(config: RunConfig, fused: dict[Variant, Artifact], ready: Prepared) -> dict[Variant, Artifact]:
    """Rerank the best sessions of each ranking, each by its best turn; a pair that is in several is scored once."""
    if not fused:
        return {}
    tops = {v: v.params.top for v in fused if isinstance(v.params, FusionRerankParams)}
    heads = [selection.head(rankings=fused[variant], params=HeadParams(top=top)) for variant, top in tops.items()]
    pairs, logits = score_together(config, heads, ready)
    return {
        variant: selection.reranked(rankings=fused[variant], pairs=pairs, shards=logits, params=RerankedParams(top=top))
        for variant, top in tops.items()
    }


def score_together(config: RunConfig, heads: Sequence[Artifact], ready: Prepared) -> tuple[Artifact, list[Artifact]]:
    """Score the pairs of several lists."""
    wanted = heads[0] if len(heads) == 1 else candidates.union(pools=heads)
    return reranking.score(wanted, ready.texts, ready.reranker, config.pairs, config.reranker)


def study_bm25(config: RunConfig, search: Search, ready: Prepared) -> Artifact | None:
    """Measure BM25 under the grid of settings, with the baseline's tokenizer, where the run asks for that."""
    if config.bm25_grid is None:
        return None
    return selection.bm25_grid(
        tokens=stage_tokens(search.baseline_stage, ready),
        corpus=ready.labels.corpus_of(search.judged),
        classes=ready.labels.classes_of(search.judged),
        protocol=str(search.judged),
        params=config.bm25_grid,
    )


def measure_latency(config: RunConfig, search: Search, ready: Prepared) -> list[Artifact]:
    """Measure how long one question takes on this machine with each encoder, where the run asks for that."""
    if not config.latency_queries:
        return []
    params = LatencyParams(machine=this_machine(), n_queries=config.latency_queries, dtype=config.encoder.dtype)
    bm25 = stage_bm25(search, search.baseline_stage, ready)
    return [
        selection.latency(
            corpus=ready.corpus,
            texts=ready.texts,
            bm25=bm25,
            dense=encoded.dense,
            encoder=encoded.model,
            reranker=ready.reranker,
            protocol=search.everywhere,
            params=params,
        )
        for encoded in ready.encoded.values()
        if encoded.dense
    ]

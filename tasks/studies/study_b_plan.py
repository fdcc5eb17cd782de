"""What a run must hold for study B's report beside the two sides of its numbers: families of tests."""

from collections.abc import Iterable, Iterator, Sequence

from tasks.significance.families import Family
from tasks.studies.declared import Quantity
from tasks.studies.names import LONGMEMEVAL
from tasks.studies.study_b import tables
from tasks.studies.study_b_cross import LISTS, RRF, RRF_RERANK, RRF_RIF, Z_RERANK, Z_RIF, Z
from tasks.studies.study_b_names import (
    BGE_SMALL,
    COLBERT,
    CROSS_PROTOCOLS,
    LOCOMO_SESSIONS,
    MINILM,
    POOLED_SESSIONS,
    PUBLISHED_ENCODERS,
    RERANK_ALPHA,
    TOLERANT,
    bm25,
    encoder_label,
    fusion,
    pools_of,
    reranked,
    session,
)

RERANKED = (MINILM, BGE_SMALL, PUBLISHED_ENCODERS["bge-base"])
"""Encoders whose fused sessions are reranked."""


def quantities(dataset: str) -> Iterator[Quantity]:
    """Yield what is measured on a data set."""
    yield from (cell.quantity for cell in tables() if cell.dataset == dataset)


def families(dataset: str, protocol: str, encoders: Sequence[str]) -> tuple[Family, ...]:
    """Return the families of tests under a protocol with the encoders there are, the main one first."""
    if protocol == CROSS_PROTOCOLS[dataset]:
        return tuple(_cross())
    if protocol == POOLED_SESSIONS:
        return (_family("lists of the pool", RRF, (name for name in LISTS.values() if name != RRF)),)
    if protocol in (LOCOMO_SESSIONS, TOLERANT):
        return tuple(_locomo(encoders))
    return tuple(_haystacks(encoders if dataset == LONGMEMEVAL else ()))


def _locomo(encoders: Sequence[str]) -> Iterator[Family]:
    scored = [name for encoder in encoders for name in (session("max", encoder), fusion("max", encoder))]
    yield _family("against BM25", bm25(), scored)
    for encoder in encoders:
        label, late, fused = encoder_label(encoder), session("max", encoder), fusion("max", encoder)
        yield _family(f"fusion against late, {label}", late, (fused,))
        pools = [pool for pool in pools_of(encoder) if pool != "max"]
        yield _family(f"pools, {label}", late, (session(pool, encoder) for pool in pools))
        yield _family(f"pools, fused, {label}", fused, (fusion(pool, encoder) for pool in pools))
        if encoder != COLBERT:
            yield _family(f"late against early, {label}", session("mean", encoder), (late,))
            yield _family(f"late against early, fused, {label}", fusion("mean", encoder), (fused,))
        if encoder in RERANKED:
            yield _family(f"rerank, {label}", fusion("max", encoder, alpha=RERANK_ALPHA), (reranked(encoder),))
        others = ("rrf",) if encoder in PUBLISHED_ENCODERS.values() else ("rrf", "minmax", "adaptive")
        yield _family(f"combiners, {label}", fused, (fusion("max", encoder, combine=name) for name in others))


def _haystacks(encoders: Sequence[str]) -> Iterator[Family]:
    held = [encoder for encoder in encoders if encoder in (MINILM, PUBLISHED_ENCODERS["bge-base"])]
    yield _family("against BM25", bm25(), (n for e in held for n in (session("max", e), fusion("max", e))))
    for encoder in held:
        label, late, fused = encoder_label(encoder), session("max", encoder), fusion("max", encoder)
        yield _family(f"fusion against late, {label}", late, (fused,))
        yield _family(f"combiners, {label}", fused, (fusion("max", encoder, combine="rrf"),))
        if encoder == MINILM:
            yield _family(f"late against early, {label}", session("mean"), (late,))
            yield _family(f"late against early, fused, {label}", fusion("mean"), (fused,))


def _cross() -> Iterator[Family]:
    yield _family("cross table", RRF_RERANK, (RRF_RIF, Z_RERANK, Z_RIF))
    yield _family("suppression over z-fusion", Z_RERANK, (Z_RIF,))
    yield _family("fusion by score against fusion by rank", RRF, (Z,))


def _family(name: str, against: str, variants: Iterable[str]) -> Family:
    return Family(name=name, baseline=against, variants=tuple(variants))

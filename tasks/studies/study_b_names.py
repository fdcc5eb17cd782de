"""Canonical names of the variants and protocols that study B compares."""

from tasks.corpora.protocols import Protocol
from tasks.records import Block
from tasks.studies.names import LOCOMO, LONGMEMEVAL, NFCORPUS, Settings, sampled, variant

LOCOMO_SESSIONS = "conversation-session(evidence=strict)"
"""The study's 1,978 questions."""
TOLERANT = "conversation-session"
"""The same rankings, judged by every reference that can be read: 1,982 questions."""
HAYSTACKS = "haystack-session"
OFFICIAL_SESSIONS = "longmemeval-official-session"
"""LongMemEval's own evaluation: user turns, its gold, its questions (protocols.md, part C)."""
N_SAMPLED = 150
SAMPLED_HAYSTACKS = sampled(HAYSTACKS, N_SAMPLED)
"""A seeded sample of the study's size. Its own was drawn from a mirror that mixes other rows: it cannot be had."""

PROTOCOL_OF = {LOCOMO: LOCOMO_SESSIONS, LONGMEMEVAL: HAYSTACKS, NFCORPUS: "pooled-document"}
"""The protocol of the main table; NFCorpus, which has no sessions, stands in the cross table only."""
CROSS_PROTOCOLS = {
    LONGMEMEVAL: "pooled-turn(relevance=study-a)", NFCORPUS: "pooled-document", LOCOMO: "conversation-turn",
}  # fmt: skip
"""Where the methods of both studies are set side by side: study A's protocols."""
POOLED_SESSIONS = "pooled-turn(level=session)"

MINILM, BGE_SMALL, COLBERT = "all-MiniLM-L6-v2", "bge-small-en-int8", "answerai-colbert-small-int8"
AVAILABLE = (MINILM, BGE_SMALL, COLBERT)
"""Encoders that need no hub."""
PUBLISHED_ENCODERS = {
    "gte-base": "gte-base",
    "bge-base": "bge-base-en-v1.5",
    "e5-base-v2": "e5-base-v2",
    "bge-large": "bge-large-en-v1.5",
    "mxbai-large": "mxbai-embed-large-v1",
    "e5-large-v2": "e5-large-v2",
}
"""The study's encoders: their names in the catalogue by those in its tables. They live on a hub."""
POOLS = ("mean", "max", "top3", "lse10")
LATE_INTERACTION_POOLS = ("max", "top3")
"""What is asked of token-level late interaction; it has neither a mean nor a vector of a text."""

STAGE: Settings = {"tokenizer": "word3+stop", "ties": "earliest"}
"""The study's tokenizer, and its rule among equals: the earliest session (B.2)."""
RERANK_ALPHA = 0.6
CROSS_ALPHA = 0.4
"""The weight of BM25 in the cross table: the one that the study chooses in most folds."""
CROSS_STAGE: Settings = {"combine": "z", "bm25_weight": CROSS_ALPHA}


def bm25(**settings: object) -> str:
    """Return the study's BM25, which ranks every session.

    >>> bm25()
    'bm25(tokenizer=word3+stop,k=100,ties=earliest,fill=true)'
    """
    return variant("bm25", STAGE, {"k": 100, "fill": True}, settings)


def session(pool: str, encoder: str = MINILM) -> str:
    """Return sessions by their pooled turns.

    >>> session("max", "e5-large-v2")
    'session(pool=max,encoder=e5-large-v2,ties=earliest)'
    """
    return variant("session", STAGE, {"pool": pool, "encoder": encoder})


def fusion(pool: str, encoder: str = MINILM, **settings: object) -> str:
    """Return BM25 and pooled turns together; the weight is chosen on other questions unless it is given.

    >>> fusion("max", alpha=0.6)
    'fusion(pool=max,alpha=0.6,tokenizer=word3+stop,ties=earliest)'
    """
    return variant("fusion", STAGE, {"pool": pool, "encoder": encoder}, settings)


def reranked(encoder: str, pool: str = "max") -> str:
    """Return the study's best ten fused sessions, reranked by their best turns.

    >>> reranked("all-MiniLM-L6-v2")
    'fusion-rerank(pool=max,alpha=0.6,tokenizer=word3+stop,ties=earliest)'
    """
    return variant("fusion-rerank", STAGE, {"pool": pool, "encoder": encoder, "alpha": RERANK_ALPHA})


def pools_of(encoder: str) -> tuple[str, ...]:
    """Return the pools that an encoder is asked for."""
    return LATE_INTERACTION_POOLS if encoder == COLBERT else POOLS


def encoder_label(encoder: str) -> str:
    """Return the study's name of an encoder where it has one.

    >>> encoder_label("bge-base-en-v1.5"), encoder_label("all-MiniLM-L6-v2")
    ('bge-base', 'all-MiniLM-L6-v2')
    """
    return next((label for label, name in PUBLISHED_ENCODERS.items() if name == encoder), encoder)


def blocks(protocol: Protocol) -> frozenset[str]:
    """Return the blocks that count: the study mixes LoCoMo's adversarial questions into every mean.

    Where turns are ranked the rows are study A's, and its rule counts. A question that the history cannot answer has no
    value by session.
    """
    if protocol.ranks_sessions or protocol.is_pooled:
        return frozenset(Block)
    return frozenset({Block.MAIN})

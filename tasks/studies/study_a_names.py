"""Canonical names of the variants and protocols that study A compares: the runners' settings, each in one place."""

from tasks.studies.names import LOCOMO, LONGMEMEVAL, NFCORPUS, Settings, variant, with_parameter

SUPPRESSION: Settings = {"idf": "okapi-floor", "rank_origin": 0, "ties": "released", "fill": True}
"""The first stage of the study's suppression runners (A.2): ranks from 0, dense first among equals."""

BASELINES: Settings = {"idf": "okapi-floor", "rank_origin": 1, "ties": "released", "fill": True}
"""That of its baseline runner: ranks from 1."""

DEPTH: Settings = {"idf": "okapi-floor", "rank_origin": 1, "ties": "released-bm25-first", "fill": True}
"""That of its depth and tokenizer runners: ranks from 1, BM25 first among equals."""

BEHAVIOUR: Settings = {**SUPPRESSION, "k": 80}
"""That of its behaviour script: the suppression runners' over lists of 80."""

SPLIT: Settings = {"tokenizer": "split"}
REGEX: Settings = {"tokenizer": "regex"}

STUDY_A_POOL = "pooled-turn(relevance=study-a)"
NFCORPUS_POOL = "pooled-document"
LOCOMO_TURNS = "conversation-turn"
NEAR_DUPLICATES = 0.95
"""The cosine from which on the study's text removes a document."""

PROTOCOL_OF = {LONGMEMEVAL: STUDY_A_POOL, NFCORPUS: NFCORPUS_POOL, LOCOMO: LOCOMO_TURNS}
"""The protocol of the main table; LoCoMo is our addition: the study asks for a second conversational data set."""

TOKENIZERS = {"split": SPLIT, "regex": REGEX}

ROW_LABELS = {
    "baseline": "baseline",
    "global-uniform": "global, uniform",
    "global-gap": "global, rank-gap",
    "clustered30-uniform": "clustered 30, uniform",
    "clustered30-gap": "clustered 30, rank-gap",
}


def baseline(*stage: Settings) -> str:
    """Return the name of the study's baseline: hybrid retrieval, reranked."""
    return variant("hybrid-rerank", *stage)


def rif(rule: str, clusters: int, *settings: Settings) -> str:
    """Return the name of a variant with suppression.

    >>> rif("gap", 30, SPLIT, SUPPRESSION)
    'rif(rule=gap,clusters=30,tokenizer=split,idf=okapi-floor,rank_origin=0,ties=released,fill=true)'
    """
    return variant("rif", {"rule": rule, "clusters": clusters}, *settings)


def main_variant(row: str, *stage: Settings) -> str:
    """Return the name of the variant of a row of the main table.

    >>> main_variant("global-gap")
    'rif(rule=gap,clusters=1)'
    """
    if row == "baseline":
        return baseline(*stage)
    state, _, rule = row.partition("-")
    return rif(rule, int(state.removeprefix("clustered")) if state != "global" else 1, *stage)


def deduplicated(protocol: str) -> str:
    """Return the protocol that searches a corpus without near-duplicates, as the study's text has it (A.1).

    >>> deduplicated(STUDY_A_POOL)
    'pooled-turn(relevance=study-a,dedup=0.95)'
    """
    return with_parameter(protocol, f"dedup={NEAR_DUPLICATES}")

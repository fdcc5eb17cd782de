"""Canonical names of the variants and protocols that study A compares: the runners' settings, each in one place.

Names are those of `tasks.simulation.variants`, which knows what a variant uses and what is the default.
"""

from collections.abc import Mapping
from functools import cache

from tasks.simulation.variants import parameter_names, parse

Settings = Mapping[str, object]

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

LONGMEMEVAL, NFCORPUS, LOCOMO = "longmemeval-s", "nfcorpus", "locomo"
PROTOCOL_OF = {LONGMEMEVAL: STUDY_A_POOL, NFCORPUS: NFCORPUS_POOL, LOCOMO: LOCOMO_TURNS}
"""The protocol of the main table; LoCoMo is our addition: the study asks for a second conversational data set."""

TOKENIZERS = {"split": SPLIT, "regex": REGEX}


def variant(kind: str, *settings: Settings) -> str:
    """Return a variant's canonical name; later settings win, and what the variant does not use is left out.

    >>> variant("rif", SPLIT, SUPPRESSION, {"rule": "gap", "clusters": 30})
    'rif(rule=gap,clusters=30,tokenizer=split,idf=okapi-floor,rank_origin=0,ties=released,fill=true)'
    >>> variant("dense", BASELINES)
    'dense(ties=released)'
    """
    given: dict[str, object] = {}
    for part in settings:
        given |= part
    used = [f"{name}={given[name]}" for name in parameter_names(kind) if name in given]
    return _canonical(f"{kind}({','.join(used)})")


@cache
def _canonical(text: str) -> str:
    """Return the name that a variant goes by; the declarations ask for the same few some thousand times."""
    return str(parse(text))


def baseline(*stage: Settings) -> str:
    """Return the name of the study's baseline: hybrid retrieval, reranked."""
    return variant("hybrid-rerank", *stage)


def rif(rule: str, clusters: int, *settings: Settings) -> str:
    """Return the name of a variant with suppression."""
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


def sampled(protocol: str, n: int) -> str:
    """Return the protocol that asks only `n` of the questions (A.10).

    >>> sampled(STUDY_A_POOL, 200)
    'pooled-turn(relevance=study-a,sample=200)'
    """
    return f"{protocol[:-1]},sample={n})" if protocol.endswith(")") else f"{protocol}(sample={n})"


def deduplicated(protocol: str) -> str:
    """Return the protocol that searches a corpus without near-duplicates, as the study's text has it (A.1).

    >>> deduplicated(STUDY_A_POOL)
    'pooled-turn(relevance=study-a,dedup=0.95)'
    """
    return (
        f"{protocol[:-1]},dedup={NEAR_DUPLICATES})"
        if protocol.endswith(")")
        else f"{protocol}(dedup={NEAR_DUPLICATES})"
    )

"""Where study A's text and code disagree, or its text and its own tables; and what we measure under each reading.

Source: protocol A.1 to A.9. The first reading of a group is that of the code, or of the table.
"""

from collections.abc import Iterator
from dataclasses import replace

from tasks.studies.declared import NDCG, POOL_RECALL, Place, Quantity, Reading, Statistic
from tasks.studies.names import LONGMEMEVAL, NFCORPUS, Settings, sampled, variant
from tasks.studies.study_a import SOURCES
from tasks.studies.study_a_names import (
    BASELINES,
    BEHAVIOUR,
    PROTOCOL_OF,
    REGEX,
    SPLIT,
    STUDY_A_POOL,
    SUPPRESSION,
    baseline,
    deduplicated,
    rif,
)

NO_CAP = 1_000_000.0
"""A cap that no suppression reaches."""

RULES: dict[str, Settings] = {
    "released": {},
    "the text's": {"rule_set": "paper"},
    "the algorithm box to the letter": {"rule_set": "paper-literal"},
    "released, no reinforcement": {"rho": 0.0},
    "released, no decay": {"lambda": 0.0},
    "released, no cap": {"s_max": NO_CAP},
}
"""The update rules: the code's, the text's, and the code's with one part left out at a time (A.4)."""


def places() -> tuple[Place, ...]:
    """Return the places, in the order of the protocol."""
    return (
        Place(
            "near-duplicates",
            "A.1",
            "Texts with a cosine of 0.95 or more are removed when the index is built.",
            "Nothing is removed.",
            (*_both("nothing removed", LONGMEMEVAL, SPLIT, SUPPRESSION), *_removed()),
        ),
        Place(
            "rank origin",
            "A.2",
            "One formula for RRF, 1 / (60 + rank).",
            "Ranks count from 0 in the suppression runners, from 1 in those of baselines, depth and tokenizers.",
            (
                *_both("ranks from 0", LONGMEMEVAL, SPLIT, SUPPRESSION),
                *_both("ranks from 1", LONGMEMEVAL, SPLIT, SUPPRESSION, {"rank_origin": 1}),
            ),
        ),
        Place(
            "ties",
            "A.2",
            "Nothing is said about equal scores, and a candidate of one list always ties with one of the other.",
            "The suppression runners put dense first, the depth and tokenizer runners BM25; BM25's own order is an "
            "unstable sort.",
            (
                *_both("dense first", LONGMEMEVAL, SPLIT, SUPPRESSION),
                *_both("by an opaque key", LONGMEMEVAL, SPLIT, SUPPRESSION, {"ties": "opaque"}),
            ),
        ),
        Place(
            "lists without enough matches",
            "A.2",
            "The top 30 of BM25.",
            "Where fewer than 30 documents share a word with the question, documents of score 0 fill the list.",
            (
                *_both("filled", NFCORPUS, SPLIT, SUPPRESSION),
                *_both("not filled", NFCORPUS, SPLIT, SUPPRESSION, {"fill": False}),
            ),
        ),
        Place(
            "rules",
            "A.4",
            "No reinforcement of winners, no decay, no cap, and winners are suppressed too; the algorithm box cuts the "
            "pool before the penalty, which then can change no result.",
            "Winners are reinforced (rho 0.05), suppression decays (lambda 0.005) and is capped (1.0).",
            tuple(_rules()),
        ),
        Place(
            "cluster source",
            "A.5",
            "Clusters are fitted on the first 10K queries, or the first 2,000 or 5,000 retrievals, then frozen.",
            "They are fitted on all evaluation queries.",
            tuple(
                _effect(row, LONGMEMEVAL, "gap", settings, SPLIT, SUPPRESSION)
                for row, settings in SOURCES.items()
                if row != "corpus embeddings"  # the published counter-example: a table of its own
            ),
        ),
        Place(
            "lists of the behaviour table",
            "A.7",
            "The same pipeline.",
            "The behaviour script takes the union from the top 80 of each list, not the top 30.",
            (*_behaviour("top 80", BEHAVIOUR), *_behaviour("top 30", SUPPRESSION)),
        ),
        Place(
            "rule of the regex sweep",
            "A.9",
            "The rows are labelled rank-gap.",
            "The runner that made them uses the uniform rule.",
            tuple(
                Reading(rule, LONGMEMEVAL, _mean(rif(rule, k, REGEX, SUPPRESSION)), f"{k} clusters")
                for k in (10, 30, 50, 100)
                for rule in ("uniform", "gap")
            ),
        ),
        Place(
            "global state on the regex tokenizer",
            "A.9",
            "0.3369 stands beside the clustered rows.",
            "It comes from another runner, of 2,000 steps; the same runner's is 0.3314.",
            tuple(_regex_global()),
        ),
        Place(
            "effect on the regex tokenizer",
            "A.9",
            "+0.0270 in nDCG@10 and +0.0478 in Recall@30.",
            "That subtracts clustered 30, rank-gap on the split tokenizer from clustered 30, uniform on regex; within "
            "the regex tokenizer the table has +0.0111 and +0.0233.",
            tuple(_regex_effect()),
        ),
        Place(
            "how much less rank-gap suppresses",
            "A.9",
            "30 % fewer documents than the uniform rule.",
            "8,166 to 5,141 are 37 % fewer.",
            tuple(_fewer()),
        ),
        Place(
            "dense + rerank",
            "A.9",
            "nDCG@10 is 0.2217.",
            "The repository's table has 0.2425, on its sample of 200 questions.",
            (
                Reading("the 200 questions", LONGMEMEVAL, _dense_rerank(sampled(STUDY_A_POOL, 200))),
                Reading("all questions", LONGMEMEVAL, _dense_rerank(STUDY_A_POOL), claim="dense-rerank"),
            ),
        ),
    )


def _mean(name: str, dataset: str = LONGMEMEVAL, measure: str = NDCG) -> Quantity:
    return Quantity(PROTOCOL_OF[dataset], name, measure)


def _effect(label: str, dataset: str, rule: str, settings: Settings, *stage: Settings) -> Reading:
    """Return the effect of 30 clusters against the baseline over the same first stage."""
    name, against = rif(rule, 30, settings, *stage), baseline(*stage)
    quantity = Quantity(PROTOCOL_OF[dataset], name, NDCG, Statistic.DIFFERENCE, against)
    return Reading(label, dataset, quantity, "effect of clustered 30, rank-gap")


def _both(label: str, dataset: str, *stage: Settings) -> tuple[Reading, ...]:
    """Return the baseline over a first stage, and the effect of suppression over it."""
    level = Reading(label, dataset, _mean(baseline(*stage), dataset), "baseline")
    return level, _effect(label, dataset, "gap", {}, *stage)


def _removed() -> Iterator[Reading]:
    for reading in _both("removed", LONGMEMEVAL, SPLIT, SUPPRESSION):
        yield replace(reading, quantity=replace(reading.quantity, protocol=deduplicated(STUDY_A_POOL)))


def _rules() -> Iterator[Reading]:
    for label, settings in RULES.items():
        yield _effect(label, LONGMEMEVAL, "gap", settings, SPLIT, SUPPRESSION)


def _behaviour(label: str, stage: Settings) -> Iterator[Reading]:
    for measure in ("exact_episode", NDCG):
        yield Reading(label, LONGMEMEVAL, _mean(baseline(SPLIT, stage), measure=measure), "baseline")
    yield _effect(label, LONGMEMEVAL, "gap", {}, SPLIT, stage)


def _regex_global() -> Iterator[Reading]:
    for rule, steps, claim in (
        ("uniform", 0, None),
        ("uniform", 2000, "regex-global"),
        ("gap", 2000, "regex-global"),
        ("gap", 0, None),
    ):
        label = f"{rule}, {steps:,} steps" if steps else f"{rule}, all steps"
        name = rif(rule, 1, {"steps": steps}, REGEX, SUPPRESSION)
        yield Reading(label, LONGMEMEVAL, _mean(name), claim=claim)


def _regex_effect() -> Iterator[Reading]:
    name = rif("uniform", 30, REGEX, SUPPRESSION)
    within, across = baseline(REGEX, SUPPRESSION), rif("gap", 30, SPLIT, SUPPRESSION)
    for measure, short in ((NDCG, "ndcg"), (POOL_RECALL, "recall")):
        for label, against, claim in (
            ("within the regex tokenizer", within, None),
            ("across tokenizers", across, f"regex-gain-{short}"),
        ):
            quantity = Quantity(STUDY_A_POOL, name, measure, Statistic.DIFFERENCE, against)
            yield Reading(label, LONGMEMEVAL, quantity, claim=claim)


def _fewer() -> Iterator[Reading]:
    gap, uniform = (rif(rule, 30, SPLIT, SUPPRESSION) for rule in ("gap", "uniform"))
    for label, measure in (("documents", "n_documents_above"), ("entries", "n_entries_above")):
        quantity = Quantity(STUDY_A_POOL, gap, measure, Statistic.RELATIVE, uniform)
        yield Reading(label, LONGMEMEVAL, quantity, claim="fewer-suppressed")


def _dense_rerank(protocol: str) -> Quantity:
    return Quantity(protocol, variant("dense-rerank", BASELINES), NDCG)

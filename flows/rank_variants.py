"""From indexes to the rankings of every variant: candidates, logits of their pairs, clusters, streams, replays."""

from collections.abc import Sequence
from dataclasses import dataclass

from flows.prepare_corpus import Prepared
from flows.rank_sessions import rank_sessions, score_together, stage_bm25
from flows.run_config import RunConfig
from flows.searches import Lists, Search
from tasks.artifacts import Artifact
from tasks.candidates import prefect_tasks as candidates
from tasks.clusters import prefect_tasks as clusters
from tasks.corpora import prefect_tasks as corpora
from tasks.simulation import prefect_tasks as simulation
from tasks.simulation.variants import Variant

Scored = tuple[Artifact | None, list[Artifact]]
"""A list of pairs, and the shards with their logits; None and no shard where nothing is reranked."""


@dataclass(frozen=True, slots=True)
class Found:
    """The rankings of one search, and what each was replayed on, by canonical name of the variant.

    `asked` says which questions were asked, None for all; `inputs` are those of the variants that rank lists,
    `fused` the combined scores of those that rank sessions.
    """

    search: Search
    asked: Artifact | None
    inputs: dict[str, simulation.ReplayInputs]
    candidates: dict[str, Artifact]
    fused: dict[str, Artifact]
    rankings: dict[str, Artifact]


def run_search(config: RunConfig, search: Search, ready: Prepared) -> Found:
    """Rank for every variant of one search, first stage by first stage."""
    asked = None
    if search.protocol.sample:
        population = config.stream.published_ids
        asked = corpora.sample(corpus=ready.corpus, size=search.protocol.sample, population=population)
    found = Found(search, asked, {}, {}, {}, {})
    pools = {lists: candidate_pool(search, lists, asked, ready) for lists in search.lists}
    scored = score_pairs(config, [pool for lists, pool in pools.items() if lists.needs_logits], ready)
    for lists, pool in pools.items():
        inputs = replay_inputs(config, search, lists, pool, scored, ready)
        found.rankings.update(simulation.replay_all(lists.replayed, inputs))
        for variant in lists.adaptive:
            found.rankings[str(variant)] = adaptive_rerank(config, search, lists, variant, asked, ready)
        found.inputs.update({str(variant): inputs for variant in lists.variants})
        found.candidates.update({str(variant): pool for variant in lists.variants})
    for name, (sessions, fused, ranking) in rank_sessions(config, search, ready, asked).items():
        found.candidates[name], found.fused[name], found.rankings[name] = sessions, fused, ranking
    return found


def candidate_pool(search: Search, lists: Lists, asked: Artifact | None, ready: Prepared) -> Artifact:
    """Make the candidates of one first stage."""
    return candidates.pool(
        corpus=ready.corpus,
        dense=ready.dense_of(lists.stage.encoder),
        bm25=stage_bm25(search, lists.stage, ready),
        protocol=search.everywhere,
        params=lists.candidates,
        asked=asked,
    )


def score_pairs(config: RunConfig, pools: Sequence[Artifact], ready: Prepared) -> Scored:
    """Score the pairs of all pools together: one that is in several is scored once."""
    return score_together(config, pools, ready) if pools else (None, [])


def replay_inputs(
    config: RunConfig, search: Search, lists: Lists, pool: Artifact, scored: Scored, ready: Prepared
) -> simulation.ReplayInputs:
    """Put together what the variants over one first stage are replayed on; streams only where a variant needs them."""
    corpus, dense, protocol = ready.corpus, ready.dense, str(search.protocol)
    pairs, logits = scored if lists.needs_logits else (None, [])
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
    second = variant.adaptive
    assert second is not None
    first = reranked(config, search, *lists.reranked(lists.stage.k), asked, ready)
    unsure = simulation.unsure(first=first, threshold=second.threshold)
    deep = reranked(config, search, *lists.reranked(second.k_deep), unsure, ready)
    return simulation.second_pass(first=first, unsure=unsure, deep=deep)


def reranked(
    config: RunConfig, search: Search, lists: Lists, variant: Variant, asked: Artifact | None, ready: Prepared
) -> Artifact:
    """Rank with one variant over lists of its own."""
    pool = candidate_pool(search, lists, asked, ready)
    inputs = replay_inputs(config, search, lists, pool, score_pairs(config, [pool], ready), ready)
    return simulation.replay(**inputs.of(variant))

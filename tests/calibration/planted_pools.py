"""Small studies with a planted effect: pools, logits and relevance drawn by the generator itself.

A study is 120 questions in 15 latent clusters, exchangeable within their cluster and over clusters. A question's pool
has the shape of a fused one (two lists of 30, 43 to 54 candidates in all, scores 1 / (61 + rank) summed over lists) and
four kinds of candidates:

* *sure* ones, relevant, early in the pool, with logits above all others;
* *chronic distractors*, the same documents for all questions of a cluster, inside the cut with very low logits: the
  documents that suppression is made for;
* *hidden* ones, shared by the cluster too, just behind the cut with good logits: what comes in when chronic distractors
  leave;
* *ordinary* ones, the question's own.

All but the sure ones are *contested*. Each contested candidate is relevant with probability `BASE_RATE`; in a planted
question (a share `effect` of them) all hidden candidates are relevant.

**Why effect 0 is exactly no effect.** The replay sees documents, fused scores and logits, never relevance, and here
relevance is drawn independently of them. A sure candidate is never suppressed (it always wins, and a winner's
suppression falls from 0 to 0), never leaves the pool (nothing overtakes it) and has the best logits: it has the same
place in both rankings. Every other place of the top 10 is filled, in both rankings, by some contested candidate, and
contested candidates of one question are exchangeable with respect to relevance, also jointly with the ideal DCG, which
depends on their number only. So a place has the same expected gain whatever fills it, and the expected difference of
nDCG@10 is 0 for any rule of suppression, while every question whose top 10 changes goes up or down.

**Why the expected effect is linear in `effect`.** The rankings do not depend on it; it mixes two laws of relevance.

**Who depends on whom.** All questions of a cluster always share suppression. Given the rankings, relevance is
independent over questions unless `shares_relevance`: then a chronic or hidden document is relevant for all questions
of its cluster or for none, and a cluster is planted as a whole. Expected effects are the same, question by question.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tasks.measures.judged import Judged
from tasks.randomness import generator
from tasks.simulation.layout import Pools, Served, lay_out
from tasks.simulation.replay import Replayed, replay
from tasks.simulation.streams import StreamParams, draw_stream
from tasks.simulation.suppression import RifParams
from tasks.simulation.variants import parse

BASELINE = "hybrid-rerank"
N_QUESTIONS, N_CLUSTERS = 120, 15
LIST_DEPTH, CUT = 30, 30
N_SURE, N_CHRONIC, N_CHRONIC_SEEN, N_HIDDEN = 4, 8, 6, 3
N_SHARED = N_CHRONIC + N_HIDDEN
BASE_RATE = 0.15
SURE_LOGIT = 6.0
"""All sure logits are above, all contested ones below."""

Booleans = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Study:
    """What the replay sees, and the dice of relevance, which it does not.

    Attributes
    ----------
    pools
        Candidates of all questions, by position. Documents below `N_CLUSTERS * N_SHARED` are shared in a cluster.
    cluster
        Shape (n_questions,): latent cluster.
    queries
        Shape (n_steps,): the stream.
    is_sure, is_hidden
        Shape (n_rows,).
    own_die, shared_die
        Shape (n_rows,), uniform in [0, 1): the second is one number for each shared document.
    own_plant, shared_plant
        Shape (n_questions,), uniform in [0, 1): the second is one number for each cluster.
    """

    pools: Pools
    cluster: Integers
    queries: Integers
    is_sure: Booleans
    is_hidden: Booleans
    own_die: Floats
    shared_die: Floats
    own_plant: Floats
    shared_plant: Floats


def draw(seed: int) -> Study:
    """Draw a study. The stream is the project's, with its default length per question and hot set."""
    rng = generator(seed, "planted pools")
    sizes, rrf = _fused_scores(rng)
    in_pool = np.arange(rrf.shape[1]) < sizes[:, None]
    cluster = np.arange(N_QUESTIONS) % N_CLUSTERS
    sure = _places(rng, 0, 10, N_SURE)
    chronic = _places(rng, 10, CUT, N_CHRONIC_SEEN)
    hidden = _places(rng, CUT, CUT + 6, N_HIDDEN)
    documents = _documents(rng, cluster, chronic, hidden)
    logits = _logits(rng, sure, chronic, hidden)
    own_die, of_document = rng.random(rrf.shape), rng.random(N_CLUSTERS * N_SHARED)
    is_shared = documents < len(of_document)
    stream = StreamParams()
    return Study(
        pools=Pools(
            offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            documents=documents[in_pool],
            rrf=rrf[in_pool],
            logits=logits[in_pool],
        ),
        cluster=cluster,
        queries=draw_stream(
            N_QUESTIONS,
            stream.steps_per_query * N_QUESTIONS,
            hot_share=stream.hot_share,
            hot_probability=stream.hot_probability,
            rng=rng,
        ),
        is_sure=_at(sure, rrf.shape)[in_pool],
        is_hidden=_at(hidden, rrf.shape)[in_pool],
        own_die=own_die[in_pool],
        shared_die=np.where(is_shared, of_document[np.where(is_shared, documents, 0)], own_die)[in_pool],
        own_plant=rng.random(N_QUESTIONS),
        shared_plant=rng.random(N_CLUSTERS)[cluster],
    )


def rankings(study: Study, variant: str) -> Replayed:
    """Replay the stream for a `rif` variant; the baseline is a replay of nothing."""
    params = parse(variant).rif
    if params is None:
        nothing = np.empty(0, np.int64)
        served, params = Served.fixed(nothing, nothing, study.cluster), RifParams(pool=CUT)
        return replay(lay_out(study.pools, served), served, params)
    cluster = study.cluster if params.clusters == N_CLUSTERS else np.zeros_like(study.cluster)
    served = Served.fixed(np.arange(len(study.queries)), study.queries, cluster)
    return replay(lay_out(study.pools, served), served, params)


def is_relevant(study: Study, effect: float, *, shares_relevance: bool = False) -> Booleans:
    """Return (n_rows,) bool: relevance of each candidate.

    Parameters
    ----------
    study
        The dice.
    effect
        Expected share of the questions that are planted.
    shares_relevance
        Whether the questions of a cluster agree on their shared documents, and are planted together.
    """
    die, plant = (study.shared_die, study.shared_plant) if shares_relevance else (study.own_die, study.own_plant)
    is_planted = np.repeat(plant < effect, np.diff(study.pools.offsets))
    return study.is_sure | (die < BASE_RATE) | (study.is_hidden & is_planted)


def judged(study: Study, ranked: Replayed, relevant: Booleans) -> Judged:
    """Return what the measures read: the gains of the rankings, of all of which at least `CUT` places are filled."""
    sizes = np.diff(study.pools.offsets)
    n_relevant = np.add.reduceat(relevant.astype(np.int64), study.pools.offsets[:-1])
    return Judged(
        gains=relevant[ranked.rows].astype(np.int64).reshape(len(sizes), CUT),
        n_ranked=np.full(len(sizes), CUT),
        ideal=(np.arange(n_relevant.max()) < n_relevant[:, None]).astype(np.int64),
    )


def _fused_scores(rng: np.random.Generator) -> tuple[Integers, Floats]:
    """Return (n,) pool sizes and (n, 2 x depth) fused scores, descending, 0 behind the pool's end."""
    shape = (N_QUESTIONS, LIST_DEPTH)
    first, second = (1 / (61 + rng.random(shape).argsort(axis=1)) for _ in range(2))
    n_in_both = rng.integers(6, 18, N_QUESTIONS)
    is_in_both = np.arange(LIST_DEPTH) < n_in_both[:, None]
    fused = np.concatenate([first + np.where(is_in_both, second, 0.0), np.where(is_in_both, 0.0, second)], axis=1)
    return 2 * LIST_DEPTH - n_in_both, -np.sort(-fused, axis=1)


def _documents(rng: np.random.Generator, cluster: Integers, chronic: Integers, hidden: Integers) -> Integers:
    """Return (n, 2 x depth) documents: at some places the cluster's, elsewhere the question's own."""
    shape = (N_QUESTIONS, 2 * LIST_DEPTH)
    documents = N_CLUSTERS * N_SHARED + np.arange(shape[0] * shape[1]).reshape(shape)
    first_shared = (cluster * N_SHARED)[:, None]
    seen = rng.random((N_QUESTIONS, N_CHRONIC)).argsort(axis=1)[:, :N_CHRONIC_SEEN]
    np.put_along_axis(documents, chronic, first_shared + seen, axis=1)
    np.put_along_axis(documents, hidden, first_shared + N_CHRONIC + np.arange(N_HIDDEN), axis=1)
    return documents


def _logits(rng: np.random.Generator, sure: Integers, chronic: Integers, hidden: Integers) -> Floats:
    """Return (n, 2 x depth) logits; those of the sure candidates are above all others."""
    logits = rng.normal(-4, 3, (N_QUESTIONS, 2 * LIST_DEPTH))
    np.put_along_axis(logits, chronic, rng.normal(-7, 2, chronic.shape), axis=1)
    np.put_along_axis(logits, hidden, rng.normal(3, 1.5, hidden.shape), axis=1)
    logits = np.minimum(logits, SURE_LOGIT - 0.5)
    np.put_along_axis(logits, sure, SURE_LOGIT + 3 * rng.random(sure.shape), axis=1)
    return logits


def _places(rng: np.random.Generator, start: int, stop: int, n: int) -> Integers:
    """Return (n_questions, n) distinct positions from `start` to `stop` - 1."""
    return start + rng.random((N_QUESTIONS, stop - start)).argsort(axis=1)[:, :n]


def _at(places: Integers, shape: tuple[int, ...]) -> Booleans:
    mask = np.zeros(shape, dtype=bool)
    np.put_along_axis(mask, places, True, axis=1)
    return mask

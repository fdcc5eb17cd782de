"""What a sweep costs, said before any work. Nothing here imports Prefect: what is too large is refused at once."""

import time
from dataclasses import dataclass

import numpy as np

from flows.run_config import RunConfig
from flows.sweep_plan import SweepPlan
from tasks.corpora.protocols import parse_protocol
from tasks.downloads.catalog import load_catalog
from tasks.reporting.text_format import seconds, size
from tasks.simulation.layout import Pools, Served, lay_out
from tasks.simulation.many import Job, replay_many
from tasks.simulation.quick_measures import QuickMeasures
from tasks.simulation.replays import n_cores
from tasks.simulation.suppression import RifParams
from tasks.simulation.truth import Truth

SHARE_OF_UNION = 1.8
"""Candidates of a question over the depth of one list: what two lists of 30 have in common is a tenth to a fifth."""
BYTES_PER_ROW = 19
"""Of one cell, stream and measure in the store: two real numbers, and the rest compressed away."""
_TIMED = 6


@dataclass(frozen=True, slots=True)
class Cost:
    """What a sweep takes beside the stages before it.

    `per_replay_s` was measured on as many made-up pools as the data set has questions, on all cores.
    """

    n_replays: int
    per_replay_s: float
    n_bytes: int

    @property
    def wall_s(self) -> float:
        """Seconds in all."""
        return self.n_replays * self.per_replay_s


def in_words(plan: SweepPlan, cost: Cost) -> str:
    """Return the cost of a sweep in a sentence."""
    cores, rate = n_cores(), f"{1 / cost.per_replay_s:,.0f} a second"
    return (
        f"{plan.grid.n_cells:,} cells on {plan.params.n_streams:,} streams: {cost.n_replays:,} replays, about "
        f"{seconds(cost.wall_s)} on {cores} core{'s' * (cores > 1)} ({rate}, measured just now on made-up pools) and "
        f"{size(cost.n_bytes)} of results; before that the stages up to the logits, where the store lacks them."
    )


def cost_of(plan: SweepPlan) -> Cost:
    """Time a few replays of made-up pools of the data set's size, and multiply."""
    n_rows = plan.n_replays * len(plan.params.measures)
    return Cost(plan.n_replays, _seconds_per_replay(plan), n_rows * BYTES_PER_ROW)


def _seconds_per_replay(plan: SweepPlan) -> float:
    config, rng = plan.config, np.random.default_rng(0)
    n_queries = _n_questions(config)
    is_pooled = parse_protocol(config.protocol).is_pooled
    n_steps = config.stream.steps if is_pooled else config.stream.steps_per_query * n_queries
    n_candidates = max(1, round(SHARE_OF_UNION * config.candidates.k))
    n_rows = n_queries * n_candidates
    pools = Pools(
        offsets=np.arange(n_queries + 1) * n_candidates,
        documents=np.concatenate(
            [rng.choice(20 * n_candidates, n_candidates, replace=False) for _ in range(n_queries)]
        ),
        rrf=np.tile(1 / (60 + np.arange(n_candidates) // 2), n_queries),
        logits=rng.normal(-4, 5, size=n_rows),
    )
    clusters = rng.integers(0, 30, size=n_queries)
    served = Served.fixed(np.arange(n_steps), rng.integers(0, n_queries, size=n_steps), clusters)
    quick = QuickMeasures(plan.params.measures, _made_up_truth(n_queries, n_candidates))
    rif = plan.grid.base.rif or RifParams()
    layout = lay_out(pools, served)
    jobs, asked = [lambda: Job(layout, served, rif)] * _TIMED, np.ones(n_queries, dtype=bool)
    replay_many(jobs[:1], quick, asked)  # compiles
    started = time.perf_counter()
    replay_many(jobs, quick, asked, n_threads=n_cores())
    return (time.perf_counter() - started) / _TIMED


def _n_questions(config: RunConfig) -> int:
    if config.dataset == "synthetic":
        return config.synthetic.n_questions
    return load_catalog().datasets[config.dataset].counts["questions"]


def _made_up_truth(n_queries: int, n_candidates: int) -> Truth:
    """Return a truth in which the first candidate of each query is relevant."""
    places = np.tile(np.arange(n_candidates), n_queries)
    everyone, nobody = np.ones(n_queries, dtype=bool), np.zeros(n_queries, dtype=bool)
    ideal = np.ones((n_queries, 1), np.int64)
    return Truth(places, (places == 0).astype(np.int64), places == 0, ideal, everyone, everyone, nobody)

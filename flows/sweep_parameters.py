"""A sweep: the cells of a grid over suppression's parameters, each on many streams, against one baseline."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
from prefect import flow

from flows import environment
from flows.listeners import current_listener
from flows.prepare_corpus import Prepared, prepare
from flows.publish import Start, run_facts, taken_back
from flows.rank_variants import candidate_pool, replay_inputs, score_pairs
from flows.searches import Search, protocols_of, searches_of
from flows.sweep_plan import (
    DEFAULT_BASE,
    SweepPlan,
    command_of_sweep,
    fingerprint_of,
    plan_sweep,
    refuse_unasked,
    with_every_clustering,
)
from tasks.artifacts import Artifact, Store
from tasks.clusters.kmeans import STREAM_SOURCES
from tasks.corpora.tables import Corpus
from tasks.prefect_cache import bench, current_bench
from tasks.records import BenchError
from tasks.reporting import markdown, warehouse
from tasks.reporting.run_facts import DataFacts, RunFacts
from tasks.reporting.sweep_report import write_sweep_report
from tasks.reporting.sweep_tables import Swept, sweep_metrics
from tasks.simulation import prefect_tasks as simulation

REPLAYS_PER_SHARD = 1_000
"""About twenty seconds on two cores: what a killed sweep does again."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """A published sweep: its id, the path of its report, and what was found."""

    run_id: str
    report: str
    found: Swept


@flow(name="sweep-parameters", flow_run_name="{profile}")
def sweep_parameters(
    profile: str = "sample",
    grid: str = "alpha=0.1,0.3,1;eta=0.05,0.1,0.2",
    base: str = DEFAULT_BASE,
    streams: int = 20,
    first_seed: int = 0,
    measures: list[str] | None = None,
    settings: list[str] | None = None,
    mirror: Path | None = None,
    store: Path | None = None,
    accept_local: Path | None = None,
    yes: bool = False,
) -> Sweep:
    """Replay every cell of a grid on many streams, and publish what came out.

    Parameters
    ----------
    profile, settings, mirror, store, accept_local
        As for `evaluate_memory`; only the main protocol is swept.
    grid
        Axes over the parameters of suppression; grammar: `tasks/simulation/grids.py`.
    base
        The `rif` variant that the cells change.
    streams, first_seed
        The seeds are `first_seed`, `first_seed` + 1, ...
    measures
        Names of measures and behaviours, the main one first; default: the profile's main measure and pool recall.
    yes
        Whether more than 20,000 replays are wanted.

    Raises
    ------
    BenchError
        Before any work for a wrong profile, grid or measure, or a grid that nobody said yes to.
    """
    plan = plan_sweep(profile, grid, base, streams, first_seed, measures or [], settings or [])
    refuse_unasked(plan, is_asked=yes)
    command = command_of_sweep(plan, profile, settings or [], mirror, accept_local)
    start = Start.now(f"{profile}-sweep", command)
    listener = current_listener()
    with bench(Store(environment.store_root(store)), listener):
        ready, models = prepare(plan.config, environment.mirror_root(mirror), accept_local)
        search = searches_of(plan.config)[0]
        shards = sweep_all(plan, search, ready[search.protocol.dedup])
    run = run_facts(plan.config, models, start, listener.events)
    return publish_sweep(plan, ready[search.protocol.dedup], shards, run, environment.reports_root())


def sweep_all(plan: SweepPlan, search: Search, ready: Prepared) -> list[Artifact]:
    """Make what the cells start from, and replay them, shard by shard."""
    config, protocol = with_every_clustering(plan), protocols_of(plan.config)[0]
    lists = search.lists[0]
    pool = candidate_pool(search, lists, None, ready)
    inputs = replay_inputs(config, search, lists, pool, score_pairs(config, [pool], ready), ready)
    if inputs.pairs is None or inputs.clusters is None:
        raise BenchError(f"protocol {protocol} has no reranked pool to sweep")
    cells = [cell.variant for cell in plan.grid.cells()]
    needs_vectors = any(variant.rif and variant.rif.source in STREAM_SOURCES for variant in cells)
    parts = list(_shards([str(variant) for variant in cells], plan.params.n_streams))
    current_bench().listener.announced("simulation", "sweep", len(parts))
    return [
        simulation.sweep(
            variants=part,
            baseline=plan.baseline,
            candidates=inputs.candidates,
            corpus=ready.labels.corpus_of(protocol),
            pairs=inputs.pairs,
            logit_shards=inputs.logit_shards,
            clusters=inputs.clusters,
            dense=inputs.dense if needs_vectors else None,
            classes=ready.labels.classes_of(protocol),
            protocol=str(protocol),
            stream=config.unseeded_stream,
            params=plan.params,
        )
        for part in parts
    ]


def publish_sweep(plan: SweepPlan, ready: Prepared, shards: Sequence[Artifact], run: RunFacts, root: Path) -> Sweep:
    """Write the report and the rows of the warehouse: both or none."""
    config, params, protocol = plan.config, plan.params, str(protocols_of(plan.config)[0])
    paths = [shard.path for shard in shards]
    metrics = sweep_metrics(plan.grid, paths, protocol, plan.baseline, params.measures, params.n_streams)
    base = pl.read_parquet(paths[0] / "baseline.parquet")
    untouched = dict(base.select("measure", "mean").iter_rows())
    names = {"dataset": config.dataset, "protocol": protocol, "block": params.block, "baseline": plan.baseline}
    swept = Swept(
        **names, grid=plan.grid, measures=params.measures, seeds=params.seeds, untouched=untouched, metrics=metrics
    )
    run = replace(run, seed=params.first_seed, config_fingerprint=fingerprint_of(plan, run), method=_method(plan, run))
    corpus = Corpus.read(ready.corpus.path, with_texts=False).facts
    tables = root / "warehouse"
    markdown.sweep(root)
    warehouse.sweep(tables)
    written = write_sweep_report(swept, corpus, run, root)
    facts = DataFacts(config.dataset, protocol, corpus, params.measures[0], plan.baseline)
    with taken_back(written, tables, run.run_id):
        warehouse.publish_sweep(swept.rows(), facts, run, tables)
    return Sweep(run.run_id, str(written), swept)


def _shards(cells: list[str], n_streams: int) -> Iterator[list[str]]:
    size = max(1, REPLAYS_PER_SHARD // n_streams)
    for start in range(0, len(cells), size):
        yield cells[start : start + size]


def _method(plan: SweepPlan, run: RunFacts) -> dict[str, object]:
    """Return the settings that a report names: the seeds are those of the sweep, and nothing is resampled."""
    seeds = plan.params.seeds
    said = {name: value for name, value in run.method.items() if not name.startswith("bootstrap")}
    return said | {"stream": re.sub(r", seed \d+$", f", seeds {seeds[0]} to {seeds[-1]}", str(said["stream"]))}

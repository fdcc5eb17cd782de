"""What a sweep does, and whether somebody must say yes to it: known before any work."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.run_config import RunConfig, load_config
from tasks.files import json_digest
from tasks.records import BenchError
from tasks.reporting.run_facts import RunFacts
from tasks.simulation.build_sweep import SweepParams
from tasks.simulation.grids import Grid, parse_grid
from tasks.simulation.quick_measures import check_measures
from tasks.simulation.variants import RerankParams, Variant

DEFAULT_BASE = "rif(rule=gap,clusters=30)"
MOST_UNASKED = 20_000
"""Replays of a sweep that nobody has to say yes to."""


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """What one sweep does.

    Attributes
    ----------
    config
        The profile with the main protocol only; its variants are the baseline and one cell for each clustering.
    grid
        Over the profile's first stage.
    baseline
        The reranked pool without suppression.
    params
        Seeds, measures and block.
    """

    config: RunConfig
    grid: Grid
    baseline: str
    params: SweepParams

    @property
    def n_replays(self) -> int:
        """Replays in all."""
        return self.grid.n_cells * self.params.n_streams


def plan_sweep(
    profile: str,
    grid: str,
    base: str,
    streams: int,
    first_seed: int,
    measures: Sequence[str],
    settings: Sequence[str],
) -> SweepPlan:
    """Return what a sweep does; nothing that depends on the number of cells is made.

    Raises
    ------
    BenchError
        For a wrong profile, grid, measure or number of streams.
    """
    asked = load_config(profile, settings)
    parsed = parse_grid(grid, base)
    parsed = parsed.over(parsed.base.over(asked.first_stage))
    assert parsed.base.rif is not None
    pool = RerankParams(pool=parsed.base.rif.pool)
    baseline = str(Variant("hybrid-rerank", pool, parsed.base.first_stage))
    alone = {
        "variants": [baseline, str(parsed.base)],
        "significance.baseline": baseline,
        "significance.families": [],
        "other_protocols": [],
        "searches": {},
        "stream_seeds": 0,
    }
    config = load_config(profile, [*settings, *(f"{name}={_toml(value)}" for name, value in alone.items())])
    names = tuple(measures) or tuple(dict.fromkeys([config.report.main_measure, config.report.pool_measure]))
    check_measures(names)
    if streams < 1 or first_seed < 0:
        raise BenchError(f"{streams} streams from seed {first_seed}; expected at least one, from seed 0 or more")
    params = SweepParams(
        measures=names,
        n_streams=streams,
        first_seed=first_seed,
        niter=config.replay.niter,
        cluster_seed=config.replay.cluster_seed,
        block=config.report.main_block,
    )
    return SweepPlan(config, parsed, baseline, params)


def refuse_unasked(plan: SweepPlan, *, is_asked: bool) -> None:
    """Raise `BenchError` where a sweep is large and nobody said yes to it."""
    if plan.n_replays > MOST_UNASKED and not is_asked:
        raise BenchError(
            f"{plan.grid.n_cells:,} cells on {plan.params.n_streams:,} streams are {plan.n_replays:,} replays, more "
            f"than {MOST_UNASKED:,}: say --yes to go on, or make the grid smaller. Nothing was computed."
        )


def command_of_sweep(
    plan: SweepPlan, profile: str, settings: Sequence[str], mirror: Path | None, accept_local: Path | None
) -> str:
    """Return the command line that does the same sweep."""
    words = ["mnemobench", "sweep", "--profile", profile, "--grid", str(plan.grid), "--base", str(plan.grid.base)]
    words += ["--streams", str(plan.params.n_streams), "--first-seed", str(plan.params.first_seed)]
    words += [word for name in plan.params.measures for word in ("--measure", name)]
    words += [word for setting in settings for word in ("--set", setting)]
    words += ["--mirror", str(mirror)] if mirror else []
    words += ["--accept-local", str(accept_local)] if accept_local else []
    return shlex.join([*words, "--yes"] if plan.n_replays > MOST_UNASKED else words)


def with_every_clustering(plan: SweepPlan) -> RunConfig:
    """Return the configuration with one variant for each clustering that a cell asks for: they decide what is made."""
    variants = {("", 0): plan.baseline}
    for cell in plan.grid.cells():
        rif = cell.variant.rif
        if rif is not None and (rif.source, rif.clusters) not in variants:
            variants[rif.source, rif.clusters] = str(cell.variant)
    return plan.config.model_copy(update={"variants": tuple(variants.values())})


def fingerprint_of(plan: SweepPlan, run: RunFacts) -> str:
    """Return the digest of the configuration and of what is swept over it."""
    what = {"grid": str(plan.grid), "base": str(plan.grid.base), **plan.params.model_dump(mode="json")}
    return json_digest({"config": run.config_fingerprint, "sweep": what})


def _toml(value: object) -> str:
    return "{}" if value == {} else json.dumps(value)  # JSON of strings, numbers and lists is TOML

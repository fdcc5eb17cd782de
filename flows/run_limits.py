"""What parameters of different stages must agree on, and their sane ranges: checked before any work."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flows.searches import encoders_of, searches_of
from flows.searches import faults as protocol_faults
from tasks.corpora.question_kinds import ALL_BLOCKS
from tasks.downloads.catalog import load_catalog
from tasks.measures.names import parse
from tasks.records import Block

if TYPE_CHECKING:
    from flows.run_config import RunConfig

LARGEST_SEED = 2**31 - 1
MOST_STEPS = 10_000_000
RESAMPLES = range(100, 1_000_001)


def check_limits(config: "RunConfig") -> None:
    """Refuse what no single stage can see is wrong.

    Raises
    ------
    ValueError
        Lists every fault.
    """
    faults = [*protocol_faults(config), *_measures(config), *_labels(config), *_ranges(config), *_models(config)]
    if faults:
        raise ValueError("; ".join(faults))


def _measures(config: "RunConfig") -> Iterator[str]:
    names = config.measures.names
    if not names:
        yield "measures.names is empty"
    for name in names:
        parse(name)
        cutoff = re.search(r"@(\d+)$", name)
        if cutoff and int(cutoff[1]) > config.replay.depth:
            yield f"measure {name} looks deeper than replay.depth = {config.replay.depth} ranks; raise it"
    wanted = {"report.main_measure": config.report.main_measure, "report.pool_measure": config.report.pool_measure}
    wanted |= {f"significance.measures: {name}": name for name in config.significance.measures or ()}
    for place, name in wanted.items():
        if name not in names:
            yield f"{place} = {name!r} is not among measures.names ({', '.join(names)})"
    for search in searches_of(config):
        against = next((v for v in search.variants if str(v) == search.baseline), None)
        for variant in search.variants:
            if variant.rif and against and against.is_reranked and variant.pool != against.pool:
                yield (
                    f"{variant} reranks {variant.pool} candidates and the baseline {against} "
                    f"{against.pool or 'all'}: they would differ by more than suppression; make `pool` equal"
                )


def _labels(config: "RunConfig") -> Iterator[str]:
    if config.report.main_block not in {*Block, ALL_BLOCKS}:
        yield f"report.main_block = {config.report.main_block!r}; expected one of {', '.join([*Block, ALL_BLOCKS])}"
    for table in ("measures", "behaviour"):
        if "stream_seed" in getattr(config, table).model_fields_set:
            yield f"{table}.stream_seed is a label of the results: set stream.seed"
    if "counts" in config.clusters.model_fields_set:
        yield "clusters.counts follows from the variants: leave it out"
    if "role" in config.encoder.model_fields_set:
        yield "encoder.role follows from what is embedded: leave it out"


def _ranges(config: "RunConfig") -> Iterator[str]:
    seeds = {
        "stream.seed": config.stream.seed,
        "significance.seed": config.significance.seed,
        "clusters.seed": config.clusters.seed,
        "candidates.tie_seed": config.candidates.tie_seed,
    }
    for place, seed in seeds.items():
        if not 0 <= seed <= LARGEST_SEED:
            yield f"{place} = {seed}; expected 0 to {LARGEST_SEED}"
    if config.stream.steps > MOST_STEPS:
        yield f"stream.steps = {config.stream.steps}; expected at most {MOST_STEPS:,}"
    if config.significance.n_resamples not in RESAMPLES:
        yield (
            f"significance.n_resamples = {config.significance.n_resamples}; expected {RESAMPLES.start:,} to "
            f"{RESAMPLES.stop - 1:,}"
        )


def _models(config: "RunConfig") -> Iterator[str]:
    catalog = load_catalog()
    of_pieces = {entry.name for entry in catalog.models.values() if entry.kind == "bi-encoder" and not entry.pooling}
    for variant in dict.fromkeys(variant for search in searches_of(config) for variant in search.variants):
        is_late = variant.session is not None and variant.session.pool not in ("mean", "text")
        if variant.first_stage.encoder in of_pieces and "encoder" in variant.stage_names and not is_late:
            yield f"{variant}: its encoder gives a vector for each word piece, which session(pool=max) alone can use"
    own, *others = encoders_of(config)
    wanted = [("encoder.model", own, "bi-encoder"), ("reranker.model", config.reranker.model, "cross-encoder")]
    wanted += [("the encoder of a variant", name, "bi-encoder") for name in others]
    for place, name, kind in wanted:
        known = sorted(entry.name for entry in catalog.models.values() if entry.kind == kind)
        if name not in known:
            yield f"{place} = {name!r}; expected a {kind} of data/catalog.toml: {', '.join(known)}"

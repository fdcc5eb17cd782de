"""Summaries and comparisons of the blocks of a report, from per-query values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tasks.corpora.question_kinds import ALL_BLOCKS
from tasks.randomness import generator
from tasks.records import BenchError, Block, Params
from tasks.significance.bootstrap import Interval, alike, column_intervals
from tasks.significance.effects import effect
from tasks.significance.families import Family, families_of
from tasks.significance.multiplicity import bonferroni
from tasks.significance.permutation import SignFlip, sign_flips
from tasks.significance.schemas import COMPARISON_SCHEMA, SUMMARY_SCHEMA

DECIMALS = 12
"""Means and limits are rounded: the order of summation, which threads may change, moves only later digits."""

Values = NDArray[np.float64]


LEVEL = 0.05
"""Level of the verdicts after adjustment: the minimum detectable effect is that of a test at LEVEL / family size."""


class SignificanceParams(Params):
    """How intervals and comparisons are made.

    Attributes
    ----------
    baseline
        Variant that the others are compared with; each family names its own.
    families
        What is compared and adjusted together, the main one first; empty for one family, all variants against
        `baseline`.
    measures
        Measures to summarise; None for all that are there.
    n_resamples
        Bootstrap resamples, and sampled sign patterns.
    seed
        Seed of both.
    """

    baseline: str = "hybrid-rerank"
    families: tuple[Family, ...] = ()
    measures: tuple[str, ...] | None = None
    n_resamples: int = 10_000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Metrics:
    """Per-query values: `values[variant, measure]` is (n_queries,) float64, NaN where undefined."""

    variants: tuple[str, ...]
    measures: tuple[str, ...]
    values: Mapping[tuple[str, str], Values]


@dataclass(frozen=True, slots=True)
class Members:
    """The questions of a block: their positions, and the number of the conversation of each; None if not grouped."""

    where: NDArray[np.int64]
    conversation: NDArray[np.int64] | None


def read_metrics(directory: Path, params: SignificanceParams) -> Metrics:
    """Read the per-query values; raises `BenchError` when a variant to compare or a measure is not among them."""
    names = ("query_metrics.parquet", "behaviour_metrics.parquet")
    paths = [directory / name for name in names if (directory / name).is_file()]
    if not paths:
        raise BenchError(f"neither {' nor '.join(names)} in {directory}; expected per-query values")
    table = pl.concat([pl.read_parquet(path) for path in paths])
    variants = tuple(table["variant"].unique(maintain_order=True))
    present = tuple(table["measure"].unique(maintain_order=True))
    measures = present if params.measures is None else params.measures
    families_of(params.families, params.baseline, variants)  # before any work
    if unknown := sorted(set(measures) - set(present)):
        raise BenchError(f"measures {', '.join(unknown)} were not computed; choose from: {', '.join(present)}")
    values = {
        (str(variant), str(measure)): _column(part, f"{variant}, {measure}")
        for (variant, measure), part in table.group_by("variant", "measure", maintain_order=True)
    }
    return Metrics(variants, measures, values)


def _column(part: pl.DataFrame, what: str) -> Values:
    indices = part["query_index"].to_numpy()
    if not np.array_equal(np.sort(indices), np.arange(len(indices))):
        raise BenchError(f"{what}: {len(indices)} values; expected one for each question, of one stream seed and split")
    column = np.empty(len(indices))
    column[indices] = part["value"].to_numpy()
    return column


def blocks_of(metrics: Metrics, queries: pl.DataFrame) -> dict[str, Members]:
    """Return the questions of each block that has a defined value, then all of them.

    `queries` has the columns query_index (0, 1, 2, ...), block and scope_id (nullable). The questions are grouped where
    several share a scope: a conversation. A scope of its own for every question (a haystack) is no group.
    """
    has_value = np.zeros(queries.height, dtype=bool)
    for column in metrics.values.values():
        has_value |= ~np.isnan(column)
    block = queries["block"].to_numpy()
    chosen = {str(name): block == name.value for name in Block if has_value[block == name.value].any()}
    if len(chosen) > 1:
        chosen[ALL_BLOCKS] = np.isin(block, list(chosen))
    return {name: _members(is_member, queries["scope_id"]) for name, is_member in chosen.items()}


def _members(is_member: NDArray[np.bool_], scope_ids: pl.Series) -> Members:
    where = np.flatnonzero(is_member)
    scopes = scope_ids.gather(where)
    is_grouped = scopes.null_count() == 0 and 1 < scopes.n_unique() < len(scopes)
    return Members(where, scopes.rank("dense").to_numpy().astype(np.int64) - 1 if is_grouped else None)


def summarise(block: str, metrics: Metrics, members: Members, params: SignificanceParams) -> pl.DataFrame:
    """Return the rows of `SUMMARY_SCHEMA` of one block."""
    keys = [(variant, measure) for variant in metrics.variants for measure in metrics.measures]
    columns = np.column_stack([metrics.values[key][members.where] for key in keys])
    intervals = column_intervals(columns, seed=params.seed, names=("bootstrap", block), n_resamples=params.n_resamples)
    rows = [
        (
            *(block, variant, measure, interval.n, interval.n_undefined),
            *_rounded(interval.mean, interval.lo, interval.hi),
            _mean_over_conversations(column, members.conversation),
        )
        for (variant, measure), column, interval in zip(keys, columns.T, intervals, strict=True)
    ]
    return pl.DataFrame(rows, schema=SUMMARY_SCHEMA, orient="row")


@dataclass(frozen=True, slots=True)
class _Compared:
    """What is known of a pair of variants in a measure, whatever the families it is in."""

    differences: Values
    interval: Interval
    test: SignFlip


Pair = tuple[str, str, str]
"""Variant, baseline and measure."""


def compare(block: str, metrics: Metrics, members: Members, params: SignificanceParams) -> pl.DataFrame:
    """Return the rows of `COMPARISON_SCHEMA` of one block: the families in their order."""
    families = families_of(params.families, params.baseline, metrics.variants)
    pairs = dict.fromkeys(pair for family in families for pair in _pairs(family, metrics.measures))
    if not pairs:
        return pl.DataFrame(schema=COMPARISON_SCHEMA)
    columns = np.column_stack(
        [
            (metrics.values[variant, measure] - metrics.values[baseline, measure])[members.where]
            for variant, baseline, measure in pairs
        ]
    )
    intervals = column_intervals(
        columns, seed=params.seed, names=("bootstrap of differences", block), n_resamples=params.n_resamples
    )
    tests = _tests(columns, generator_names=("sign-flip", block), params=params)
    found = {pair: _Compared(columns[:, place], intervals[place], tests[place]) for place, pair in enumerate(pairs)}
    rows = [
        row
        for index, family in enumerate(families)
        for row in _rows(block, index, family, {pair: found[pair] for pair in _pairs(family, metrics.measures)})
    ]
    return pl.DataFrame(rows, schema=COMPARISON_SCHEMA, orient="row")


def _pairs(family: Family, measures: tuple[str, ...]) -> list[Pair]:
    return [(variant, family.baseline, measure) for variant in family.variants for measure in measures]


def _rows(block: str, index: int, family: Family, found: Mapping[Pair, _Compared]) -> Iterator[tuple[object, ...]]:
    adjusted, sizes = _adjust([pair[2] for pair in found], [compared.test for compared in found.values()])
    for place, ((variant, baseline, measure), compared) in enumerate(found.items()):
        interval, test = compared.interval, compared.test
        size = effect(compared.differences, alpha=LEVEL / max(sizes[measure], 1))  # the level of the verdict
        yield (
            *(block, family.name, index, variant, baseline, measure, interval.n, interval.n_undefined),
            *_rounded(interval.mean, interval.lo, interval.hi),
            *(test.p, adjusted[place], sizes[measure]),
            *(test.is_exact, *_rounded(size.effect_size), size.wins, size.ties, size.losses),
            *_rounded(size.minimum_detectable_effect),
        )


def _tests(columns: Values, *, generator_names: tuple[str, ...], params: SignificanceParams) -> list[SignFlip]:
    """Return the test of each column. Columns with as many defined rows see the same signs, whatever the others."""
    found: dict[int, SignFlip] = {}
    for places, defined in alike(columns):
        rng = generator(params.seed, *generator_names)
        results = (
            sign_flips(defined, rng=rng, n_draws=params.n_resamples)
            if len(defined)
            else [SignFlip(np.nan, 0, 0, 0, is_exact=True)] * len(places)
        )
        found |= {int(place): result for place, result in zip(places, results, strict=True)}
    return [found[place] for place in range(columns.shape[1])]


def _adjust(measures: list[str], tests: list[SignFlip]) -> tuple[Values, dict[str, int]]:
    """Return the adjusted p-values of a family, and how many of its comparisons in each measure have a p-value."""
    p = np.array([test.p for test in tests])
    adjusted = np.full(len(p), np.nan)
    sizes = {}
    for measure in dict.fromkeys(measures):
        is_adjusted = np.array([name == measure for name in measures]) & ~np.isnan(p)
        adjusted[is_adjusted] = bonferroni(p[is_adjusted])
        sizes[measure] = int(is_adjusted.sum())
    return adjusted, sizes


def _mean_over_conversations(column: Values, conversation: NDArray[np.int64] | None) -> float | None:
    """Return the mean of the conversations' means, over those with a defined value; None where not grouped."""
    if conversation is None:
        return None
    defined = ~np.isnan(column)
    if not defined.any():
        return float("nan")
    sums = np.bincount(conversation[defined], weights=column[defined])
    counts = np.bincount(conversation[defined])
    return _rounded(float((sums[counts > 0] / counts[counts > 0]).mean()))[0]


def _rounded(*numbers: float) -> tuple[float, ...]:
    return tuple(round(number, DECIMALS) + 0.0 for number in numbers)  # + 0.0 turns -0.0 into 0.0

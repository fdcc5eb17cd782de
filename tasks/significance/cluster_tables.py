"""The comparisons of a block where questions come in groups, by every method: the rows of `CLUSTER_COMPARISON_SCHEMA`.

Five methods over the same paired differences, all about the same number, the mean over all questions:

* `QUESTION_BOOTSTRAP`, as if every question were a draw of its own: the interval of the table `comparisons`, for
  contrast;
* `CLUSTER_BOOTSTRAP`, study B's: percentiles over resampled groups. With few groups its intervals are too short
  (Cameron, Gelbach & Miller 2008, "Bootstrap-based improvements for inference with clustered errors");
* `CLUSTER_SIGN_FLIP`: exact, and with G groups never below 2 / 2^G;
* `CLUSTER_BOOTSTRAP_T` and `WILD_CLUSTER`: studentised with the cluster-robust variance.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from tasks.randomness import generator
from tasks.significance.clustered import cluster_bootstrap, cluster_sign_flip
from tasks.significance.grouped import Clustered, grouped
from tasks.significance.schemas import CLUSTER_COMPARISON_SCHEMA
from tasks.significance.studentised import cluster_bootstrap_t, wild_cluster
from tasks.significance.tables import DECIMALS, Members, Metrics

QUESTION_BOOTSTRAP = "question-bootstrap"
CLUSTER_BOOTSTRAP = "cluster-bootstrap"
CLUSTER_SIGN_FLIP = "cluster-sign-flip"
CLUSTER_BOOTSTRAP_T = "cluster-bootstrap-t"
WILD_CLUSTER = "wild-cluster"

_CLUSTERED = {
    CLUSTER_BOOTSTRAP: cluster_bootstrap,
    CLUSTER_SIGN_FLIP: cluster_sign_flip,
    CLUSTER_BOOTSTRAP_T: cluster_bootstrap_t,
    WILD_CLUSTER: wild_cluster,
}
METHODS = (QUESTION_BOOTSTRAP, *_CLUSTERED)
"""In the order of a table: the naive one, the study's, the exact one, the studentised ones."""


def cluster_inference(
    columns: ArrayLike, groups: ArrayLike, *, rng: Callable[[str], np.random.Generator]
) -> dict[str, list[Clustered]]:
    """Return what each method but the naive one says about each column of paired differences.

    Parameters
    ----------
    columns
        Shape (n, m), float64: a row per question; NaN is left out.
    groups
        Shape (n,), integers from 0: the conversation of each question.
    rng
        Makes the generator of a method, by its name, anew at each call: columns with as many groups see the same draws,
        whatever the other columns are.

    Raises
    ------
    BenchError
        As `grouped`.
    """
    given = np.asarray(columns, dtype=np.float64)
    found: dict[str, dict[int, Clustered]] = {method: {} for method in _CLUSTERED}
    for places, part in grouped(given, groups):
        for method, infer in _CLUSTERED.items():
            found[method] |= zip(places.tolist(), infer(part, rng=rng(method)), strict=True)
    return {method: [by_place[place] for place in range(given.shape[1])] for method, by_place in found.items()}


def compare_clusters(block: str, compared: pl.DataFrame, metrics: Metrics, members: Members, seed: int) -> pl.DataFrame:
    """Return the rows of one block: for each comparison one row per method; none where questions are not grouped.

    Parameters
    ----------
    block
        Name of the block.
    compared
        Its rows of `COMPARISON_SCHEMA`: families, pairs, differences and the naive interval.
    metrics, members
        What they were made from.
    seed
        Seed of the generators, which are named after method and block.
    """
    pairs = list(compared.select("variant", "baseline", "measure").unique(maintain_order=True).iter_rows())
    if members.conversation is None or not pairs:
        return pl.DataFrame(schema=CLUSTER_COMPARISON_SCHEMA)
    columns = np.column_stack(
        [
            (metrics.values[variant, measure] - metrics.values[baseline, measure])[members.where]
            for variant, baseline, measure in pairs
        ]
    )
    found = cluster_inference(columns, members.conversation, rng=lambda method: generator(seed, method, block))
    of_pair = {pair: {method: found[method][place] for method in found} for place, pair in enumerate(pairs)}
    rows = [
        values
        for row in compared.iter_rows(named=True)
        for values in _rows(row, of_pair[row["variant"], row["baseline"], row["measure"]])
    ]
    return pl.DataFrame(rows, schema=CLUSTER_COMPARISON_SCHEMA, orient="row")


def _rows(row: dict[str, Any], found: dict[str, Clustered]) -> Iterator[tuple[Any, ...]]:
    start = tuple(row[name] for name in ("block", "family", "variant", "baseline", "measure"))
    n_groups = found[CLUSTER_BOOTSTRAP].n_groups
    yield *start, QUESTION_BOOTSTRAP, row["n"], n_groups, row["delta"], *_known(row["lo"], row["hi"]), None, None, False
    for method, one in found.items():
        numbers = _known(one.lo, one.hi, one.p, one.p_floor)
        yield *start, method, row["n"], n_groups, row["delta"], *numbers, one.is_one_sided


def _known(*numbers: float) -> tuple[float | None, ...]:
    """Return rounded numbers, None for NaN: a method that gives no such number, or has none here."""
    return tuple(None if math.isnan(number) else round(number, DECIMALS) + 0.0 for number in numbers)

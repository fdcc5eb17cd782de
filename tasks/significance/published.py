"""Study A's own statistics, with its order of random draws, so that its published tables can be reproduced exactly.

Source: protocol A.8. One generator serves a whole table, so a number depends on those before it. p-values compare
floating-point means without a tolerance, and always sample.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tasks.significance.bootstrap import Interval, differences, mean_interval
from tasks.significance.permutation import sign_flip

SEED = 42


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Interval of a mean difference, and the p-value of the sign-flip test."""

    difference: Interval
    p: float


@dataclass(frozen=True, slots=True)
class StudyARow:
    """A row of a table; the paired tests are against the baseline, None for itself."""

    ndcg: Interval
    recall: Interval
    ndcg_against_baseline: PairedTest | None = None
    recall_against_baseline: PairedTest | None = None


@dataclass(frozen=True, slots=True)
class PerQuery:
    """Per-query values of one variant, (n,) each, in the study's order of queries."""

    ndcg: ArrayLike
    recall: ArrayLike


def study_a_table(variants: Mapping[str, PerQuery], baseline: str = "baseline") -> dict[str, StudyARow]:
    """Return a table of the study by variant, in the order given, which is the order of draws.

    The main table compares with ``baseline``; the pairwise table is the same table with ``clustered30-uniform`` as the
    baseline (the means are drawn there too, though not printed).
    """
    rng = np.random.default_rng(SEED)
    against = variants[baseline]
    table = {}
    for name, values in variants.items():
        ndcg, recall = mean_interval(values.ndcg, rng=rng), mean_interval(values.recall, rng=rng)
        tests = (None, None) if name == baseline else _paired_tests(values, against, rng)
        table[name] = StudyARow(ndcg, recall, *tests)
    return table


def _paired_tests(values: PerQuery, against: PerQuery, rng: np.random.Generator) -> tuple[PairedTest, PairedTest]:
    pairs = [differences(values.ndcg, against.ndcg), differences(values.recall, against.recall)]
    intervals = [mean_interval(pair, rng=rng) for pair in pairs]
    p_values = [sign_flip(pair, rng=rng, exact_limit=0, tolerance=0.0).p for pair in pairs]
    ndcg, recall = (PairedTest(interval, p) for interval, p in zip(intervals, p_values, strict=True))
    return ndcg, recall

"""What many streams say of a variant: the spread of its means, and how often a difference turns round."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tasks.reporting.families import members, of_family
from tasks.reporting.schemas import COMPARISONS, QUERY_METRICS, STREAM_METRICS, SUMMARY

Values = npt.NDArray[np.float64]

ZERO = 1e-9
"""Differences up to this size have no sign: sums of equal values, in another order."""


@dataclass(frozen=True, slots=True)
class Spread:
    """One variant and measure over many streams, beside the run's own stream; NaN where something is undefined.

    Attributes
    ----------
    variant, measure, own_seed
        What it is of, and the seed of the run's own stream.
    here, delta_here
        Mean over questions after the run's own stream, and the difference to the baseline.
    means, deltas
        The same after each of the streams, shape (n_streams,), float64, by seed.
    """

    variant: str
    measure: str
    own_seed: int
    here: float
    delta_here: float
    means: Values
    deltas: Values

    @property
    def is_compared(self) -> bool:
        """Whether there are differences to a baseline."""
        return not np.isnan(self.deltas).any() and not np.isnan(self.delta_here)

    @property
    def share_opposite(self) -> float:
        """Share of the streams whose difference has the other sign than the run's own; NaN where that has none."""
        if not self.is_compared or not abs(self.delta_here) > ZERO:
            return float("nan")
        return float(np.mean(self.is_opposite))

    @property
    def is_opposite(self) -> npt.NDArray[np.bool_]:
        """Which streams have a difference of the other sign; none of them where the run's own has no sign."""
        return np.asarray(self.deltas * np.sign(self.delta_here) < -ZERO)


def spreads(tables: Mapping[str, pl.DataFrame], facts: Mapping[str, Any]) -> list[Spread]:
    """Return a spread for each variant of the main family with many streams, and each of their measures.

    `tables` are those of the report, by name. Differences are to the baseline of the main family.
    """
    block = facts["params"]["main_block"]
    streams = tables[STREAM_METRICS.name].sort("stream_seed")
    seeds = dict(tables[QUERY_METRICS.name].select("variant", "stream_seed").unique().drop_nulls().iter_rows())
    here = _numbers(tables[SUMMARY.name].filter(pl.col("block") == block), "mean")
    compared = _numbers(of_family(tables[COMPARISONS.name]).filter(pl.col("block") == block), "delta")
    found = []
    for variant in members(facts):
        own = streams.filter(pl.col("variant") == variant, pl.col("n") > 0)
        for measure in own["measure"].unique(maintain_order=True):
            rows, key = own.filter(pl.col("measure") == measure), (variant, measure)
            numbers = (here.get(key, float("nan")), compared.get(key, float("nan")))
            found.append(Spread(*key, seeds[variant], *numbers, rows["mean"].to_numpy(), rows["delta"].to_numpy()))
    return found


def _numbers(frame: pl.DataFrame, column: str) -> dict[tuple[str, str], float]:
    return {
        (variant, measure): number for variant, measure, number in frame.select("variant", "measure", column).rows()
    }

"""Which comparisons of a run a report leads with: those of its main family."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from tasks.reporting.labels import variant_order

MAIN = 0
"""Place of the family of the headline."""


def families(compared: pl.DataFrame) -> list[dict[str, Any]]:
    """Return name, baseline and variants of each family of `comparisons`, the main one first."""
    found = (
        compared.group_by("family_index", "family", "baseline")
        .agg(pl.col("variant").unique(maintain_order=True))
        .sort("family_index")
    )
    return [
        {"name": row["family"], "baseline": row["baseline"], "variants": sorted(row["variant"], key=variant_order)}
        for row in found.iter_rows(named=True)
    ]


def of_family(compared: pl.DataFrame, family: int = MAIN) -> pl.DataFrame:
    """Return the comparisons of one family: one per block, variant and measure."""
    return compared.filter(pl.col("family_index") == family)


def baseline_of(facts: Mapping[str, Any], family: int = MAIN) -> str | None:
    """Return the baseline of a family; None where nothing was compared."""
    baseline: str | None = facts["families"][family]["baseline"] if facts["families"] else None
    return baseline


def members(facts: Mapping[str, Any], family: int = MAIN) -> list[str]:
    """Return the variants of a family with its baseline, in the order of people.

    With the main one go the variants that are in no family: a report leads with these.
    """
    sets = [{found["baseline"], *found["variants"]} for found in facts["families"]]
    if family != MAIN:
        return [name for name in facts["variants"] if name in sets[family]]
    elsewhere = set().union(*sets) - sets[MAIN] if sets else set()
    return [name for name in facts["variants"] if name not in elsewhere]

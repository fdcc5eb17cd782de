"""Which comparisons of a run a report leads with: those of its main family."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from tasks.reporting.labels import variant_order


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


def of_main(compared: pl.DataFrame) -> pl.DataFrame:
    """Return the comparisons of the main family: one per block, variant and measure."""
    return compared.filter(pl.col("family_index") == 0)


def headline_variants(facts: Mapping[str, Any]) -> list[str]:
    """Return the variants that a report leads with: those of the main family, and those that are in none."""
    members = [{family["baseline"], *family["variants"]} for family in facts["families"]]
    elsewhere = set().union(*members) - members[0] if members else set()
    return [name for name in facts["variants"] if name not in elsewhere]

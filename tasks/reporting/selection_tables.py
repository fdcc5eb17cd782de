"""What was chosen out of sample, for the warehouse: weights of fusion, and settings of BM25."""

import polars as pl

from tasks.reporting.declared import Table, fit
from tasks.reporting.selection_schemas import ALPHA_CHOICES, ALPHA_CURVE, BM25_GRID, BM25_GRID_CHOICES
from tasks.reporting.sources import Sources, read_parquet


def selection_tables(source: Sources) -> dict[str, pl.DataFrame]:
    """Return the four tables by name; without rows where nothing was chosen."""
    inputs = source.inputs
    found = {
        ALPHA_CHOICES.name: _of_variants(source, "choices.parquet", ALPHA_CHOICES),
        ALPHA_CURVE.name: _of_variants(source, "curve.parquet", ALPHA_CURVE),
    }
    for table, file in ((BM25_GRID, "grid.parquet"), (BM25_GRID_CHOICES, "grid_choices.parquet")):
        rows = pl.DataFrame(schema=table.schema)
        if inputs.grid is not None:
            read = read_parquet(inputs.grid / file).rename({"variant": "idf"})
            rows = fit(read.with_columns(source.of_protocol()), table)
        found[table.name] = rows
    return found


def _of_variants(source: Sources, file: str, table: Table) -> pl.DataFrame:
    parts = [
        fit(read_parquet(path / file).with_columns(source.of_protocol(), pl.lit(variant).alias("variant")), table)
        for variant, path in sorted(source.inputs.fused.items())
    ]
    return pl.concat([pl.DataFrame(schema=table.schema), *parts])

"""Columns of the tables that this stage writes."""

import polars as pl

SUMMARY_SCHEMA: dict[str, type[pl.DataType]] = {
    "block": pl.Utf8,
    "variant": pl.Utf8,
    "measure": pl.Utf8,
    "n": pl.Int64,
    "n_undefined": pl.Int64,
    "mean": pl.Float64,
    "lo": pl.Float64,
    "hi": pl.Float64,
    "mean_over_conversations": pl.Float64,
}
COMPARISON_SCHEMA: dict[str, type[pl.DataType]] = {
    "block": pl.Utf8,
    "family": pl.Utf8,
    "family_index": pl.Int64,
    "variant": pl.Utf8,
    "baseline": pl.Utf8,
    "measure": pl.Utf8,
    "n": pl.Int64,
    "n_undefined": pl.Int64,
    "delta": pl.Float64,
    "lo": pl.Float64,
    "hi": pl.Float64,
    "p": pl.Float64,
    "p_adjusted": pl.Float64,
    "family_size": pl.Int64,
    "is_exact": pl.Boolean,
    "effect_size": pl.Float64,
    "wins": pl.Int64,
    "ties": pl.Int64,
    "losses": pl.Int64,
    "minimum_detectable_effect": pl.Float64,
}
CLUSTER_COMPARISON_SCHEMA: dict[str, type[pl.DataType]] = {
    "block": pl.Utf8,
    "family": pl.Utf8,
    "variant": pl.Utf8,
    "baseline": pl.Utf8,
    "measure": pl.Utf8,
    "method": pl.Utf8,
    "n": pl.Int64,
    "n_groups": pl.Int64,
    "delta": pl.Float64,
    "lo": pl.Float64,
    "hi": pl.Float64,
    "p": pl.Float64,
    "p_floor": pl.Float64,
    "is_one_sided": pl.Boolean,
}

"""The warehouse's tables about what was chosen out of sample; merged into `TABLES` by `schemas`."""

from tasks.reporting.declared import INT32, REAL, STRING, Table, columns

ALPHA_CHOICES = Table(
    "alpha_choices",
    columns(
        protocol=STRING,
        variant=STRING,
        fold=INT32,
        group=STRING,
        n_held_out=INT32,
        n_development=INT32,
        alpha=REAL,
        development_value=REAL,
    ),
    key=("protocol", "variant", "fold"),
)
ALPHA_CURVE = Table(
    "alpha_curve",
    columns(protocol=STRING, variant=STRING, alpha=REAL, measure=STRING, n=INT32, value=REAL),
    key=("protocol", "variant", "alpha", "measure"),
)
BM25_GRID = Table(
    "bm25_grid",
    columns(protocol=STRING, idf=STRING, k1=REAL, b=REAL, n=INT32, n_hits=INT32, value=REAL),
    key=("protocol", "idf", "k1", "b"),
)
BM25_GRID_CHOICES = Table(
    "bm25_grid_choices",
    columns(
        protocol=STRING,
        fold=INT32,
        group=STRING,
        n_held_out=INT32,
        n_development=INT32,
        idf=STRING,
        k1=REAL,
        b=REAL,
        development_value=REAL,
        n_hits_held_out=INT32,
    ),
    key=("protocol", "fold"),
)

SELECTION_TABLES = (ALPHA_CHOICES, ALPHA_CURVE, BM25_GRID, BM25_GRID_CHOICES)
"""Written by `build`, from what the stage selection chose; empty where nothing was chosen."""

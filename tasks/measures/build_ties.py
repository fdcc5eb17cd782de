"""Write what ties do to the measures of every query and variant. A module of its own: measures do not depend on it."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from tasks.corpora.protocols import parse_protocol
from tasks.corpora.relevance import has_a_value, judging
from tasks.corpora.samples import read_asked
from tasks.corpora.tables import Corpus
from tasks.measures.judged import Judged, fold, judge
from tasks.measures.metric_table import RANKING_COLUMNS, read_rankings
from tasks.measures.names import MeasureParams, parse
from tasks.measures.recall import PoolRecall
from tasks.measures.tie_audit import TieAudit, audit
from tasks.measures.ties import Ties, find_ties
from tasks.progress import Progress, silent

SCHEMA: dict[str, type[pl.DataType]] = {
    "variant": pl.Utf8,
    "query_index": pl.Int32,
    "measure": pl.Utf8,
    "value": pl.Float64,
    "pessimistic": pl.Float64,
    "expected": pl.Float64,
    "optimistic": pl.Float64,
    "is_tied_at_cut": pl.Boolean,
    "reaches_depth": pl.Boolean,
}


def build(
    rankings: Mapping[str, Path],
    corpus_dir: Path,
    protocol: str,
    params: MeasureParams,
    out: Path,
    progress: Progress = silent,
    asked_dir: Path | None = None,
) -> None:
    """Write `ties.parquet`: a row for each variant, measure and query that has a value (`SCHEMA`).

    `expected` is NaN where no closed form is known. Ordered by variant and measure as given, then by query_index.
    Nothing is written for a protocol that merges ranked items: their ties are those of documents.

    Parameters
    ----------
    rankings
        By variant: artifact of the step `replay`.
    corpus_dir
        Artifact of the stage `corpora`.
    protocol
        Decides what is relevant.
    params
        Which measures; `pool_R` has no ties of its own.
    asked_dir
        Artifact with `asked.parquet`: only those queries have values; None for all.
    out
        Directory to write into.
    progress
        Told the variants done.
    """
    corpus = Corpus.read(corpus_dir, with_texts=False)
    is_asked = read_asked(asked_dir, corpus.queries.height)
    by = parse_protocol(protocol)
    tables = [pl.DataFrame(schema=SCHEMA)]
    if not by.folds:
        judged_by = judging(corpus, by)
        is_scored = has_a_value(corpus.queries, by) & is_asked
        measures = [m for m in map(parse, params.names) if not isinstance(m, PoolRecall)]
        for n_done, (variant, directory) in enumerate(rankings.items(), start=1):
            ranked = fold(read_rankings(directory, corpus.queries, [*RANKING_COLUMNS, "score"]), judged_by.item_of)
            ties = _ties(ranked, judged_by.relevance, judge(ranked, judged_by.relevance, corpus.queries.height))
            is_defined = is_scored & (ties.judged().n_relevant > 0)
            tables += [_rows(variant, str(measure), audit(ties, measure), is_defined) for measure in measures]
            progress(n_done, len(rankings), "variants")
    pl.concat(tables).write_parquet(out / "ties.parquet", compression="zstd")


def _ties(ranked: pl.DataFrame, relevance: pl.DataFrame, judged: Judged) -> Ties:
    gained = ranked.join(relevance, on=["query_index", "item_index"], how="left", validate="1:1").with_columns(
        pl.col("gain").fill_null(0)
    )
    # Only a ranking as long as the longest may have been cut; a shorter one holds all that was found.
    is_cut = judged.n_ranked == judged.n_ranked.max(initial=0)
    return find_ties(gained, judged.ideal, is_cut)


def _rows(variant: str, measure: str, found: TieAudit, is_defined: np.ndarray) -> pl.DataFrame:
    n = len(found.value)
    expected = np.full(n, np.nan) if found.expected is None else found.expected
    columns = {
        "variant": [variant] * n,
        "query_index": np.arange(n),
        "measure": [measure] * n,
        "value": found.value,
        "pessimistic": found.pessimistic,
        "expected": expected,
        "optimistic": found.optimistic,
        "is_tied_at_cut": found.is_tied_at_cut,
        "reaches_depth": found.reaches_depth,
    }
    return pl.DataFrame(columns, schema=SCHEMA).filter(pl.Series(is_defined))

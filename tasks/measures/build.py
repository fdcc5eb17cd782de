"""Write the value of every measure for every query and variant."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from tasks.corpora.protocols import parse_protocol
from tasks.corpora.relevance import has_a_value, judging
from tasks.corpora.samples import read_asked
from tasks.corpora.tables import Corpus
from tasks.measures.judged import evaluate, fold, judge
from tasks.measures.metric_table import SCHEMA, metric_rows, origin, read_rankings
from tasks.measures.names import MeasureParams, parse
from tasks.progress import Progress, silent


def build(
    rankings: Mapping[str, Path],
    corpus_dir: Path,
    classes_dir: Path | None,
    protocol: str,
    params: MeasureParams,
    out: Path,
    progress: Progress = silent,
    asked_dir: Path | None = None,
) -> None:
    """Write `query_metrics.parquet`: a row for each variant, measure and query of the corpus.

    A query without relevance has NaN, and so has one of the block `abstention`, unless
    study A's rule is asked for. A query for which nothing was ranked has
    the measure's own value (0). Rows are ordered by variant and measure as given, then by query_index.

    Parameters
    ----------
    rankings
        By variant: artifact of the step `replay`.
    corpus_dir
        Artifact of the stage `corpora`.
    classes_dir
        Artifact of its step `classes`; only protocols that collapse twins read it.
    protocol
        Decides what a ranked document counts as, and what is relevant.
    params
        Which measures.
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
    judged_by = judging(corpus, by, classes_dir)
    is_scored = has_a_value(corpus.queries, by) & is_asked
    measures = [parse(name) for name in params.names]
    tables = [pl.DataFrame(schema=SCHEMA)]
    for n_done, (variant, directory) in enumerate(rankings.items(), start=1):
        ranked = read_rankings(directory, corpus.queries)
        judged = judge(fold(ranked, judged_by.item_of), judged_by.relevance, corpus.queries.height)
        values = {str(measure): np.where(is_scored, evaluate(measure, judged), np.nan) for measure in measures}
        source = origin(variant, directory, ranked, params.stream_seed)
        tables.append(metric_rows(source, corpus.queries, values))
        progress(n_done, len(rankings), "variants")
    pl.concat(tables).write_parquet(out / "query_metrics.parquet", compression="zstd")

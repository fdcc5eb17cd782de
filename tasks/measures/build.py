"""Write the value of every measure for every query and variant."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from tasks.corpora.relevance import ProtocolName, relevance
from tasks.corpora.tables import Corpus
from tasks.measures.judged import evaluate, judge
from tasks.measures.metric_table import SCHEMA, has_a_value, metric_rows, origin, read_rankings
from tasks.measures.names import MeasureParams, parse
from tasks.progress import Progress, silent


def build(
    rankings: Mapping[str, Path],
    corpus_dir: Path,
    protocol: str,
    params: MeasureParams,
    out: Path,
    progress: Progress = silent,
) -> None:
    """Write `query_metrics.parquet`: a row for each variant, measure and query of the corpus.

    A query without relevance, and one of the block `abstention`, has NaN. A query for which nothing was ranked has
    the measure's own value (0). Rows are ordered by variant and measure as given, then by query_index.

    Parameters
    ----------
    rankings
        By variant: artifact of the step `replay`.
    corpus_dir
        Artifact of the stage `corpora`.
    protocol
        Name of the protocol, which decides what is relevant.
    params
        Which measures.
    out
        Directory to write into.
    progress
        Told the variants done.
    """
    corpus = Corpus.read(corpus_dir, with_texts=False)
    relevant = relevance(corpus, ProtocolName(protocol))
    is_scored = has_a_value(corpus.queries)
    measures = [parse(name) for name in params.names]
    tables = [pl.DataFrame(schema=SCHEMA)]
    for n_done, (variant, directory) in enumerate(rankings.items(), start=1):
        ranked = read_rankings(directory, corpus.queries)
        judged = judge(ranked, relevant, corpus.queries.height)
        values = {str(measure): np.where(is_scored, evaluate(measure, judged), np.nan) for measure in measures}
        source = origin(variant, directory, ranked, params.stream_seed)
        tables.append(metric_rows(source, corpus.queries, values))
        progress(n_done, len(rankings), "variants")
    pl.concat(tables).write_parquet(out / "query_metrics.parquet", compression="zstd")

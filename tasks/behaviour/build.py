"""Write the behaviour of the top-1 for every query and variant."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from tasks.behaviour.decomposition import BehaviourParams, decompose, top_of
from tasks.corpora.relevance import ProtocolName, relevance
from tasks.corpora.tables import Corpus
from tasks.measures.metric_table import SCHEMA, has_a_value, metric_rows, origin, read_rankings
from tasks.progress import Progress, silent


def build(
    rankings: Mapping[str, Path],
    corpus_dir: Path,
    protocol: str,
    params: BehaviourParams,
    out: Path,
    progress: Progress = silent,
) -> None:
    """Write `behaviour_metrics.parquet`, in the layout of `query_metrics`.

    Parameters
    ----------
    rankings
        By variant: artifact of the step `replay`.
    corpus_dir
        Artifact of the stage `corpora`.
    protocol
        Name of the protocol, which decides what is relevant.
    params
        Which behaviours.
    out
        Directory to write into.
    progress
        Told the variants done.
    """
    corpus = Corpus.read(corpus_dir, with_texts=False)
    relevant = relevance(corpus, ProtocolName(protocol))
    is_scored = has_a_value(corpus.queries)
    tables = [pl.DataFrame(schema=SCHEMA)]
    for n_done, (variant, directory) in enumerate(rankings.items(), start=1):
        ranked = read_rankings(directory, corpus.queries)
        top = top_of(ranked, relevant, corpus.documents, is_scored)
        values = decompose(top, corpus.queries["question_type"], params.abstain_below)
        source = origin(variant, directory, ranked, params.stream_seed)
        tables.append(metric_rows(source, corpus.queries, values))
        progress(n_done, len(rankings), "variants")
    pl.concat(tables).write_parquet(out / "behaviour_metrics.parquet", compression="zstd")

"""Write the behaviour of the top-1 for every query and variant."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
import polars as pl

from tasks.behaviour.answerability import SCHEMA as ANSWERABILITY
from tasks.behaviour.answerability import answerability
from tasks.behaviour.decomposition import BehaviourParams, decompose, top_of
from tasks.corpora.protocols import parse_protocol
from tasks.corpora.relevance import families, has_a_value, judging
from tasks.corpora.samples import read_asked
from tasks.corpora.tables import Corpus
from tasks.measures.metric_table import RANKING_COLUMNS, SCHEMA, metric_rows, origin, read_rankings
from tasks.progress import Progress, silent


def build(
    rankings: Mapping[str, Path],
    corpus_dir: Path,
    classes_dir: Path | None,
    protocol: str,
    params: BehaviourParams,
    out: Path,
    progress: Progress = silent,
    asked_dir: Path | None = None,
) -> None:
    """Write `behaviour_metrics.parquet`, in the layout of `query_metrics`, and `answerability.parquet`.

    Parameters
    ----------
    rankings
        By variant: artifact of the step `replay`.
    corpus_dir
        Artifact of the stage `corpora`.
    classes_dir
        Artifact of its step `classes`; only protocols that collapse twins read it.
    protocol
        Decides what is relevant. Where sessions are judged, no turn is right or wrong: only `abstain@T` is defined.
    params
        Which behaviours.
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
    relevant = judging(corpus, by, classes_dir).of_documents()
    family_of = families(corpus, by, classes_dir)
    is_scored = has_a_value(corpus.queries, by) & is_asked
    tables, found = [pl.DataFrame(schema=SCHEMA)], []
    for n_done, (variant, directory) in enumerate(rankings.items(), start=1):
        ranked = read_rankings(directory, corpus.queries, [*RANKING_COLUMNS, "score"])
        top = top_of(ranked, relevant, family_of, is_scored)
        decomposed = decompose(top, corpus.queries["question_type"], params.abstain_below)
        values = {name: np.where(is_asked, column, np.nan) for name, column in decomposed.items()}
        source = origin(variant, directory, ranked, params.stream_seed)
        tables.append(metric_rows(source, corpus.queries, values))
        found.append({"variant": variant, **asdict(answerability(ranked, corpus.queries))})
        progress(n_done, len(rankings), "variants")
    pl.DataFrame(found, schema=ANSWERABILITY).write_parquet(out / "answerability.parquet", compression="zstd")
    pl.concat(tables).write_parquet(out / "behaviour_metrics.parquet", compression="zstd")

"""Write the groups of every question. A module of its own: measures do not depend on it."""

from pathlib import Path

from tasks.corpora.protocols import parse_protocol
from tasks.corpora.tables import Corpus
from tasks.measures.query_groups import QueryGroupParams, query_groups
from tasks.progress import Progress, silent


def build(corpus_dir: Path, protocol: str, params: QueryGroupParams, out: Path, progress: Progress = silent) -> None:
    """Write `query_groups.parquet` (`tasks.measures.query_groups.SCHEMA`), ordered by query_index, then as `BY`.

    Parameters
    ----------
    corpus_dir
        Artifact of the stage `corpora`, with the judgements that the protocol counts.
    protocol
        Decides which sessions are gold.
    params
        Boundaries of the classes.
    out
        Directory to write into.
    progress
        Told the tables done.
    """
    corpus = Corpus.read(corpus_dir, with_texts=False)
    found = query_groups(corpus, parse_protocol(protocol), params)
    found.write_parquet(out / "query_groups.parquet", compression="zstd")
    progress(1, 1, "tables")

"""Write which questions of a corpus are asked, where a table is of a sample."""

from collections.abc import Sequence
from pathlib import Path

from tasks.corpora.samples import sample_of, write_asked
from tasks.corpora.tables import Corpus
from tasks.progress import Progress, silent


def build(corpus_dir: Path, size: int, population: Sequence[str], out: Path, progress: Progress = silent) -> None:
    """Write `asked.parquet`: query_index of the sampled questions; parameters as of `sample_of`."""
    corpus = Corpus.read(corpus_dir, with_texts=False)
    write_asked(sample_of(corpus.queries["query_id"].to_list(), size, population), out)
    progress(1, 1, "samples")

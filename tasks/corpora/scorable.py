"""Whether a corpus has anything to score."""

import polars as pl

from tasks.corpora.tables import Corpus
from tasks.records import BenchError, Block


def check_scorable(corpus: Corpus) -> None:
    """Refuse a corpus without a question of the main block that has something relevant.

    Raises
    ------
    BenchError
        With the number of questions of each block, and the faults in the ledger.
    """
    queries = corpus.queries
    judged = corpus.judgements_turn.filter(pl.col("gain") > 0)["query_id"].unique().implode()
    in_main = queries.filter(pl.col("block") == Block.MAIN)
    if in_main.filter(pl.col("query_id").is_in(judged)).height:
        return
    blocks = ", ".join(f"{n:,} in block {block}" for block, n in queries["block"].value_counts(sort=True).rows())
    faults = ", ".join(f"{kind} ({n:,})" for kind, n in corpus.defects["kind"].value_counts(sort=True).rows())
    raise BenchError(
        f"the corpus has {corpus.documents.height:,} documents and {queries.height:,} questions ({blocks or 'none'}), "
        "but no question of block main has evidence that can be found: nothing can be scored. "
        f"Faults met: {faults or 'none'}."
    )

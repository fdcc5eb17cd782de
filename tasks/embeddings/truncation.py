"""How much of the documents a bi-encoder never reads: its input is cut at `max_length` word pieces (fault M11).

The plan of an embedding has the length of each text as read. Only a text of the full length can have been cut, so only
those are tokenised again, in whole.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow.parquet as pq

from tasks.downloads.model_facts import ModelFacts, read_facts
from tasks.embeddings.onnx_encoder import know_markers
from tasks.progress import Progress, silent
from tasks.records import BenchError

SCHEMA = {"text_key": pl.String, "n_pieces": pl.Int32, "is_truncated": pl.Boolean}
TEXTS_AT_ONCE = 512
TOKENIZER = "tokenizer.json"


def measure(
    plan_dir: Path,
    model_dir: Path,
    role: Literal["document", "query"] = "document",
    progress: Progress = silent,
) -> pl.DataFrame:
    """Return text_key, n_pieces (Int32) and is_truncated (Boolean) of every text that fills the model's input.

    `n_pieces` is the length of the whole text, prefix and special pieces included. A text that is not in the result is
    shorter than the input. Memory: `TEXTS_AT_ONCE` texts with their pieces, and about 60 bytes per row.

    Parameters
    ----------
    plan_dir
        Artifact with `plan.parquet` of the embedding.
    model_dir
        The fetched model that the plan was made for.
    role
        Chooses the prefix, as in the plan.
    progress
        Told the texts of the plan looked at.

    Raises
    ------
    BenchError
        When the model has no `tokenizer.json`, or its tokenizer gives other lengths than the plan's.
    """
    facts = read_facts(model_dir)
    prefix = facts.query_prefix if role == "query" else facts.passage_prefix
    tokenizer = _whole_tokenizer(model_dir, facts)
    frames = [pl.DataFrame(schema=SCHEMA)]
    for full in _full_texts(plan_dir / "plan.parquet", facts.max_length, progress):
        counts = _count(tokenizer, [prefix + text for text in full["text"]])
        if (counts < facts.max_length).any():
            raise BenchError(
                f"{plan_dir} has a text of {facts.max_length} word pieces that {TOKENIZER} of {facts.name} cuts into "
                f"{counts.min()}; expected at least as many. The plan belongs to another model: embed again."
            )
        frames.append(
            full.select("text_key").with_columns(
                n_pieces=pl.Series(counts, dtype=pl.Int32), is_truncated=pl.Series(counts > facts.max_length)
            )
        )
    return pl.concat(frames)


@dataclass(frozen=True, slots=True)
class TruncationRate:
    """How many documents are read in part only; each share is NaN where there is nothing to share.

    Attributes
    ----------
    n_documents, n_truncated
        Documents of the corpus (copies count each), and of them those that were cut.
    n_relevant, n_relevant_truncated
        Documents that some query judges relevant (each once), and of them those that were cut.
    """

    n_documents: int
    n_truncated: int
    n_relevant: int
    n_relevant_truncated: int

    @property
    def share(self) -> float:
        """Share of the documents that were cut."""
        return self.n_truncated / self.n_documents if self.n_documents else float("nan")

    @property
    def relevant_share(self) -> float:
        """Share of the relevant documents that were cut."""
        return self.n_relevant_truncated / self.n_relevant if self.n_relevant else float("nan")


def truncation_rate(truncation: pl.DataFrame, document_texts: pl.DataFrame, relevance: pl.DataFrame) -> TruncationRate:
    """Count the documents that were cut, and those among the relevant ones.

    Parameters
    ----------
    truncation
        As `measure` returns it.
    document_texts
        Columns document_index and text_key, one row per document.
    relevance
        Columns query_index and document_index, one row per judgement of a relevant document.
    """
    cut = truncation.filter("is_truncated").select("text_key")
    documents = document_texts.select("document_index", "text_key")
    truncated = documents.join(cut, on="text_key", how="semi")
    relevant = documents.join(relevance, on="document_index", how="semi")
    return TruncationRate(
        n_documents=documents.height,
        n_truncated=truncated.height,
        n_relevant=relevant.height,
        n_relevant_truncated=relevant.join(truncated, on="document_index", how="semi").height,
    )


def _whole_tokenizer(model_dir: Path, facts: ModelFacts) -> Any:
    """Return the model's own fast tokenizer, without truncation and padding."""
    from tokenizers import Tokenizer

    path = model_dir / TOKENIZER
    if not path.is_file():
        raise BenchError(f"no {TOKENIZER} in {model_dir}; expected the model {facts.name} with a fast tokenizer")
    tokenizer = Tokenizer.from_file(str(path))
    know_markers(tokenizer, facts)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _count(tokenizer: Any, texts: Sequence[str]) -> npt.NDArray[np.int32]:
    encodings = tokenizer.encode_batch_fast(list(texts))
    return np.fromiter((len(encoding.ids) for encoding in encodings), dtype=np.int32, count=len(texts))


def _full_texts(plan: Path, max_length: int, progress: Progress) -> Iterator[pl.DataFrame]:
    """Yield text_key and text of the texts that fill the model's input, in the plan's order."""
    source = pq.ParquetFile(plan)
    n_done = 0
    for batch in source.iter_batches(batch_size=TEXTS_AT_ONCE, columns=["text_key", "text", "n_tokens"]):
        chunk = pl.DataFrame(pl.from_arrow(batch))
        longest = int(chunk["n_tokens"].to_numpy().max(initial=0))
        if longest > max_length:
            raise BenchError(
                f"{plan} has a text read as {longest} word pieces; the model reads {max_length}. The plan belongs to "
                "another model: embed again."
            )
        full = chunk.filter(pl.col("n_tokens") == max_length)
        if full.height:
            yield full.select("text_key", "text")
        n_done += chunk.height
        progress(n_done, source.metadata.num_rows, "texts")

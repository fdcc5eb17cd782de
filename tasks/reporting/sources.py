"""What a report is made from: the artifacts of the stages before, and what of them is read once for several tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from tasks.corpora.protocols import Protocol, parse_protocol
from tasks.corpora.relevance import Judging, judging
from tasks.corpora.tables import Corpus
from tasks.records import BenchError
from tasks.reporting.labels import variant_order


@dataclass(frozen=True, slots=True)
class Inputs:
    """Directories of the artifacts that a report reads.

    `rankings`, `candidates` and `streams` are by canonical name of the variant. Variants over one first stage have the
    same candidates. `streams` has the variants that were replayed on many other streams; none where it is empty.
    `fused` has the variants that combine scores; `grid` and `latency` (one per encoder) are there where a run asks for
    them.
    """

    corpus: Path
    candidates: Mapping[str, Path]
    rankings: Mapping[str, Path]
    metrics: Path
    ties: Path
    behaviour: Path
    significance: Path
    classes: Path
    texts: Path
    truncation: Path
    groups: Path
    streams: Mapping[str, Path] = field(default_factory=dict)
    fused: Mapping[str, Path] = field(default_factory=dict)
    grid: Path | None = None
    latency: Sequence[Path] = ()

    @property
    def variants(self) -> list[str]:
        """Names of the variants in the order people read them, whatever order the caller had."""
        return sorted(self.rankings, key=variant_order)


@dataclass(frozen=True, slots=True)
class Sources:
    """The inputs of a report under one protocol, with the corpus (without the texts of documents) in memory."""

    inputs: Inputs
    protocol: Protocol
    corpus: Corpus
    judged: Judging

    @classmethod
    def read(cls, inputs: Inputs, protocol: str) -> "Sources":
        """Read the corpus and what is relevant; raises `BenchError` where an artifact is not whole."""
        parsed, corpus = parse_protocol(protocol), Corpus.read(inputs.corpus, with_texts=False)
        return cls(inputs, parsed, corpus, judging(corpus, parsed, inputs.classes))

    @property
    def query_ids(self) -> pl.DataFrame:
        """Columns query_index and query_id."""
        return self.corpus.queries.select("query_index", "query_id")

    @property
    def has_sessions(self) -> bool:
        """Whether documents are turns of sessions."""
        return bool(self.corpus.documents["session_id"].count())

    def of_protocol(self) -> pl.Expr:
        """Return the column `protocol`."""
        return pl.lit(str(self.protocol)).alias("protocol")


def read_parquet(path: Path, columns: list[str] | None = None) -> pl.DataFrame:
    """Read the table of an earlier stage, all columns or some; raises `BenchError` when it cannot be read."""
    try:
        return pl.read_parquet(path, columns=columns)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise BenchError(
            f"{path}: cannot be read as Parquet ({error}); expected the table of an earlier stage."
        ) from error


def of_variant(variant: str, seed: int | None) -> list[pl.Expr]:
    """Return the columns `variant` and `stream_seed`."""
    return [pl.lit(variant).alias("variant"), pl.lit(seed, dtype=pl.Int64).alias("stream_seed")]


def stream_seeds(metrics: pl.DataFrame) -> dict[str, int | None]:
    """Return the one stream seed of each variant; None for a variant without a stream.

    Raises
    ------
    BenchError
        When one variant has several seeds: rankings are kept for one.
    """
    found = metrics.select("variant", "stream_seed").unique().sort("variant", "stream_seed")
    several = found.filter(pl.col("variant").is_duplicated())["variant"].unique().sort().to_list()
    if several:
        raise BenchError(f"several stream seeds for {', '.join(several)}; expected one per variant in a report")
    return dict(found.iter_rows())

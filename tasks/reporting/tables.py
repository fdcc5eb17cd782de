"""The warehouse's tables of one data set, joined from the tables of the stages before."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from tasks.corpora.protocols import parse_protocol
from tasks.corpora.relevance import Judging, judging, reachable
from tasks.corpora.tables import Corpus
from tasks.embeddings.truncation import truncation_rate
from tasks.records import BenchError
from tasks.reporting.labels import variant_order
from tasks.reporting.random_order import expected
from tasks.reporting.schemas import ANSWERABILITY, DEFECTS, RANKINGS, SUMMARY, SUPPRESSION, TIES, Table, fit

ALL_BLOCKS = "all"
"""The block of every question, whatever its own block: LoCoMo's second total."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Directories of the artifacts that a report reads; `rankings` and `streams` by canonical name of the variant.

    `streams` has the variants that were replayed on many other streams; none where it is empty.
    """

    corpus: Path
    candidates: Path
    rankings: Mapping[str, Path]
    metrics: Path
    ties: Path
    behaviour: Path
    significance: Path
    classes: Path
    texts: Path
    truncation: Path
    streams: Mapping[str, Path] = field(default_factory=dict)

    @property
    def variants(self) -> list[str]:
        """Names of the variants in the order people read them, whatever order the caller had."""
        return sorted(self.rankings, key=variant_order)


def corpus_facts(inputs: Inputs) -> dict[str, Any]:
    """Read `facts.json` of the corpus."""
    facts: dict[str, Any] = json.loads((inputs.corpus / "facts.json").read_text(encoding="utf-8"))
    return facts


def read_parquet(path: Path, columns: list[str] | None = None) -> pl.DataFrame:
    """Read the table of an earlier stage, all columns or some; raises `BenchError` when it cannot be read."""
    try:
        return pl.read_parquet(path, columns=columns)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise BenchError(
            f"{path}: cannot be read as Parquet ({error}); expected the table of an earlier stage."
        ) from error


def judged(inputs: Inputs, protocol: str) -> Judging:
    """Return what is relevant under the protocol."""
    return judging(Corpus.read(inputs.corpus, with_texts=False), parse_protocol(protocol), inputs.classes)


def values(path: Path, protocol: str, table: Table) -> pl.DataFrame:
    """One row per variant, query and measure; `value` is NaN where the measure is undefined."""
    frame = read_parquet(path).with_columns(pl.lit(protocol).alias("protocol"), pl.col("value").fill_null(float("nan")))
    return fit(frame, table)


def queries(inputs: Inputs, protocol: str, judged_by: Judging) -> pl.DataFrame:
    """One row per question: its type, block and pool. Never its text: a licence may forbid to pass that on."""
    asked = read_parquet(inputs.corpus / "queries.parquet").with_columns(pl.lit(protocol).alias("protocol"))
    corpus = Corpus.read(inputs.corpus, with_texts=False)
    relevant = reachable(corpus, parse_protocol(protocol), judged_by)
    pools = read_parquet(inputs.candidates / "pools.parquet")
    return (
        asked.select("protocol", "query_index", "query_id", "question_type", "block", "scope_id")
        .join(relevant, on="query_index", how="left", validate="1:1")
        .join(pools.select("query_index", "n_documents", "n_matching"), on="query_index", how="left", validate="1:1")
        .select(
            "protocol",
            "query_id",
            "question_type",
            "block",
            "scope_id",
            pl.col("n_relevant", "n_reachable").fill_null(0).cast(pl.Int32),
            pl.col("n_documents").cast(pl.Int32).alias("n_pool"),
            pl.col("n_matching").cast(pl.Int32),
        )
    )


def rankings(inputs: Inputs, protocol: str, metrics: pl.DataFrame, judged_by: Judging, top_k: int) -> pl.DataFrame:
    """Return the first `top_k` documents of every query and variant, with what the first stage thought of them."""
    documents = read_parquet(inputs.corpus / "documents.parquet").select("document_index", "document_id", "session_id")
    asked = read_parquet(inputs.corpus / "queries.parquet").select("query_index", "query_id")
    candidates = read_parquet(inputs.candidates / "candidates.parquet").drop("position")
    seeds = stream_seeds(metrics)
    gains = judged_by.of_documents()
    frames = [
        read_parquet(inputs.rankings[variant] / "rankings.parquet")
        .filter(pl.col("rank") <= top_k)
        .with_columns(
            pl.lit(variant).alias("variant"),
            pl.lit(protocol).alias("protocol"),
            pl.lit(seeds.get(variant), dtype=pl.Int64).alias("stream_seed"),
        )
        .join(asked, on="query_index", validate="m:1")
        .join(documents, on="document_index", validate="m:1")
        .join(gains, on=["query_index", "document_index"], how="left", validate="m:1")
        .join(candidates, on=["query_index", "document_index"], how="left", validate="m:1")
        .with_columns(pl.col("gain").fill_null(0))
        for variant in inputs.variants
    ]
    return pl.concat([fit(frame, RANKINGS) for frame in frames]) if frames else pl.DataFrame(schema=RANKINGS.schema)


def suppression(inputs: Inputs, protocol: str, metrics: pl.DataFrame) -> pl.DataFrame:
    """Return the state at the end of the stream, per variant and scope; no rows without a variant that has one."""
    seeds = stream_seeds(metrics)
    frames = [
        read_parquet(path)
        .with_columns(
            pl.lit(variant).alias("variant"),
            pl.lit(protocol).alias("protocol"),
            pl.lit(seeds.get(variant), dtype=pl.Int64).alias("stream_seed"),
        )
        .pipe(fit, SUPPRESSION)
        for variant in inputs.variants
        if (path := inputs.rankings[variant] / "suppression.parquet").is_file()
    ]
    table = pl.concat(frames) if frames else pl.DataFrame(schema=SUPPRESSION.schema)
    has_state = pl.col("stream_seed").is_not_null() | (pl.col("n_entries") > 0)
    return table.filter(has_state)


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


def comparisons(inputs: Inputs, protocol: str, table: Table) -> pl.DataFrame:
    """Paired differences to the baseline, as the significance stage computed them."""
    frame = read_parquet(inputs.significance / "comparisons.parquet").with_columns(pl.lit(protocol).alias("protocol"))
    return fit(frame, table)


def summary(inputs: Inputs, protocol: str, asked: pl.DataFrame, judged_by: Judging) -> pl.DataFrame:
    """Means with intervals, beside the value that a random order of the pool would have.

    Where ranked items are merged before they are judged there is no such value: it has no simple formula.
    """
    frame = read_parquet(inputs.significance / "summary.parquet").with_columns(pl.lit(protocol).alias("protocol"))
    measures = [] if parse_protocol(protocol).folds else sorted(frame["measure"].unique())
    floor = _random_means(inputs, asked, judged_by.relevance, measures)
    return fit(frame.join(floor, on=["block", "measure"], how="left", validate="m:1"), SUMMARY)


def in_blocks(asked: pl.DataFrame) -> pl.DataFrame:
    """Return (query_id, block) with every query once in its own block and once in `ALL_BLOCKS`."""
    own = asked.select("query_id", "block")
    return pl.concat([own, own.with_columns(pl.lit(ALL_BLOCKS).alias("block"))])


def _random_means(inputs: Inputs, asked: pl.DataFrame, relevance: pl.DataFrame, measures: list[str]) -> pl.DataFrame:
    names = read_parquet(inputs.corpus / "queries.parquet").select("query_index", "query_id")
    listed = (
        relevance.join(names, on="query_index", validate="m:1").group_by("query_id", maintain_order=True).agg("gain")
    )
    by_query: dict[str, list[int]] = dict(listed.iter_rows())
    rows = [
        (query_id, measure, expected(measure, tuple(by_query.get(query_id, ())), n_pool))
        for query_id, n_pool in asked.select("query_id", pl.col("n_pool").fill_null(0)).iter_rows()
        for measure in measures
    ]
    schema = {"query_id": pl.String(), "measure": pl.String(), "value": pl.Float64()}
    return (
        pl.DataFrame(rows, schema=schema, orient="row")
        .filter(pl.col("value").is_not_nan())  # drops null too: no formula
        .join(in_blocks(asked), on="query_id", validate="m:m")
        .group_by("block", "measure")
        .agg(pl.col("value").sort().mean().alias("random_mean"))
    )


def ties(inputs: Inputs, protocol: str, asked: pl.DataFrame) -> pl.DataFrame:
    """Return means over the questions of a block: as ranked, and over all orders of equal scores."""
    names = read_parquet(inputs.corpus / "queries.parquet").select("query_index", "query_id")
    found = read_parquet(inputs.ties / "ties.parquet").join(names, on="query_index", validate="m:1")
    means = [pl.col(name).sort().mean() for name in ("value", "pessimistic", "expected", "optimistic")]
    return (
        found.join(in_blocks(asked), on="query_id", validate="m:m")
        .group_by("block", "variant", "measure")
        .agg(
            pl.len().alias("n"),
            pl.col("is_tied_at_cut").sum().alias("n_tied_at_cut"),
            (pl.col("pessimistic") != pl.col("optimistic")).sum().alias("n_undecided"),
            pl.col("reaches_depth").sum().alias("n_reaching_depth"),
            *means,
        )
        .with_columns(pl.lit(protocol).alias("protocol"))
        .pipe(fit, TIES)
    )


def answerability(inputs: Inputs, protocol: str) -> pl.DataFrame:
    """Return how well the first score tells answerable questions from others; no rows without unanswerable ones."""
    found = read_parquet(inputs.behaviour / "answerability.parquet").filter(pl.col("n_unanswerable") > 0)
    return fit(found.with_columns(pl.lit(protocol).alias("protocol")), ANSWERABILITY)


def defects(inputs: Inputs, table: Table) -> pl.DataFrame:
    """Return the ledger: faults that were met in the data, and what was done about each."""
    of_data = [fit(read_parquet(folder / "defects.parquet"), table) for folder in (inputs.corpus, inputs.classes)]
    return pl.concat([*of_data, fit(_truncation(inputs), table)])


def _truncation(inputs: Inputs) -> pl.DataFrame:
    """Return the ledger's row about documents that the encoder reads in part only (row M11), if there are any."""
    corpus = Corpus.read(inputs.corpus, with_texts=False)
    judged_turns = (
        corpus.judgements_turn.filter(pl.col("gain") > 0)
        .join(corpus.queries.select("query_id", "query_index"), on="query_id", validate="m:1")
        .join(corpus.documents.select("document_id", "document_index"), on="document_id", validate="m:1")
    )
    texts = read_parquet(inputs.texts / "document_texts.parquet").select("document_index", "text_key")
    cut = read_parquet(inputs.truncation / "truncation.parquet")
    rate = truncation_rate(cut, texts, judged_turns)
    is_cut = texts.join(cut.filter("is_truncated"), on="text_key", how="semi")
    touched = corpus.queries.join(
        judged_turns.join(is_cut, on="document_index", how="semi"), on="query_index", how="semi"
    )["query_id"]
    detail = (
        f"{rate.n_truncated:,} of {rate.n_documents:,} documents ({rate.share:.1%}) are longer than what the encoder "
        f"reads, and {rate.n_relevant_truncated:,} of {rate.n_relevant:,} relevant ones"
    )
    row = ("documents", "text_truncated", "read_in_part", detail, len(touched), touched.to_list())
    return pl.DataFrame([row] if rate.n_truncated else [], schema=DEFECTS.schema, orient="row")


def behaviour_shares(behaviour: pl.DataFrame, asked: pl.DataFrame, block: str) -> pl.DataFrame:
    """Return (variant, measure, share, n): the mean of each behaviour over the questions where it is defined."""
    return (
        behaviour.join(in_blocks(asked), on="query_id", validate="m:m")
        .filter(pl.col("block") == block, pl.col("value").is_not_nan())
        .group_by("variant", "measure")
        .agg(pl.col("value").sort().mean().alias("share"), pl.len().alias("n"))
        .sort("variant", "measure")
    )

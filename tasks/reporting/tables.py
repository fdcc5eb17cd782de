"""The warehouse's tables of one data set, joined from the tables of the stages before."""

from pathlib import Path

import polars as pl

from tasks.corpora.question_kinds import ALL_BLOCKS
from tasks.corpora.relevance import reachable
from tasks.embeddings.truncation import truncation_rate
from tasks.reporting.labels import variant_order
from tasks.reporting.random_order import expected
from tasks.reporting.schemas import ANSWERABILITY, DEFECTS, RANKINGS, SUMMARY, SUPPRESSION, TIES, Table, fit
from tasks.reporting.sources import Sources, of_variant, read_parquet, stream_seeds


def values(path: Path, source: Sources, table: Table) -> pl.DataFrame:
    """One row per variant, query and measure; `value` is NaN where the measure is undefined."""
    frame = read_parquet(path).with_columns(source.of_protocol(), pl.col("value").fill_null(float("nan")))
    return fit(frame, table)


def queries(source: Sources, like: str | None) -> pl.DataFrame:
    """One row per question: its type, block and pool. Never its text: a licence may forbid to pass that on.

    `like` is the variant whose first stage says what a pool holds; None for any.
    """
    relevant = reachable(source.corpus, source.protocol, source.judged)
    candidates = source.inputs.candidates
    chosen = like if like is not None else min(candidates, key=variant_order)
    pools = read_parquet(candidates[chosen] / "pools.parquet", ["query_index", "n_documents", "n_matching"])
    return (
        source.corpus.queries.select("query_index", "query_id", "question_type", "block", "scope_id")
        .join(relevant, on="query_index", how="left", validate="1:1")
        .join(pools, on="query_index", how="left", validate="1:1")
        .select(
            source.of_protocol(),
            "query_id",
            "question_type",
            "block",
            "scope_id",
            pl.col("n_relevant", "n_reachable").fill_null(0).cast(pl.Int32),
            pl.col("n_documents").cast(pl.Int32).alias("n_pool"),
            pl.col("n_matching").cast(pl.Int32),
        )
    )


def rankings(source: Sources, metrics: pl.DataFrame, top_k: int) -> pl.DataFrame:
    """Return the first `top_k` documents of every query and variant, with what its first stage thought of them."""
    inputs, seeds = source.inputs, stream_seeds(metrics)
    documents = source.corpus.documents.select("document_index", "document_id", "session_id")
    gains = source.judged.of_documents()
    candidates: dict[Path, pl.DataFrame] = {}  # several variants start from the same ones
    frames = []
    for variant in inputs.variants:
        folder = inputs.candidates[variant]
        if folder not in candidates:
            candidates[folder] = read_parquet(folder / "candidates.parquet").drop("position")
        frames.append(
            read_parquet(inputs.rankings[variant] / "rankings.parquet")
            .filter(pl.col("rank") <= top_k)
            .with_columns(*of_variant(variant, seeds.get(variant)), source.of_protocol())
            .join(source.query_ids, on="query_index", validate="m:1")
            .join(documents, on="document_index", validate="m:1")
            .join(gains, on=["query_index", "document_index"], how="left", validate="m:1")
            .join(candidates[folder], on=["query_index", "document_index"], how="left", validate="m:1")
            .with_columns(pl.col("gain").fill_null(0))
            .pipe(fit, RANKINGS)
        )
    return pl.concat(frames) if frames else pl.DataFrame(schema=RANKINGS.schema)


def suppression(source: Sources, metrics: pl.DataFrame) -> pl.DataFrame:
    """Return the state at the end of the stream, per variant and scope; no rows without a variant that has one."""
    seeds = stream_seeds(metrics)
    frames = [
        read_parquet(path)
        .with_columns(*of_variant(variant, seeds.get(variant)), source.of_protocol())
        .pipe(fit, SUPPRESSION)
        for variant in source.inputs.variants
        if (path := source.inputs.rankings[variant] / "suppression.parquet").is_file()
    ]
    table = pl.concat(frames) if frames else pl.DataFrame(schema=SUPPRESSION.schema)
    has_state = pl.col("stream_seed").is_not_null() | (pl.col("n_entries") > 0)
    return table.filter(has_state)


def comparisons(source: Sources, table: Table) -> pl.DataFrame:
    """Paired differences to the baselines, as the significance stage computed them."""
    frame = read_parquet(source.inputs.significance / "comparisons.parquet").with_columns(source.of_protocol())
    return fit(frame, table)


def summary(source: Sources, asked: pl.DataFrame) -> pl.DataFrame:
    """Means with intervals, beside the value that a random order of the pool would have.

    Where ranked items are merged before they are judged there is no such value: it has no simple formula.
    """
    frame = read_parquet(source.inputs.significance / "summary.parquet").with_columns(source.of_protocol())
    measures = [] if source.protocol.folds else sorted(frame["measure"].unique())
    floor = _random_means(source, asked, measures)
    return fit(frame.join(floor, on=["block", "measure"], how="left", validate="m:1"), SUMMARY)


def in_blocks(asked: pl.DataFrame) -> pl.DataFrame:
    """Return (query_id, block) with every query once in its own block and once in `ALL_BLOCKS`."""
    own = asked.select("query_id", "block")
    return pl.concat([own, own.with_columns(pl.lit(ALL_BLOCKS).alias("block"))])


def _random_means(source: Sources, asked: pl.DataFrame, measures: list[str]) -> pl.DataFrame:
    listed = (
        source.judged.relevance.join(source.query_ids, on="query_index", validate="m:1")
        .group_by("query_id", maintain_order=True)
        .agg("gain")
    )
    by_query: dict[str, list[int]] = dict(listed.iter_rows())
    pools = asked.select("query_id", "n_pool").drop_nulls()  # the others were not asked
    rows = [
        (query_id, measure, expected(measure, tuple(by_query.get(query_id, ())), n_pool))
        for query_id, n_pool in pools.iter_rows()
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


def ties(source: Sources, asked: pl.DataFrame) -> pl.DataFrame:
    """Return means over the questions of a block: as ranked, and over all orders of equal scores."""
    found = read_parquet(source.inputs.ties / "ties.parquet").join(source.query_ids, on="query_index", validate="m:1")
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
        .with_columns(source.of_protocol())
        .pipe(fit, TIES)
    )


def answerability(source: Sources) -> pl.DataFrame:
    """Return how well the first score tells answerable questions from others; no rows without unanswerable ones."""
    found = read_parquet(source.inputs.behaviour / "answerability.parquet").filter(pl.col("n_unanswerable") > 0)
    return fit(found.with_columns(source.of_protocol()), ANSWERABILITY)


def defects(source: Sources, table: Table) -> pl.DataFrame:
    """Return the ledger: faults that were met in the data, and what was done about each."""
    of_classes = read_parquet(source.inputs.classes / "defects.parquet")
    return pl.concat([fit(frame, table) for frame in (source.corpus.defects, of_classes, _truncation(source))])


def _truncation(source: Sources) -> pl.DataFrame:
    """Return the ledger's row about documents that the encoder reads in part only (row M11), if there are any."""
    corpus = source.corpus
    judged_turns = (
        corpus.judgements_turn.filter(pl.col("gain") > 0)
        .join(source.query_ids, on="query_id", validate="m:1")
        .join(corpus.documents.select("document_id", "document_index"), on="document_id", validate="m:1")
    )
    texts = read_parquet(source.inputs.texts / "document_texts.parquet", ["document_index", "text_key"])
    cut = read_parquet(source.inputs.truncation / "truncation.parquet")
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

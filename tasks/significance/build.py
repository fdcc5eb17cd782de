"""Write the mean of each variant and measure with its interval, and the paired comparisons with the baseline."""

from pathlib import Path

import polars as pl

from tasks.progress import Progress, silent
from tasks.significance.cluster_tables import compare_clusters
from tasks.significance.schemas import CLUSTER_COMPARISON_SCHEMA, COMPARISON_SCHEMA, SUMMARY_SCHEMA
from tasks.significance.tables import SignificanceParams, blocks_of, compare, read_metrics, summarise


def build(
    metrics_dir: Path, corpus_dir: Path, params: SignificanceParams, out: Path, progress: Progress = silent
) -> None:
    """Write summary, comparisons and cluster_comparisons, ordered by block, family, variant and measure as given.

    Parameters
    ----------
    metrics_dir
        Artifact of the stage `measures` (`query_metrics.parquet`) or `behaviour` (`behaviour_metrics.parquet`).
    corpus_dir
        Artifact of the stage `corpora`.
    params
        Families of comparisons (or one baseline), measures, resamples and seed.
    out
        Directory to write into. `summary`: block, variant, measure, n (values averaged), n_undefined (NaN, left out),
        mean, lo, hi, mean_over_conversations (null where the questions are not grouped). `comparisons`: block,
        family, family_index (0 is the main one), variant, baseline, measure, n, n_undefined, delta, lo, hi, p,
        p_adjusted (Bonferroni over the variants of the family in this block and measure), family_size, is_exact,
        effect_size, wins, ties, losses, minimum_detectable_effect. Means and limits are rounded to 12 decimals. The
        numbers of a pair but p_adjusted, family_size and minimum_detectable_effect are the same in every family.
        `cluster_comparisons`: the same where questions are grouped (conversations), a row for each method of
        `cluster_tables`: block, family, variant, baseline, measure, method, n, n_groups (with a defined difference),
        delta, lo, hi, p, p_floor (these four null where the method gives none), is_one_sided.
    progress
        Told the blocks done.

    Raises
    ------
    BenchError
        When a variant to compare or a measure is not in the metrics, or a variant has two values for a question.
    """
    metrics = read_metrics(metrics_dir, params)
    queries = pl.read_parquet(corpus_dir / "queries.parquet", columns=["query_index", "block", "scope_id"])
    summaries, comparisons = [pl.DataFrame(schema=SUMMARY_SCHEMA)], [pl.DataFrame(schema=COMPARISON_SCHEMA)]
    clustered = [pl.DataFrame(schema=CLUSTER_COMPARISON_SCHEMA)]
    blocks = blocks_of(metrics, queries)
    for n_done, (block, members) in enumerate(blocks.items(), start=1):
        summaries.append(summarise(block, metrics, members, params))
        comparisons.append(compare(block, metrics, members, params))
        clustered.append(compare_clusters(block, comparisons[-1], metrics, members, params.seed))
        progress(n_done, len(blocks), "blocks")
    pl.concat(summaries).write_parquet(out / "summary.parquet", compression="zstd")
    pl.concat(comparisons).write_parquet(out / "comparisons.parquet", compression="zstd")
    pl.concat(clustered).write_parquet(out / "cluster_comparisons.parquet", compression="zstd")

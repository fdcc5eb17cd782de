"""Study A: which variant, protocol and measure of ours each of its published numbers corresponds to.

Source: protocol A.2 to A.10. The tables of the study are declared here, and nowhere else; `study_a_plan` says what a
run must hold for them, `study_a_text` what it must hold where text and code differ.
"""

from collections.abc import Iterator

from tasks.studies import study_a_retrieval
from tasks.studies.declared import NDCG, POOL_RECALL, Cell, Quantity, Statistic, Where
from tasks.studies.names import LOCOMO, LONGMEMEVAL, NFCORPUS, Settings
from tasks.studies.study_a_names import (
    BEHAVIOUR,
    PROTOCOL_OF,
    REGEX,
    SPLIT,
    STUDY_A_POOL,
    SUPPRESSION,
    TOKENIZERS,
    baseline,
    main_variant,
    rif,
)

MAIN, MAIN_REGEX = "main", "main, regex"
CLUSTER_COUNTS = (1, 10, 30, 50, 100)
MAIN_ROWS = ("baseline", "global-uniform", "global-gap", "clustered30-uniform", "clustered30-gap")
QUESTION_TYPES = (
    "knowledge-update", "multi-session", "single-session-assistant", "single-session-preference",
    "single-session-user", "temporal-reasoning",
)  # fmt: skip

SWEEP: dict[str, Settings] = {
    "v1": {},
    "v2": {"alpha": 1.0},
    "v3": {"alpha": 1.0, "eta": 0.3, "rho": 0.1, "s_max": 2.0},
    "v4": {"alpha": 1.0, "lambda": 0.0},
    "v5": {"alpha": 2.0, "eta": 0.5, "rho": 0.1, "lambda": 0.001, "s_max": 3.0},
    "v6": {"alpha": 5.0, "eta": 0.5, "rho": 0.1, "lambda": 0.001, "s_max": 5.0},
}
"""The parameter sweep: what differs from the defaults; all global, uniform."""

SOURCES: dict[str, Settings] = {
    "all queries": {},
    "first 10K queries": {"source": "buffer", "burn_in": 300},
    "corpus embeddings": {"source": "corpus"},
    "first 2,000 retrievals, 3,000 steps": {"source": "buffer", "burn_in": 2000, "steps": 3000},
    "first 5,000 retrievals, 10,000 steps": {"source": "buffer", "burn_in": 5000, "steps": 10000},
    "first 5,000 retrievals": {"source": "buffer", "burn_in": 5000},
}
"""What clusters are fitted on: the code's, and what the paper says at three places (A.5)."""


def tables() -> tuple[Cell, ...]:
    """Return every cell of every table, in the order of the report."""
    return tuple(
        cell
        for table in (
            _main,
            _main_regex,
            _pairwise,
            _cluster_sweep,
            _parameter_sweep,
            study_a_retrieval.baselines_table,
            study_a_retrieval.tokenizers_table,
            study_a_retrieval.depth_table,
            study_a_retrieval.bm25_table,
            _cluster_source,
            _behaviour,
            _saturation,
        )
        for cell in table()
    )


def _effects(
    table: str, dataset: str, row: str, line: Where | None, quantities: tuple[str, str | None]
) -> Iterator[Cell]:
    """Yield a row of the main table: both measures, with difference and p where there is something to differ from."""
    name, against = quantities
    for measure, short, mean in ((NDCG, "ndcg", "ndcg_at_10"), (POOL_RECALL, "recall", "recall_at_30")):
        columns = {Statistic.MEAN: mean, Statistic.DIFFERENCE: f"delta_{short}", Statistic.P: f"p_{short}"}
        for statistic, column in columns.items():
            if statistic is not Statistic.MEAN and against is None:
                continue
            ends = {Statistic.MEAN: short, Statistic.DIFFERENCE: f"delta_{short}"}.get(statistic)
            lo, hi = (f"{ends}_lo", f"{ends}_hi") if ends else (None, None)
            where = Where(line.file, line.line, column, lo, hi) if line else None
            other = None if statistic is Statistic.MEAN else against
            yield Cell(
                table, dataset, row, column, Quantity(PROTOCOL_OF[dataset], name, measure, statistic, other), where
            )


def _main() -> Iterator[Cell]:
    for dataset in PROTOCOL_OF:
        against = baseline(SPLIT, SUPPRESSION)
        for row in MAIN_ROWS:
            line = (("dataset", dataset), ("tokenizer", "split"), ("variant", row))
            where = Where("rif_main.csv", line, "") if dataset != LOCOMO else None
            name = main_variant(row, SPLIT, SUPPRESSION)
            yield from _effects(MAIN, dataset, row, where, (name, against if row != "baseline" else None))


def _main_regex() -> Iterator[Cell]:
    """Yield the same table on the regex tokenizer: three of its means were published, in the cluster sweep."""
    published = {
        "baseline": ("none (baseline)", "0"),
        "global-uniform": ("uniform", "1"),
        "clustered30-uniform": ("uniform", "30"),
    }
    for dataset in PROTOCOL_OF:
        against = baseline(REGEX, SUPPRESSION)
        for row in MAIN_ROWS:
            name = main_variant(row, REGEX, SUPPRESSION)
            for cell in _effects(MAIN_REGEX, dataset, row, None, (name, against if row != "baseline" else None)):
                is_published = dataset == LONGMEMEVAL and row in published and "_at_" in cell.column
                where = _sweep_line("regex", *published[row], cell.column) if is_published else None
                yield Cell(cell.table, dataset, row, cell.column, cell.quantity, where)


def _pairwise() -> Iterator[Cell]:
    """Yield the differences to clustered 30, uniform: among them gap against uniform."""
    columns = {
        "delta_ndcg": (NDCG, Statistic.DIFFERENCE, "lo", "hi"),
        "p": (NDCG, Statistic.P, None, None),
        "delta_recall": (POOL_RECALL, Statistic.DIFFERENCE, "r_lo", "r_hi"),
        "r_p": (POOL_RECALL, Statistic.P, None, None),
    }
    other = "clustered30-uniform"
    for dataset, protocol in PROTOCOL_OF.items():
        for tokenizer, stage in TOKENIZERS.items():
            for row in ("clustered30-gap", "global-gap", "global-uniform", "baseline"):
                for column, (measure, statistic, lo, hi) in columns.items():
                    quantity = Quantity(
                        protocol,
                        main_variant(row, stage, SUPPRESSION),
                        measure,
                        statistic,
                        main_variant(other, stage, SUPPRESSION),
                    )
                    line = (("dataset", dataset), ("tokenizer", tokenizer), ("treatment", row), ("against", other))
                    is_published = dataset == LONGMEMEVAL and tokenizer == "split"
                    where = Where("rif_pairwise.csv", line, column, lo, hi) if is_published else None
                    yield Cell("gap against uniform", dataset, f"{tokenizer}: {row}", column, quantity, where)


def _sweep_line(tokenizer: str, rule: str, clusters: str, column: str) -> Where:
    line = (("dataset", LONGMEMEVAL), ("tokenizer", tokenizer), ("rule", rule), ("clusters", clusters))
    return Where("rif_cluster_sweep.csv", line, column)


def _cluster_sweep() -> Iterator[Cell]:
    for tokenizer, stage in TOKENIZERS.items():
        rows = [("none (baseline)", 0, baseline(stage, SUPPRESSION))]
        rows += [(rule, k, rif(rule, k, stage, SUPPRESSION)) for rule in ("uniform", "gap") for k in CLUSTER_COUNTS]
        for rule, clusters, name in rows:
            label = f"{tokenizer}: {rule}" if not clusters else f"{tokenizer}: {rule}, {clusters}"
            for column, measure in (("ndcg_at_10", NDCG), ("recall_at_30", POOL_RECALL)):
                is_published = rule == "uniform" or (not clusters and tokenizer == "regex")
                is_published &= column == "ndcg_at_10" or tokenizer == "regex" or clusters == 30
                where = _sweep_line(tokenizer, rule, str(clusters), column) if is_published else None
                yield Cell("clusters", LONGMEMEVAL, label, column, Quantity(STUDY_A_POOL, name, measure), where)


def _parameter_sweep() -> Iterator[Cell]:
    means = {"baseline": baseline(SPLIT, SUPPRESSION)}
    means |= {name: rif("uniform", 1, values, SPLIT, SUPPRESSION) for name, values in SWEEP.items()}
    # The study counts entries in its baseline too: the state is kept, and has no weight.
    states = means | {"baseline": rif("uniform", 1, {"alpha": 0.0}, SPLIT, SUPPRESSION)}
    for row, name in means.items():
        line = (("dataset", LONGMEMEVAL), ("name", row))
        for column, variant_name, measure in (
            ("ndcg_at_10", name, NDCG),
            ("recall_at_30", name, POOL_RECALL),
            ("suppressed", states[row], "n_entries_above"),
        ):
            where = Where("rif_parameter_sweep.csv", line, column)
            yield Cell("parameters", LONGMEMEVAL, row, column, Quantity(STUDY_A_POOL, variant_name, measure), where)


def _cluster_source() -> Iterator[Cell]:
    for row, settings in SOURCES.items():
        name = rif("gap", 30, settings, SPLIT, SUPPRESSION)
        line = (("dataset", LONGMEMEVAL), ("source", row))
        column = "relative_ndcg_gain"
        where = Where("rif_cluster_source.csv", line, column)
        is_published = row in ("corpus embeddings", "first 10K queries")
        quantity = Quantity(STUDY_A_POOL, name, NDCG, Statistic.RELATIVE, baseline(SPLIT, SUPPRESSION))
        yield Cell("cluster source", LONGMEMEVAL, row, column, quantity, where if is_published else None)


def _behaviour() -> Iterator[Cell]:
    measures = {
        "exact_episode": "exact_episode", "ndcg_at_10": NDCG, "sibling_confusion": "sibling_confusion",
        "wrong_family": "wrong_family", "stale_fact": "stale_fact", "abstain_at_0": "abstain@0",
        "abstain_at_2": "abstain@2", "abstain_at_4": "abstain@4",
    }  # fmt: skip
    columns = {"baseline": "baseline", "clustered30_gap": "clustered30-gap"}
    for kind in ("overall", *QUESTION_TYPES):
        for metric, measure in measures.items():
            if metric == "stale_fact" and kind not in ("overall", "knowledge-update"):
                continue  # a question of another type has no stale fact
            line = (("dataset", LONGMEMEVAL), ("question_type", kind), ("metric", metric))
            only = None if kind == "overall" else kind
            for column, row in columns.items():
                name = main_variant(row, SPLIT, BEHAVIOUR)
                quantity = Quantity(STUDY_A_POOL, name, measure, question_type=only)
                where = Where("rif_behaviour.csv", line, column)
                yield Cell("behaviour", LONGMEMEVAL, f"{kind}: {metric}", column, quantity, where)


def _saturation() -> Iterator[Cell]:
    """Yield the suppressed documents: 2,714 are 74.7 % of NFCorpus, so the study counts documents, not entries."""
    lines = (
        (NFCORPUS, "global-uniform", "3000", "global-uniform", ("suppressed_entries", "share_of_corpus")),
        (NFCORPUS, "clustered30-uniform", "3000", "clustered30-uniform", ("suppressed_entries", "share_of_corpus")),
        (LONGMEMEVAL, "(any)", "3000", "clustered30-uniform", ("share_of_corpus",)),
        (LONGMEMEVAL, "clustered30-uniform", "5000", "clustered30-uniform", ("suppressed_entries",)),
        (LONGMEMEVAL, "clustered30-gap", "5000", "clustered30-gap", ("suppressed_entries",)),
    )
    measures = {"suppressed_entries": "n_documents_above", "share_of_corpus": "share_of_documents_above"}
    for dataset, label, steps, row, columns in lines:
        line = (("dataset", dataset), ("variant", label), ("steps", steps))
        name = main_variant(row, SPLIT, SUPPRESSION)
        for column in columns:
            quantity = Quantity(PROTOCOL_OF[dataset], name, measures[column], step=int(steps))
            where = Where("rif_saturation.csv", line, column)
            yield Cell("saturation", dataset, f"{label}, {int(steps):,} steps", column, quantity, where)

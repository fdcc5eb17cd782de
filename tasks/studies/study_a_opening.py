"""What of study A reproduces, in sentences made from the numbers, and its main table."""

from collections.abc import Iterator

from tasks.reporting.text_format import interval, number, share, signed, table
from tasks.studies.declared import NDCG, POOL_RECALL
from tasks.studies.layout import listed, ours_text, published_text, shift_text, verdict_text
from tasks.studies.study import DATASET_LABELS, Row, Study, is_measured
from tasks.studies.study_a import MAIN_ROWS
from tasks.studies.study_a_names import ROW_LABELS

SAME_FIRST_STAGE = 0.99
"""From this share of questions with an identical recall of the pool on, the first stage is the study's."""

EFFECT_ROWS = MAIN_ROWS[1:]


def told(study: Study) -> dict[str, str]:
    """Say what becomes of the main table, by the label of the data set."""
    names = [name for name in study.datasets if study.of("main", name) and name != "locomo"]
    return {DATASET_LABELS[name]: " ".join(_of_dataset(study, name)) for name in names}


def main_tables(study: Study) -> list[str]:
    """Return the main tables of the published data sets."""
    lines = []
    for dataset in study.datasets:
        for name, tokenizer in (("main", "split"), ("main, regex", "regex")):
            if dataset != "locomo":
                lines += main_table(study, name, dataset, tokenizer)
    return lines


def main_table(study: Study, name: str, dataset: str, tokenizer: str) -> list[str]:
    """Return the main table of a data set and tokenizer, nDCG@10: levels and effects."""
    cells = study.of(name, dataset)
    if not any(is_measured(row) for row in cells.values()):
        return [f"**{DATASET_LABELS[dataset]}, {tokenizer} tokenizer**: not measured in this run.", ""]
    rows = []
    for row in MAIN_ROWS:
        level, effect = cells[row, "ndcg_at_10"], cells.get((row, "delta_ndcg"))
        line = [ROW_LABELS[row], published_text(study, level), ours_text(level), shift_text(level), verdict_text(level)]
        line += ["", "", ""] if effect is None else [
            published_text(study, effect), ours_text(effect), verdict_text(effect),
        ]  # fmt: skip
        rows.append(line)
    header = [
        "nDCG@10", "published", "ours [95 %]", "ours − published", "verdict", "effect, published", "effect, ours",
        "verdict",
    ]  # fmt: skip
    n = max((row.get("n_shared") or row.get("n") or 0 for row in cells.values()), default=0)
    asked = f", {n:,} questions" if n else ""
    return [f"**{DATASET_LABELS[dataset]}, {tokenizer} tokenizer{asked}**", "", *table(header, rows, "lrrrlrrl")]


def _of_dataset(study: Study, dataset: str) -> Iterator[str]:
    cells = study.of("main", dataset)
    effects = [cells[row, "delta_ndcg"] for row in EFFECT_ROWS if is_measured(cells[row, "delta_ndcg"])]
    if not effects:
        yield "The main table is not measured in this run."
        return
    yield from _signs(study, effects)
    yield from _best(study, cells)
    yield from _baseline(study, dataset)
    yield from _over_streams(study, dataset)


def _signs(study: Study, effects: list[Row]) -> Iterator[str]:
    same = [row for row in effects if row["ours"] * row["published"] > 0]
    ours = [ROW_LABELS[row["row"]] for row in effects if row["lo"] > 0 or row["hi"] < 0]
    theirs = [ROW_LABELS[row["row"]] for row in effects if _is_shown_there(study, row)]
    yield f"{len(same)} of {len(effects)} effects on nDCG@10 have the published sign."
    if ours == theirs:
        yield f"The same intervals exclude 0 in both: {listed(ours)}."
    else:
        yield f"Intervals exclude 0 here for {listed(ours)}, in the study for {listed(theirs)}."


def _is_shown_there(study: Study, row: Row) -> bool:
    found = study.intervals[row["dataset"], row["table"], row["row"], row["column"]]
    return found.lo is not None and found.hi is not None and (found.lo > 0 or found.hi < 0)


def _best(study: Study, cells: dict[tuple[str, str], Row]) -> Iterator[str]:
    """Say what becomes of the study's own proposal, clustered 30, rank-gap."""
    effect = cells["clustered30-gap", "delta_ndcg"]
    if is_measured(effect):
        yield (
            f"Clustered 30, rank-gap: {published_text(study, effect)} published, {ours_text(effect)} here "
            f"({effect['verdict']})."
        )


def _baseline(study: Study, dataset: str) -> Iterator[str]:
    """Say how far the baseline is from the published one, and what of it that is."""
    mine = {row["measure"]: row for row in study.agreement if row["dataset"] == dataset and row["row"] == "baseline"}
    if NDCG not in mine or POOL_RECALL not in mine:
        return
    ndcg, recall = mine[NDCG], mine[POOL_RECALL]
    yield (
        f"The baseline is {number(ndcg['ours'])} here and {number(ndcg['published_shared'])} there over the "
        f"{ndcg['n_shared']:,} shared questions: {signed(ndcg['difference'])} "
        f"{interval(ndcg['lo'], ndcg['hi'], is_difference=True)}, equal on {share(ndcg['share_identical'])} of them."
    )
    same = f"The recall of its pool is equal on {share(recall['share_identical'])}"
    if recall["share_identical"] < SAME_FIRST_STAGE:
        yield f"{same}: the first stage differs too, not the reranker alone."
    elif ndcg["share_identical"] < 1:
        yield f"{same}: the first stage is the study's, and what differs is the reranker (L-12 in int8, not L-6)."
    else:
        yield f"{same}: nothing differs."


def _over_streams(study: Study, dataset: str) -> Iterator[str]:
    for row in study.streams:
        if (row["dataset"], row["row"], row["measure"]) == (dataset, "clustered30-gap", NDCG):
            yield (
                f"Over {row['n_streams']:,} streams that effect is {signed(row['delta'])} on average, from "
                f"{signed(row['delta_min'])} to {signed(row['delta_max'])}; {share(row['share_opposite'])} of the "
                "streams give it the other sign."
            )

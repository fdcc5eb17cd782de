"""What of study B reproduces, in sentences made from the numbers, and the first table."""

from collections.abc import Iterator

from tasks.reporting.text_format import signed
from tasks.studies.layout import ours_text, published_text
from tasks.studies.names import LOCOMO, LONGMEMEVAL
from tasks.studies.study import Row, Study, is_measured
from tasks.studies.study_b import MEASURES
from tasks.studies.study_b_layout import set_beside
from tasks.studies.study_b_longmemeval import TESTS
from tasks.studies.study_b_names import MINILM, PUBLISHED_ENCODERS
from tasks.studies.verdicts import Verdict

MEASURE_LABELS = {
    "hit_at_1": "Hit@1", "recall_at_3": "R@3", "recall_at_5": "R@5", "mrr": "MRR", "ndcg_at_5": "nDCG@5",
    "recall_at_1": "R@1",
}  # fmt: skip


def told(study: Study) -> dict[str, str]:
    """Say what becomes of the study's claims, by the claim."""
    claims = {
        "BM25": _bm25(study),
        f"The fixed points of {MINILM}": _fixed_points(study),
        "Late against early": _claim(study, "late against early", "dense_late_minus_early_pp"),
        "Fusion over late": _claim(study, "fusion over late", "delta_pp"),
        "Fusion over BM25": _claim(study, "late against early", "fusion_late_minus_bm25_pp"),
        "Rerank": _rerank(study),
        "LongMemEval-S": _longmemeval(study),
        "Encoders": _encoders(study),
    }
    return {label: said for label, parts in claims.items() if (said := " ".join(parts))}


def main_tables(study: Study) -> list[str]:
    """Return the rows of the full metric set that can be compared, in Hit@1 and nDCG@5."""
    cells = {place: row for place, row in study.of("full metrics", LOCOMO).items() if is_measured(row)}
    if not cells:
        return ["**LoCoMo**: not measured in this run.", ""]
    n = max(row.get("n") or 0 for row in cells.values())
    asked = f", {n:,} questions" if n else ""
    columns = {name: MEASURE_LABELS[name] for name in ("hit_at_1", "ndcg_at_5")}
    return [f"**LoCoMo, sessions of the question's own conversation{asked}**", "", *set_beside(study, cells, columns)]


def _bm25(study: Study) -> Iterator[str]:
    cells = study.of("full metrics", LOCOMO)
    rows = [cells["bm25", column] for column in MEASURES if is_measured(cells["bm25", column])]
    if not rows:
        yield "Its row on LoCoMo is not measured in this run."
        return
    n_equal = sum(row["verdict"] == Verdict.EQUAL for row in rows)
    yield f"{n_equal} of {len(rows)} measures on LoCoMo are equal to the printed digits"
    others = [row for row in rows if row["verdict"] != Verdict.EQUAL]
    shifts = "; ".join(f"{row['column']} {signed(row['difference'])}" for row in others)
    yield f"({shifts})." if others else "(Hit@1, R@3, R@5, MRR, nDCG@5)."
    categories = [row for (_, column), row in study.of("categories", LOCOMO).items() if column in ("bm25", "n")]
    same = sum(row["verdict"] == Verdict.EQUAL for row in categories)
    yield f"By category {same} of {len(categories)} numbers are, with those of the questions."


def _fixed_points(study: Study) -> Iterator[str]:
    cells = [
        row
        for (_, column), row in {**study.of("full metrics", LOCOMO), **study.of("combiners", LOCOMO)}.items()
        if column in ("hit_at_1", "rrf") and row["verdict"] is not None and MINILM in _words(row) and is_measured(row)
    ]
    if cells:
        worst = max(cells, key=lambda row: abs(row["difference"]))
        yield (
            f"{len(cells)} values that the protocol gives for the file, in no table of the paper but counted above: "
            f"the largest difference is {signed(worst['difference'])} ({worst['row']})."
        )


def _words(row: Row) -> tuple[str, ...]:
    return tuple(str(row["row"]).split(", "))


def _claim(study: Study, table: str, column: str) -> Iterator[str]:
    """Set the range of the published differences beside each of ours."""
    cells = {row: cell for (row, name), cell in study.of(table, LOCOMO).items() if name == column}
    published = [cell["published"] for cell in cells.values() if cell["verdict"] is not None]
    ours = {row: cell for row, cell in cells.items() if is_measured(cell)}
    if not ours:
        return
    yield (
        f"Published for {len(published)} encoders: {signed(min(published))} to {signed(max(published))} in Hit@1. Here "
        f"{', '.join(f'{ours_text(cell)} with {row}' for row, cell in ours.items())}."
    )
    shown = [row for row, cell in ours.items() if cell["lo"] > 0 or cell["hi"] < 0]
    same = [row for row, cell in ours.items() if cell["ours"] * published[0] > 0]
    yield f"{len(same)} of {len(ours)} have the published sign, {len(shown)} an interval that excludes 0."


def _rerank(study: Study) -> Iterator[str]:
    cells = study.of("rerank", LOCOMO)
    ours = {row: cell for (row, column), cell in cells.items() if column == "delta_pp" and is_measured(cell)}
    if not ours:
        return
    known = next(cell for (row, column), cell in cells.items() if column == "delta_pp" and cell["verdict"] is not None)
    yield f"The best ten fused sessions reranked: {published_text(study, known)} published with bge-base."
    yield f"Here {', '.join(f'{ours_text(cell)} ({row})' for row, cell in ours.items())}."


def _longmemeval(study: Study) -> Iterator[str]:
    cells = study.of(TESTS, LONGMEMEVAL)
    mine = cells[f"fusion - bm25, {MINILM}", "delta_pp"]
    if not is_measured(mine):
        return
    whole = cells["fusion - bm25, bge-base", "delta_pp"]
    yield (
        f"Fusion over BM25 is {published_text(study, mine)} on the paper's 150 questions, not significant there, and "
        f"{published_text(study, whole)} with bge-base on all 500 in a run that the paper leaves out. Here "
        f"{ours_text(mine)} with {MINILM} on all questions that can be answered."
    )
    late, early = cells[f"late - early, {MINILM}", "delta_pp"], cells[f"fusion - rrf, {MINILM}", "delta_pp"]
    if is_measured(late) and is_measured(early):
        yield f"Late against early: {ours_text(late)}; fusion by score against RRF: {ours_text(early)}."


def _encoders(study: Study) -> Iterator[str]:
    absent = sum(row["verdict"] == Verdict.NOT_MEASURED for row in study.published)
    measured = {
        label
        for label in PUBLISHED_ENCODERS
        if is_measured(study.of("fusion over late", LOCOMO)[label, "late_hit_at_1"])
    }
    if len(measured) < len(PUBLISHED_ENCODERS):
        yield (
            f"{len(PUBLISHED_ENCODERS) - len(measured)} of the study's {len(PUBLISHED_ENCODERS)} encoders live on a "
            f"hub that this run did not reach: most of the {number_of(absent)} not measured are theirs."
        )


def number_of(count: int) -> str:
    """Print a count of numbers.

    >>> number_of(1), number_of(1234)
    ('1 number', '1,234 numbers')
    """
    return f"{count:,} number{'s' if count != 1 else ''}"

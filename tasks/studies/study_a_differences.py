"""The sections of a study's report about why numbers differ: text against code, causes, and how verdicts are made."""

from tasks.reporting.text_format import UNDEFINED, interval, number, share, signed, table
from tasks.studies.declared import NDCG, POOL_RECALL, STATE_MEASURES, Place, Statistic
from tasks.studies.layout import NOT_MEASURED, receipts
from tasks.studies.study import DATASET_LABELS, Row, Study, is_measured
from tasks.studies.study_a_names import ROW_LABELS
from tasks.studies.study_a_text import places

_MEASURES = {
    NDCG: "nDCG@10",
    POOL_RECALL: "Recall@30",
    "exact_episode": "right turn first",
    "n_documents_above": "suppressed documents, relative",
    "n_entries_above": "suppressed entries, relative",
}


def text_against_code(study: Study) -> list[str]:
    """Each place where the study's text and code disagree, and what we measure under each reading."""
    lines = [
        "## Text against code",
        "",
        "Where the study's text and code disagree, or its text and its own tables. The first reading of each group is "
        "that of the code; *shift* is a reading minus that one, on the same questions, with its 95 % interval.",
        "",
    ]
    for place in places():
        lines += _place(study, place)
    return lines


def causes(study: Study) -> list[str]:
    """What moves our number away from the published one, cause by cause."""
    if not study.causes:
        return []
    lines = ["## Causes, isolated by measurement", ""]
    for dataset in dict.fromkeys(row["dataset"] for row in study.causes):
        for name in dict.fromkeys(row["row"] for row in study.causes if row["dataset"] == dataset):
            rows = [
                [row["cause"], *(_shift(row, measure) for measure in ("ndcg", "recall")), row["how"]]
                for row in study.causes
                if row["dataset"] == dataset and row["row"] == name
            ]
            title = f"**{DATASET_LABELS[dataset]}, split tokenizer: {ROW_LABELS[name]}**"
            lines += [title, "", *table(["cause", "nDCG@10", "Recall@30", "how it was measured"], rows, "lrrl")]
    text = (
        "The study's reranker, ms-marco-MiniLM-L-6-v2, lives on a hub that the machines of this project cannot reach: "
        "it could not be run. What is left after the other causes is therefore laid at its door, not measured with it."
    )
    return [*lines, text, ""]


def method(study: Study) -> list[str]:
    """How a verdict is made."""
    keys = {key for row in study.cells.values() for key in row["artifact_keys"]}
    return [
        "## How verdicts are made",
        "",
        "* `equal`: ours, rounded to the published decimals, is the published number.",
        "* `consistent`: the study published per-query values (main table; gap against uniform on the split "
        "tokenizer), and the 95 % bootstrap interval of the mean of ours − published, question by question, holds 0.",
        "* `consistent (weak test)`: no per-query values were published, and the published number lies in our own "
        "95 % interval over questions. It is much the weaker: with 100 questions it accepts almost anything nearby.",
        "* `different`: anything else. A p is consistent where both are on the same side of 0.05; a count of the "
        "state is equal or different.",
        "* `not measured`: this run does not hold the variant. Every cell comes from this run's artifacts.",
        "* Evaluation is transductive, as in the study: the questions that are scored also made the stream and "
        "the clusters. nDCG@10 has gain 2^rel − 1; Recall@30 is of the 30 documents that reach the reranker.",
        f"* The column `artifact_keys` of the table `study_cells` names the {len(keys):,} artifacts that these cells "
        "come from.",
        "",
    ]  # fmt: skip


def _place(study: Study, place: Place) -> list[str]:
    lines = [f"### {place.name.capitalize()} ({place.protocol_section})", ""]
    lines += [f"* Text: {place.text}", f"* Code: {place.code}", ""]
    found = sorted((row for row in study.readings if row["place"] == place.name), key=lambda row: row["position"])
    rows = [_reading(row) for row in found]
    return [*lines, *table(["reading", "what", "ours [95 %]", "shift", "claimed"], rows, "llrrr"), *receipts(found)]


def _reading(row: Row) -> list[str]:
    what = _MEASURES[row["measure"]]
    what = f"{row['group']}, {what}" if row["group"] else what
    if DATASET_LABELS[row["dataset"]] != "LongMemEval-S":
        what = f"{DATASET_LABELS[row['dataset']]}: {what}"
    is_signed = row["statistic"] != Statistic.MEAN
    ours = _number(row, "ours", "lo", "hi", is_signed=is_signed) if is_measured(row) else NOT_MEASURED
    claim = UNDEFINED
    if row["claim"] == row["claim"]:
        claim = _plain(row, row["claim"], is_signed=is_signed)
    return [row["reading"], what, ours, _number(row, "shift", "shift_lo", "shift_hi", is_signed=True), claim]


def _number(row: Row, name: str, lo: str, hi: str, *, is_signed: bool) -> str:
    value = row[name]
    if value != value:
        return ""
    if value == row[lo] == row[hi] == 0:
        return "exactly 0"
    said = _plain(row, value, is_signed=is_signed)
    return said if row[lo] != row[lo] else f"{said} {interval(row[lo], row[hi], is_difference=is_signed)}"


def _plain(row: Row, value: float, *, is_signed: bool) -> str:
    if row["measure"] in STATE_MEASURES:
        return share(value) if row["statistic"] == Statistic.RELATIVE else f"{value:,.0f}"
    return signed(value) if is_signed else number(value)


def _shift(row: Row, name: str) -> str:
    value, lo, hi = row[name], row[f"{name}_lo"], row[f"{name}_hi"]
    if value != value:
        return UNDEFINED
    said = signed(value) if row["cause"] != "another stream" else f"± {number(value)}"
    return said if lo != lo else f"{said} {interval(lo, hi, is_difference=True)}"

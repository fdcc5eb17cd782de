"""The sections of a study's report about its tables. Each returns the lines of its Markdown."""

from collections.abc import Mapping

from tasks.reporting.text_format import UNDEFINED, number, share, signed, table
from tasks.studies.declared import NDCG, POOL_RECALL
from tasks.studies.layout import (
    by_dataset,
    listed,
    ours_text,
    published_text,
    receipts,
    shift_text,
    side_by_side,
    verdict_text,
)
from tasks.studies.study import DATASET_LABELS, Row, Study, is_measured
from tasks.studies.study_a import MAIN, MAIN_REGEX, MAIN_ROWS, QUESTION_TYPES
from tasks.studies.study_a_names import ROW_LABELS

MEASURE_LABELS = {NDCG: "nDCG@10", POOL_RECALL: "Recall@30"}
_LEVELS = {"ndcg_at_10": "nDCG@10", "recall_at_30": "Recall@30"}
_SAMPLED = {"ndcg_at_10": "nDCG@10", "recall_at_10": "Recall@10"}


def main_details(study: Study) -> list[str]:
    """All numbers of the main table: recall, p, and the test of our values against the published ones."""
    lines = ["## The main table in full", ""]
    for dataset in ("longmemeval-s", "nfcorpus"):
        cells = study.of("main", dataset)
        rows = [
            [
                f"{ROW_LABELS[row['row']]}: {row['column']}", published_text(study, row), ours_text(row),
                shift_text(row), UNDEFINED if row["p"] is None else f"{row['p']:.4f}",
                share(row["share_identical"]), verdict_text(row),
            ]
            for row in cells.values()
        ]  # fmt: skip
        header = ["", "published", "ours [95 %]", "ours − published", "p of it", "identical", "verdict"]
        lines += [f"**{DATASET_LABELS[dataset]}, split tokenizer**", "", *table(header, rows, "lrrrrrl")]
        lines += receipts(cells.values())
    text = (
        "*Ours − published*, its interval, *p of it* (sign-flip) and *identical* (share of questions with the same "
        "value) are over the questions that both sides have, question by question. `delta_` is the difference to the "
        "baseline, `p_` its p, not adjusted."
    )
    return [*lines, text, ""]


def gap_against_uniform(study: Study) -> list[str]:
    """Set the study's proposal against its simpler rule."""
    lines = ["## Gap against uniform", "", "Differences to clustered 30, uniform.", ""]
    for dataset in study.datasets:
        cells = study.of("gap against uniform", dataset)
        if not any(is_measured(row) for row in cells.values()):
            continue
        rows = []
        for label in dict.fromkeys(row for row, _ in cells):
            line = [_pair_label(label)]
            for difference, p in (("delta_ndcg", "p"), ("delta_recall", "r_p")):
                mine, test = cells[label, difference], cells[label, p]
                line += [_with_p(study, mine, test), _ours_with_p(mine, test), verdict_text(mine)]
            rows.append(line)
        header = ["", *(f"{name}{end}" for name in ("nDCG@10", "Recall@30") for end in (", published", ", ours", ""))]
        lines += [f"**{DATASET_LABELS[dataset]}**", "", *table(header, rows, "lrrlrrl"), *receipts(cells.values())]
    return lines


def streams(study: Study) -> list[str]:
    """What many streams do to the main table; nothing for a run of one stream."""
    if not study.streams:
        return []
    n = max(row["n_streams"] for row in study.streams)
    lines = [f"## What {n:,} streams do to it", "", "![Effects over streams](figures/streams.png)", ""]
    lines += [
        "The study reports one stream of questions (seed 42). Here the same questions are drawn in other orders: mean "
        "and standard deviation over streams, the range, and the share of streams whose effect has the other sign than "
        "the mean effect. *As far*: share of streams whose effect is as far from 0 as the published one, on its side.",
        "",
    ]
    for dataset, rows in by_dataset(study.streams).items():
        header = ["", "measure", "mean", "sd", "effect: mean", "sd", "range", "other sign", "published", "as far"]
        lines += [f"**{DATASET_LABELS[dataset]}**", ""]
        lines += table(header, [_stream_row(row) for row in rows], "llrrrrrrrr")
    return lines


def sweeps(study: Study) -> list[str]:
    """Numbers of clusters, parameters, and what clusters are fitted on."""
    lines = ["## Number of clusters", "", "![nDCG@10 by number of clusters](figures/clusters.png)", ""]
    lines += _one(study, "clusters", "longmemeval-s", _LEVELS)
    lines += [
        "## Parameters",
        "",
        "One global state, uniform rule, split tokenizer; `suppressed`: entries above 0.01.",
        "",
    ]
    lines += _one(study, "parameters", "longmemeval-s", {**_LEVELS, "suppressed": "suppressed"})
    text = "Clustered 30, rank-gap, split tokenizer: gain in nDCG@10 over the baseline, relative to it."
    lines += ["## What clusters are fitted on", "", text, ""]
    return lines + _one(study, "cluster source", "longmemeval-s", {"relative_ndcg_gain": "relative gain"})


def retrieval(study: Study) -> list[str]:
    """Baselines, tokenizers, depth."""
    lines = ["## Baselines", "", "The study's sample of 200 questions; the whole union is reranked.", ""]
    lines += _one(study, "baselines", "longmemeval-s", _SAMPLED)
    lines += ["## Tokenizers", "", "The study's sample of 100 questions, adaptive depth 100.", ""]
    lines += _one(study, "tokenizers", "longmemeval-s", _SAMPLED)
    lines += ["## Depth", "", "The same sample: a question goes deeper where its best logit is below 4.", ""]
    return lines + _one(study, "depth", "longmemeval-s", {**_SAMPLED, "deep_pass_share": "went deeper"})


def behaviour(study: Study) -> list[str]:
    """What the first result is, overall and by question type."""
    cells = study.of("behaviour", "longmemeval-s")
    columns = {"baseline": "baseline", "clustered30_gap": "clustered 30, rank-gap"}
    lines = ["## Behaviour of the first result", ""]
    for kind in ("overall", *QUESTION_TYPES):
        mine = {
            (row.partition(": ")[2], column): cell
            for (row, column), cell in cells.items()
            if row.startswith(f"{kind}:")
        }
        shown = side_by_side(study, mine, columns)
        if kind == "overall":
            lines += [*shown, *receipts(cells.values())]
        else:
            lines += [f"<details><summary>{kind}</summary>", "", *shown, "</details>", ""]
    return lines


SHOWN_EVERY = 1_000
"""Steps of the stream between two states that are printed."""
CLOSE = 0.03
"""Our counts move by so much with another stream (sd 2 %), and by 1 % with another reranker."""


def suppression(study: Study) -> list[str]:
    """The state over the stream, beside what the study says about saturation."""
    text = (
        "Suppressed documents: those with s > 0.01 in some cluster. The study's counts are read as documents, because "
        "its 2,714 for 30 clusters are 74.7 % of NFCorpus's 3,633; entries (a document in a cluster) are below."
    )
    lines = ["## Suppression over the stream", "", text, ""]
    for dataset in ("longmemeval-s", "nfcorpus"):
        columns = {"suppressed_entries": "documents", "share_of_corpus": "share of the corpus"}
        lines += [f"**{DATASET_LABELS[dataset]}**", "", *_one(study, "saturation", dataset, columns)]
    lines += _early_counts(study)
    header = ["", "step", "entries", "entries with s > 0.01", "documents", "share of the corpus", "largest s", "mean s"]
    for dataset, rows in by_dataset(study.traces).items():
        last = {row["row"]: row["step"] for row in rows}  # steps ascend within a row of the main table
        shown = [row for row in rows if row["step"] % SHOWN_EVERY == 0 or row["step"] == last[row["row"]]]
        states = [_trace_row(row) for row in shown if ": " not in row["row"]]  # the main table's tokenizer
        title = (
            f"{DATASET_LABELS[dataset]}: the state every {SHOWN_EVERY:,} steps; all: `SELECT * FROM suppression_trace`"
        )
        lines += [f"<details><summary>{title}</summary>", "", *table(header, states, "lrrrrrrr"), "</details>", ""]
    return lines


def _early_counts(study: Study) -> list[str]:
    """Set the published counts beside ours after `SHOWN_EVERY` steps; nothing where the stream was not looked at."""
    early = {
        (row["dataset"], row["row"]): row["n_documents_above"] for row in study.traces if row["step"] == SHOWN_EVERY
    }
    rows, off = [], []
    for dataset in ("longmemeval-s", "nfcorpus"):
        for (label, column), cell in study.of("saturation", dataset).items():
            ours = early.get((dataset, label.partition(", ")[0]))
            if column == "suppressed_entries" and ours is not None:
                known = study.intervals[dataset, "saturation", label, column].value
                off.append(ours / known - 1)
                line = [f"{DATASET_LABELS[dataset]}: {label}", published_text(study, cell)]
                rows.append([*line, f"{ours:,}", f"{100 * off[-1]:+.1f} %"])
    if not rows:
        return []
    text = f"For comparison, the documents after {SHOWN_EVERY:,} steps."
    if max(map(abs, off)) < CLOSE:
        text = (
            f"After {SHOWN_EVERY:,} steps instead of the stated ones our documents come within {share(CLOSE)} of every "
            "published count. That number of steps was found by looking, nothing in the study says it: the counts look "
            "like those of a shorter run."
        )
    header = ["", "documents, published", f"ours after {SHOWN_EVERY:,} steps", "ours to published"]
    return [text, "", *table(header, rows, "lrrr")]


def bm25_variants(study: Study) -> list[str]:
    """What BM25's idf does, beside the mechanism that the study is about."""
    lines = ["## BM25 variants", ""]
    for dataset in ("longmemeval-s", "nfcorpus"):
        cells = study.of("bm25 variants", dataset)
        columns = {
            "bm25": "BM25 alone", "baseline": "baseline", "clustered30-gap": "clustered 30, rank-gap",
            "delta_ndcg": "effect", "recall_at_30": "Recall@30 of the baseline",
        }  # fmt: skip
        rows = [
            [label, *(ours_text(cells[label, column]) for column in columns)]
            for label in dict.fromkeys(row for row, _ in cells)
        ]
        lines += [f"**{DATASET_LABELS[dataset]}**, nDCG@10", "", *table(["", *columns.values()], rows, "lrrrrr")]
        lines += receipts(cells.values())
    text = (
        "The study's library replaces every negative idf by a quarter of the mean idf (`okapi-floor`), which gives the "
        "commonest words a weight; Lucene's idf has no such floor. The study does not mention it."
    )
    return [*lines, text, ""]


def locomo(study: Study) -> list[str]:
    """The same table on a second conversational data set, which nobody published."""
    if "locomo" not in study.datasets:
        return []
    lines = ["## LoCoMo: the same table, which nobody published", ""]
    columns = {
        "nDCG@10": "ndcg_at_10", "effect": "delta_ndcg", "p": "p_ndcg", "Recall@30": "recall_at_30",
        "effect on it": "delta_recall", "p of it": "p_recall",
    }  # fmt: skip
    for name, tokenizer in ((MAIN, "split"), (MAIN_REGEX, "regex")):
        cells = study.of(name, "locomo")
        rows = [
            [ROW_LABELS[row], *(ours_text(cells[row, c]) if (row, c) in cells else "" for c in columns.values())]
            for row in MAIN_ROWS
        ]
        n = max(cell["n"] for cell in cells.values())
        title = f"**{tokenizer} tokenizer, {n:,} questions of the main block**"
        lines += [title, "", *table(["", *columns], rows, "lrrrrrr"), _shown(cells), "", *receipts(cells.values())]
    return lines


def _shown(cells: Mapping[tuple[str, str], Row]) -> str:
    """Say which effects on nDCG@10 are shown: the interval excludes 0; p is not adjusted."""
    effects = {row: cells[row, "delta_ndcg"] for row in MAIN_ROWS[1:]}
    better = [ROW_LABELS[row] for row, effect in effects.items() if effect["lo"] > 0]
    worse = [ROW_LABELS[row] for row, effect in effects.items() if effect["hi"] < 0]
    return f"Effects on nDCG@10 whose interval excludes 0: better [{listed(better)}], worse [{listed(worse)}]."


def _one(study: Study, name: str, dataset: str, columns: Mapping[str, str]) -> list[str]:
    cells = study.of(name, dataset)
    return [*side_by_side(study, cells, columns), *receipts(cells.values())]


def _pair_label(label: str) -> str:
    tokenizer, _, row = label.partition(": ")
    return f"{tokenizer}: {ROW_LABELS[row]}"


def _with_p(study: Study, difference: Row, test: Row) -> str:
    said = published_text(study, difference)
    return said if said == UNDEFINED else f"{said}, p {published_text(study, test)}"


def _ours_with_p(difference: Row, test: Row) -> str:
    return f"{ours_text(difference)}, p {ours_text(test)}" if is_measured(difference) else ours_text(difference)


def _stream_row(row: Row) -> list[str]:
    tokenizer, _, name = row["row"].rpartition(": ")
    label = f"{tokenizer}: {ROW_LABELS[name]}" if tokenizer else ROW_LABELS[name]
    return [
        label, MEASURE_LABELS[row["measure"]], number(row["mean"]), number(row["sd"]), signed(row["delta"]),
        number(row["delta_sd"]), f"{signed(row['delta_min'])} to {signed(row['delta_max'])}",
        share(row["share_opposite"]), signed(row["published_delta"]), share(row["share_as_far"]),
    ]  # fmt: skip


def _trace_row(row: Row) -> list[str]:
    counts = [f"{row[name]:,}" for name in ("step", "n_entries", "n_entries_above", "n_documents_above")]
    saturation = share(row["n_documents_above"] / row["n_documents"] if row["n_documents"] else None)
    name = row["row"].replace(": ", ", ")
    return [ROW_LABELS.get(name, name), *counts, saturation, number(row["max"]), number(row["mean"])]

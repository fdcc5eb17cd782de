"""What study B's numbers cannot carry, with numbers, and how verdicts are made."""

from collections.abc import Iterator

from tasks.reporting.text_format import interval, number, p_value, signed
from tasks.studies.declared import Where
from tasks.studies.layout import ours_text, published_text
from tasks.studies.names import LOCOMO, LONGMEMEVAL
from tasks.studies.published import STUDY_B, Published
from tasks.studies.study import Row, Study, is_measured
from tasks.studies.study_b import UNPUBLISHED
from tasks.studies.study_b_grid import ALPHAS, HELD_OUT
from tasks.studies.study_b_longmemeval import ALL, SAMPLE, TESTS
from tasks.studies.study_b_names import LOCOMO_SESSIONS, MINILM, N_SAMPLED, bm25, fusion, session

LATEST_TIE = Where(UNPUBLISHED, (("scoring", "bm25 latest tie"),), "value")


def weaknesses(study: Study) -> list[str]:
    """List what weakens the study's numbers, each point with its own."""
    points = {
        "Ten conversations.": _conversations(study),
        "Adversarial questions in the mean.": _adversarial(study),
        "Evidence.": _evidence(study),
        "Ties.": _ties(study),
        "The weight.": _weight(study),
        "BM25's parameters.": _grid(study),
        "LongMemEval-S.": _sample(study),
        "No values question by question.": iter(
            ["A verdict rests on digits, or on the weak test that our interval holds the number."]
        ),
    }
    lines = ["## Weaknesses", ""]
    said = {title: " ".join(parts) for title, parts in points.items()}
    return [*lines, *(f"* **{title}** {text}" for title, text in said.items() if text), ""]


def method(study: Study) -> list[str]:
    """How a verdict is made."""
    keys = {key for row in study.cells.values() for key in row["artifact_keys"]}
    return [
        "## How verdicts are made",
        "",
        "* `equal`: ours, rounded to the published decimals, is the published number.",
        "* `consistent (weak test)`: the published number lies in our own 95 % interval: on LoCoMo of the study's "
        "bootstrap over conversations, elsewhere over questions. No per-query values were published.",
        "* `different`: anything else. A p is consistent where both are on the same side of 0.05; a count, and a "
        "number that has no interval here (the grid of BM25), is equal or different.",
        "* `no verdict`: times of two machines.",
        "* `needs a hub`: the encoder lives on a hub that this run did not reach; `not measured`: this run does not "
        "hold the number. Every cell comes from this run's artifacts.",
        "* A one-sided p is the share of resamples in which the difference is 0 or less, as in the study: of a "
        "bootstrap, not of a permutation.",
        f"* The column `artifact_keys` of the table `study_cells` names the {len(keys):,} artifacts that these cells "
        "come from.",
        "",
    ]  # fmt: skip


def _conversations(study: Study) -> Iterator[str]:
    mine = study.of("fusion over late", LOCOMO)[MINILM, "delta_pp"]
    yield (
        "LoCoMo has 10, whose questions share sessions. The study's interval draws conversations; with so few of them "
        "it is too narrow, and an exact two-sided test over conversations cannot go below 2/1024."
    )
    if is_measured(mine):
        yield f"Fusion over late with {MINILM} is {ours_text(mine)} by it."
    for row in study.tables["study_inference"]:
        sides = (row["variant"], row["baseline"], row["method"])
        if sides == (fusion("max"), session("max"), "cluster-sign-flip"):
            yield f"The exact test gives p {p_value(row['p'])}, its floor {p_value(row['p_floor'])}."
            return


def _adversarial(study: Study) -> Iterator[str]:
    cells = study.of("totals", LOCOMO)
    yield "446 of the questions are of LoCoMo's category 5, to which the conversation holds no answer."
    for row in ("bm25", f"fusion max, {MINILM}"):
        mine = {block: cells[row, f"strict: {block}"] for block in ("main", "adversarial", "all")}
        if all(map(is_measured, mine.values())):
            name = "BM25" if row == "bm25" else row
            yield (
                f"{name}: {number(mine['all']['ours'])} with them, {number(mine['main']['ours'])} without, "
                f"{number(mine['adversarial']['ours'])} on them alone."
            )
    counts = [cells["questions", f"tolerant: {block}"] for block in ("main", "all")]
    if all(map(is_measured, counts)):
        yield (
            f"Of the 1,540 questions without them {counts[0]['ours']:,.0f} have evidence, of the 1,986 with them "
            f"{counts[1]['ours']:,.0f}."
        )


def _evidence(study: Study) -> Iterator[str]:
    cells = study.of("totals", LOCOMO)
    sides = [cells["bm25", f"{evidence}: all"] for evidence in ("strict", "tolerant")]
    counts = [cells["questions", f"{evidence}: all"] for evidence in ("strict", "tolerant")]
    if all(map(is_measured, [*sides, *counts])):
        yield (
            f"The study's reading drops {counts[1]['ours'] - counts[0]['ours']:,.0f} questions whose evidence can be "
            f"read: BM25 is {number(sides[0]['ours'])} without and {number(sides[1]['ours'])} with them."
        )


def _ties(study: Study) -> Iterator[str]:
    latest = Published(STUDY_B).number(LATEST_TIE)
    yield f"The earliest of equal sessions wins; with the latest, BM25's Hit@1 is {number(latest.value)}."
    for row in study.tables["study_ties"]:
        is_shown = row["variant"] in (bm25(), fusion("max")) and row["measure"] == "Success@1"
        if is_shown and row["protocol"] == LOCOMO_SESSIONS:
            yield (
                f"`{row['variant']}`: {row['n_undecided']:,} of {row['n']:,} questions are decided by the order of "
                f"equals alone, which could make Hit@1 anything "
                f"{interval(row['pessimistic'], row['optimistic'])}."
            )


def _weight(study: Study) -> Iterator[str]:
    curve = study.of("alpha curve", LOCOMO)
    held_out = study.of("fusion over late", LOCOMO)[MINILM, "fusion_hit_at_1"]
    mine = [curve[f"{alpha:.2f}", MINILM] for alpha in ALPHAS]
    known = [row for row in mine if is_measured(row)]
    if known and is_measured(held_out):
        best = max(known, key=lambda row: row["ours"])
        yield (
            f"The best weight of the curve with {MINILM} is {best['row']}, {number(best['ours'])}; chosen on the other "
            f"conversations it gives {number(held_out['ours'])} ({signed(held_out['ours'] - best['ours'])})."
        )
    published = {f"{alpha:.2f}": curve[f"{alpha:.2f}", "e5-large-v2"]["published"] for alpha in ALPHAS}
    top = max(published, key=lambda row: published[row])
    yield f"The published curve of e5-large-v2 has its top, {number(published[top])}, at {top}."


def _grid(study: Study) -> Iterator[str]:
    cells = {row: cell for (row, _), cell in study.of("BM25 grid", LOCOMO).items()}
    held_out = cells.pop(HELD_OUT)
    best = max(cells, key=lambda row: cells[row]["published"])
    yield (
        f"The best of {len(cells)} printed settings, {number(cells[best]['published'])} ({best}), is found by looking "
        f"at the answers; chosen on the other conversations it is {published_text(study, held_out)} again"
        + (f", here {number(held_out['ours'])}." if is_measured(held_out) else ".")
    )


def _sample(study: Study) -> Iterator[str]:
    yield (
        f"The study's {N_SAMPLED} questions come from a mirror that mixes other rows: they cannot be drawn again. Its "
        "numbers are set beside all questions that can be answered, and beside a seeded sample."
    )
    sides = [study.of(table, LONGMEMEVAL)["fusion max", "recall_at_1"] for table in (ALL, SAMPLE)]
    if all(map(is_measured, sides)):
        yield f"R@1 of fusion is {ours_text(sides[0])} on all and {ours_text(sides[1])} on the sample."
    whole = _published_effects(study)
    yield (
        f"That fusion gains nothing over BM25 there ({whole[0]}) does not stand beside the study's own run on all 500 "
        f"questions ({whole[1]})."
    )


def _published_effects(study: Study) -> tuple[str, str]:
    cells: dict[tuple[str, str], Row] = study.of(TESTS, LONGMEMEVAL)
    said = [published_text(study, cells[f"fusion - bm25, {label}", "delta_pp"]) for label in (MINILM, "bge-base")]
    return said[0], said[1]

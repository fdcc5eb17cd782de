"""The opening screen: what reproduces, what does not, and why, in sentences made from the numbers."""

from collections import Counter

from tasks.reporting.text_format import escape, table
from tasks.studies import study_a_opening, study_b_opening
from tasks.studies.catalog import declarations
from tasks.studies.published import STUDY_A
from tasks.studies.study import Study, is_weak
from tasks.studies.verdicts import Verdict


def in_words(study: Study) -> tuple[str, dict[str, str]]:
    """Say how many numbers reproduce, and what becomes of the study's claims, by a label such as the data set's."""
    told = study_a_opening.told if study.name == STUDY_A else study_b_opening.told
    return _verdicts(study), told(study)


def opening(study: Study) -> list[str]:
    """Return the first screen of the report."""
    verdicts, told = in_words(study)
    label = declarations(study.name).title
    lines = [f"# {label}: what reproduces, what does not, and why", "", verdicts, ""]
    lines += [*(f"* **{label}.** {said}" for label, said in told.items()), ""]
    lines += study_a_opening.main_tables(study) if study.name == STUDY_A else study_b_opening.main_tables(study)
    return [*lines, "## Verdicts by table", "", *_verdict_table(study)]


def _verdicts(study: Study) -> str:
    count = Counter(row["verdict"] for row in study.published)
    weak = sum(is_weak(row) for row in study.published)
    label = declarations(study.name).title
    said = f"{label} published {len(study.published):,} numbers that have a counterpart here. "
    said += (
        f"{count[Verdict.EQUAL]:,} come out equal to the printed digits, {count[Verdict.CONSISTENT]:,} consistent "
        f"({weak:,} of them by the weak test alone: the published number lies in our interval), "
        f"{count[Verdict.DIFFERENT]:,} different"
    )
    missing = count[Verdict.NOT_MEASURED]
    said += f", {count[Verdict.NOT_JUDGED]:,} are shown without a verdict" if count[Verdict.NOT_JUDGED] else ""
    return f"{said}; {missing:,} are not measured in this run." if missing else f"{said}."


def _verdict_table(study: Study) -> list[str]:
    rows = []
    for name in dict.fromkeys(row["table"] for row in study.published):
        mine = [row for row in study.published if row["table"] == name]
        count = Counter(row["verdict"] for row in mine)
        weak = sum(is_weak(row) for row in mine)
        shown = (count[Verdict.EQUAL], count[Verdict.CONSISTENT] - weak, weak, count[Verdict.DIFFERENT])
        rows.append([escape(name), *(f"{n:,}" for n in (*shown, count[Verdict.NOT_MEASURED]))])
    header = ["table", "equal", "consistent", "consistent (weak test)", "different", "not measured"]
    return table(header, rows, "lrrrrr")

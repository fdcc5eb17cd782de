"""The sections of study A's report after its opening, in their order."""

from tasks.studies import study_a_differences, study_a_sections
from tasks.studies.study import Study

FIGURE = ["![Published effects and ours](figures/effects.png)", ""]


def sections(study: Study) -> list[str]:
    """Return every table, then why numbers differ."""
    lines = list(FIGURE)
    for section in (
        study_a_sections.gap_against_uniform,
        study_a_sections.streams,
        study_a_sections.main_details,
        study_a_sections.sweeps,
        study_a_sections.retrieval,
        study_a_sections.behaviour,
        study_a_sections.suppression,
        study_a_sections.bm25_variants,
        study_a_differences.text_against_code,
        study_a_differences.causes,
        study_a_sections.locomo,
        study_a_differences.method,
    ):
        lines += section(study)
    return lines

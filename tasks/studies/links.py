"""Links between the reports of the studies: what one method does is read beside what the other does."""

import json
from pathlib import Path

from tasks.studies.published import STUDY_A, STUDY_B

LABELS = {STUDY_A: "Study A, suppression", STUDY_B: "Study B, fusion"}


def other_study(study: str, reports_root: Path) -> list[str]:
    """Return the line that leads to the newest report of the other study, or says how to make one.

    Ids of runs sort by time; a report that cannot be read is passed over.
    """
    (other,) = set(LABELS) - {study}
    runs = (manifest.parent for manifest in reports_root.glob(f"*-{other}-*/manifest.json"))
    for folder in sorted(runs, reverse=True):
        if _profile(folder) == other and (folder / "report.md").is_file():
            return [f"{LABELS[other]}, on the same data: [{folder.name}](../{folder.name}/report.md).", ""]
    return [f"{LABELS[other]}, on the same data: `mnemobench run --profile {other}`; no report of it is here yet.", ""]


def _profile(folder: Path) -> str | None:
    try:
        found: str = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["runs"][0]["profile"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return found

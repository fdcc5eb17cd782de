"""Study A over handmade reports: once with the published values as ours, once with few variants and changed values."""

from pathlib import Path

import numpy as np
import pytest

from tasks.studies.build import build
from tasks.studies.declared import NDCG
from tasks.studies.estimates import StudyParams
from tasks.studies.results import Values
from tasks.studies.study_a_names import REGEX, SPLIT, SUPPRESSION, baseline, main_variant, rif
from tests.unit.studies.handmade_study import write_reports

FEW = StudyParams(n_resamples=200)
LITERAL = rif("gap", 30, {"rule_set": "paper-literal"}, SPLIT, SUPPRESSION)
GAP30 = main_variant("clustered30-gap", SPLIT, SUPPRESSION)


@pytest.fixture(scope="session")
def same_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything is measured, and the main table's values are the published ones; 20 streams."""
    root = tmp_path_factory.mktemp("same")
    reports = {name: write_reports(root, name, n_streams=20) for name in ("longmemeval-s", "nfcorpus", "locomo")}
    keys = {"nfcorpus": {"pooled-document": {baseline(SPLIT, SUPPRESSION): "k" * 64, GAP30: "g" * 64}}}
    build(reports, FEW, root / "study", keys=keys)
    return root / "study"


@pytest.fixture(scope="session")
def small_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data set, five variants, one stream; the baseline's nDCG is 0.125 higher than the published one, capped at 1.

    The algorithm box to the letter gives what the baseline gives.
    """

    def change(variant: str, measure: str, values: Values) -> Values:
        return np.minimum(values + 0.125, 1) if variant == plain and measure == NDCG else values

    plain = baseline(SPLIT, SUPPRESSION)
    root = tmp_path_factory.mktemp("small")
    only = [plain, GAP30, LITERAL, baseline(REGEX, SUPPRESSION), rif("uniform", 30, REGEX, SUPPRESSION)]
    reports = write_reports(root, "longmemeval-s", change=change, only=only)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tasks.studies.build._draw", lambda *_: (root / "study" / "figures").mkdir())
        build({"longmemeval-s": reports}, FEW, root / "study")
    return root / "study"

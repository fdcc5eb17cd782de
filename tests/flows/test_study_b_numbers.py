"""Study B's method with all-MiniLM-L6-v2 on the real LoCoMo file, through the command line, against protocols.md B.5.

The vectors take some minutes: they are made in a store of the test's own, or taken from `MNEMOBENCH_TEST_STORE`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_800)]
CHECKOUT = Path(__file__).resolve().parents[2]
FOUR_QUESTIONS = 0.002
"""Other processors and libraries move a vector's last digits: so much is allowed."""

EXPECTED = {
    "session(pool=mean": 0.3276,
    "session(pool=max": 0.4115,
    "session(pool=top3": 0.4226,
    "session(pool=lse10": 0.3893,
    "fusion(pool=mean,tok": 0.6456,
    "fusion(pool=max,tok": 0.6613,
    "fusion(pool=top3,tok": 0.6618,
    "fusion(pool=lse10,tok": 0.6577,
    "fusion(pool=max,combine=rrf": 0.5753,
}
BM25 = "bm25(tokenizer=word3+stop,k=100,ties=earliest,fill=true)"


@pytest.fixture(scope="module")
def hits(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """Success@1 over all 1,978 questions, by canonical name of the variant."""
    folder = tmp_path_factory.mktemp("study-b")
    variants = ["bm25(k=100,fill=true)", *(f"session(pool={pool})" for pool in ("mean", "max", "top3", "lse10"))]
    variants += [f"fusion(pool={pool})" for pool in ("mean", "max", "top3", "lse10")] + ["fusion(pool=max,combine=rrf)"]
    settings = {
        "protocol": "conversation-session(evidence=strict)", "other_protocols": [], "variants": variants,
        "tokenizer.name": "word3+stop", "candidates.ties": "earliest", "significance.baseline": variants[0],
        "measures.names": ["Success@1", "R@5"], "report.main_measure": "Success@1", "report.pool_measure": "R@5",
        "report.main_block": "all",
    }  # fmt: skip
    chosen = [word for name, value in settings.items() for word in ("--set", f"{name}={json.dumps(value)}")]
    places = {"MNEMOBENCH_STORE": str(folder / "store"), "MNEMOBENCH_REPORTS": str(folder / "reports")}
    if store := os.environ.get("MNEMOBENCH_TEST_STORE"):
        places["MNEMOBENCH_STORE"] = store
    command = [sys.executable, "-m", "flows.cli", "run", "--profile", "locomo", "--mirror", str(mirror), *chosen]
    done = subprocess.run(command, cwd=CHECKOUT, env={**os.environ, **places}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]
    summary = pl.read_parquet(folder / "reports" / "warehouse" / "summary" / "**" / "*.parquet")
    found = summary.filter(pl.col("measure") == "Success@1", pl.col("block") == "all")
    assert set(found["n"]) == {1_978}
    return dict(found.select("variant", "mean").iter_rows())


def test_bm25_to_four_places_against_the_published_number(hits: dict[str, float]) -> None:
    assert round(hits[BM25], 4) == 0.6395


@pytest.mark.parametrize(("start", "published"), EXPECTED.items())
def test_success_at_1_against_protocols_b5(hits: dict[str, float], start: str, published: float) -> None:
    (mean,) = (value for name, value in hits.items() if name.startswith(start))
    assert mean == pytest.approx(published, abs=FOUR_QUESTIONS)

"""The section about times, and its table, from handmade measurements."""

from pathlib import Path

import polars as pl
import pytest

from tasks.records import BenchError
from tasks.reporting import schemas
from tasks.reporting.latency_schemas import LATENCY
from tasks.reporting.latency_sections import latency, latency_table
from tasks.reporting.sources import Sources
from tests.unit.reporting.handmade import World

STAGES = ("query encode", "bm25", "max-sim", "fusion", "rerank top-10")


def measured(folder: Path, encoder: str, factor: float = 1.0) -> Path:
    """Write `latency.parquet` as the stage selection does: stage k takes k times as long as the first."""
    folder.mkdir()
    rows = [
        (encoder, "ms-marco|x", stage, 200, *(k * factor * ms for ms in (2.0, 1.234, 9.0, 0.5)), "A <b>CPU", 2)
        for k, stage in enumerate(STAGES, start=1)
    ]
    names = [name for name in LATENCY.schema if name != "protocol"]
    schema = {name: LATENCY.schema[name] for name in names}
    pl.DataFrame(rows, schema=schema, orient="row").write_parquet(folder / "latency.parquet")
    return folder


@pytest.fixture
def source(world: World) -> Sources:
    return Sources.read(world.inputs, "conversation-turn")


def section(found: pl.DataFrame, folder: Path) -> list[str]:
    schemas.write(found, LATENCY, folder / "report" / "tables" / "latency.parquet")
    return latency({}, folder / "report")


def test_section_against_handmade_numbers(source: Sources, tmp_path: Path) -> None:
    lines = section(latency_table(source, [measured(tmp_path / "a", "all-MiniLM")]), tmp_path)
    rows = [line for line in lines if line.startswith("| ")]
    assert rows[0] == "| stage | median, ms | 95 %, ms | mean, ms | least, ms |"
    assert rows[2] == "| query encode | 1.23 | 9 | 2 | 0.5 |"
    assert rows[-1] == "| rerank top-10 | 6.17 | 45 | 10 | 2.5 |"
    assert [row.split(" | ")[0].strip("| ") for row in rows[2:]] == list(STAGES)  # the key orders them otherwise
    text = "\n".join(lines)
    assert "for 200 questions" in text
    assert "A &lt;b&gt;CPU (2 cores)" in text
    assert "ms-marco\\|x" in text
    assert "another machine" in text


def test_each_encoder_has_its_own_table(source: Sources, tmp_path: Path) -> None:
    several = [measured(tmp_path / "a", "all-MiniLM"), measured(tmp_path / "b", "bge_small", 100.0)]
    lines = section(latency_table(source, several), tmp_path)
    assert [line for line in lines if line.startswith("**")] == ["**all-MiniLM**", "**bge\\_small**"]
    rows = [line for line in lines if line.startswith("| query encode")]
    assert [row.split(" | ")[1] for row in rows] == ["1.23", "123"]


def test_nothing_measured_gives_no_section(source: Sources, tmp_path: Path) -> None:
    found = latency_table(source, [])
    assert dict(found.schema) == LATENCY.schema
    assert section(found, tmp_path) == []


def test_the_same_encoder_twice_is_refused(source: Sources, tmp_path: Path) -> None:
    twice = [measured(tmp_path / "a", "all-MiniLM"), measured(tmp_path / "b", "all-MiniLM")]
    with pytest.raises(BenchError, match="share their key"):
        section(latency_table(source, twice), tmp_path)


def test_a_table_that_is_not_there_is_an_error_in_words(source: Sources, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="cannot be read as Parquet"):
        latency_table(source, [tmp_path / "nowhere"])

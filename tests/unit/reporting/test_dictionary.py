"""The dictionary of data/README.md against the declared schemas."""

import re
from pathlib import Path

import polars as pl
import pytest

from tasks.reporting.schemas import SCHEMA_VERSION, TABLES, Column

PAGE = (Path(__file__).resolve().parents[3] / "data" / "README.md").read_text(encoding="utf-8")
FIELDS = ("column", "type", "unit", "meaning", "null", "example")


def rows_of(section: str) -> list[dict[str, str]]:
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines[1:]]
    assert all(len(line) == len(FIELDS) for line in cells)
    return [dict(zip(FIELDS, line, strict=True)) for line in cells]


SECTIONS = {
    name: rows_of(section)
    for name, section in re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", PAGE, re.MULTILINE | re.DOTALL)
}


def type_name(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.Datetime):
        return f"Datetime({dtype.time_unit})"
    if isinstance(dtype, pl.List):
        return "List(Struct)" if isinstance(dtype.inner, pl.Struct) else f"List({dtype.inner})"
    return str(dtype)


def test_dictionary_has_every_table_and_the_version() -> None:
    assert set(SECTIONS) == set(TABLES)
    assert f"schema version {SCHEMA_VERSION}" in PAGE


@pytest.mark.parametrize("name", sorted(TABLES))
def test_dictionary_agrees_with_the_schema(name: str) -> None:
    table = TABLES[name]
    assert [(row["column"], row["type"]) for row in SECTIONS[name]] == [
        (column.name, type_name(column.dtype)) for column in table.columns
    ]
    nullable = {row["column"] for row in SECTIONS[name] if row["null"] != "never"}
    assert nullable == {column.name for column in table.columns if column.is_nullable}


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_column_has_unit_meaning_and_an_example_of_its_type(name: str) -> None:
    for row, column in zip(SECTIONS[name], TABLES[name].columns, strict=True):
        assert row["unit"] and row["meaning"] and row["null"]
        assert example_fits(row["example"].strip("`"), column), row


def example_fits(example: str, column: Column) -> bool:
    if column.dtype.is_integer():
        return re.fullmatch(r"-?\d+", example) is not None
    if column.dtype.is_float():
        return re.fullmatch(r"-?\d+\.\d+", example) is not None
    if column.dtype == pl.Boolean:
        return example in ("true", "false")
    if column.dtype.is_temporal():
        return re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", example) is not None
    return bool(example)

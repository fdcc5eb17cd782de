"""The file of expectations: the committed one, and wrong ones."""

from pathlib import Path

import pytest

from tasks.gate.expectations import EXPECTATIONS, load_expectations
from tasks.records import BenchError

TEXT = EXPECTATIONS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("level = 0.05", "level = 0.7", r"quality.level: .*less than 0.5"),
        ("margin = 0.005", "margin = -1", r"quality.margin: .*greater than or equal to 0"),
        ("[cost]", "[costs]", r"cost: Field required; costs: Extra inputs"),
        ("window = 10", "window = ten", r"cannot be read"),
        ('reason = "One place decides', 'reasons = "One place decides', r"quality.margins.0.reason: Field required"),
    ],
)
def test_a_wrong_file_is_said_in_words(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in TEXT
    path = tmp_path / "expectations.toml"
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BenchError, match=said):
        load_expectations(path)


def test_an_absent_file_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"nothing\.toml cannot be read"):
        load_expectations(tmp_path / "nothing.toml")

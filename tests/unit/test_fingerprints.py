"""The fingerprint of code, on a tiny tree written here."""

from pathlib import Path

import pytest

from tasks.fingerprints import code_fingerprint
from tasks.records import BenchError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    package = tmp_path / "tasks"
    (package / "stage").mkdir(parents=True)
    (package / "helper.py").write_text('"""Help."""\n\ndef add(a, b):\n    """Add."""\n    return a + b\n')
    (package / "stage" / "build.py").write_text(
        "from tasks.helper import add\n\ndef build():\n    from tasks.stage import late\n    return add(1, late.x)\n"
    )
    (package / "stage" / "late.py").write_text("x = 1\n")
    (package / "other.py").write_text("y = 1\n")
    return tmp_path


def edit(tree: Path, name: str, old: str, new: str) -> None:
    path = tree / "tasks" / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("name", "old", "new", "is_new"),
    [
        ("stage/build.py", "add(1, late.x)", "add(2, late.x)", True),
        ("helper.py", "a + b", "a - b", True),
        ("stage/late.py", "x = 1", "x = 22", True),
        ("other.py", "y = 1", "y = 22", False),
        ("helper.py", '"""Add."""', '"""Add two numbers."""', False),
        ("helper.py", "return a + b", "return a + b  # the sum", False),
        ("helper.py", "return a + b", "return (a +\n            b)", False),
    ],
)
def test_the_fingerprint_follows_code_not_words(tree: Path, name: str, old: str, new: str, is_new: bool) -> None:
    before = code_fingerprint("tasks.stage.build", tree)
    edit(tree, name, old, new)
    assert (code_fingerprint("tasks.stage.build", tree) != before) is is_new


def test_the_fingerprint_of_an_unknown_module_is_refused(tree: Path) -> None:
    with pytest.raises(BenchError, match="no source file for module"):
        code_fingerprint("tasks.stage.nowhere", tree)

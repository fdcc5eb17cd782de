"""The rules of the layout: who may import whom, and which names are forbidden."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
TASKS = CHECKOUT / "tasks"
STAGES = [
    "downloads",
    "corpora",
    "text",
    "measures",
    "embeddings",
    "indexes",
    "candidates",
    "reranking",
    "selection",
    "clusters",
    "simulation",
    "behaviour",
    "significance",
    "reporting",
    "studies",
    "gate",
]
COMMON = {"tasks.records", "tasks.files", "tasks.progress", "tasks.randomness"}


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (CHECKOUT / folder).rglob("*.py"))


def imported_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_stage_is_a_package_and_every_package_a_stage() -> None:
    packages = {path.parent.name for path in TASKS.glob("*/__init__.py")}
    assert packages == set(STAGES)


@pytest.mark.parametrize("path", sources("flows", "tasks"), ids=str)
def test_prefect_is_imported_only_by_flows_and_prefect_files(path: Path) -> None:
    uses = any(name.split(".")[0] == "prefect" for name in imported_modules(path))
    assert not uses or path.parent.name == "flows" or path.name.startswith("prefect_")


@pytest.mark.parametrize("path", sources("tasks"), ids=str)
def test_prefect_cache_is_imported_only_by_prefect_files(path: Path) -> None:
    uses = any(name.startswith("tasks.prefect_cache") for name in imported_modules(path))
    assert not uses or path.name.startswith("prefect_")


@pytest.mark.parametrize("path", sources("tasks"), ids=str)
def test_a_stage_imports_only_common_modules_itself_and_earlier_stages(path: Path) -> None:
    here = path.relative_to(TASKS).parts
    names = [name for name in imported_modules(path) if name == "tasks" or name.startswith("tasks.")]
    if len(here) == 1:
        assert all(name.startswith((*COMMON, "tasks.artifacts", "tasks.fingerprints")) for name in names), names
        return
    allowed = set(STAGES[: STAGES.index(here[0]) + 1])
    late = [
        name
        for name in names
        if name.split(".")[1] not in allowed
        and not name.startswith(tuple(COMMON))
        and not (path.name.startswith("prefect_") and name.startswith(("tasks.prefect_cache", "tasks.artifacts")))
    ]
    assert not late, f"{path} imports {late}"


@pytest.mark.parametrize("path", sources("flows", "tasks"), ids=str)
def test_only_tests_read_fixtures(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "shared/fixtures" not in text
    assert "tests/" not in text


@pytest.mark.parametrize("stage", STAGES)
def test_package_file_holds_a_docstring_only(stage: str) -> None:
    body = ast.parse((TASKS / stage / "__init__.py").read_text(encoding="utf-8")).body
    assert len(body) == 1
    assert isinstance(body[0], ast.Expr)
    assert isinstance(body[0].value, ast.Constant)


@pytest.mark.parametrize("path", sources("flows", "tasks"), ids=str)
def test_no_module_hides_a_standard_module(path: Path) -> None:
    assert path.stem == "__init__" or path.stem not in sys.stdlib_module_names


def test_no_package_file_below_tests() -> None:
    assert not list((CHECKOUT / "tests").rglob("__init__.py"))


def test_the_folder_names_of_unit_tests_are_stages() -> None:
    folders = {path.name for path in (CHECKOUT / "tests" / "unit").iterdir() if path.is_dir()}
    assert folders - {"__pycache__"} <= set(STAGES)


@pytest.mark.parametrize("path", sources("flows", "tasks"), ids=str)
def test_modules_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400

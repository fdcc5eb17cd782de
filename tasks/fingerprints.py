"""The fingerprint of code: what a result depends on, and comments do not change."""

import ast
import hashlib
from functools import cache
from pathlib import Path

from tasks.files import CHECKOUT
from tasks.records import BenchError


def code_fingerprint(module: str, root: Path = CHECKOUT) -> str:
    """Return a digest of the syntax trees of `module` and of every `tasks` module it imports, transitively.

    Comments, docstrings and formatting do not count. Imports are found in the source, those inside functions too.

    Raises
    ------
    BenchError
        When the module has no source file under `root`.
    """
    closure = sorted(_closure(module, root))
    digest = hashlib.sha256()
    for name in closure:
        digest.update(f"{name}={_module_facts(_source(name, root))[0]}\n".encode())
    return digest.hexdigest()


def _closure(module: str, root: Path) -> set[str]:
    seen: set[str] = set()
    todo = [module]
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        _, imported = _module_facts(_source(name, root))
        todo += [found for candidate in imported if (found := _importable(candidate, root))]
    return seen


def _importable(name: str, root: Path) -> str | None:
    """Return the module that `name` is, or is an attribute of; None for a bare package."""
    for candidate in (name, name.rpartition(".")[0]):
        if candidate.startswith("tasks.") and (root / f"{candidate.replace('.', '/')}.py").is_file():
            return candidate
    return None


def _source(module: str, root: Path) -> Path:
    path = root / f"{module.replace('.', '/')}.py"
    if not path.is_file():
        raise BenchError(f"no source file for module {module}: expected {path}")
    return path


def _module_facts(path: Path) -> tuple[str, tuple[str, ...]]:
    stat = path.stat()
    return _parsed_facts(path, stat.st_mtime_ns, stat.st_size)


@cache
def _parsed_facts(path: Path, _mtime_ns: int, _size: int) -> tuple[str, tuple[str, ...]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            imported += [f"{node.module}.{alias.name}" for alias in node.names]
        _drop_docstring(node)
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), tuple(imported)


def _drop_docstring(node: ast.AST) -> None:
    """Remove every statement that is only a string: docstrings of modules, classes, functions and attributes."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        node.body = [
            statement
            for statement in node.body
            if not (
                isinstance(statement, ast.Expr)
                and isinstance(statement.value, ast.Constant)
                and isinstance(statement.value.value, str)
            )
        ]

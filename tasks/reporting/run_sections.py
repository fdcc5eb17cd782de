"""What every report says of its run: when it was, with which models, how to make it again; and its manifest."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tasks.files import sha256_of, write_text
from tasks.reporting.run_facts import ModelFacts, RunFacts
from tasks.reporting.text_format import escape, table


def run_line(run: RunFacts) -> list[str]:
    """Return the line that names a run."""
    return [f"Run `{run.run_id}` · profile `{run.profile}` · {run.started_at:%Y-%m-%d %H:%M %Z} · {run.status}", ""]


def models(found: Iterable[ModelFacts]) -> list[str]:
    """Return the table of models."""
    rows = [[model.role, escape(model.name), f"`{model.digest}`", escape(model.licence)] for model in found]
    return ["## Models", "", *table(["role", "model", "digest", "licence"], rows, "llll")]


def make_it_again(run: RunFacts, last: str) -> list[str]:
    """Return the command of a run and what its code and configuration were; `last` ends that sentence."""
    return [
        "## Make it again",
        "",
        "```sh",
        run.command.replace("```", "` ` `"),
        "```",
        "",
        f"mnemobench {escape(run.mnemobench_version)}, code `{run.code_fingerprint}`, "
        f"configuration `{run.config_fingerprint}`{last}",
        "",
    ]


def facts_of(run: RunFacts) -> dict[str, Any]:
    """Return the facts of a run as JSON holds them."""
    return asdict(run) | {"started_at": run.started_at.isoformat(), "finished_at": run.finished_at.isoformat()}


def write_manifest(folder: Path, facts: Mapping[str, Any]) -> None:
    """Write `manifest.json`: facts, and the SHA-256 of every file that is in the folder by now."""
    files: Sequence[Path] = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    sums = {path.relative_to(folder).as_posix(): sha256_of(path) for path in files}
    content = json.dumps({**facts, "sha256": sums}, indent=1, sort_keys=True, ensure_ascii=False, default=str)
    write_text(folder / "manifest.json", content + "\n")

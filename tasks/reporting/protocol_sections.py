"""The same questions under other protocols: what the choice of a protocol does to the numbers of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tasks.corpora.protocols import Level, Protocol, Qrels, Relevance, Roles, Twins, parse_protocol
from tasks.reporting import schemas, sections
from tasks.reporting.families import members, of_family
from tasks.reporting.headline import verdict
from tasks.reporting.labels import variant_label, variant_order
from tasks.reporting.sections import read_table
from tasks.reporting.text_format import UNDEFINED, escape, number, signed, table
from tasks.reporting.warehouse import read_facts

_MEANINGS: dict[str, dict[Any, str]] = {
    "relevance": {
        Relevance.STUDY_A: "a question without evidence turns takes every turn of its gold sessions as relevant (study "
        "A's fallback: it scores abstention questions)"
    },
    "twins": {
        Twins.COLLAPSED: "equal texts are one document, relevant if any copy is; a ranking is collapsed before it is "
        "cut, from the ranks that were kept"
    },
    "level": {Level.SESSION: "sessions are judged; a session stands at the rank of its first turn"},
    "qrels": {Qrels.PATCHED: "judgements with the corrections of the overlay"},
    "roles": {Roles.USER: "only user turns are indexed"},
}


@dataclass(frozen=True, slots=True)
class _Part:
    """One protocol of a run: its facts, its means of the main measure and the verdicts, by variant."""

    protocol: Protocol
    facts: dict[str, Any]
    means: dict[str, dict[str, Any]]
    compared: dict[str, dict[str, Any]]

    @property
    def n(self) -> int:
        """Questions averaged."""
        return max((row["n"] for row in self.means.values()), default=0)


def protocols(report_dirs: Sequence[Path]) -> list[str]:
    """Return the section that sets the protocols of a run side by side; nothing for a run with one."""
    if len(report_dirs) < 2:
        return []
    parts = [_part(folder) for folder in report_dirs]
    measure = parts[0].facts["params"]["main_measure"]
    lines = ["## The same questions under other protocols", ""]
    lines += [f"Mean {measure}; in brackets the difference to that protocol's own baseline, where it is *shown*.", ""]
    lines += _matrix(parts)
    lines += [f"* `{part.protocol}`{_meaning(part.protocol)}; {_unit(part)}." for part in parts]
    lines += ["", *(line for part, folder in zip(parts, report_dirs, strict=True) for line in _own(part, folder))]
    return lines


def _part(folder: Path) -> _Part:
    facts = read_facts(folder)
    protocol = parse_protocol(facts["protocol"])
    measure = facts["params"]["main_measure"]
    block = "all" if protocol.relevance is Relevance.STUDY_A else facts["params"]["main_block"]
    found = []
    for rows in (read_table(folder, schemas.SUMMARY), of_family(read_table(folder, schemas.COMPARISONS))):
        is_shown = pl.col("variant").is_in(members(facts))
        chosen = rows.filter(is_shown, pl.col("measure") == measure, pl.col("block") == block)
        found.append({row["variant"]: row for row in chosen.iter_rows(named=True)})
    return _Part(protocol, facts, *found)


def _matrix(parts: list[_Part]) -> list[str]:
    variants = sorted({name for part in parts for name in part.means}, key=variant_order)
    rows = [["*questions*", *(f"{part.n:,}" for part in parts)]]
    rows += [[escape(variant_label(name)), *(_cell(part, name) for part in parts)] for name in variants]
    header = ["variant", *(f"`{part.protocol}`" for part in parts)]
    return table(header, rows, "l" + "r" * len(parts))


def _cell(part: _Part, name: str) -> str:
    if name not in part.means:
        return UNDEFINED
    mean = number(part.means[name]["mean"])
    row = part.compared.get(name)
    is_shown = row is not None and verdict(row) != "not shown"
    return f"{mean} ({signed(row['delta'])})" if row is not None and is_shown else mean


def _meaning(protocol: Protocol) -> str:
    said = [words[getattr(protocol, name)] for name, words in _MEANINGS.items() if getattr(protocol, name) in words]
    if protocol.is_official:
        said = ["LongMemEval's own evaluation (user turns, its gold, its questions)"]
    elif protocol.ranks_sessions:
        said = ["BM25 over a session's turns as one text, dense by its best turn"]
    return f": {'; '.join(said)}" if said else ""


def _unit(part: _Part) -> str:
    baseline = part.facts["baseline"]
    return f"{part.n:,} questions, baseline {escape(variant_label(baseline)) if baseline else 'none'}"


def _own(part: _Part, folder: Path) -> list[str]:
    """Return the full table of a protocol that has measures of its own."""
    if not part.protocol.is_official:
        return []
    lines = sections.measures(part.facts, folder)[2:]
    return [
        f"<details><summary>All measures under <code>{part.protocol}</code></summary>",
        "",
        *lines,
        "</details>",
        "",
    ]

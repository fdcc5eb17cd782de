"""A verdict in words: sentences for a person, Markdown, and JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

from tasks.gate.changes import in_words
from tasks.gate.cost import ALARM, SUSPECT
from tasks.gate.gate import GateVerdict, PartVerdict
from tasks.gate.quality import IMPROVE, NOT_COMPARABLE, PASS, REGRESS, Cell
from tasks.reporting.labels import sharing_a_stage, variant_label
from tasks.reporting.text_format import escape, number, p_value, signed, table

_SHOWN = 3
_HEADER = (
    "protocol",
    "variant",
    "measure",
    "accepted",
    "here",
    "difference",
    "margin",
    "p adjusted",
    "changed",
    "verdict",
)


def accept_command(run_id: str) -> str:
    """Return what to type to accept a run."""
    return f'mnemobench accept {run_id} --why "..."'


def sentences(judged: GateVerdict) -> list[str]:
    """Return what is said of each data set of the run, in order."""
    return [_sentence(part) for part in judged.parts]


def _sentence(part: PartVerdict) -> str:
    said = [*_quality(part), *_unequal(part), *_costs(part)]
    return " ".join(f"{sentence}." for sentence in said)


def _quality(part: PartVerdict) -> list[str]:
    if part.acceptance is None:
        return [f"{part.part.dataset}: no run of profile {part.part.profile} is accepted yet, so nothing was compared"]
    against = f"the accepted run {part.acceptance.run_id}"
    if part.part.run_id == part.acceptance.run_id:
        return [f"{part.part.dataset}: this is {against}"]
    for verdict in (REGRESS, NOT_COMPARABLE, IMPROVE):
        if cells := part.of(verdict):
            told = _grouped(cells) if verdict == NOT_COMPARABLE else [_moved(part, cell) for cell in cells[:_SHOWN]]
            more = len(cells) - _SHOWN
            if verdict != NOT_COMPARABLE and more > 0:
                told.append(f"{part.part.dataset}: {more} more of {len(part.cells)} means {_verb(verdict)}")
            return told
    return [_passed(part, against)]


def _moved(part: PartVerdict, cell: Cell) -> str:
    """Say what a mean lost or gained, and through what."""
    because = part.because(cell)
    accepted = part.acceptance.run_id if part.acceptance else ""
    verb = "loses" if cell.delta < 0 else "gains"
    sides = f"[{signed(cell.lo)}, {signed(cell.hi)}]"
    return (
        f"{part.part.dataset} {cell.protocol}: {variant_label(cell.variant)} {verb} {abs(cell.delta):.4f} "
        f"{cell.measure} {sides} against the accepted run {accepted} ({number(cell.before)} to {number(cell.after)}, "
        f"{cell.n_changed:,} of {cell.n:,} questions changed, adjusted p {p_value(cell.p)}, margin {cell.margin:g})"
        + (f": because {because}" if because else "")
    )


def _verb(verdict: str) -> str:
    return "regress" if verdict == REGRESS else "improve"


def _grouped(cells: Sequence[Cell]) -> list[str]:
    """Say each reason once, with the number of means it is true of."""
    reasons: dict[str, list[Cell]] = {}
    for cell in cells:
        reasons.setdefault(cell.why, []).append(cell)
    return [
        f"{found[0].protocol} {found[0].variant} {found[0].measure}"
        + (f" and {len(found) - 1} more means are" if len(found) > 1 else " is")
        + f" not comparable with the accepted run: {why}"
        for why, found in reasons.items()
    ]


def _passed(part: PartVerdict, against: str) -> str:
    dataset, exactness = part.part.dataset, part.exactness
    if exactness is not None and exactness.is_identical:
        return f"{dataset}: all {exactness.n} artifacts are those of {against}, bit by bit"
    changed = [cell for cell in part.cells if cell.n_changed]
    if not changed:
        told = f"{dataset}: all {len(part.cells)} guarded means are equal to those of {against}, question by question"
    else:
        unsure = sum(cell.is_loss_possible for cell in changed)
        told = f"{dataset}: none of {len(part.cells)} guarded means regresses against {against}; {len(changed)} moved"
        told += f", of {unsure} of these a loss beyond the margin is not excluded" if unsure else ""
    because = in_words(exactness.changes) if exactness else ""
    return told + (f": {because}" if because else "")


def _unequal(part: PartVerdict) -> list[str]:
    steps = part.exactness.unequal if part.exactness else ()
    if not steps:
        return []
    return [
        f"{part.part.dataset}: {', '.join(steps)} gave other bytes than in the accepted run for the same ingredients, "
        "although the stage is deterministic"
    ]


def _costs(part: PartVerdict) -> list[str]:
    return [f"{part.part.dataset}: {cost}" for cost in part.costs if cost.verdict in (ALARM, SUSPECT)]


def markdown(judged: GateVerdict) -> str:
    """Return the verdict as Markdown: sentence, the means that moved, what changed, and cost."""
    lines = [f"# {judged.run_id}: {judged.verdict}", ""]
    for part, sentence in zip(judged.parts, sentences(judged), strict=True):
        lines += [f"## {part.part.dataset}: {part.verdict}", "", escape(sentence), ""]
        lines += _cell_table(part)
        if part.exactness and part.exactness.changes:
            lines += ["What changed:", "", *(f"* {escape(change)}" for change in part.exactness.changes), ""]
        lines += _cost_table(part)
    if judged.proposes_acceptance:
        lines += [f"To accept it: `{accept_command(judged.run_id)}`", ""]
    return "\n".join(lines)


def cell_rows(part: PartVerdict) -> list[dict[str, str]]:
    """Return the cells that moved or did not pass as printed columns, worst first; all pass where there is none."""
    order = (REGRESS, NOT_COMPARABLE, IMPROVE, PASS)
    with sharing_a_stage([cell.variant for cell in part.cells]):
        return [
            dict(zip(_HEADER, _printed(cell), strict=True))
            for verdict in order
            for cell in part.of(verdict)
            if cell.n_changed or cell.verdict != PASS
        ]


def _printed(cell: Cell) -> tuple[str, ...]:
    difference = f"{signed(cell.delta)} [{signed(cell.lo)}, {signed(cell.hi)}]" if isfinite(cell.delta) else "–"
    return (
        cell.protocol,
        variant_label(cell.variant),
        cell.measure,
        number(cell.before),
        number(cell.after),
        difference,
        f"{cell.margin:g}" if isfinite(cell.margin) else "–",
        p_value(cell.p),
        f"{cell.n_changed:,} of {cell.n:,}",
        f"{cell.verdict}: {cell.why}" if cell.why else cell.verdict,
    )


def _cell_table(part: PartVerdict) -> list[str]:
    rows = [[escape(value) for value in row.values()] for row in cell_rows(part)]
    return [*table(_HEADER, rows, "lllrrrrrrl"), ""] if rows else []


def _cost_table(part: PartVerdict) -> list[str]:
    rows = [
        (cost.stage, cost.quantity, f"{cost.value:.1f}", number(cost.level), number(cost.limit), cost.verdict)
        for cost in part.costs
        if isfinite(cost.limit)
    ]
    return [*table(("stage", "cost", "here", "level", "limit", "verdict"), rows, "llrrrl"), ""] if rows else []


def as_json(judged: GateVerdict) -> dict[str, Any]:
    """Return the whole verdict in the types of JSON; undefined and infinite numbers are null."""
    parts = [
        {
            "dataset": part.part.dataset,
            "profile": part.part.profile,
            "verdict": part.verdict,
            "quality": part.quality,
            "cost": part.cost,
            "sentence": sentence,
            "accepted": {**asdict(part.acceptance), "accepted_at": part.acceptance.accepted_at.isoformat()}
            if part.acceptance
            else None,
            "cells": [asdict(cell) for cell in part.cells],
            "new_cells": [list(name) for name in part.new_names],
            "changes": [asdict(change) for change in part.exactness.changes] if part.exactness else [],
            "costs": [asdict(cost) for cost in part.costs],
        }
        for part, sentence in zip(judged.parts, sentences(judged), strict=True)
    ]
    told = {"run_id": judged.run_id, "verdict": judged.verdict, "exit_code": judged.exit_code, "parts": parts}
    return {name: _plain(value) for name, value in told.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value

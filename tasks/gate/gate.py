"""The gate: one verdict on a run from quality, exactness and cost, against the accepted run and the history."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tasks.gate.accepted import Acceptance, baseline_of
from tasks.gate.appended import append, now, read_all
from tasks.gate.changes import in_words
from tasks.gate.cost import ALARM, SUSPECT, CostVerdict, judge_costs, spent
from tasks.gate.exact import Exactness, Ingredients, compare_artifacts
from tasks.gate.expectations import Expectations
from tasks.gate.quality import (
    IMPROVE,
    NOT_COMPARABLE,
    PASS,
    REGRESS,
    Cell,
    Name,
    columns_of,
    compare_columns,
    differing_facts,
    incomparable,
)
from tasks.gate.runs import RunPart, all_runs, parts_of
from tasks.gate.schemas import VERDICTS

EXIT_CODES = {PASS: 0, IMPROVE: 0, REGRESS: 1, NOT_COMPARABLE: 2}
_WORST_FIRST = (REGRESS, NOT_COMPARABLE, IMPROVE, PASS)
ReadIngredients = Callable[[Iterable[tuple[str, str]]], Ingredients]
"""Given (stage, key) of artifacts, returns the ingredients of those that are still in the store."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a run was made and judged: costs are compared on one machine only."""

    host: str
    machine: str


@dataclass(frozen=True, slots=True)
class PartVerdict:
    """The verdict on one data set of a run.

    Attributes
    ----------
    part
        The run.
    acceptance
        What it is compared with; None where nothing is accepted yet.
    cells, exactness
        Quality and artifacts against the accepted run; empty and None without one.
    new_names
        Cells that the accepted run does not have.
    costs
        Against the history.
    fails_on_cost
        Whether an alarm fails the run.
    """

    part: RunPart
    acceptance: Acceptance | None
    cells: tuple[Cell, ...]
    exactness: Exactness | None
    new_names: tuple[Name, ...]
    costs: tuple[CostVerdict, ...]
    fails_on_cost: bool

    @property
    def quality(self) -> str:
        """Verdict on quality: the worst of the cells; unequal bytes of a deterministic stage are a regression."""
        found = {cell.verdict for cell in self.cells}
        if self.exactness is not None and self.exactness.unequal and NOT_COMPARABLE not in found:
            found.add(REGRESS)
        return next((name for name in _WORST_FIRST if name in found), PASS)

    @property
    def cost(self) -> str:
        """Verdict on cost: `alarm`, `suspect` or `pass`."""
        found = {cost.verdict for cost in self.costs}
        return next((name for name in (ALARM, SUSPECT) if name in found), PASS)

    @property
    def verdict(self) -> str:
        """Both: a confirmed alarm on cost is a regression where the expectations say so."""
        return REGRESS if self.cost == ALARM and self.fails_on_cost else self.quality

    def of(self, verdict: str) -> list[Cell]:
        """Return the cells with a verdict; those that moved by most first."""
        return sorted((cell for cell in self.cells if cell.verdict == verdict), key=lambda cell: -abs(cell.delta))

    def because(self, cell: Cell) -> str:
        """Say through what a cell's values changed; empty where that is not known."""
        return in_words(self.exactness.causes(cell.protocol, cell.variant)) if self.exactness else ""


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """The verdict on a run: the worst of its data sets'."""

    run_id: str
    parts: tuple[PartVerdict, ...]

    @property
    def verdict(self) -> str:
        """`pass`, `regress`, `improve` or `not comparable`."""
        return min((part.verdict for part in self.parts), key=_WORST_FIRST.index)

    @property
    def exit_code(self) -> int:
        """0 for pass and improve, 1 for regress, 2 for not comparable."""
        return EXIT_CODES[self.verdict]

    @property
    def proposes_acceptance(self) -> bool:
        """Whether a person should look and accept it: better than the accepted run, or the first of its profile."""
        is_first = any(part.acceptance is None for part in self.parts)
        return self.verdict == IMPROVE or (self.verdict == PASS and is_first)


def judge_run(
    warehouse: Path, run_id: str, expectations: Expectations, read_ingredients: ReadIngredients, machine: Machine
) -> GateVerdict:
    """Judge a run against the accepted run of its profile, and its cost against the history.

    Raises
    ------
    BenchError
        When the run, or the accepted one, is not there, not complete or damaged.
    """
    parts = parts_of(warehouse, run_id)
    return GateVerdict(run_id, tuple(_judge_part(part, expectations, read_ingredients, machine) for part in parts))


def _judge_part(
    part: RunPart, expectations: Expectations, read_ingredients: ReadIngredients, machine: Machine
) -> PartVerdict:
    baseline = baseline_of(part)
    costs = tuple(judge_costs(spent(timings_of_history(part, machine)), expectations.cost))
    fails = expectations.cost.fails
    if baseline is None:
        return PartVerdict(part, None, (), None, (), costs, fails)
    acceptance, accepted = baseline
    exactness = _exactness(accepted, part, expectations, read_ingredients)
    cells, new = _cells(accepted, part, exactness, expectations)
    return PartVerdict(part, acceptance, cells, exactness, new, costs, fails)


def _exactness(
    accepted: RunPart, part: RunPart, expectations: Expectations, read_ingredients: ReadIngredients
) -> Exactness:
    before, after = accepted.artifacts(), part.artifacts()
    wanted = pl.concat([table.select("stage", "artifact_key") for table in (before, after)]).unique()
    timings = part.timings()
    reasons = dict(zip(timings["artifact_key"], timings["reason"], strict=True))
    ingredients = read_ingredients(wanted.iter_rows())
    return compare_artifacts(before, after, expectations.exact, ingredients, reasons)


def _cells(
    accepted: RunPart, part: RunPart, exactness: Exactness, expectations: Expectations
) -> tuple[tuple[Cell, ...], tuple[Name, ...]]:
    measures = {*expectations.quality.measures, part.facts["main_measure"], accepted.facts["main_measure"]}
    before, after = (columns_of(run.metrics(), measures) for run in (accepted, part))
    new = tuple(name for name in after if name not in before)
    faults = differing_facts(accepted, part)
    faults += [f"profile options: {option}" for option in exactness.options]
    if accepted.facts["config_fingerprint"] != part.facts["config_fingerprint"] and not _is_explained(exactness):
        faults.append("profile options: the resolved configuration is another one, and the store no longer says which")
    if faults:
        return tuple(incomparable(before, faults)), new
    return tuple(compare_columns(before, after, expectations.quality, part.dataset)), new


def _is_explained(exactness: Exactness) -> bool:
    """Say whether what another configuration led to is known: nothing, or changes that have all a name."""
    return exactness.n_unknown == 0


def timings_of_history(part: RunPart, machine: Machine) -> list[pl.DataFrame]:
    """Return the timings of the judged runs of this profile, data set and machine before a run, and of the run."""
    judged = read_all(part.warehouse, VERDICTS).filter(
        pl.col("host") == machine.host, pl.col("machine") == machine.machine, pl.col("profile") == part.profile
    )
    ids = set(judged.filter(pl.col("dataset") == part.dataset)["run_id"]) - {part.run_id}
    before = [
        RunPart(part.warehouse, facts)
        for facts in all_runs(part.warehouse)
        if facts["run_id"] in ids
        and facts["dataset"] == part.dataset
        and facts["finished_at"] <= part.facts["finished_at"]
    ]
    return [run.timings() for run in (*before, part)]


def record(warehouse: Path, judged: GateVerdict, sentences: Sequence[str], machine: Machine) -> None:
    """Add the verdict to the table `verdicts`, one row per data set; one that is there already is not repeated.

    Parameters
    ----------
    warehouse
        Root folder of the tables.
    judged
        The verdict.
    sentences
        What is said of each part, in order.
    machine
        Where the run was made.
    """
    there = read_all(warehouse, VERDICTS)
    for part, sentence in zip(judged.parts, sentences, strict=True):
        row = {
            "profile": part.part.profile,
            "accepted_run": part.acceptance.run_id if part.acceptance else None,
            "verdict": part.verdict,
            "quality": part.quality,
            "cost": part.cost,
            "sentence": sentence,
            "host": machine.host,
            "machine": machine.machine,
        }
        before = there.filter(pl.col("run_id") == judged.run_id, pl.col("dataset") == part.part.dataset)
        last = before.tail(1).select(list(row)).row(0, named=True) if before.height else None
        if last != row:
            append(warehouse, VERDICTS, part.part.dataset, judged.run_id, {**row, "judged_at": now()})

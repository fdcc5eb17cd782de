"""Grids over the parameters of suppression: `alpha=0.1,0.3,1;eta=0.05:0.5:10;clusters=1,10,30;rule=uniform,gap`.

A grid is a list of axes, separated by `;`. An axis is `name=values`, with a parameter of `rif` as its name. Its values
are separated by `,`; each is a value, or `start:stop:count` (evenly spaced, both ends included), or
`start:stop:count:log` (evenly spaced in the logarithm). Every combination of values is a cell: the base variant with
these parameters.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from tasks.records import BenchError
from tasks.simulation.suppression import RifParams
from tasks.simulation.variants import Variant, parse

Value = float | int | str

_FIELDS = {name.rstrip("_"): name for name in RifParams.model_fields}
"""Field of `RifParams` by its name in a variant and in a grid."""
_DIGITS = 12
"""Significant digits of the values of a range: 0.15, not 0.15000000000000002."""
_EXAMPLE = "alpha=0.1,0.3,1;eta=0.05:0.5:10;lambda=0.001:0.1:5:log;clusters=1,10,30;rule=uniform,gap"


@dataclass(frozen=True, slots=True)
class Axis:
    """One parameter and its values, in the order given.

    >>> str(Axis("alpha", (0.1, 0.3)))
    'alpha=0.1,0.3'
    """

    name: str
    values: tuple[Value, ...]

    def __str__(self) -> str:
        return f"{self.name}={','.join(map(text_of, self.values))}"

    @property
    def is_number(self) -> bool:
        """Whether its values have distances, not only an order."""
        return not any(isinstance(value, str) for value in self.values)


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of values: by the name of each axis, and the variant that they make of the base."""

    values: dict[str, Value]
    variant: Variant


@dataclass(frozen=True, slots=True)
class Grid:
    """Axes over a base variant; `parse_grid(str(grid), str(grid.base)) == grid`."""

    axes: tuple[Axis, ...]
    base: Variant

    def __str__(self) -> str:
        return ";".join(map(str, self.axes))

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return math.prod(len(axis.values) for axis in self.axes)

    def cells(self) -> Iterator[Cell]:
        """Yield the cells; the last axis changes fastest.

        Raises
        ------
        BenchError
            When a combination is none that suppression can have, e.g. `source=buffer` without a burn-in.
        """
        names = [axis.name for axis in self.axes]
        for combination in itertools.product(*(axis.values for axis in self.axes)):
            values = dict(zip(names, combination, strict=True))
            yield Cell(values, replace(self.base, params=_params(self.base, values)))

    def over(self, base: Variant) -> "Grid":
        """Return the same axes over another base."""
        return replace(self, base=base)

    def default_cell(self) -> dict[str, Value] | None:
        """Return the values of the cell that is the base itself, or None where the grid does not hold it."""
        assert self.base.rif is not None
        values = {axis.name: _plain(getattr(self.base.rif, _FIELDS[axis.name])) for axis in self.axes}
        return values if all(values[axis.name] in axis.values for axis in self.axes) else None


def parse_grid(text: str, base: str) -> Grid:
    """Return the grid that a string describes.

    >>> grid = parse_grid("eta=0.1:0.3:3; rule=uniform,gap", "rif(rule=gap,clusters=30)")
    >>> str(grid), grid.n_cells, grid.default_cell()
    ('eta=0.1,0.2,0.3;rule=uniform,gap', 6, {'eta': 0.1, 'rule': 'gap'})

    Raises
    ------
    BenchError
        For a base that does not suppress, an unknown axis or a value that it cannot have: it lists what is valid.
    """
    variant = parse(base)
    if variant.rif is None:
        raise BenchError(f"the base {base!r} has no suppression to sweep; expected e.g. rif(rule=gap,clusters=30)")
    axes = tuple(_axis(part.strip()) for part in text.split(";") if part.strip())
    names = [axis.name for axis in axes]
    if not axes:
        raise BenchError(f"the grid {text!r} is empty; expected axes, e.g. --grid {_EXAMPLE!r}")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BenchError(f"grid {text!r}: {', '.join(twice)} comes twice; give all values of an axis at once")
    return Grid(axes, variant)


def _axis(text: str) -> Axis:
    name, equals, listed = (part.strip() for part in text.partition("="))
    if not equals or name not in _FIELDS:
        raise BenchError(f"axis {text!r} of the grid; expected name=values with a name of {', '.join(_FIELDS)}")
    parts = [part.strip() for part in listed.split(",")]
    if not all(parts):
        raise BenchError(f"axis {text!r} of the grid has an empty value; expected e.g. {_EXAMPLE.split(';')[0]}")
    values = [value for part in parts for value in _values(name, part)]
    checked = tuple(_checked(name, value) for value in values)
    if twice := sorted({text_of(value) for value in checked if checked.count(value) > 1}):
        raise BenchError(f"axis {name} of the grid has {', '.join(twice)} twice; expected distinct values")
    return Axis(name, checked)


def _values(name: str, part: str) -> list[Value]:
    """Return the values of one entry of an axis: those of a range, or one as it is written."""
    if ":" not in part:
        return [part]
    try:
        start, stop, count, *kind = part.split(":")
        low, high, n = float(start), float(stop), int(count)
        is_good = kind in ([], ["log"]) and n >= 2 and math.isfinite(low) and math.isfinite(high)
        if not is_good or (kind and min(low, high) <= 0):
            raise ValueError(part)
    except ValueError:
        raise BenchError(
            f"axis {name} of the grid: the range {part!r}; expected start:stop:count with a count of at least 2, or "
            "start:stop:count:log with both ends above 0, e.g. 0.05:0.5:10"
        ) from None
    spaced = np.geomspace(low, high, n) if kind else np.linspace(low, high, n)
    return [float(f"{value:.{_DIGITS}g}") for value in spaced.tolist()]


def _checked(name: str, value: Value) -> Value:
    """Return the value as the parameter has it; what depends on several parameters is checked where cells are made."""
    field = RifParams.model_fields[_FIELDS[name]]
    alone: Any = Annotated[field.annotation, name, *field.metadata]
    try:
        checked = _plain(TypeAdapter(alone).validate_python(value))
    except ValidationError as error:
        raise BenchError(f"axis {name} of the grid: {text_of(value)}: {error.errors()[0]['msg']}") from None
    return max(1, int(checked)) if name == "clusters" else checked  # 0 is another name of global


def _params(base: Variant, values: dict[str, Value]) -> RifParams:
    changed = {_FIELDS[name]: value for name, value in values.items()}
    assert base.rif is not None
    try:
        return RifParams.model_validate(base.rif.model_dump() | changed)
    except ValidationError as error:
        where = ", ".join(f"{name}={text_of(value)}" for name, value in values.items())
        faults = "; ".join(fault["msg"] for fault in error.errors())
        raise BenchError(f"the cell {where} of the grid over {base}: {faults}") from None


def _plain(value: object) -> Value:
    if isinstance(value, StrEnum):
        return str(value)
    assert isinstance(value, float | int | str)
    return value


def text_of(value: Value) -> str:
    """Return a value as a grid and a variant's name have it.

    >>> text_of(0.1), text_of(30), text_of("gap")
    ('0.1', '30', 'gap')
    """
    return repr(value) if isinstance(value, float) else str(value)

import pytest

from tasks.records import BenchError
from tasks.simulation.grids import Axis, parse_grid
from tasks.simulation.suppression import RifParams
from tasks.simulation.variants import parse

BASE = "rif(rule=gap,clusters=30)"


def test_grid_of_the_issue_against_hand_computed() -> None:
    grid = parse_grid("alpha=0.1,0.3,1;eta=0.05:0.5:10;clusters=1,10,30;rule=uniform,gap", BASE)
    assert [axis.name for axis in grid.axes] == ["alpha", "eta", "clusters", "rule"]
    assert grid.axes[1].values == (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
    assert grid.n_cells == 3 * 10 * 3 * 2
    cells = list(grid.cells())
    assert len({str(cell.variant) for cell in cells}) == 180
    assert cells[1].values == {"alpha": 0.1, "eta": 0.05, "clusters": 1, "rule": "gap"}
    assert str(cells[0].variant) == "rif(rule=uniform,clusters=1,alpha=0.1,eta=0.05)"
    assert str(cells[-1].variant) == "rif(rule=gap,clusters=30,alpha=1.0,eta=0.5)"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("lambda=0.001:0.1:3:log", (0.001, 0.01, 0.1)),
        ("clusters=10:50:5", (10, 20, 30, 40, 50)),
        ("alpha=0,0.1:0.3:3,2", (0.0, 0.1, 0.2, 0.3, 2.0)),
        ("winners=0,10", (0, 10)),
        ("rule_set=paper,released", ("paper", "released")),
        ("clusters=0,10", (1, 10)),
        ("eta=0.5:0.1:3", (0.5, 0.3, 0.1)),
    ],
)
def test_values_of_an_axis(text: str, values: tuple[float | int | str, ...]) -> None:
    (axis,) = parse_grid(text, BASE).axes
    assert axis.values == values
    assert [type(value) for value in axis.values] == [type(value) for value in values]


@pytest.mark.parametrize(
    "text", ["alpha=0.1,0.3;rule=gap", "lambda=0.001:0.1:7:log;clusters=0:30:4", "eta=0.05:0.5:10;rule_set=paper"]
)
def test_a_grid_parses_back(text: str) -> None:
    grid = parse_grid(text, BASE)
    assert parse_grid(str(grid), str(grid.base)) == grid


def test_a_cell_is_the_base_with_its_values() -> None:
    base = "rif(rule=gap,clusters=30,rho=0.2,tokenizer=split)"
    (cell, _) = parse_grid("eta=0.3,0.4", base).cells()
    assert cell.variant == parse("rif(rule=gap,clusters=30,eta=0.3,rho=0.2,tokenizer=split)")


def test_the_default_cell_is_the_base() -> None:
    assert parse_grid("alpha=0.1,0.3;clusters=1,30", BASE).default_cell() == {"alpha": 0.3, "clusters": 30}
    assert parse_grid("alpha=0.1,0.4", BASE).default_cell() is None


def test_every_parameter_of_suppression_is_an_axis() -> None:
    for name, field in RifParams.model_fields.items():
        value = field.default
        assert parse_grid(f"{name.rstrip('_')}={value}", BASE).n_cells == 1


def test_words_have_no_distance() -> None:
    assert Axis("eta", (0.1, 1)).is_number
    assert not Axis("rule", ("gap",)).is_number


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("beta=1", "axis 'beta=1' of the grid; expected name=values with a name of rule, clusters, .*lambda"),
        ("alpha", "axis 'alpha' of the grid; expected name=values"),
        ("", "is empty; expected axes"),
        (" ; ", "is empty; expected axes"),
        ("alpha=", "has an empty value"),
        ("alpha=0.1,,0.3", "has an empty value"),
        ("alpha=much", "axis alpha of the grid: much: Input should be a valid number"),
        ("alpha=-1", "axis alpha of the grid: -1: Input should be greater than or equal to 0"),
        ("alpha=nan", "axis alpha of the grid: nan: Input should be a finite number"),
        ("alpha=inf", "axis alpha of the grid: inf: Input should be a finite number"),
        ("clusters=2.5", "axis clusters of the grid: 2.5: Input should be a valid integer"),
        ("clusters=1:2:3", "axis clusters of the grid: 1.5: Input should be a valid integer"),
        ("rule=fast", "axis rule of the grid: fast: Input should be 'uniform' or 'gap'"),
        ("alpha=0.1,0.10", "has 0.1 twice"),
        ("clusters=0,1", "has 1 twice"),
        ("alpha=1;alpha=2", "alpha comes twice"),
        ("eta=0.1:0.5", "the range '0.1:0.5'; expected start:stop:count"),
        ("eta=0.1:0.5:1", "the range '0.1:0.5:1'"),
        ("eta=0.1:0.5:many", "the range"),
        ("eta=0:0.5:3:log", "both ends above 0"),
        ("eta=0.1:0.5:3:cubic", "the range"),
        ("eta=0.1:inf:3", "the range"),
    ],
)
def test_a_wrong_grid_is_an_error_in_words(text: str, message: str) -> None:
    with pytest.raises(BenchError, match=message):
        parse_grid(text, BASE)


def test_a_base_without_suppression_is_an_error() -> None:
    with pytest.raises(BenchError, match="the base 'hybrid-rerank' has no suppression to sweep"):
        parse_grid("alpha=1", "hybrid-rerank")


def test_an_impossible_combination_is_an_error_that_names_the_cell() -> None:
    grid = parse_grid("source=all-queries,buffer;alpha=1", BASE)
    with pytest.raises(BenchError, match=r"the cell source=buffer, alpha=1.0 of the grid over rif\(.*burn_in=300"):
        list(grid.cells())

"""The declarations of study A against its published files, and what a run must hold for them."""

import csv
from functools import partial
from pathlib import Path

import pytest

from tasks.corpora.protocols import parse_protocol
from tasks.records import BenchError
from tasks.simulation.variants import parse
from tasks.studies import plan
from tasks.studies.declared import Cell, Where
from tasks.studies.study_a import SWEEP, tables
from tasks.studies.study_a_text import places

PUBLISHED = Path(__file__).resolve().parents[3] / "data" / "published" / "study-a"
LABELS = {
    "rif_main.csv": {"dataset", "tokenizer", "variant"},
    "rif_pairwise.csv": {"dataset", "tokenizer", "treatment", "against"},
    "rif_cluster_sweep.csv": {"dataset", "tokenizer", "rule", "clusters"},
    "rif_parameter_sweep.csv": {"dataset", "tokenizer", "name", "alpha", "eta", "rho", "lambda", "s_max"},
    "rif_baselines.csv": {"dataset", "n_queries", "tokenizer", "system"},
    "rif_tokenizers.csv": {"dataset", "n_queries", "k_deep", "tokenizer"},
    "rif_depth.csv": {"dataset", "n_queries", "tokenizer", "k_deep"},
    "rif_cluster_source.csv": {"dataset", "source"},
    "rif_behaviour.csv": {"dataset", "question_type", "metric"},
    "rif_saturation.csv": {"dataset", "variant", "steps"},
}
BY_DEFINITION = {("rif_depth.csv", "30", "deep_pass_share")}  # no second pass: 0
DATASETS = plan.datasets("study-a")
protocols = partial(plan.protocols, "study-a")
variants = partial(plan.variants, "study-a")
families = partial(plan.families, "study-a")
NAMES = sorted({name for d in DATASETS for p in protocols(d) for name in variants(d, p)})
PROTOCOLS = sorted({protocol for dataset in DATASETS for protocol in protocols(dataset)})


def lines(file: str) -> list[dict[str, str]]:
    with (PUBLISHED / file).open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def found(where: Where) -> list[dict[str, str]]:
    return [line for line in lines(where.file) if all(line[name] == value for name, value in where.line)]


def places_of(where: Where) -> list[tuple[str, int, str]]:
    (line,) = found(where)
    number = lines(where.file).index(line)
    return [(where.file, number, name) for name in (where.column, where.lo, where.hi) if name and line[name]]


@pytest.mark.parametrize("file", sorted(LABELS))
def test_every_published_number_has_a_counterpart_against_the_files(file: str) -> None:
    declared = {place for cell in tables() if cell.where and cell.where.file == file for place in places_of(cell.where)}
    published = {
        (file, number, name)
        for number, line in enumerate(lines(file))
        for name, value in line.items()
        if name not in LABELS[file] and value and (file, line.get("k_deep"), name) not in BY_DEFINITION
    }
    assert declared == published


def test_every_place_in_a_file_is_one_line_with_a_number() -> None:
    for cell in tables():
        if cell.where is not None:
            (line,) = found(cell.where)
            assert float(line[cell.where.column]) == pytest.approx(float(line[cell.where.column]))


def test_cells_are_told_apart_by_table_data_set_row_and_column() -> None:
    keys = [(cell.table, cell.dataset, cell.row, cell.column) for cell in tables()]
    assert len(set(keys)) == len(keys)


def test_the_parameter_sweep_against_the_published_parameters() -> None:
    defaults = {"alpha": 0.3, "eta": 0.1, "rho": 0.05, "lambda": 0.005, "s_max": 1.0}
    published = {line["name"]: line for line in lines("rif_parameter_sweep.csv") if line["name"] != "baseline"}
    assert set(published) == set(SWEEP)
    for name, line in published.items():
        assert {**defaults, **SWEEP[name]} == {parameter: float(line[parameter]) for parameter in defaults}


@pytest.mark.parametrize("dataset", DATASETS)
def test_a_run_holds_both_sides_of_every_number(dataset: str) -> None:
    needed = [cell.quantity for cell in tables() if cell.dataset == dataset]
    needed += [r.quantity for place in places() for r in place.readings if r.dataset == dataset]
    for quantity in needed:
        held = variants(dataset, quantity.protocol)
        assert quantity.variant in held
        assert quantity.against is None or quantity.against in held


@pytest.mark.parametrize("dataset", DATASETS)
def test_families_are_of_held_variants_each_once(dataset: str) -> None:
    for protocol in protocols(dataset):
        held = set(variants(dataset, protocol))
        names = [family.name for family in families(dataset, protocol)]
        assert len(set(names)) == len(names)
        for family in families(dataset, protocol):
            assert {family.baseline, *family.variants} <= held
            assert len(set(family.variants)) == len(family.variants)
            assert family.baseline not in family.variants


def test_the_main_family_is_the_main_table_written_out() -> None:
    stage = "tokenizer=split,idf=okapi-floor,rank_origin=0,ties=released,fill=true"
    main = families("longmemeval-s", protocols("longmemeval-s")[0])[0]
    assert main.baseline == f"hybrid-rerank({stage})"
    assert main.variants == tuple(
        f"rif(rule={rule},clusters={clusters},{stage})" for clusters in (1, 30) for rule in ("uniform", "gap")
    )


@pytest.mark.parametrize("name", NAMES)
def test_names_of_variants_are_canonical(name: str) -> None:
    assert str(parse(name)) == name


@pytest.mark.parametrize("name", PROTOCOLS)
def test_names_of_protocols_are_canonical(name: str) -> None:
    assert str(parse_protocol(name)) == name


def test_an_unknown_data_set_or_protocol_is_named() -> None:
    with pytest.raises(BenchError, match="no data set 'msmarco'; expected one of longmemeval-s"):
        protocols("msmarco")
    with pytest.raises(BenchError, match=r"protocol 'pooled-turn' of longmemeval-s; expected one of pooled-turn\("):
        families("longmemeval-s", "pooled-turn")


def test_a_cell_is_compared_with_something_exactly_where_it_is_a_difference() -> None:
    def is_difference(cell: Cell) -> bool:
        return cell.quantity.statistic != "mean"

    assert all(is_difference(cell) == (cell.quantity.against is not None) for cell in tables())

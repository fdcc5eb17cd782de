"""The declarations of study B against its published files, and what a run must hold for them."""

import csv
from pathlib import Path

import pytest

from tasks.corpora.protocols import parse_protocol
from tasks.files import sha256_of
from tasks.records import BenchError
from tasks.simulation.variants import parse
from tasks.studies import plan
from tasks.studies.declared import Where
from tasks.studies.published import Number, Published
from tasks.studies.study_b import tables
from tasks.studies.study_b_names import AVAILABLE, BGE_SMALL, COLBERT, LOCOMO_SESSIONS, MINILM, PUBLISHED_ENCODERS
from tasks.studies.study_b_plan import RERANKED

ROOT = Path(__file__).resolve().parents[3]
PUBLISHED = ROOT / "data" / "published" / "study-b"
LABELS = {
    "fusion_alpha_curve.csv": {"encoder", "alpha"},
    "fusion_bm25_grid.csv": {"variant", "k1", "b"},
    "fusion_categories.csv": {"encoder", "category"},
    "fusion_combiners.csv": {"dataset", "encoder"},
    "fusion_late_early.csv": {"encoder"},
    "fusion_latency_ms.csv": {"stage"},
    "fusion_length.csv": {"encoder"},
    "fusion_locomo.csv": {"scoring", "encoder", "pooling"},
    "fusion_longmemeval.csv": {"encoder", "method"},
    "fusion_longmemeval_tests.csv": {"encoder", "n", "comparison"},
    "fusion_rerank.csv": {"encoder", "alpha", "stage"},
    "fusion_unpublished.csv": {"dataset", "n", "encoder", "scoring", "pooling", "measure", "source"},
    "fusion_vs_late.csv": {"encoder"},
}
DATASETS = plan.datasets("study-b")
PROTOCOLS = [(dataset, protocol) for dataset in DATASETS for protocol in plan.protocols("study-b", dataset)]
NAMES = sorted({cell.quantity.variant for cell in tables()} | {cell.quantity.against or "bm25" for cell in tables()})


def lines(file: str) -> list[dict[str, str]]:
    with (PUBLISHED / file).open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def places_of(where: Where) -> list[tuple[str, int, str]]:
    (number,) = [n for n, line in enumerate(lines(where.file)) if all(line[k] == v for k, v in where.line)]
    line = lines(where.file)[number]
    return [(where.file, number, name) for name in (where.column, where.lo, where.hi) if name and line[name]]


def has_a_counterpart(file: str, line: dict[str, str]) -> bool:
    """Beside the tables some numbers are said in the text only: those that `fusion_combiners.csv` has too, and two."""
    is_unpublished = file == "fusion_unpublished.csv"
    return not (is_unpublished and (line["dataset"] == "longmemeval-s" or line["scoring"] == "bm25 latest tie"))


def test_every_file_is_known() -> None:
    assert {path.name for path in PUBLISHED.glob("*.csv")} == set(LABELS)


@pytest.mark.parametrize("file", sorted(LABELS))
def test_every_published_number_has_a_counterpart_against_the_files(file: str) -> None:
    declared = {place for cell in tables() if cell.where and cell.where.file == file for place in places_of(cell.where)}
    published = {
        (file, number, name)
        for number, line in enumerate(lines(file))
        for name, value in line.items()
        if name not in LABELS[file] and value and has_a_counterpart(file, line)
    }
    assert declared == published


@pytest.mark.parametrize("file", sorted(set(LABELS) - {"fusion_unpublished.csv"}))
def test_files_are_copies_against_the_shared_folder(file: str) -> None:
    shared = ROOT.parent / "shared" / "published" / file
    if not shared.is_file():
        pytest.skip(f"no {shared}")
    assert sha256_of(PUBLISHED / file) == sha256_of(shared)


def test_cells_are_told_apart_by_table_data_set_row_and_column() -> None:
    keys = [(cell.table, cell.dataset, cell.row, cell.column) for cell in tables()]
    assert len(set(keys)) == len(keys)


def test_digits_are_those_that_were_printed() -> None:
    found = {(cell.table, cell.row, cell.column): Published("study-b").number(cell.where) for cell in tables()
             if cell.where is not None}  # fmt: skip
    assert found["late against early", "gte-base", "dense_late_minus_early_pp"] == Number(0.135, 4)  # 13.5 of 13.50
    assert found["fusion over late", "e5-large-v2", "delta_pp"] == Number(0.088, 4, 0.0662, 0.1119)
    assert found["LongMemEval-S tests", "fusion - bm25, bge-base", "delta_pp"] == Number(0.07, 3, 0.046, 0.096)
    assert found["LongMemEval-S, 500", "bge-base", "bm25"] == Number(0.86, 3)
    assert found["categories", "single-hop", "fusion, e5-large-v2"] == Number(0.81, 3)
    assert found["full metrics", f"fusion max, {MINILM}", "hit_at_1"] == Number(0.6613, 4)
    assert found["latency", "bm25", "p95"] == Number(118.0, 1)


@pytest.mark.parametrize(("dataset", "protocol"), PROTOCOLS)
def test_a_run_holds_both_sides_of_every_number_it_can(dataset: str, protocol: str) -> None:
    held = plan.variants("study-b", dataset, protocol)
    for cell in tables():
        asked = cell.quantity
        if cell.dataset == dataset and asked.protocol == protocol and asked.source is None:
            for name in filter(None, (asked.variant, asked.against)):
                assert (name in held) == plan.is_available(name, AVAILABLE), name


def test_an_encoder_that_is_there_is_measured() -> None:
    without = plan.variants("study-b", "locomo", LOCOMO_SESSIONS)
    assert not any(name in variant for variant in without for name in PUBLISHED_ENCODERS.values())
    encoders = (*AVAILABLE, "bge-base-en-v1.5")
    more = set(plan.variants("study-b", "locomo", LOCOMO_SESSIONS, encoders)) - set(without)
    stage = "tokenizer=word3+stop,encoder=bge-base-en-v1.5,ties=earliest"
    assert f"fusion-rerank(pool=max,alpha=0.6,{stage})" in more
    assert "session(pool=text,encoder=bge-base-en-v1.5,ties=earliest)" in more
    assert all("encoder=bge-base-en-v1.5" in variant for variant in more)
    families = {family.name for family in plan.families("study-b", "locomo", LOCOMO_SESSIONS, encoders)}
    assert {"late against early, bge-base", "rerank, bge-base", "fusion against late, bge-base"} <= families


@pytest.mark.parametrize(("dataset", "protocol"), PROTOCOLS)
def test_families_are_of_held_variants_each_once(dataset: str, protocol: str) -> None:
    held = set(plan.variants("study-b", dataset, protocol))
    families = plan.families("study-b", dataset, protocol)
    names = [family.name for family in families]
    assert names
    assert len(set(names)) == len(names)
    for family in families:
        assert {family.baseline, *family.variants} <= held
        assert family.variants
        assert len(set(family.variants)) == len(family.variants)
        assert family.baseline not in family.variants


def test_protocols_of_one_search_judge_the_same_variants() -> None:
    strict, tolerant, turns = plan.protocols("study-b", "locomo")
    assert plan.variants("study-b", "locomo", strict) == plan.variants("study-b", "locomo", tolerant)
    assert not set(plan.variants("study-b", "locomo", turns)) & set(plan.variants("study-b", "locomo", strict))
    pooled = plan.protocols("study-b", "longmemeval-s")[3:]
    assert [str(parse_protocol(name).search) for name in pooled] == ["pooled-turn", "pooled-turn"]
    assert plan.variants("study-b", "longmemeval-s", pooled[0]) == plan.variants("study-b", "longmemeval-s", pooled[1])


def test_late_interaction_is_asked_for_pools_of_its_word_pieces_only() -> None:
    mine = [name for name in plan.variants("study-b", "locomo", LOCOMO_SESSIONS) if f"encoder={COLBERT}" in name]
    assert {parse(name).session.pool for name in mine} == {"max", "top3"}  # type: ignore[union-attr]
    assert not any(name.startswith("fusion-rerank") for name in mine)
    assert {MINILM, BGE_SMALL} < set(RERANKED)


@pytest.mark.parametrize("name", NAMES)
def test_names_of_variants_are_canonical(name: str) -> None:
    assert str(parse(name)) == name


@pytest.mark.parametrize(("_dataset", "protocol"), PROTOCOLS)
def test_names_of_protocols_are_canonical(_dataset: str, protocol: str) -> None:
    assert str(parse_protocol(protocol)) == protocol


def test_an_unknown_study_data_set_or_protocol_is_named() -> None:
    with pytest.raises(BenchError, match="unknown study 'study-c'; expected one of study-a, study-b"):
        plan.datasets("study-c")
    with pytest.raises(BenchError, match="study B has no data set 'msmarco'; expected one of locomo"):
        plan.protocols("study-b", "msmarco")
    with pytest.raises(BenchError, match="protocol 'pooled-turn' of nfcorpus; expected one of pooled-document"):
        plan.families("study-b", "nfcorpus", "pooled-turn")

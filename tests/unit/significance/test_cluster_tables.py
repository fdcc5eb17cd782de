"""The table of comparisons over conversations, and that it changes nothing of the other two."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.files import sha256_of
from tasks.randomness import generator
from tasks.significance import build
from tasks.significance.cluster_tables import METHODS, cluster_inference
from tasks.significance.clustered import cluster_bootstrap
from tasks.significance.families import Family
from tasks.significance.grouped import grouped
from tasks.significance.schemas import CLUSTER_COMPARISON_SCHEMA
from tasks.significance.tables import SignificanceParams
from tests.unit.significance.test_significance_build import folder, write_inputs

NAN = float("nan")
SCOPES = ["a"] * 5 + ["b"] * 4 + ["c"] * 6 + ["d"] * 5 + ["e"] * 4
BLOCKS = ["main"] * 19 + ["adversarial"] * 5
N = len(SCOPES)
PARAMS = SignificanceParams(baseline="base", n_resamples=400, seed=5)


def values() -> dict[tuple[str, str], list[float]]:
    random = np.random.default_rng(1)
    found = {
        (variant, measure): random.choice([0.0, 0.5, 1.0], N).tolist()
        for variant in ("base", "better", "other")
        for measure in ("RR", "R@5")
    }
    found["better", "RR"][0:5] = [NAN] * 5  # all of conversation a
    return found | {("same", "RR"): found["base", "RR"], ("same", "R@5"): [NAN] * N}


def built(parent: Path, params: SignificanceParams = PARAMS, scopes: list[str] | list[None] | None = None) -> Path:
    metrics, corpus = write_inputs(parent, values(), BLOCKS, SCOPES if scopes is None else scopes)
    out = folder(parent, "out")
    build.build(metrics, corpus, params, out)
    return out


def table_of(out: Path) -> pl.DataFrame:
    return pl.read_parquet(out / "cluster_comparisons.parquet")


def test_rows_are_those_of_the_comparisons_once_for_each_method(tmp_path: Path) -> None:
    out = built(tmp_path)
    table, compared = table_of(out), pl.read_parquet(out / "comparisons.parquet")
    assert dict(table.schema) == {name: dtype() for name, dtype in CLUSTER_COMPARISON_SCHEMA.items()}
    assert table["method"].to_list() == list(METHODS) * compared.height
    keys = ["block", "family", "variant", "baseline", "measure", "n", "delta"]
    assert table.filter(pl.col("method") == METHODS[0]).select(keys).equals(compared.select(keys), null_equal=True)
    naive = table.filter(pl.col("method") == "question-bootstrap")
    assert naive["lo"].fill_null(NAN).equals(compared["lo"]) and naive["hi"].fill_null(NAN).equals(compared["hi"])


def test_nulls_say_which_number_a_method_gives(tmp_path: Path) -> None:
    table = table_of(built(tmp_path)).filter(variant="other", block="main", measure="RR")
    given = {
        row["method"]: [name for name in ("lo", "hi", "p", "p_floor") if row[name] is not None]
        for row in table.iter_rows(named=True)
    }
    assert given == {
        "question-bootstrap": ["lo", "hi"],
        "cluster-bootstrap": ["lo", "hi", "p"],
        "cluster-sign-flip": ["p", "p_floor"],
        "cluster-bootstrap-t": ["lo", "hi", "p", "p_floor"],
        "wild-cluster": ["lo", "hi", "p", "p_floor"],
    }
    assert table.filter("is_one_sided")["method"].to_list() == ["cluster-bootstrap"]
    assert table.filter(method="cluster-sign-flip")["p_floor"].item() == 2 / 2**4  # a to d; e is adversarial


def test_numbers_are_those_of_the_named_generator(tmp_path: Path) -> None:
    found = table_of(built(tmp_path)).filter(
        variant="other", block="main", measure="RR", method="cluster-bootstrap", baseline="base"
    )
    given = values()
    differences = np.subtract(given["other", "RR"], given["base", "RR"])[:19, None]
    ((_, part),) = grouped(differences, np.unique(SCOPES[:19], return_inverse=True)[1])
    (expected,) = cluster_bootstrap(part, rng=generator(5, "cluster-bootstrap", "main"))
    (lo, hi, p) = found.select("lo", "hi", "p").row(0)
    assert (lo, hi, p) == pytest.approx((expected.lo, expected.hi, expected.p), abs=1e-12)


def test_an_undefined_conversation_is_counted_out_and_an_undefined_pair_has_no_numbers(tmp_path: Path) -> None:
    table = table_of(built(tmp_path))
    part = table.filter(variant="better", measure="RR", block="main")
    assert part["n_groups"].unique().to_list() == [3] and part["n"].unique().to_list() == [14]
    nothing = table.filter(variant="same", measure="R@5", block="main")
    assert nothing["n_groups"].unique().to_list() == [0] and nothing["n"].unique().to_list() == [0]
    assert nothing["delta"].is_nan().all()
    assert nothing.select(pl.col("lo", "hi", "p", "p_floor").is_null().all()).row(0) == (True,) * 4


def test_equal_variants_are_zero_by_every_method_that_has_a_number(tmp_path: Path) -> None:
    same = table_of(built(tmp_path)).filter(variant="same", measure="RR", block="main")
    limits = dict(zip(same["method"], zip(same["lo"], same["hi"], same["p"], strict=True), strict=True))
    assert limits == {
        "question-bootstrap": (0.0, 0.0, None),
        "cluster-bootstrap": (0.0, 0.0, 1.0),
        "cluster-sign-flip": (None, None, 1.0),
        "cluster-bootstrap-t": (None, None, None),
        "wild-cluster": (None, None, None),
    }


@pytest.mark.parametrize("scopes", [["one"] * N, [f"haystack {i}" for i in range(N)], [None] * N])
def test_ungrouped_questions_have_no_rows(tmp_path: Path, scopes: list[str]) -> None:
    table = table_of(built(tmp_path, scopes=scopes))
    assert (table.height, table.columns) == (0, list(CLUSTER_COMPARISON_SCHEMA))


def test_other_tables_do_not_depend_on_it_and_all_bytes_repeat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("summary.parquet", "comparisons.parquet", "cluster_comparisons.parquet")
    first, second = built(folder(tmp_path, "1")), built(folder(tmp_path, "2"))
    assert [sha256_of(first / name) for name in names] == [sha256_of(second / name) for name in names]
    empty = pl.DataFrame(schema=CLUSTER_COMPARISON_SCHEMA)
    monkeypatch.setattr(build, "compare_clusters", lambda *_: empty)
    without = built(folder(tmp_path, "3"))
    assert [sha256_of(first / name) for name in names[:2]] == [sha256_of(without / name) for name in names[:2]]


def test_a_pair_has_the_same_numbers_in_every_family_and_whatever_the_others_are(tmp_path: Path) -> None:
    families = (
        Family(name="against base", baseline="base", variants=("better", "other", "same")),
        Family(name="one", baseline="base", variants=("other",)),
    )
    table = table_of(built(folder(tmp_path, "both"), PARAMS.model_copy(update={"families": families})))
    alone = PARAMS.model_copy(update={"families": families[1:]})
    columns = ["block", "measure", "method", "n", "delta", "lo", "hi", "p", "p_floor"]
    first, second = (table.filter(variant="other", family=family.name).select(columns) for family in families)
    assert first.equals(second)
    assert first.equals(table_of(built(folder(tmp_path, "alone"), alone)).select(columns))


def test_columns_with_other_groups_do_not_shift_the_draws() -> None:
    columns = np.random.default_rng(0).normal(0, 1, (N, 3))
    columns[:5, 1] = NAN
    groups = np.unique(SCOPES, return_inverse=True)[1]
    both = cluster_inference(columns, groups, rng=lambda name: generator(0, name))
    first = cluster_inference(columns[:, [0, 2]], groups, rng=lambda name: generator(0, name))
    for method in METHODS[1:]:
        assert str([both[method][0], both[method][2]]) == str(first[method])

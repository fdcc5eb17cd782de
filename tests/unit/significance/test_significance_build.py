"""The tables of the stage `significance`."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.files import sha256_of
from tasks.records import BenchError
from tasks.significance import build
from tasks.significance.families import Family
from tasks.significance.tables import SignificanceParams

NAN = float("nan")
BLOCKS = ["main"] * 6 + ["adversarial"] * 3 + ["abstention"]
SCOPES = ["a", "a", "a", "a", "b", "b", "a", "b", "b", "a"]
PARAMS = SignificanceParams(baseline="base", n_resamples=400)
VALUES = {
    ("base", "RR"): [0.0, 0.5, 0.0, 1.0, 0.25, NAN, 1.0, 0.0, 0.0, NAN],
    ("base", "pool_R@30"): [0.0, 0.0, 1.0, 1.0, 1.0, NAN, 1.0, 0.0, 0.0, NAN],
    ("better", "RR"): [0.5, 0.5, 0.5, 1.0, 0.5, NAN, 1.0, 1.0, 0.0, NAN],
    ("better", "pool_R@30"): [1.0, 0.0, 1.0, 1.0, 1.0, NAN, 1.0, 0.0, 0.0, NAN],
    ("same", "RR"): [0.0, 0.5, 0.0, 1.0, 0.25, NAN, 1.0, 0.0, 0.0, NAN],
    ("same", "pool_R@30"): [NAN] * 10,
}


def folder(parent: Path, name: str) -> Path:
    (parent / name).mkdir()
    return parent / name


def write_inputs(
    parent: Path,
    values: dict[tuple[str, str], list[float]],
    blocks: list[str],
    scopes: list[str] | list[None],
    name: str = "query_metrics",
) -> tuple[Path, Path]:
    metrics, corpus = folder(parent, "metrics"), folder(parent, "corpus")
    pl.DataFrame(
        [
            (variant, None, None, query, f"q{query}", measure, value)
            for (variant, measure), column in values.items()
            for query, value in enumerate(column)
        ],
        schema={
            "variant": pl.Utf8,
            "stream_seed": pl.Int64,
            "split": pl.Utf8,
            "query_index": pl.Int32,
            "query_id": pl.Utf8,
            "measure": pl.Utf8,
            "value": pl.Float64,
        },
        orient="row",
    ).write_parquet(metrics / f"{name}.parquet")
    pl.DataFrame(
        {"query_index": range(len(blocks)), "block": blocks, "scope_id": scopes},
        schema={"query_index": pl.Int32, "block": pl.Utf8, "scope_id": pl.Utf8},
    ).write_parquet(corpus / "queries.parquet")
    return metrics, corpus


def built(parent: Path, params: SignificanceParams = PARAMS, **changes: object) -> tuple[pl.DataFrame, pl.DataFrame]:
    inputs = {"values": VALUES, "blocks": BLOCKS, "scopes": SCOPES} | changes
    metrics, corpus = write_inputs(parent, **inputs)  # type: ignore[arg-type]
    out = folder(parent, "out")
    build.build(metrics, corpus, params, out)
    return pl.read_parquet(out / "summary.parquet"), pl.read_parquet(out / "comparisons.parquet")


def row(table: pl.DataFrame, **key: str) -> dict[str, object]:
    (found,) = table.filter(**key).to_dicts()
    return found


def test_summary_against_hand_computed(tmp_path: Path) -> None:
    summary, _ = built(tmp_path)
    assert summary["block"].unique(maintain_order=True).to_list() == ["main", "adversarial", "all"]
    main = row(summary, block="main", variant="base", measure="RR")
    assert (main["mean"], main["n"], main["n_undefined"]) == (0.35, 5, 1)
    # conversation a: (0 + 0.5 + 0 + 1) / 4, b: 0.25
    assert main["mean_over_conversations"] == pytest.approx((0.375 + 0.25) / 2, abs=1e-12)
    everything = row(summary, block="all", variant="base", measure="RR")
    assert (everything["n"], everything["n_undefined"]) == (8, 1)
    assert everything["mean"] == pytest.approx(2.75 / 8, abs=1e-12)


def test_comparison_against_hand_computed(tmp_path: Path) -> None:
    _, comparisons = built(tmp_path)
    assert set(comparisons["variant"]) == {"better", "same"}
    found = row(comparisons, block="main", variant="better", measure="RR")
    # differences 0.5, 0, 0.5, 0, 0.25: all three non-zero ones positive, so 2 of 8 sign patterns are as far
    assert (found["delta"], found["n"], found["n_undefined"]) == (0.25, 5, 1)
    assert (found["wins"], found["ties"], found["losses"]) == (3, 2, 0)
    assert (found["p"], found["p_adjusted"], found["family_size"], found["is_exact"]) == (0.25, 0.5, 2, True)
    assert (found["baseline"], found["family"], found["family_index"]) == ("base", "variants against base", 0)


def test_identical_variant_has_p_one_and_no_nan(tmp_path: Path) -> None:
    _, comparisons = built(tmp_path)
    found = row(comparisons, block="main", variant="same", measure="RR")
    assert [found[name] for name in ("delta", "lo", "hi", "p", "p_adjusted", "effect_size")] == [0, 0, 0, 1, 1, 0]


def test_undefined_comparison_is_counted_and_not_in_the_family(tmp_path: Path) -> None:
    _, comparisons = built(tmp_path)
    undefined = row(comparisons, block="main", variant="same", measure="pool_R@30")
    assert (undefined["n"], undefined["n_undefined"], undefined["family_size"]) == (0, 6, 1)
    defined = row(comparisons, block="main", variant="better", measure="pool_R@30")
    assert defined["p_adjusted"] == defined["p"]


def test_abstention_is_its_own_block_where_something_is_defined(tmp_path: Path) -> None:
    values = {("base", "abstain@0"): [*np.zeros(9), 1.0], ("other", "abstain@0"): [*np.zeros(9), 0.0]}
    summary, _ = built(tmp_path, values=values, name="behaviour_metrics")
    found = row(summary, block="abstention", variant="base", measure="abstain@0")
    assert (found["mean"], found["n"]) == (1.0, 1)
    assert row(summary, block="all", variant="base", measure="abstain@0")["n"] == 10


@pytest.mark.parametrize("scopes", [["one"] * 10, [f"haystack {i}" for i in range(10)], [None] * 10])
def test_ungrouped_questions_have_no_mean_over_conversations(tmp_path: Path, scopes: list[str]) -> None:
    summary, _ = built(tmp_path, scopes=scopes)
    assert summary["mean_over_conversations"].null_count() == summary.height


def test_one_scored_block_has_no_total(tmp_path: Path) -> None:
    summary, _ = built(tmp_path, blocks=["main"] * 10)
    assert summary["block"].unique().to_list() == ["main"]


def test_numbers_of_a_variant_do_not_depend_on_the_others(tmp_path: Path) -> None:
    both = built(folder(tmp_path, "both"))
    few = {key: column for key, column in VALUES.items() if key[0] != "same"}
    alone = built(folder(tmp_path, "alone"), values=few)
    columns = ["block", "measure", "n", "delta", "lo", "hi", "p"]
    assert both[1].filter(variant="better").select(columns).equals(alone[1].select(columns))
    assert both[0].filter(pl.col("variant") != "same").equals(alone[0])


def test_global_seed_does_not_matter_and_files_are_identical(tmp_path: Path) -> None:
    digests = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002 - the point is that the global generator is not used
        built(folder(tmp_path, str(seed)))
        digests.append({path.name: sha256_of(path) for path in (tmp_path / str(seed) / "out").iterdir()})
    assert digests[0] == digests[1]


def test_own_seed_matters(tmp_path: Path) -> None:
    one, _ = built(folder(tmp_path, "1"), PARAMS)
    two, _ = built(folder(tmp_path, "2"), PARAMS.model_copy(update={"seed": 1}))
    assert one["mean"].equals(two["mean"])
    assert not one["lo"].equals(two["lo"])


def test_baseline_alone_has_no_comparisons(tmp_path: Path) -> None:
    summary, comparisons = built(tmp_path, values={("base", "RR"): VALUES["base", "RR"]})
    assert summary.height == 3
    assert comparisons.height == 0


def test_unknown_names_and_doubled_values_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"baseline 'rif' was not run; choose one of: base, better, same"):
        built(folder(tmp_path, "1"), SignificanceParams(baseline="rif"))
    with pytest.raises(BenchError, match=r"measures R@5 were not computed; choose from: RR"):
        built(folder(tmp_path, "2"), SignificanceParams(baseline="base", measures=("R@5",)))
    metrics, corpus = write_inputs(folder(tmp_path, "3"), VALUES, BLOCKS, SCOPES)
    table = pl.read_parquet(metrics / "query_metrics.parquet")
    pl.concat([table, table]).write_parquet(metrics / "query_metrics.parquet")
    with pytest.raises(BenchError, match=r"base, RR: 20 values; expected one for each question"):
        build.build(metrics, corpus, PARAMS, tmp_path)
    with pytest.raises(BenchError, match="expected per-query values"):
        build.build(tmp_path, corpus, PARAMS, tmp_path)


THREE = VALUES | {
    ("split", "RR"): [0.25, 0.0, 0.0, 1.0, 0.0, NAN, 1.0, 0.5, 0.0, NAN],
    ("split", "pool_R@30"): [0.0, 1.0, 1.0, 1.0, 1.0, NAN, 1.0, 0.0, 0.0, NAN],
}
FAMILIES = (
    Family(name="against base", baseline="base", variants=("better", "same")),
    Family(name="against split", baseline="split", variants=("better",)),
    Family(name="gap against uniform", baseline="base", variants=("better",)),
)


def test_families_are_adjusted_each_by_itself_against_hand_computed(tmp_path: Path) -> None:
    _, comparisons = built(tmp_path, PARAMS.model_copy(update={"families": FAMILIES}), values=THREE)
    assert comparisons["family"].unique(maintain_order=True).to_list() == [family.name for family in FAMILIES]
    rows = {
        name: row(comparisons, block="main", family=name, variant="better", measure="RR")
        for name in comparisons["family"].unique()
    }
    # As in test_comparison_against_hand_computed: p = 2 / 8, two variants in the first family, one in the third.
    assert [rows["against base"][name] for name in ("p", "p_adjusted", "family_size")] == [0.25, 0.5, 2]
    assert [rows["gap against uniform"][name] for name in ("p", "p_adjusted", "family_size")] == [0.25, 0.25, 1]
    # Differences to split: 0.25, 0.5, 0.5, 0, 0.5, all positive: 2 of 16 sign patterns are as far.
    split = rows["against split"]
    assert [split[name] for name in ("baseline", "p", "p_adjusted", "family_size", "delta")] == [
        "split", 0.125, 0.125, 1, 0.35,
    ]  # fmt: skip
    assert [rows[family.name]["family_index"] for family in FAMILIES] == [0, 1, 2]


def test_a_pair_has_the_same_draws_in_every_family_and_whatever_the_others_are(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)  # more than 20 differences: signs are sampled
    values = {(name, "RR"): rng.random(40).tolist() for name in ("base", "better", "same", "split")}
    given = {"values": values, "blocks": ["main"] * 40, "scopes": ["a"] * 40}
    _, several = built(folder(tmp_path, "several"), PARAMS.model_copy(update={"families": FAMILIES}), **given)
    _, alone = built(folder(tmp_path, "alone"), PARAMS, **given)
    columns = ["n", "delta", "lo", "hi", "p", "effect_size", "wins", "ties", "losses"]
    (wanted,) = alone.filter(variant="better").select(columns).rows()
    assert not alone["is_exact"].any()
    found = several.filter(variant="better", baseline="base").select(columns).rows()
    assert found == [wanted, wanted]


def test_unreadable_families_are_listed_together(tmp_path: Path) -> None:
    families = (
        Family(name="a", baseline="base", variants=("better", "rif", "bm25")),
        Family(name="a", baseline="better", variants=("better", "same", "same")),
        Family(name="empty", baseline="base", variants=()),
    )
    with pytest.raises(BenchError) as caught:
        built(tmp_path, PARAMS.model_copy(update={"families": families}))
    for fault in (
        "2 families are named 'a'",
        "family 'a': bm25, rif were not run",
        "family 'a' compares better with itself",
        "family 'a' names same more than once",
        "family 'empty' compares nothing with base",
        "Variants that were run: base, better, same",
    ):
        assert fault in str(caught.value)

"""The gate before a report is written or published: counts, keys and ranges, each with the reason for its bound.

These are checks of data, not unit tests: they run on every report.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from tasks.records import BenchError
from tasks.reporting.schemas import TABLES, conform

_ROUNDING = 1e-9
_UNIT = re.compile(
    r"(nDCG(\(.*\))?@\d+|R@\d+|R_all@\d+|pool_R@\d+|Success@\d+|RR(@\d+)?|AP(@\d+)?"
    r"|wrong_family|sibling_confusion|stale_fact|exact_episode|abstain@-?[\d.]+)"
)
"""Measures that are shares, normalised gains or reciprocal ranks: 0 to 1 by definition."""
_DECOMPOSITION = ("exact_episode", "sibling_confusion", "wrong_family")
_VERDICTS = ("equal", "consistent", "different", "not measured", "no verdict")
_BASES = ("paired", "interval", "digits", "none")
_SINGLE_PRECISION = 1e-6
"""Values of many streams are kept in single precision."""
_MAX_SHOWN = 3

Tables = Mapping[str, pl.DataFrame]


def check(tables: Tables, facts: Mapping[str, Any]) -> None:
    """Check all tables of a report together.

    Parameters
    ----------
    tables
        The report's tables by name.
    facts
        Its `report.json`.

    Raises
    ------
    BenchError
        Lists every failure, with the reason for the bound.
    """
    _refuse([failure for rule in _RULES for failure in rule(tables, facts)], facts["dataset"])


def check_extra(tables: Tables, dataset: str) -> None:
    """Check the tables that come beside a report; raises `BenchError` as `check`."""
    _refuse([*_schemas(tables, {}), *_sweeps(tables["sweep_metrics"]), *_study(tables["study_cells"])], dataset)


def _refuse(failures: list[str], dataset: str) -> None:
    if failures:
        raise BenchError(
            f"the report of {dataset} is not published, {len(failures)} checks failed:\n"
            + "\n".join(f"  - {failure}" for failure in failures)
            + "\nThe stage that made the numbers is wrong, or the bound is: see tasks/reporting/checks.py."
        )


def _schemas(tables: Tables, _facts: Mapping[str, Any]) -> list[str]:
    failures = []
    for name, frame in tables.items():
        try:
            conform(frame, TABLES[name])
        except BenchError as error:
            failures.append(str(error))
    return failures


def _counts(tables: Tables, facts: Mapping[str, Any]) -> list[str]:
    """Every question is asked of every variant: a lost query would silently change a mean."""
    wanted = int(facts["corpus"]["n_queries"])
    failures = []
    if tables["queries"].height != wanted:
        failures.append(f"queries: {tables['queries'].height} rows; the corpus has {wanted} questions")
    for name in ("query_metrics", "behaviour"):
        counts = tables[name].group_by("variant", "measure", "stream_seed", "split").len().sort("variant", "measure")
        failures += [
            f"{name}: {variant}, {measure} has {n} rows; expected one per question, {wanted}, undefined ones as NaN"
            for variant, measure, _, _, n in counts.iter_rows()
            if n != wanted
        ]
    found = set(tables["query_metrics"]["variant"].unique())
    failures += [
        f"query_metrics: no values of {name}, which was run" for name in facts["variants"] if name not in found
    ]
    unknown = tables["query_metrics"].join(tables["queries"], on="query_id", how="anti")["query_id"].unique().sort()
    if len(unknown):
        failures.append(f"query_metrics: ids that are not questions of the corpus: {_some(unknown.to_list())}")
    return failures


def _ranges(tables: Tables, _facts: Mapping[str, Any]) -> list[str]:
    failures = []
    for name in ("query_metrics", "behaviour"):
        frame = tables[name]
        unknown = [measure for measure in frame["measure"].unique().sort() if not _UNIT.fullmatch(measure)]
        failures += [f"{name}: measure {measure} has no declared range; add it to checks.py" for measure in unknown]
        failures += _violations(
            frame, name, pl.col("value").is_nan() | pl.col("value").is_between(0, 1 + _ROUNDING),
            "value outside 0 to 1: shares, normalised gains and reciprocal ranks cannot be",
        )  # fmt: skip
    whole = pl.col("value").is_nan() | pl.col("value").is_in([0.0, 1.0])
    failures += _violations(tables["behaviour"], "behaviour", whole, "a behaviour of one question is 0 or 1")
    return failures


def _decomposition(tables: Tables, _facts: Mapping[str, Any]) -> list[str]:
    """The first result is the right turn, a turn of a right session, or of a wrong session: exactly one of them."""
    sums = (
        tables["behaviour"]
        .filter(pl.col("measure").is_in(_DECOMPOSITION), pl.col("value").is_not_nan())
        .group_by("variant", "query_id", "stream_seed", "split")
        .agg(pl.col("value").sum(), pl.len().alias("n"))
        .filter(pl.col("n") == len(_DECOMPOSITION))
    )
    return _violations(sums, "behaviour", pl.col("value") == 1, "exact, sibling and wrong family must sum to 1")


def _rankings(tables: Tables, facts: Mapping[str, Any]) -> list[str]:
    frame = tables["rankings"]
    top_k = facts["params"]["top_k"]
    failures = _violations(frame, "rankings", pl.col("rank").is_between(1, top_k), f"rank outside 1 to {top_k}")
    by_query = frame.group_by("variant", "stream_seed", "query_id").agg(
        pl.col("rank").max(), pl.len().alias("n"), pl.col("document_id").n_unique().alias("n_documents")
    )
    failures += _violations(
        by_query, "rankings", pl.col("rank") == pl.col("n"), "ranks must be 1, 2, 3 ... without gaps"
    )
    once = pl.col("n") == pl.col("n_documents")
    failures += _violations(by_query, "rankings", once, "a document may be ranked once only: a twin would count twice")
    finite = pl.col("score").is_finite() & pl.col("logit").is_finite().fill_null(value=True)
    failures += _violations(frame, "rankings", finite, "scores and logits are finite, or their order means nothing")
    state = pl.col("suppression").is_finite() & (pl.col("suppression") >= 0)
    failures += _violations(frame, "rankings", state, "suppression is never negative: reinforcement stops at 0")
    return failures


def _means(tables: Tables, facts: Mapping[str, Any]) -> list[str]:
    """A printed mean must be the mean of the per-query rows that are published beside it."""
    from tasks.reporting.tables import in_blocks

    both = pl.concat([tables["query_metrics"], tables["behaviour"]])
    again = (
        both.join(in_blocks(tables["queries"]), on="query_id", validate="m:m")
        .group_by("block", "variant", "measure")
        .agg(
            pl.col("value").filter(pl.col("value").is_not_nan()).mean().alias("again"),
            pl.col("value").is_not_nan().sum().cast(pl.Int32).alias("n_again"),
            pl.col("value").is_nan().sum().cast(pl.Int32).alias("n_undefined_again"),
        )
    )
    joined = tables["summary"].join(again, on=["block", "variant", "measure"], how="left", validate="1:1")
    same_n = (pl.col("n") == pl.col("n_again")) & (pl.col("n_undefined") == pl.col("n_undefined_again"))
    failures = _violations(joined, "summary", same_n, "n or n_undefined is not that of the per-query rows")
    is_same = (pl.col("n") == 0) | ((pl.col("mean") - pl.col("again")).abs() <= _ROUNDING)
    failures += _violations(joined, "summary", is_same, "mean is not the mean of the per-query rows")
    inside = (pl.col("n") == 0) | pl.col("mean").is_between(pl.col("lo") - _ROUNDING, pl.col("hi") + _ROUNDING)
    failures += _violations(joined, "summary", inside, "the mean must lie in its own interval")
    main, measure = facts["params"]["main_block"], facts["params"]["main_measure"]
    headline = tables["summary"].filter(pl.col("block") == main, pl.col("measure") == measure)
    lost = [name for name in facts["variants"] if name not in set(headline["variant"])]
    return [*failures, *(f"summary: no {measure} of {name} in the block {main}" for name in lost)]


def _comparisons(tables: Tables, _facts: Mapping[str, Any]) -> list[str]:
    frame = tables["comparisons"]
    some = frame.filter(pl.col("n") > 0)
    p_range = pl.col("p").is_nan() | ((pl.col("p") > 0) & (pl.col("p") <= 1))
    total = pl.col("wins") + pl.col("ties") + pl.col("losses") == pl.col("n")
    inside = pl.col("delta").is_between(pl.col("lo") - _ROUNDING, pl.col("hi") + _ROUNDING)
    adjusted = (pl.col("p_adjusted") >= pl.col("p") - _ROUNDING).fill_null(value=True) | pl.col("p_adjusted").is_nan()
    return [
        *_violations(frame, "comparisons", p_range, "p outside (0, 1]: a sampled p-value is never zero"),
        *_violations(some, "comparisons", total, "wins, ties and losses must sum to n"),
        *_violations(some, "comparisons", inside, "the difference must lie in its own interval"),
        *_violations(frame, "comparisons", adjusted, "an adjusted p-value is never below the raw one"),
    ]


def _suppression(tables: Tables, _facts: Mapping[str, Any]) -> list[str]:
    frame = tables["suppression"]
    part = (pl.col("n_documents_above") <= pl.col("n_documents")) & (
        pl.col("n_documents_above") <= pl.col("n_entries_above")
    )
    is_empty = pl.col("n_entries") == 0  # no mean then
    is_ordered = is_empty | (pl.col("mean") <= pl.col("max") + _ROUNDING)
    order = (pl.col("n_entries_above") <= pl.col("n_entries")) & is_ordered
    positive = is_empty | ((pl.col("mean") >= 0) & pl.col("max").is_finite())
    return [
        *_violations(frame, "suppression", part, "more documents above 0.01 than there are, or than entries above it"),
        *_violations(frame, "suppression", order, "a part exceeds its whole, or a mean its maximum"),
        *_violations(frame, "suppression", positive, "suppression is finite and never negative"),
    ]


def _trace(tables: Tables, facts: Mapping[str, Any]) -> list[str]:
    frame = tables["suppression_trace"]
    failures = _suppression({"suppression": frame}, facts)
    key = ["protocol", "variant", "stream_seed", "scope_id"]
    last = frame.group_by(key).agg(pl.all().sort_by("step").last())
    end = last.join(tables["suppression"], on=key, suffix="_at_end", validate="1:1")
    same = pl.all_horizontal(
        pl.col(name) == pl.col(f"{name}_at_end") for name in ("n_entries", "n_entries_above", "n_documents")
    )
    return [
        *(failure.replace("suppression:", "suppression_trace:", 1) for failure in failures),
        *_violations(frame, "suppression_trace", pl.col("step") >= 0, "a stream has no steps before its first"),
        *_violations(end, "suppression_trace", same, "its last step is not the state in the table suppression"),
    ]


def _streams(tables: Tables, facts: Mapping[str, Any]) -> list[str]:
    """Every variant of many streams has the same streams; its own one gives the means of the report."""
    frame = tables["stream_metrics"]
    keys = ["variant", "measure"]
    counts = frame.group_by(keys).agg(pl.len().alias("n_streams"))
    mean = (pl.col("n") == 0) | pl.col("mean").is_between(0, 1 + _ROUNDING)
    delta = pl.col("delta").is_nan() | pl.col("delta").is_between(-1 - _ROUNDING, 1 + _ROUNDING)
    own = tables["query_metrics"].select("variant", "stream_seed").unique().drop_nulls()
    means = tables["summary"].filter(pl.col("block") == facts["params"]["main_block"])
    again = frame.join(own, on=["variant", "stream_seed"], how="semi").join(
        means.select(*keys, "n", "mean"), on=keys, suffix="_here", validate="1:1"
    )
    same_n = pl.col("n") == pl.col("n_here")
    same = (pl.col("n") == 0) | ((pl.col("mean") - pl.col("mean_here")).abs() <= _SINGLE_PRECISION)
    return [
        *_violations(counts, "stream_metrics", pl.col("n_streams") == pl.col("n_streams").max(),
                     "not every variant and measure has the same number of streams"),
        *_violations(frame, "stream_metrics", mean, "a mean outside 0 to 1"),
        *_violations(frame, "stream_metrics", delta, "a difference outside -1 to 1"),
        *_violations(again, "stream_metrics", same_n & same, "the run's own stream has another mean in the report"),
    ]  # fmt: skip


def _sweeps(frame: pl.DataFrame) -> list[str]:
    order = (pl.col("n") == 0) | _between("min", "mean", "max")
    difference = pl.col("delta").is_nan() | _between("delta_min", "delta", "delta_max")
    share = pl.col("share_opposite").is_nan() | pl.col("share_opposite").is_between(0, 1)
    return [
        *_violations(frame, "sweep_metrics", pl.col("n_streams") > 0, "a cell without a stream was not measured"),
        *_violations(frame, "sweep_metrics", order, "the mean must lie between its least and largest stream"),
        *_violations(frame, "sweep_metrics", difference, "the difference must lie between its least and largest"),
        *_violations(frame, "sweep_metrics", share, "share_opposite is a share"),
    ]


def _between(low: str, value: str, high: str) -> pl.Expr:
    return pl.col(value).is_between(pl.col(low) - _ROUNDING, pl.col(high) + _ROUNDING)


def _study(frame: pl.DataFrame) -> list[str]:
    is_measured = pl.col("verdict") != "not measured"
    traced = ~is_measured | (pl.col("ours").is_finite() & (pl.col("artifact_keys").list.len() > 0))
    p_range = pl.col("p").is_null() | pl.col("p").is_nan() | ((pl.col("p") > 0) & (pl.col("p") <= 1))
    return [
        *_violations(frame, "study_cells", pl.col("verdict").is_in(_VERDICTS), f"a verdict not of {_VERDICTS}"),
        *_violations(frame, "study_cells", pl.col("basis").is_in(_BASES), f"a basis not of {_BASES}"),
        *_violations(frame, "study_cells", traced, "a measured cell has a number and names the artifacts it is from"),
        *_violations(frame, "study_cells", p_range, "p outside (0, 1]: a sampled p-value is never zero"),
    ]


_RULES: tuple[Callable[[Tables, Mapping[str, Any]], list[str]], ...] = (
    _schemas,
    _counts,
    _ranges,
    _decomposition,
    _rankings,
    _means,
    _comparisons,
    _suppression,
    _trace,
    _streams,
)


def _violations(frame: pl.DataFrame, table: str, holds: pl.Expr, reason: str) -> list[str]:
    """Describe the rows where `holds` is false or null; no entry when there are none."""
    bad = frame.filter(~holds.fill_null(value=False))
    if not bad.height:
        return []
    place = [
        name
        for name in ("block", "table", "row", "column", "variant", "scope_id", "measure", "query_id")
        if name in bad.columns
    ]
    shown = [" / ".join(map(str, row)) for row in bad.select(place).sort(place).head(_MAX_SHOWN).iter_rows()]
    return [f"{table}: {reason}: {bad.height} rows, e.g. {'; '.join(shown)}"]


def _some(names: list[str]) -> str:
    return ", ".join(names[:_MAX_SHOWN]) + (" ..." if len(names) > _MAX_SHOWN else "")

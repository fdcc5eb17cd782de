"""The section of a report about what another stream of queries would have given."""

from pathlib import Path

import numpy as np

from tasks.reporting import schemas
from tasks.reporting.labels import variant_label
from tasks.reporting.sections import Facts, folded, in_order, read_table
from tasks.reporting.stream_spread import Spread, Values, spreads
from tasks.reporting.text_format import UNDEFINED, escape, number, share, signed, table

_READ = (schemas.STREAM_METRICS, schemas.QUERY_METRICS, schemas.SUMMARY, schemas.COMPARISONS)


def other_streams(facts: Facts, report_dir: Path) -> list[str]:
    """Say what the main measure is over many streams, and how often a difference turns round."""
    found = spreads({declared.name: read_table(report_dir, declared) for declared in _READ}, facts)
    measure = facts["params"]["main_measure"]
    shown = [spread for spread in found if spread.measure == measure]
    if not shown:
        return []
    own, seeds = shown[0].own_seed, read_table(report_dir, schemas.STREAM_METRICS)["stream_seed"].unique().to_list()
    is_among = ", that of the run among them" if own in seeds else ""
    text = (
        f"Everything else in this report is after one stream of queries, seed {own}; here are {len(seeds):,} (seeds "
        f"{min(seeds)} to {max(seeds)}{is_among}), each with its own hot questions and order, on the same questions, "
        "candidates and logits. In brackets: the least and the largest of the streams. *Other sign*: streams whose "
        "difference to the baseline has another sign than that of the run's own stream."
    )
    header = [
        "variant",
        f"{measure} here",
        "mean over streams ± sd",
        "difference here",
        "mean over streams ± sd",
        "other sign",
    ]
    rows = [
        [
            escape(variant_label(spread.variant)),
            number(spread.here),
            _over(spread.means, is_difference=False),
            signed(spread.delta_here),
            _over(spread.deltas, is_difference=True),
            share(spread.share_opposite),
        ]
        for spread in shown
    ]
    lines = ["## Other streams", "", text, "", *table(header, rows, "lrrrrr")]
    return lines + folded("Differences in every measure, over streams", _every_measure(found, facts))


def _over(values: Values, *, is_difference: bool) -> str:
    """Print the mean, standard deviation and range of the streams."""
    if np.isnan(values).any():
        return UNDEFINED
    show = signed if is_difference else number
    return (
        f"{show(float(values.mean()))}{_deviation(values)} [{show(float(values.min()))}, {show(float(values.max()))}]"
    )


def _deviation(values: Values) -> str:
    return f" ± {number(float(values.std(ddof=1)))}" if len(values) > 1 else ""


def _every_measure(found: list[Spread], facts: Facts) -> list[str]:
    names = in_order({spread.measure for spread in found}, facts)
    cells = {(spread.variant, spread.measure): spread for spread in found}
    variants = list(dict.fromkeys(spread.variant for spread in found))
    rows = [
        [escape(variant_label(variant)), *(_difference(cells.get((variant, name))) for name in names)]
        for variant in variants
    ]
    text = "Mean difference ± standard deviation over streams; in brackets the share of streams with the other sign."
    return [*table(["variant", *names], rows, "l" + "r" * len(names)), text, ""]


def _difference(spread: Spread | None) -> str:
    if spread is None or not spread.is_compared:
        return UNDEFINED
    turned = "" if np.isnan(spread.share_opposite) else f" ({share(spread.share_opposite)})"
    return f"{signed(float(spread.deltas.mean()))}{_deviation(spread.deltas)}{turned}"

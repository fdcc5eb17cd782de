"""The sections of a report about its results. Each returns the lines of its Markdown."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from tasks.corpora.question_kinds import ALL_BLOCKS
from tasks.reporting import schemas
from tasks.reporting.families import MAIN, members, of_family
from tasks.reporting.headline import block_sentences, headline_table
from tasks.reporting.labels import block_label, variant_label, variant_order
from tasks.reporting.tables import behaviour_shares
from tasks.reporting.text_format import UNDEFINED, escape, estimate, number, share, table

_BEHAVIOURS = (
    ("exact_episode", "right turn"),
    ("sibling_confusion", "right session, wrong turn"),
    ("wrong_family", "wrong session"),
    ("stale_fact", "stale fact (proxy)"),
)
_FAMILIES = ("nDCG", "R@", "R_all", "Success", "RR", "pool_R")
Facts = dict[str, Any]


def read_table(report_dir: Path, declared: schemas.Table) -> pl.DataFrame:
    """Read a table of a report."""
    return schemas.read(report_dir / "tables", declared)


def blocks(facts: Facts, report_dir: Path) -> list[str]:
    """Every other block with the headline's columns: never mixed into the main mean."""
    measure = facts["params"]["main_measure"]
    frame = read_table(report_dir, schemas.SUMMARY).filter(pl.col("measure") == measure, pl.col("n") > 0)
    own = set(read_table(report_dir, schemas.QUERIES)["block"].unique())
    shown = [name for name in ("main", "adversarial", "abstention") if name in set(frame["block"])]
    shown += sorted(set(frame["block"]) - {*shown, ALL_BLOCKS})
    if len(own) > 1 and ALL_BLOCKS in set(frame["block"]):
        shown.append(ALL_BLOCKS)
    others = [name for name in shown if name != facts["params"]["main_block"]]
    lines: list[str] = ["## Other blocks of questions", ""] if others else []
    for block in others:
        lines += [f"### {escape(block_label(block)).capitalize()}", "", *markdown_table(report_dir, block)]
        lines += [" ".join(block_sentences(report_dir, block, escape)), ""]
    return lines


def markdown_table(report_dir: Path, block: str | None = None, *, family: int = MAIN) -> list[str]:
    """Return the headline table of a block and family as Markdown, its title in bold above it.

    Names of data sets, protocols and measures are ours, and checked; names of variants may be anybody's: escaped.
    """
    found = headline_table(report_dir, block, family=family)
    rows = [[escape(row[0]), *row[1:]] for row in found.rows]  # the rest are our own numbers
    return [f"**{found.title}**", "", *table(found.header, rows, found.align)]


def other_comparisons(facts: Facts, report_dir: Path) -> list[str]:
    """Show the families beside the main one: each with its own baseline, adjusted for itself."""
    others = facts["families"][MAIN + 1 :]
    lines: list[str] = []
    for place, family in enumerate(others, start=MAIN + 1):
        sentences = block_sentences(report_dir, facts["params"]["main_block"], escape, family=place)
        shown = markdown_table(report_dir, family=place)
        lines += [f"### {escape(family['name'])}", "", *shown, " ".join(sentences), ""]
    text = "Each table is a family of its own: its p-values are adjusted for the comparisons in it, and for no others."
    return ["## Other comparisons", "", text, "", *lines] if lines else []


def measures(facts: Facts, report_dir: Path) -> list[str]:
    """All measures of the main block, beside the value that a random order of the pool would have."""
    block = facts["params"]["main_block"]
    frame = read_table(report_dir, schemas.SUMMARY).filter(pl.col("block") == block, pl.col("n") > 0)
    names = in_order(set(frame["measure"]) - _behaviour_names(report_dir), facts)
    cells = {(row["variant"], row["measure"]): row for row in frame.iter_rows(named=True)}
    random = dict(frame.group_by("measure").agg(pl.col("random_mean").first()).iter_rows())
    variants = [name for name in facts["variants"] if any((name, measure) in cells for measure in names)]
    leading = set(members(facts))
    parts: dict[bool, list[list[str]]] = {True: [], False: []}
    for variant in variants:
        values = [number((cells.get((variant, name)) or {}).get("mean")) for name in names]
        parts[variant in leading].append([escape(variant_label(variant)), *values])
    parts[True].append(["*random order of the pool*", *(number(random.get(name)) for name in names)])
    header, align = ["variant", *names], "l" + "r" * len(names)
    lines = ["## All measures", "", *table(header, parts[True], align), *_undefined(frame)]
    return lines + folded("Variants of other comparisons", table(header, parts[False], align) if parts[False] else [])


def folded(title: str, lines: list[str]) -> list[str]:
    """Return lines that a reader opens; nothing for none."""
    return [f"<details><summary>{title}</summary>", "", *lines, "</details>", ""] if lines else []


def in_order(names: Iterable[str], facts: Facts) -> list[str]:
    """Return names of measures in the order of a table: the main one, then by family and cut-off."""

    def place(name: str) -> tuple[bool, int, int, str]:
        family = next((index for index, start in enumerate(_FAMILIES) if name.startswith(start)), len(_FAMILIES))
        cutoff = name.rpartition("@")[2]
        return name != facts["params"]["main_measure"], family, int(cutoff) if cutoff.isdigit() else 0, name

    return sorted(names, key=place)


def _behaviour_names(report_dir: Path) -> set[str]:
    return set(read_table(report_dir, schemas.BEHAVIOUR)["measure"].unique())


def _undefined(frame: pl.DataFrame) -> list[str]:
    lost = frame.filter(pl.col("n_undefined") > 0)
    if not lost.height:
        return ["Every measure is defined for every question of this block.", ""]
    most = lost.group_by("measure").agg(pl.col("n_undefined").max()).sort("measure").rows()
    listed = ", ".join(f"{measure}: {n:,}" for measure, n in most)
    return [f"Questions without a defined value are left out of a mean and counted ({listed}).", ""]


def behaviour(facts: Facts, report_dir: Path) -> list[str]:
    """Say what the first result is, and when its logit says that nothing was found."""
    asked = read_table(report_dir, schemas.QUERIES)
    found = behaviour_shares(read_table(report_dir, schemas.BEHAVIOUR), asked, facts["params"]["main_block"])
    cells = {(variant, measure): value for variant, measure, value, _ in found.iter_rows()}
    declared = [name for name, _ in _BEHAVIOURS]
    extra = [name for name in found["measure"].unique().sort() if name not in declared]
    columns = [(name, label) for name, label in _BEHAVIOURS if name in set(found["measure"])]
    columns += [(name, name) for name in extra]
    if not columns:
        return []
    rows = [
        [escape(variant_label(variant)), *(share(cells.get((variant, name))) for name, _ in columns)]
        for variant in sorted(found["variant"].unique(), key=variant_order)
    ]
    text = "The first three sum to 100 %. " if facts["has_sessions"] else ""
    text += (
        "*Stale fact* is the second on knowledge-update questions: a proxy, the sibling need not state the old fact. "
        "`abstain@T` is the share of questions whose first result has a logit below T; it also counts the questions "
        "without evidence."
    )
    header = ["variant", *(label for _, label in columns)]
    return ["## Behaviour of the first result", "", *table(header, rows, "l" + "r" * len(columns)), text, ""]


def answerability(_facts: Facts, report_dir: Path) -> list[str]:
    """Say whether the first score tells questions that the history can answer from those it cannot (row M1)."""
    found = read_table(report_dir, schemas.ANSWERABILITY)
    if not found.height:
        return []
    rows = [
        [
            escape(variant_label(row["variant"])),
            number(row["auroc"]),
            *(
                f"{row[f'{kind}_median']:.2f} [{row[f'{kind}_q05']:.2f}, {row[f'{kind}_q95']:.2f}]"
                for kind in ("answerable", "unanswerable")
            ),
        ]
        for row in sorted(found.iter_rows(named=True), key=lambda row: variant_order(row["variant"]))
    ]
    n = found.row(0, named=True)
    header = ["variant", "AUROC", "answerable: median [5 %, 95 %]", "not answerable"]
    text = (
        f"The score of the first result of {n['n_answerable']:,} questions that the history answers (block main) and "
        f"of {n['n_unanswerable']:,} that it does not (block abstention, in no retrieval mean). AUROC: how often the "
        "score of one of the former is above one of the latter; 0.5 says nothing."
    )
    return ["## Answerable or not", "", text, "", *table(header, rows, "lrrr")]


def suppression(_facts: Facts, report_dir: Path) -> list[str]:
    """Show the state that the stream left behind."""
    state = read_table(report_dir, schemas.SUPPRESSION)
    if not state.height:
        return []
    per_variant = state.group_by("variant").agg(
        pl.len().alias("scopes"),
        pl.col("n_entries").sum(),
        pl.col("n_entries_above").sum(),
        pl.col("max").max(),
        pl.col("n_documents_above").sum(),
        pl.col("n_documents").sum(),
    )
    rows = [
        [
            escape(variant_label(row["variant"])),
            *(f"{row[name]:,}" for name in ("scopes", "n_entries", "n_entries_above")),
            number(row["max"]),
            share(row["n_documents_above"] / row["n_documents"] if row["n_documents"] else None),
        ]
        for row in sorted(per_variant.iter_rows(named=True), key=lambda row: variant_order(row["variant"]))
    ]
    header = ["variant", "scopes", "entries", "entries with s > 0.01", "largest s", "documents with s > 0.01"]
    text = "An entry is a document in a cluster; a document counts once, whatever the number of clusters."
    return ["## Suppression at the end of the stream", "", *table(header, rows, "lrrrrr"), text, ""]


def ties(facts: Facts, report_dir: Path) -> list[str]:
    """What the order of equal scores decides, in the main measure (row T1)."""
    measure, block = facts["params"]["main_measure"], facts["params"]["main_block"]
    found = read_table(report_dir, schemas.TIES).filter(pl.col("measure") == measure, pl.col("block") == block)
    if not found.height:
        return []
    rows = [
        [
            escape(variant_label(row["variant"])),
            *(f"{row[name]:,}" for name in ("n_tied_at_cut", "n_undecided")),
            *(number(row[name]) for name in ("pessimistic", "expected", "optimistic", "value")),
        ]
        for row in sorted(found.iter_rows(named=True), key=lambda row: variant_order(row["variant"]))
    ]
    header = [
        "variant",
        "tied at the cut",
        "value undecided",
        "worst order",
        "mean of all orders",
        "best order",
        "here",
    ]
    text = (
        f"A retriever that scores documents alike has not ranked them. {measure} under every order of equal scores, "
        "as far as the kept ranks tell. *Value undecided*: questions whose value depends on that order."
    )
    if lost := int(found["n_reaching_depth"].sum()):
        text += f" In {lost:,} rankings equal scores may go on beyond the kept ranks: bounds are of what was kept."
    return ["## Ties", "", text, "", *table(header, rows, "lrrrrrr")]


def intervals(facts: Facts, report_dir: Path) -> list[str]:
    """Differences to the baseline in every compared measure of the main block."""
    frame = of_family(read_table(report_dir, schemas.COMPARISONS)).filter(
        pl.col("block") == facts["params"]["main_block"]
    )
    names = in_order(set(frame["measure"]), facts)
    if len(names) < 2:
        return []
    cells = {(row["variant"], row["measure"]): row for row in frame.iter_rows(named=True)}
    rows = [
        [escape(variant_label(variant)), *(_difference(cells.get((variant, name))) for name in names)]
        for variant in facts["variants"]
        if any((variant, name) in cells for name in names)
    ]
    title = f"## Differences to {escape(variant_label(facts['baseline']))}, 95 % intervals"
    return [title, "", *table(["variant", *names], rows, "l" + "r" * len(names))]


def _difference(row: dict[str, Any] | None) -> str:
    return estimate(row["delta"], row["lo"], row["hi"], is_difference=True) if row else UNDEFINED

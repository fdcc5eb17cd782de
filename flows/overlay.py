"""The command `overlay`: somebody's audit of a data set, turned into a qrels overlay that fits our copy of it."""

from collections import Counter
from pathlib import Path

from prefect import flow
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from flows import environment
from flows.listeners import current_listener
from flows.local_server import wait_until_ready
from flows.terminal import live
from tasks.artifacts import Store
from tasks.corpora import prefect_tasks as corpora
from tasks.corpora.locomo import LocomoParams
from tasks.corpora.locomo_audit import Conversion, Outcome, convert, read_audit
from tasks.corpora.overlays import write_overlay
from tasks.corpora.tables import Corpus, shown
from tasks.prefect_cache import bench
from tasks.records import BenchError, context

DATASETS = ("locomo",)
"""Data sets with an audit whose format we know."""


@flow(name="convert-audit", flow_run_name="{dataset}")
def convert_audit(
    dataset: str,
    audit_file: Path,
    out: Path,
    mirror: Path | None = None,
    store: Path | None = None,
    accept_local: Path | None = None,
) -> Conversion:
    """Write the overlay of an audit, checked against the corpus it is about; return what became of the audit's items.

    Parameters
    ----------
    dataset
        Data set that was audited: one of `DATASETS`.
    audit_file
        The audit, in its authors' format.
    out
        The overlay to write (format: data/README.md, "Qrels overlays"); replaced if it exists.
    mirror, store, accept_local
        As in `evaluate_memory`.

    Raises
    ------
    BenchError
        When the audit is absent, malformed, or about another copy of the data set; then nothing is written.
    """
    check_overlay_arguments(dataset, audit_file, out)
    audit = read_audit(audit_file)
    with bench(Store(environment.store_root(store)), current_listener()):
        artifact = corpora.corpus(LocomoParams(), environment.mirror_root(mirror), accept_local)
    with context(audit_file.name):
        conversion = convert(audit, Corpus.read(artifact.path, with_texts=False))
    write_overlay(out, conversion.corrections)
    return conversion


def overlay_here(
    console: Console,
    dataset: str,
    audit_file: Path,
    out: Path,
    mirror: Path | None,
    store: Path | None,
    accept_local: Path | None,
) -> None:
    """Convert an audit and print what became of it.

    Raises
    ------
    BenchError
        As `convert_audit`; for wrong arguments or a malformed audit before any work.
    """
    check_overlay_arguments(dataset, audit_file, out)
    read_audit(audit_file)
    wait_until_ready()
    with live(console):
        conversion = convert_audit(dataset, audit_file, out, mirror, store, accept_local)
    show_conversion(console, conversion, out)


def check_overlay_arguments(dataset: str, audit_file: Path, out: Path) -> None:
    """Refuse arguments that cannot end well.

    Raises
    ------
    BenchError
        For an unknown data set, or a place where no overlay can be written.
    """
    if dataset not in DATASETS:
        raise BenchError(f"no audit of {shown(dataset)} can be converted; there is one of: {', '.join(DATASETS)}")
    if out.is_dir() or not out.parent.is_dir():
        found = "is a folder" if out.is_dir() else "is in a folder that does not exist"
        raise BenchError(f"--out {out} {found}; expected the name of a file to write")
    if out.resolve() == audit_file.resolve():
        raise BenchError(f"--out {out} is the audit itself; expected another file")


def show_conversion(console: Console, conversion: Conversion, out: Path) -> None:
    """Print counts: items by type of error and what became of them, lines written."""
    outcomes, lines = conversion.outcomes, conversion.corrections
    table = Table("error type", header_style="bold")
    for name in ("items", "corrected", "lines", "added", "removed"):
        table.add_column(name, justify="right")
    for error_type, n_items in Counter(item.error_type for item in outcomes).most_common():
        of_type = [item for item in outcomes if item.error_type == error_type]
        added, removed = sum(item.n_added for item in of_type), sum(item.n_removed for item in of_type)
        n_corrected = sum(item.outcome is Outcome.CORRECTED for item in of_type)
        counts = (n_items, n_corrected, added + removed, added, removed)
        table.add_row(escape(repr(error_type)[1:-1]), *(f"{n:,}" for n in counts))
    console.print(table)
    n_questions = len({line.query for line in lines})
    skipped: Counter[Outcome] = Counter(item.outcome for item in outcomes if item.outcome is not Outcome.CORRECTED)
    sentences = [
        f"{len(outcomes):,} items read, {len(lines):,} lines written for {n_questions:,} questions, "
        f"{skipped.total():,} items skipped",
        *(f"  {skipped[kind]:,} skipped: {kind}" for kind in Outcome if skipped[kind]),
        f"{conversion.n_absent_citations:,} citations name no turn that exists: no judgement to correct",
        f"Left without evidence, so no longer scored: {', '.join(conversion.emptied) or 'no question'}",
        f"\nOverlay: {out}",
    ]
    for sentence in sentences:
        console.print(sentence, markup=False, soft_wrap=True)

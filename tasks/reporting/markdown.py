"""`report.md`: headline first, then what it stands on, what it cost, and how to make it again."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tasks.files import write_text
from tasks.reporting import data_sections, sections, selection_sections
from tasks.reporting.cluster_sections import few_groups
from tasks.reporting.group_sections import FIGURES as GROUPS
from tasks.reporting.group_sections import groups
from tasks.reporting.headline import headline_sentences
from tasks.reporting.labels import sharing_a_stage
from tasks.reporting.latency_sections import latency
from tasks.reporting.protocol_sections import protocols
from tasks.reporting.run_facts import RunFacts
from tasks.reporting.run_sections import facts_of, make_it_again, models, run_line, write_manifest
from tasks.reporting.scratch import abandoned_in, report_folder
from tasks.reporting.stream_sections import other_streams
from tasks.reporting.text_format import escape
from tasks.reporting.warehouse import read_facts

_FIGURES = {
    "differences": "Paired differences to the baseline",
    "question_types": "The main measure by question type",
    "behaviour": "What the first result is",
    "pool_and_ranking": "What the pool holds, and what the ranking makes of it",
    "changes": "Questions that change against the baseline",
    "suppression": "Suppression at the end of the stream",
    "suppression_over_stream": "Suppression over the stream",
    "streams": "What another stream of queries changes",
    **GROUPS,
    "alpha_curve": "Weight of BM25 in the fusion",
}


def render(report_dirs: Sequence[Path], run: RunFacts) -> str:
    """Return the report of one run as Markdown (GitHub flavour). Text from data is escaped.

    Parameters
    ----------
    report_dirs
        What `build` wrote for each protocol of the run, the main one first.
    run
        Facts of the run.
    """
    facts = read_facts(report_dirs[0])
    with sharing_a_stage(facts["variants"]):
        lines = _lines(report_dirs, facts, run)
    return "\n".join(lines).rstrip() + "\n"


def _lines(report_dirs: Sequence[Path], facts: dict[str, Any], run: RunFacts) -> list[str]:
    report_dir = report_dirs[0]
    lines = [f"# {escape(facts['dataset'])}: did retrieval get better?", ""]
    lines += sections.markdown_table(report_dir)
    lines += [f"{' '.join(headline_sentences(report_dir, escape))}", ""]
    lines += _note(facts["corpus"].get("note"))
    lines += run_line(run)
    lines += _figures(report_dir)
    for section in (
        sections.intervals,
        few_groups,
        other_streams,
        sections.other_comparisons,
        sections.measures,
        sections.blocks,
        groups,
        selection_sections.weights,
        selection_sections.bm25_grid,
        sections.behaviour,
        sections.answerability,
        sections.suppression,
    ):
        lines += section(facts, report_dir)
    lines += protocols(report_dirs)
    for section in (sections.ties, data_sections.pools, data_sections.data, data_sections.ledger):
        lines += section(facts, report_dir)
    lines += models(run.models) if run.models else ["## Models", "", "No model was used.", ""]
    lines += _method(facts, run)
    lines += latency(facts, report_dir)
    lines += data_sections.cost(run)
    lines += make_it_again(run, f", seed {run.seed}.")
    lines += _sql(facts, run)
    return lines


def write_report(report_dirs: Sequence[Path], run: RunFacts, reports_root: Path) -> Path:
    """Write `<reports_root>/<run_id>/` (report.md, figures/, manifest.json) under a hidden name, then rename it.

    Returns
    -------
    Path
        The report.md.

    Raises
    ------
    BenchError
        When the folder cannot be written.
    """
    with report_folder(reports_root, run.run_id) as folder:
        shutil.copytree(report_dirs[0] / "figures", folder / "figures")
        write_text(folder / "report.md", render(report_dirs, run))
        report, *others = map(read_facts, report_dirs)
        write_manifest(folder, {"run": facts_of(run), "report": report, "other_protocols": others})
    return reports_root / run.run_id / "report.md"


def sweep(reports_root: Path) -> None:
    """Remove what killed processes of this machine left half-written."""
    for _, scratch in abandoned_in(reports_root):
        shutil.rmtree(scratch, ignore_errors=True)


def _note(note: str | None) -> list[str]:
    return [f"> **{escape(note)}**", ""] if note else []


def _figures(report_dir: Path) -> list[str]:
    return [
        line
        for stem, title in _FIGURES.items()
        if (report_dir / "figures" / f"{stem}.png").is_file()
        for line in (f"![{title}](figures/{stem}.png)", "")
    ]


def _method(facts: sections.Facts, run: RunFacts) -> list[str]:
    lines = [
        "## Method",
        "",
        "* `nDCG@k`: gain as judged (linear), discount log2(rank + 1), ideal over all that is relevant; "
        "`nDCG(dcg='exp-log2')@k`: gain 2^rel - 1. `R@k`: share of what is relevant among the first k. `R_all@k`: all "
        "of it. `Success@k`: any of it. `RR`: 1 / rank of the first. `pool_R@k`: share of what is relevant among the k "
        "that reach the reranker.",
        "* A question with nothing relevant has no value: it is left out of every mean, and counted. A question "
        "without results scores 0.",
        "* Ties (scores equal to 9 decimals) are broken by a keyed hash of the document's id: neither the order in the "
        "file nor a label inside an id helps. Equal logits keep the order before reranking.",
        "* Intervals: 95 % percentile bootstrap over questions, of means and of paired differences. p: two-sided "
        "paired sign-flip permutation (exact where at most 20 questions differ), times the number of variants of the "
        "family in that block and measure (Bonferroni). Questions are taken as independent; those of one conversation "
        "share a state. Random order: expected value over all orders of a question's pool.",
        "* *Better* and *worse* are said only where the interval excludes 0 and the adjusted p is below 0.05. Anything "
        "else is *not shown*, which is not *shown to be equal*.",
        "* Evaluation is **transductive**: the questions that are scored are those that served the burn-in stream and "
        "on which the clusters were fitted. One stream, where not many are named: its seed is a setting, not a source "
        "of the intervals. Held-out protocols are not in this version.",
    ]  # fmt: skip
    settings = {"top documents kept per question": facts["params"]["top_k"], **run.method}
    listed = "; ".join(f"{escape(name)}: {escape(value)}" for name, value in settings.items())
    return [*lines, f"* Settings: {listed}.", ""]


def _sql(facts: sections.Facts, run: RunFacts) -> list[str]:
    measure = facts["params"]["main_measure"].replace("'", "''")
    where = f"run_id = '{run.run_id}' AND dataset = '{facts['dataset']}' AND protocol = '{facts['protocol']}'"
    return [
        "## Ask your own question",
        "",
        '`mnemobench sql "..."`, or a `duckdb` shell in the checkout after `.read reports/views.sql`:',
        "",
        "```sql",
        "-- The means above, from the values of the single questions.",
        f"SELECT block, variant, mean, n FROM means WHERE {where} AND measure = '{measure}' ORDER BY mean DESC;",
        "",
        "-- The questions that changed most against the baseline.",
        "SELECT query_id, question_type, variant, delta",
        f"FROM paired_differences('{measure}', '{facts['baseline'] or ''}')",
        f"WHERE {where} ORDER BY abs(delta) DESC LIMIT 20;",
        "```",
        "",
    ]

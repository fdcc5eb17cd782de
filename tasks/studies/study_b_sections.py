"""The sections of study B's report about its tables on LoCoMo. Each returns the lines of its Markdown."""

from tasks.reporting.text_format import UNDEFINED, escape, interval, number, p_value, signed, table
from tasks.studies.names import LOCOMO
from tasks.studies.study import Row, Study, is_measured
from tasks.studies.study_b import CATEGORIES, GOLD_SESSIONS, LENGTHS
from tasks.studies.study_b_layout import set_beside
from tasks.studies.study_b_names import POOLS
from tasks.studies.study_b_opening import MEASURE_LABELS

_BY_NUMBER = {"hit_at_1": "Hit@1", "all_at_5": "all of them in 5"}
_FULL = ("hit_at_1", "recall_at_3", "recall_at_5", "mrr", "ndcg_at_5")


def full_metrics(study: Study) -> list[str]:
    """Every encoder, pool and measure."""
    text = (
        "`dense` is a session by its pooled turns alone, `fusion` with BM25 at a weight that is chosen on the other "
        "conversations. Pools: the cosine to the mean turn (`mean`, early), the best turn (`max`, late), the mean of "
        "the best three (`top3`), log-sum-exp (`lse10`)."
    )
    columns = {name: MEASURE_LABELS[name] for name in _FULL}
    return ["## The full metric set", "", text, "", *set_beside(study, study.of("full metrics", LOCOMO), columns)]


def late_against_early(study: Study) -> list[str]:
    """The study's main claim, and what fusion adds to it."""
    columns = {
        "dense_late_minus_early_pp": "late − early, dense",
        "fusion_late_minus_early_pp": "late − early, fused",
        "fusion_late_minus_bm25_pp": "late fused − BM25",
    }
    lines = ["## Late against early", "", "Differences in Hit@1; percentage points are printed as shares.", ""]
    lines += set_beside(study, study.of("late against early", LOCOMO), columns)
    lines += ["## Fusion over late alone", "", "![Fusion over late](figures/fusion.png)", ""]
    columns = {"late_hit_at_1": "late", "fusion_hit_at_1": "fusion", "delta_pp": "difference"}
    return lines + set_beside(study, study.of("fusion over late", LOCOMO), columns)


def pools(study: Study) -> list[str]:
    """The pooling ablation: Hit@1 by pool, from the full metric set; and one vector per session text."""
    cells = study.of("full metrics", LOCOMO)
    by_pool: dict[tuple[str, str], str] = {}
    for (row, column), cell in cells.items():
        what, _, encoder = row.partition(", ")
        scoring, _, pool = what.partition(" ")
        if column == "hit_at_1" and pool:
            value = cell["ours"] if is_measured(cell) else cell.get("published", float("nan"))
            by_pool[f"{encoder}, {scoring}", pool] = number(value) + ("" if is_measured(cell) else " (published)")
    rows = [
        [label, *(by_pool.get((label, pool), "") for pool in POOLS)]
        for label in dict.fromkeys(label for label, _ in by_pool)
    ]
    text = "Hit@1 by pool; a published number stands where the encoder is not in this run."
    lines = ["## Pooling", "", text, "", *table(["", *POOLS], rows, "l" + "r" * len(POOLS))]
    said = "One vector of the session's text, cut where the encoder stops reading, instead of its turns."
    columns = {"hit_at_1": "Hit@1", "delta_late": "against the best turn", "fusion_hit_at_1": "fused, Hit@1"}
    return [*lines, said, "", *set_beside(study, study.of("session text", LOCOMO), columns)]


def rerank(study: Study) -> list[str]:
    """The best ten fused sessions, reranked by the question and each session's best turn."""
    text = (
        "Weight 0.6, best ten sessions, the cross-encoder reads the question and the session's best turn. Ours is L-12 "
        "in int8 with up to 512 word pieces; the study's interval is of 2,000 draws."
    )
    columns = {"hit_at_1": "Hit@1", "delta_pp": "against fused"}
    return ["## Rerank", "", text, "", *set_beside(study, study.of("rerank", LOCOMO), columns)]


def groups(study: Study) -> list[str]:
    """Categories, length of the longest gold session, number of gold sessions."""
    cells = study.of("categories", LOCOMO)
    columns = {"n": "questions", "bm25": "BM25"}
    columns |= {
        column: column
        for _, column in cells
        if column not in columns and any(is_measured(cells[row, column]) for row in CATEGORIES)
    }
    lines = ["## Categories", "", *set_beside(study, cells, columns, first="Hit@1")]
    hidden = {column: column for _, column in cells if column not in columns}
    lines += set_beside(study, cells, hidden, first="Hit@1") if hidden else []
    text = "Late minus early in Hit@1, by the number of turns of the longest gold session."
    shown = {length: f"{length} turns" for length in LENGTHS}
    lines += ["## Length of the gold session", "", text, "", *set_beside(study, study.of("length", LOCOMO), shown)]
    text = "Hit@1, and the share of questions whose gold sessions are all among the first five; nobody published it."
    shown = {f"{name}: {n}": f"{label}, {n}" for name, label in _BY_NUMBER.items() for n in GOLD_SESSIONS}
    return [
        *lines, "## Number of gold sessions", "", text, "",
        *set_beside(study, study.of("gold sessions", LOCOMO), shown),
    ]  # fmt: skip


def totals(study: Study) -> list[str]:
    """Both totals and both readings of the evidence."""
    text = (
        "The study averages over all 1,978 questions, the 446 adversarial ones among them (LoCoMo's category 5). "
        "Without them LoCoMo has 1,540 questions, with them 1,986; `strict` evidence is the study's rule, `tolerant` "
        "reads every reference that can be read. Hit@1."
    )
    cells = study.of("totals", LOCOMO)
    columns = {column: column for _, column in cells}
    return ["## Both totals, both readings of the evidence", "", text, "", *set_beside(study, cells, columns)]


def weights(study: Study) -> list[str]:
    """The curve over the weight, in-sample, and what was chosen held out."""
    text = (
        "Hit@1 by the weight of BM25: chosen and judged on the same questions, to look at. What the other tables "
        "report is held out: the weight is chosen on nine conversations and used on the tenth."
    )
    lines = ["## Weight of BM25", "", text, "", "![Hit@1 by weight](figures/alpha.png)", ""]
    cells = study.of("alpha curve", LOCOMO)
    columns = {column: column for _, column in cells}
    lines += ["<details><summary>The curve in numbers</summary>", "", *set_beside(study, cells, columns, first="alpha")]
    lines += ["</details>", ""]
    rows = [
        [f"`{row['variant']}`", row["group"], f"{row['alpha']:.2f}", number(row["development_value"]),
         f"{row['n_held_out']:,}"]
        for row in study.tables["study_choices"]
        if row["dataset"] == LOCOMO
    ]  # fmt: skip
    if not rows:
        return lines
    header = ["variant", "held out", "weight chosen", "Hit@1 on the others", "questions held out"]
    title = "<details><summary>The weight chosen for each conversation</summary>"
    return [*lines, title, "", *table(header, rows, "llrrr"), "</details>", ""]


def inference(study: Study) -> list[str]:
    """Every comparison by each method for few conversations."""
    found = [row for row in study.tables["study_inference"] if row["dataset"] == LOCOMO]
    if not found:
        return []
    n_groups = max(row["n_groups"] for row in found)
    text = (
        f"Differences in Hit@1 over all questions, which lie in {n_groups} conversations. *Question* takes questions "
        "as independent, for contrast; *study B's* draws conversations and is too narrow with so few; *bootstrap-t* "
        "and *wild* are studentised; the exact sign flip of whole conversations has a p that cannot go below its floor."
    )
    shown = {
        "question-bootstrap": "question", "cluster-bootstrap": "study B's", "cluster-bootstrap-t": "bootstrap-t",
        "wild-cluster": "wild",
    }  # fmt: skip
    by_pair: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in found:
        by_pair.setdefault((row["family"], row["variant"], row["baseline"]), {})[row["method"]] = row
    rows = []
    for (family, variant, _), methods in by_pair.items():
        flip = methods["cluster-sign-flip"]
        line = [escape(family), f"`{variant}`", signed(flip["delta"])]
        line += [_interval(methods.get(name)) for name in shown]
        rows.append([*line, f"{p_value(flip['p'])} (floor {p_value(flip['p_floor'])})"])
    header = ["family", "variant", "difference", *(f"{label} [95 %]" for label in shown.values()), "sign flip, p"]
    title = f"<details><summary>{len(rows):,} comparisons by every method</summary>"
    lines = ["## Few conversations", "", text, "", title, ""]
    return [*lines, *table(header, rows, "llr" + "r" * len(shown) + "r"), "</details>", ""]


def _interval(row: Row | None) -> str:
    has_interval = row is not None and row["lo"] is not None and row["hi"] is not None
    return interval(row["lo"], row["hi"], is_difference=True) if row is not None and has_interval else UNDEFINED


def combiners(study: Study) -> list[str]:
    """Ways to combine both scores, and the grid of BM25."""
    columns = {
        "bm25": "BM25", "late": "late", "rrf": "RRF", "weighted": "weighted z", "minmax": "weighted min-max",
        "adaptive": "weight by question",
    }  # fmt: skip
    lines = ["## Combiners", "", "Hit@1; weights are held out.", ""]
    lines += set_beside(study, study.of("combiners", LOCOMO), columns)
    text = (
        "The study's best settings of BM25, found by looking at the answers, and what leave-one-conversation-out makes "
        "of the choice."
    )
    cells = study.of("BM25 grid", LOCOMO)
    return [*lines, "## BM25 grid", "", text, "", *set_beside(study, cells, {"hit_at_1": "Hit@1"})]


def latency(study: Study) -> list[str]:
    """Milliseconds per question and stage; shown, not judged."""
    text = "Milliseconds per question. The study's machine is another one: shown side by side, without a verdict."
    columns = {"mean": "mean", "median": "median", "p95": "p95"}
    return ["## Latency", "", text, "", *set_beside(study, study.of("latency", LOCOMO), columns)]

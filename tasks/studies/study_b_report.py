"""The sections of study B's report after its opening, in their order."""

from tasks.studies import study_b_sections, study_b_weaknesses
from tasks.studies.names import DATASET_LABELS, LONGMEMEVAL
from tasks.studies.study import Study, is_measured
from tasks.studies.study_b_cross import CROSS, CROSS_SESSIONS
from tasks.studies.study_b_layout import set_beside
from tasks.studies.study_b_longmemeval import ALL, MEASURES, OFFICIAL, OFFICIAL_MEASURES, SAMPLE, TESTS, WHOLE
from tasks.studies.study_b_names import CROSS_ALPHA, CROSS_PROTOCOLS, POOLED_SESSIONS
from tasks.studies.study_b_opening import MEASURE_LABELS


def sections(study: Study) -> list[str]:
    """Return the weaknesses, every table, then how verdicts are made."""
    lines: list[str] = []
    for section in (
        study_b_weaknesses.weaknesses,
        study_b_sections.full_metrics,
        study_b_sections.late_against_early,
        study_b_sections.inference,
        study_b_sections.pools,
        study_b_sections.rerank,
        study_b_sections.groups,
        study_b_sections.totals,
        study_b_sections.weights,
        study_b_sections.combiners,
        study_b_sections.latency,
        longmemeval,
        cross,
        study_b_weaknesses.method,
    ):
        lines += section(study)
    return lines


def longmemeval(study: Study) -> list[str]:
    """LongMemEval-S, each question in its own haystack: all, a sample, tests, and the run that was left out."""
    columns = {name: MEASURE_LABELS[name] for name in ("hit_at_1", *MEASURES)}
    lines = ["## LongMemEval-S", ""]
    for table, text in (
        (ALL, "The published numbers of 150 questions beside ours on all questions that can be answered."),
        (
            SAMPLE,
            "The same beside a seeded sample of the same size, of which some cannot be answered and do not count.",
        ),
    ):
        lines += [text, "", *set_beside(study, study.of(table, LONGMEMEVAL), columns)]
    lines += ["**Differences in Hit@1**: ours are on all questions that can be answered.", ""]
    shown = {"delta_pp": "difference", "p_one_sided": "one-sided p"}
    lines += set_beside(study, study.of(TESTS, LONGMEMEVAL), shown)
    text = (
        "**The run that the paper leaves out**: Hit@1 of bge-base on all 500 questions; ours on those that can be "
        "answered."
    )
    shown = {"bm25": "BM25", "late": "late", "rrf": "RRF", "weighted": "fusion"}
    lines += [text, "", *set_beside(study, study.of(WHOLE, LONGMEMEVAL), shown)]
    text = (
        "**LongMemEval's own evaluation** of the same methods (protocol `longmemeval-official-session`): user turns "
        "only, its gold, its questions, its nDCG, in which the first two ranks count alike."
    )
    shown = {name: name.replace("_", " ").replace(" at ", "@") for name in OFFICIAL_MEASURES}
    return [*lines, text, "", *set_beside(study, study.of(OFFICIAL, LONGMEMEVAL), shown)]


def cross(study: Study) -> list[str]:
    """What both studies propose, on all three data sets."""
    text = (
        "Study A's pipeline over lists fused by rank (RRF) or by study B's z-normalised scores (weight of BM25 "
        f"{CROSS_ALPHA}, the study's most frequent choice), reranked, then with suppression (rank-gap, 30 clusters). "
        "*Effect*: to the same without suppression; of z-fusion to RRF; of RRF to BM25. Tokenizer, BM25 and ties are "
        "our defaults, not those of either study. Suppression is transductive, as in study A."
    )
    lines = ["## Both studies' methods on three data sets", "", text, ""]
    columns = {"ndcg_at_10": "nDCG@10", "delta_ndcg": "effect", "hit_at_1": "Hit@1", "recall_at_30": "Recall@30"}
    for dataset in CROSS_PROTOCOLS:
        cells = study.of(CROSS, dataset)
        if any(map(is_measured, cells.values())):
            title = f"**{DATASET_LABELS[dataset]}, `{CROSS_PROTOCOLS[dataset]}`**"
            lines += [title, "", *set_beside(study, cells, columns)]
        else:
            lines += [f"**{DATASET_LABELS[dataset]}**: not measured in this run.", ""]
    cells = study.of(CROSS_SESSIONS, LONGMEMEVAL)
    if not any(map(is_measured, cells.values())):
        return lines
    text = (
        f"Sessions looked for in the pool of all haystacks (`{POOLED_SESSIONS}`): a session stands at the rank of its "
        "best turn, so `dense` is study B's max-sim."
    )
    shown = {"hit_at_1": "Hit@1", "recall_at_5": "R@5", "ndcg_at_5": "nDCG@5"}
    return [*lines, text, "", *set_beside(study, cells, shown)]

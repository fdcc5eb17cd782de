"""Study B: which variant, protocol and measure of ours each of its published numbers corresponds to.

Source: protocols.md B.1 to B.5. The tables on LoCoMo are declared here, those on LongMemEval-S and the cross table in
`study_b_longmemeval` and `study_b_cross`; `study_b_plan` says what a run must hold for them.
"""

from collections.abc import Iterator, Sequence

from tasks.studies import study_b_cross, study_b_grid, study_b_longmemeval
from tasks.studies.declared import Cell, Quantity, Statistic, Where
from tasks.studies.names import LOCOMO
from tasks.studies.study_b_names import (
    AVAILABLE,
    BGE_SMALL,
    COLBERT,
    LOCOMO_SESSIONS,
    MINILM,
    PUBLISHED_ENCODERS,
    RERANK_ALPHA,
    TOLERANT,
    bm25,
    encoder_label,
    fusion,
    pools_of,
    reranked,
    session,
)

HIT = "Success@1"
MEASURES = {"hit_at_1": HIT, "recall_at_3": "R@3", "recall_at_5": "R@5", "mrr": "RR", "ndcg_at_5": "nDCG@5"}
"""The study's measures, by their names in its tables."""
SAMPLE = study_b_longmemeval.SAMPLE
CATEGORIES = ("multi-hop", "temporal", "single-hop", "open-domain", "adversarial")
LENGTHS = {"8-15": "gap_pp_8_15", "16-25": "gap_pp_16_25", "26+": "gap_pp_26_plus"}
"""Classes of length of the longest gold session, in turns, and the study's columns."""
GOLD_SESSIONS = ("1", "2", "3+")
CATEGORY_DECIMALS = 3
UNPUBLISHED = "fusion_unpublished.csv"


def tables(encoders: Sequence[str] = AVAILABLE) -> tuple[Cell, ...]:
    """Return every cell of every table, in the order of the report.

    Parameters
    ----------
    encoders
        What our own rows are of, beside the study's encoders, which always have theirs.
    """
    ours = tuple(name for name in encoders if name not in PUBLISHED_ENCODERS.values())
    both = (*ours, *PUBLISHED_ENCODERS.values())
    return (
        *_full(both),
        *_late_early(both),
        *_over_late(both),
        *_texts(both),
        *_rerank(both),
        *_categories(both),
        *_lengths(both),
        *_gold_sessions(ours),
        *_totals(ours),
        *study_b_grid.curve(both),
        *_combiners(both),
        *study_b_grid.grid(),
        *study_b_grid.latency(),
        *study_b_longmemeval.tables(),
        *study_b_cross.tables(),
    )


def quantity(variant: str, against: str | None = None, **settings: object) -> Quantity:
    """Return the mean Hit@1 of a variant on LoCoMo, or its mean difference to another."""
    statistic = Statistic.MEAN if against is None else Statistic.DIFFERENCE
    given = {"protocol": LOCOMO_SESSIONS, "measure": HIT, "statistic": statistic, **settings}
    return Quantity(variant=variant, against=against, **given)  # type: ignore[arg-type]


def is_published(encoder: str) -> bool:
    """Whether the study measured an encoder on LoCoMo."""
    return encoder in PUBLISHED_ENCODERS.values()


def _unpublished(encoder: str, scoring: str, pool: str) -> Where:
    line = (("dataset", LOCOMO), ("encoder", encoder), ("scoring", scoring), ("pooling", pool))
    return Where(UNPUBLISHED, line, "value", decimals=4)


def _full(encoders: Sequence[str]) -> Iterator[Cell]:
    """Yield the full metric set: BM25, then every encoder by pool, alone and fused."""
    rows: list[tuple[str, str, str, str, str]] = [("bm25", "bm25", "", "", bm25())]
    for scoring, named in (("dense", session), ("fusion", fusion)):
        for encoder in encoders:
            label = encoder_label(encoder)
            rows += [
                (f"{scoring} {pool}, {label}", scoring, label, pool, named(pool, encoder)) for pool in pools_of(encoder)
            ]
    for row, scoring, label, pool, name in rows:
        line = (("scoring", scoring), ("encoder", label), ("pooling", pool))
        for column, measure in MEASURES.items():
            where = Where("fusion_locomo.csv", line, column) if label in PUBLISHED_ENCODERS or not label else None
            if label == MINILM and column == "hit_at_1":
                where = _unpublished(label, scoring, pool)
            yield Cell("full metrics", LOCOMO, row, column, quantity(name, measure=measure), where)


def _late_early(encoders: Sequence[str]) -> Iterator[Cell]:
    for encoder in encoders:
        sides = {
            "dense_late_minus_early_pp": (session("max", encoder), session("mean", encoder)),
            "fusion_late_minus_early_pp": (fusion("max", encoder), fusion("mean", encoder)),
            "fusion_late_minus_bm25_pp": (fusion("max", encoder), bm25()),
        }
        for column, (name, against) in sides.items():
            if encoder == COLBERT and "early" in column:
                continue  # word pieces have no mean
            label = encoder_label(encoder)
            where = Where("fusion_late_early.csv", (("encoder", label),), column, is_percent=True)
            yield Cell(
                "late against early", LOCOMO, label, column, quantity(name, against),
                where if is_published(encoder) else None,
            )  # fmt: skip


def _over_late(encoders: Sequence[str]) -> Iterator[Cell]:
    for encoder in encoders:
        late, fused, label = session("max", encoder), fusion("max", encoder), encoder_label(encoder)
        line = (("encoder", label),)
        cells = {
            "late_hit_at_1": (quantity(late), Where("fusion_vs_late.csv", line, "late_hit_at_1")),
            "fusion_hit_at_1": (quantity(fused), Where("fusion_vs_late.csv", line, "fusion_hit_at_1")),
            "delta_pp": (
                quantity(fused, late),
                Where("fusion_vs_late.csv", line, "delta_pp", "lo_pp", "hi_pp", is_percent=True),
            ),
        }
        for column, (asked, where) in cells.items():
            yield Cell("fusion over late", LOCOMO, label, column, asked, where if is_published(encoder) else None)


def _texts(encoders: Sequence[str]) -> Iterator[Cell]:
    """Yield one vector per session text, alone and fused, beside the best turn."""
    for encoder in encoders:
        if encoder not in (MINILM, BGE_SMALL, PUBLISHED_ENCODERS["bge-base"]):
            continue
        label, text = encoder_label(encoder), session("text", encoder)
        where = _unpublished(label, "dense", "text") if is_published(encoder) else None
        yield Cell("session text", LOCOMO, label, "hit_at_1", quantity(text), where)
        yield Cell("session text", LOCOMO, label, "delta_late", quantity(text, session("max", encoder)))
        yield Cell("session text", LOCOMO, label, "fusion_hit_at_1", quantity(fusion("text", encoder)))


def _rerank(encoders: Sequence[str]) -> Iterator[Cell]:
    for encoder in encoders:
        label = encoder_label(encoder)
        if label not in (MINILM, BGE_SMALL, "bge-base"):
            continue
        fused, final = fusion("max", encoder, alpha=RERANK_ALPHA), reranked(encoder)
        lines = {stage: (("encoder", label), ("stage", stage)) for stage in ("fused", "reranked top-10")}
        file = "fusion_rerank.csv"
        delta = Where(file, lines["reranked top-10"], "delta_pp", "lo_pp", "hi_pp", is_percent=True)
        for stage, asked, where in (
            ("fused", quantity(fused), Where(file, lines["fused"], "hit_at_1")),
            ("reranked top-10", quantity(final), Where(file, lines["reranked top-10"], "hit_at_1")),
            ("reranked top-10", quantity(final, fused), delta),
        ):
            known = where if is_published(encoder) else None
            yield Cell("rerank", LOCOMO, f"{stage}, {label}", where.column, asked, known)


def _categories(encoders: Sequence[str]) -> Iterator[Cell]:
    """Yield Hit@1 per category; that of BM25 and the number of questions are of no encoder."""
    file = "fusion_categories.csv"
    for category in CATEGORIES:
        line = (("encoder", "e5-large-v2"), ("category", category))
        n = quantity(bm25(), statistic=Statistic.N, question_type=category)
        yield Cell("categories", LOCOMO, category, "n", n, Where(file, line, "n"))
        of_bm25 = quantity(bm25(), question_type=category)
        where = Where(file, line, "bm25", decimals=CATEGORY_DECIMALS)
        yield Cell("categories", LOCOMO, category, "bm25", of_bm25, where)
        for encoder in encoders:
            label = encoder_label(encoder)
            if is_published(encoder) and label != "e5-large-v2":
                continue
            for column, name in (("late", session("max", encoder)), ("fusion", fusion("max", encoder))):
                where = Where(file, line, column, decimals=CATEGORY_DECIMALS)
                asked = quantity(name, question_type=category)
                is_known = is_published(encoder)
                yield Cell(
                    "categories", LOCOMO, category, f"{column}, {label}", asked, where if is_known else None
                )  # fmt: skip


def _lengths(encoders: Sequence[str]) -> Iterator[Cell]:
    """Yield how far the best turn is ahead of the mean, by the length of the longest gold session."""
    for length in LENGTHS:
        n = quantity(bm25(), statistic=Statistic.N, group=("gold_session_length", length))
        yield Cell("length", LOCOMO, "questions", length, n)
    for encoder in encoders:
        if encoder == COLBERT:
            continue
        label = encoder_label(encoder)
        for length, column in LENGTHS.items():
            group = ("gold_session_length", length)
            asked = quantity(session("max", encoder), session("mean", encoder), group=group)
            where = Where("fusion_length.csv", (("encoder", label),), column, is_percent=True)
            yield Cell("length", LOCOMO, label, length, asked, where if is_published(encoder) else None)


def _gold_sessions(encoders: Sequence[str]) -> Iterator[Cell]:
    """Yield Hit@1, and whether all gold sessions are among the first five, by their number; nobody published it."""
    rows = {"bm25": bm25()}
    for encoder in encoders:
        label = encoder_label(encoder)
        rows |= {f"dense max, {label}": session("max", encoder), f"fusion max, {label}": fusion("max", encoder)}
    for number in GOLD_SESSIONS:
        group = ("n_gold_sessions", number)
        n = quantity(bm25(), statistic=Statistic.N, group=group)
        yield Cell("gold sessions", LOCOMO, "questions", f"hit_at_1: {number}", n)
        for row, name in rows.items():
            for column, measure in (("hit_at_1", HIT), ("all_at_5", "R_all@5")):
                asked = quantity(name, measure=measure, group=group)
                yield Cell("gold sessions", LOCOMO, row, f"{column}: {number}", asked)


def _totals(encoders: Sequence[str]) -> Iterator[Cell]:
    """Yield Hit@1 with and without the adversarial questions, under both readings of the evidence."""
    rows = {"bm25": bm25()}
    for encoder in encoders:
        label = encoder_label(encoder)
        rows |= {f"dense max, {label}": session("max", encoder), f"fusion max, {label}": fusion("max", encoder)}
    for evidence, protocol in (("strict", LOCOMO_SESSIONS), ("tolerant", TOLERANT)):
        for block in ("main", "adversarial", None):
            column = f"{evidence}: {block or 'all'}"
            n = quantity(bm25(), protocol=protocol, statistic=Statistic.N, block=block)
            yield Cell("totals", LOCOMO, "questions", column, n)
            for row, name in rows.items():
                yield Cell("totals", LOCOMO, row, column, quantity(name, protocol=protocol, block=block))


def _combiners(encoders: Sequence[str]) -> Iterator[Cell]:
    """Yield the ways to combine the two scores; min-max and the weight by question are not in the study's table."""
    for encoder in encoders:
        label = encoder_label(encoder)
        if is_published(encoder) and label not in ("e5-large-v2", "bge-base"):
            continue
        names = {
            "bm25": bm25(),
            "late": session("max", encoder),
            "rrf": fusion("max", encoder, combine="rrf"),
            "weighted": fusion("max", encoder),
            "minmax": fusion("max", encoder, combine="minmax"),
            "adaptive": fusion("max", encoder, combine="adaptive"),
        }
        line = (("dataset", LOCOMO), ("encoder", label))
        for column, name in names.items():
            where = Where("fusion_combiners.csv", line, column, decimals=4) if is_published(encoder) else None
            if column in ("minmax", "adaptive"):
                where = _unpublished(label, column, "max") if (label, column) == ("bge-base", "adaptive") else None
            if (label, column) == (MINILM, "rrf"):
                where = _unpublished(label, column, "max")
            yield Cell("combiners", LOCOMO, label, column, quantity(name), where)

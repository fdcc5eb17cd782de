"""Study B's numbers that are no means over our per-query values: weights and settings in a row, and latency.

Our side stands in tables of the report: `alpha_curve` (variant, alpha, measure, n, value), `bm25_grid` (idf, k1, b, n,
value), `bm25_grid_choices` (one line per fold: n_held_out, n_hits_held_out) and `latency` (encoder, stage, mean_ms,
median_ms, p95_ms).
"""

from collections.abc import Iterator, Sequence

from tasks.studies.declared import Cell, Quantity, Source, Where
from tasks.studies.names import LOCOMO
from tasks.studies.study_b_names import (
    LOCOMO_SESSIONS,
    MINILM,
    PUBLISHED_ENCODERS,
    bm25,
    encoder_label,
    fusion,
    reranked,
)

HIT = "Success@1"
ALPHAS = tuple(step / 20 for step in range(21))
"""Weights of BM25 (B.2)."""
HELD_OUT = "leave-one-conversation-out"

GRID: tuple[tuple[str, str, str], ...] = (
    ("bm25l", "1.2", "0.2"),
    ("bm25l", "1.0", "0.2"),
    ("classic", "0.6", "0.4"),
    ("bm25l", "1.0", "0.6"),
    ("bm25l", "1.2", "0.4"),
    ("bm25l", "1.2", "0.5"),
    ("bm25l", "1.5", "0.2"),
    ("classic", "0.6", "0.5"),
    ("bm25l", "1.0", "0.3"),
    ("bm25l", "1.0", "0.5"),
    ("bm25l", "0.8", "0.6"),
    ("bm25l", "0.6", "0.6"),
)
"""The settings that the study prints, best first; (idf, k1, b)."""

STAGES = ("query encode", "bm25", "max-sim", "fusion", "rerank top-10")


def curve(encoders: Sequence[str]) -> Iterator[Cell]:
    """Yield Hit@1 by the weight of BM25: chosen and judged on the same questions, to look at."""
    for encoder in encoders:
        label, is_known = encoder_label(encoder), encoder in PUBLISHED_ENCODERS.values()
        if is_known and label != "e5-large-v2":
            continue
        for alpha in ALPHAS:
            source = Source("alpha_curve", (("alpha", alpha),), "value")
            asked = Quantity(LOCOMO_SESSIONS, fusion("max", encoder), HIT, source=source)
            if alpha == 1 and is_known:
                asked = Quantity(LOCOMO_SESSIONS, bm25(), HIT)  # no encoder has a say here
            line = (("encoder", label), ("alpha", str(alpha)))
            where = Where("fusion_alpha_curve.csv", line, "hit_at_1") if is_known else None
            yield Cell("alpha curve", LOCOMO, f"{alpha:.2f}", label, asked, where)


def grid() -> Iterator[Cell]:
    """Yield the best settings of BM25, and what leave-one-conversation-out makes of the choice."""
    for idf, k1, b in GRID:
        ours = "lucene" if idf == "classic" else idf
        line = (("idf", ours), ("k1", float(k1)), ("b", float(b)))
        name = bm25(idf=ours, k1=float(k1), b=float(b))
        asked = Quantity(LOCOMO_SESSIONS, name, HIT, source=Source("bm25_grid", line, "value"))
        where = Where("fusion_bm25_grid.csv", (("variant", idf), ("k1", k1), ("b", b)), "hit_at_1")
        yield Cell("BM25 grid", LOCOMO, f"{idf}, k1 {k1}, b {b}", "hit_at_1", asked, where)
    chosen = Source("bm25_grid_choices", (), "n_hits_held_out", over="n_held_out")
    asked = Quantity(LOCOMO_SESSIONS, bm25(), HIT, source=chosen)
    where = Where("fusion_bm25_grid.csv", (("variant", HELD_OUT),), "hit_at_1")
    yield Cell("BM25 grid", LOCOMO, HELD_OUT, "hit_at_1", asked, where)


def latency() -> Iterator[Cell]:
    """Yield milliseconds per question and stage: of another machine, hence without a verdict."""
    for label in STAGES:
        for column in ("mean", "median", "p95"):
            source = Source("latency", (("encoder", MINILM), ("stage", label)), f"{column}_ms")
            asked = Quantity(LOCOMO_SESSIONS, reranked(MINILM), "latency_ms", source=source)
            where = Where("fusion_latency_ms.csv", (("stage", label),), column)
            yield Cell("latency", LOCOMO, label, column, asked, where, is_judged=False)

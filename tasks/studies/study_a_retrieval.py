"""Study A's tables without suppression: baselines, tokenizers, depth, and what its BM25 variant does to them.

Source: protocol A.2 and A.10.
"""

from collections.abc import Iterator

from tasks.studies.declared import NDCG, POOL_RECALL, RECALL_10, Cell, Quantity, Statistic, Where
from tasks.studies.names import LONGMEMEVAL, NFCORPUS, Settings, sampled, variant
from tasks.studies.study_a_names import (
    BASELINES,
    DEPTH,
    PROTOCOL_OF,
    STUDY_A_POOL,
    SUPPRESSION,
    TOKENIZERS,
    baseline,
    rif,
)

IDFS = ("okapi-floor", "lucene")


def baselines_table() -> Iterator[Cell]:
    """Yield the baseline table: a sample of 200 questions, the whole union reranked."""
    whole: Settings = {"pool": "all"}
    systems: list[tuple[str, str, str]] = [("-", "dense only", variant("dense", BASELINES))]
    for kind, label in (("bm25", "bm25 only"), ("hybrid-rrf", "hybrid rrf")):
        systems += [(name, label, variant(kind, stage, BASELINES)) for name, stage in TOKENIZERS.items()]
    systems.append(("-", "dense + rerank", variant("dense-rerank", BASELINES)))
    systems += [(name, "hybrid + rerank", baseline(stage, BASELINES, whole)) for name, stage in TOKENIZERS.items()]
    for tokenizer, system, name in systems:
        line = (("dataset", LONGMEMEVAL), ("tokenizer", tokenizer), ("system", system))
        for column, measure in (("ndcg_at_10", NDCG), ("recall_at_10", RECALL_10)):
            is_published = tokenizer != "split" or column == "ndcg_at_10"
            where = Where("rif_baselines.csv", line, column) if is_published else None
            row = system if tokenizer == "-" else f"{system}, {tokenizer}"
            yield Cell(
                "baselines", LONGMEMEVAL, row, column, Quantity(sampled(STUDY_A_POOL, 200), name, measure), where
            )


def adaptive(tokenizer: str, k_deep: int) -> str:
    """Return the name of adaptive depth; a depth of 30 is the shallow pass alone."""
    stage: Settings = {"tokenizer": tokenizer}
    return baseline(stage, DEPTH) if k_deep == 30 else variant("adaptive-rerank", stage, DEPTH, {"k_deep": k_deep})


def tokenizers_table() -> Iterator[Cell]:
    """Yield the tokenizer table: a sample of 100 questions, depth 100."""
    for tokenizer in ("split", "regex", "regex+stop", "regex+stop+porter"):
        line = (("dataset", LONGMEMEVAL), ("tokenizer", tokenizer))
        for column, measure in (("ndcg_at_10", NDCG), ("recall_at_10", RECALL_10)):
            quantity = Quantity(sampled(STUDY_A_POOL, 100), adaptive(tokenizer, 100), measure)
            yield Cell(
                "tokenizers", LONGMEMEVAL, tokenizer, column, quantity, Where("rif_tokenizers.csv", line, column)
            )


def depth_table() -> Iterator[Cell]:
    """Yield the depth table: the same sample."""
    for k_deep in (30, 60, 100, 200):
        line = (("dataset", LONGMEMEVAL), ("k_deep", str(k_deep)))
        columns = {"ndcg_at_10": NDCG, "recall_at_10": RECALL_10}
        # A question goes deeper where the best logit of the shallow pass is below 4: that pass abstains at 4.
        columns |= {"deep_pass_share": "abstain@4"} if k_deep > 30 else {}
        for column, measure in columns.items():
            name = adaptive("split", 30 if column == "deep_pass_share" else k_deep)
            quantity = Quantity(sampled(STUDY_A_POOL, 100), name, measure)
            yield Cell("depth", LONGMEMEVAL, str(k_deep), column, quantity, Where("rif_depth.csv", line, column))


def bm25_table() -> Iterator[Cell]:
    """Yield BM25's idf as the study's library has it, and as Lucene's: alone, reranked, under suppression."""
    for dataset in (LONGMEMEVAL, NFCORPUS):
        for tokenizer, stage in TOKENIZERS.items():
            for idf in IDFS:
                settings: Settings = {**stage, **SUPPRESSION, "idf": idf}
                reranked, suppressed = baseline(settings), rif("gap", 30, settings)
                for column, quantity in (
                    ("bm25", Quantity(PROTOCOL_OF[dataset], variant("bm25", settings), NDCG)),
                    ("baseline", Quantity(PROTOCOL_OF[dataset], reranked, NDCG)),
                    ("clustered30-gap", Quantity(PROTOCOL_OF[dataset], suppressed, NDCG)),
                    ("delta_ndcg", Quantity(PROTOCOL_OF[dataset], suppressed, NDCG, Statistic.DIFFERENCE, reranked)),
                    ("recall_at_30", Quantity(PROTOCOL_OF[dataset], reranked, POOL_RECALL)),
                ):
                    yield Cell("bm25 variants", dataset, f"{tokenizer}, {idf}", column, quantity)

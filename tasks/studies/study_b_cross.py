"""The cross table: what both studies propose, on all three data sets. Nobody published it.

Study A's pipeline starts from lists that are fused by rank, or by study B's z-normalised scores; then reranks; then
suppresses. Study B's sessions are looked for in the whole pool.
"""

from collections.abc import Iterator

from tasks.studies.declared import NDCG, POOL_RECALL, Cell, Quantity, Statistic
from tasks.studies.names import LONGMEMEVAL, variant
from tasks.studies.study_b_names import CROSS_ALPHA, CROSS_PROTOCOLS, CROSS_STAGE, POOLED_SESSIONS

CROSS, CROSS_SESSIONS = "cross table", "cross table, sessions"
RRF, Z = "hybrid-rrf", variant("hybrid-fusion", CROSS_STAGE)
RRF_RERANK, Z_RERANK = variant("hybrid-rerank"), variant("hybrid-rerank", CROSS_STAGE)
_GAP = {"rule": "gap", "clusters": 30}
RRF_RIF, Z_RIF = variant("rif", _GAP), variant("rif", _GAP, CROSS_STAGE)
LISTS = {"BM25": "bm25", "dense": "dense", "RRF": RRF, f"z-fusion, alpha {CROSS_ALPHA}": Z}
SECOND = {
    "RRF, reranked": RRF_RERANK,
    "RRF, reranked, rank-gap 30": RRF_RIF,
    "z-fusion, reranked": Z_RERANK,
    "z-fusion, reranked, rank-gap 30": Z_RIF,
}
AGAINST = {RRF: "bm25", Z: RRF, RRF_RIF: RRF_RERANK, Z_RERANK: RRF_RERANK, Z_RIF: Z_RERANK}
"""What a row is compared with: fusion by score with fusion by rank, suppression with none."""
COLUMNS = {"ndcg_at_10": NDCG, "hit_at_1": "Success@1", "recall_at_30": POOL_RECALL}
SESSION_COLUMNS = {"hit_at_1": "Success@1", "recall_at_5": "R@5", "ndcg_at_5": "nDCG@5"}


def tables() -> Iterator[Cell]:
    """Yield every cell."""
    for dataset, protocol in CROSS_PROTOCOLS.items():
        for row, name in {**LISTS, **SECOND}.items():
            for column, measure in COLUMNS.items():
                if column != "recall_at_30" or row in SECOND:  # of what reaches the reranker
                    yield Cell(CROSS, dataset, row, column, Quantity(protocol, name, measure))
            if name in AGAINST:
                effect = Quantity(protocol, name, NDCG, Statistic.DIFFERENCE, AGAINST[name])
                yield Cell(CROSS, dataset, row, "delta_ndcg", effect)
    for row, name in LISTS.items():
        for column, measure in SESSION_COLUMNS.items():
            quantity = Quantity(POOLED_SESSIONS, name, measure)
            yield Cell(CROSS_SESSIONS, LONGMEMEVAL, row, column, quantity)

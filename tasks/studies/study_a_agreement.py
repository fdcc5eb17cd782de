"""Our values against those that study A published query by query."""

import numpy as np
import polars as pl

from tasks.reporting.schemas import conform
from tasks.studies.declared import NDCG, POOL_RECALL, Cell
from tasks.studies.estimates import StudyParams
from tasks.studies.published import Published
from tasks.studies.results import Results
from tasks.studies.schemas import AGREEMENT
from tasks.studies.study_a import MAIN_ROWS
from tasks.studies.study_a_names import PROTOCOL_OF, SPLIT, SUPPRESSION, main_variant
from tasks.studies.verdicts import Pairs, paired_tests

ROW_OF = {main_variant(row, SPLIT, SUPPRESSION): row for row in MAIN_ROWS}
"""The rows whose per-query values were published, by the variant that we measure for them."""
_PER_QUERY_FILES = ("rif_main.csv", "rif_pairwise.csv")


def agreement(results: Results, published: Published, params: StudyParams) -> pl.DataFrame:
    """Return the rows of `AGREEMENT`: every row of the main table whose per-query values were published."""
    protocol = PROTOCOL_OF[results.dataset]
    known: list[tuple[str, str, str, list[float], Pairs]] = []
    for variant, row in ROW_OF.items():
        for measure in (NDCG, POOL_RECALL):
            theirs = published.per_query(results.dataset, row, measure)
            ours = results.values(protocol, variant, measure)
            if theirs is not None and ours is not None:
                pairs = Pairs.of(results.judged[protocol].query_ids, ours, theirs)
                known.append((row, variant, measure, list(theirs.values()), pairs))
    tests = paired_tests({place: entry[-1] for place, entry in enumerate(known)}, params)
    rows = [
        {
            "dataset": results.dataset, "row": row, "variant": variant, "measure": measure,
            "n_shared": test.n_shared, "n_published": len(theirs), "published": float(np.mean(theirs)),
            "published_shared": float(pairs.published.mean()), "ours": float(pairs.ours.mean()),
            "difference": test.difference, "lo": test.lo, "hi": test.hi, "p": test.p,
            "share_identical": test.share_identical, "correlation": test.correlation,
        }
        for place, (row, variant, measure, theirs, pairs) in enumerate(known)
        if (test := tests.get(place)) is not None
    ]  # fmt: skip
    return conform(pl.DataFrame(rows, schema=AGREEMENT.schema), AGREEMENT)


def pairs_of(cell: Cell, results: Results, published: Published) -> Pairs | None:
    """Return both sides of a cell question by question, where the study published them."""
    quantity = cell.quantity
    if cell.where is None or cell.where.file not in _PER_QUERY_FILES or quantity.protocol not in results.judged:
        return None

    def side(variant: str) -> Pairs | None:
        theirs = published.per_query(cell.dataset, ROW_OF[variant], quantity.measure)
        ours = results.values(quantity.protocol, variant, quantity.measure)
        if theirs is None or ours is None:
            return None
        return Pairs.of(results.judged[quantity.protocol].query_ids, ours, theirs)

    both = side(quantity.variant)
    if quantity.against is None or both is None:
        return both
    other = side(quantity.against)
    return None if other is None else both.minus(other)

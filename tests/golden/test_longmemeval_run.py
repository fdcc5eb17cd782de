"""Our own LongMemEval-S candidates, logits and baseline against those of `shared/fixtures`, within its README's bounds.

The vectors and logits are an hour's work and more, so the tests read them from a store in which
`mnemobench run --profile longmemeval` was run (`MNEMOBENCH_TEST_STORE`), and are skipped, with the reason, without
one. First stage and ties are made here as study A made them: okapi-floor, released ties, rank origin 0, filled lists.
"""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.artifacts import Store
from tasks.candidates.build import CandidateParams
from tasks.candidates.build import build as build_candidates
from tasks.candidates.ranking import TieRule
from tasks.corpora.tables import Corpus
from tasks.indexes import build_bm25
from tasks.indexes.bm25 import Bm25Params
from tasks.reranking.pairs import pair_key
from tasks.text import build_tokens
from tasks.text.tokenizers import TokenizerParams

pytestmark = pytest.mark.slow
N_DOCUMENTS = 199_240
FIXTURES = Path(__file__).resolve().parents[3] / "shared" / "fixtures"
STUDY_A = CandidateParams(rank_origin=0, ties=TieRule.RELEASED, fill_zero_scores=True)


class Run:
    """The artifacts of a run on LongMemEval-S in a store."""

    def __init__(self, root: Path) -> None:
        self.root = root
        store = Store(root)
        texts, self.dense, self.corpus = self._dense(store)
        self.texts = texts
        self.logits = [
            root / "reranking" / key for key, found in store.manifests("reranking") if found["step"] == "logits"
        ]

    def _dense(self, store: Store) -> tuple[Path, Path, Path]:
        for key, manifest in store.manifests("indexes"):
            folder = self.root / "indexes" / key
            if (
                manifest["step"] == "dense"
                and len(np.load(folder / "document_vectors.npy", mmap_mode="r")) == N_DOCUMENTS
            ):
                texts = self._of_size("text", "document_texts", store)
                return texts, folder, self._of_size("corpora", "documents", store)
        pytest.skip(
            f"the store {self.root} holds no vectors of LongMemEval-S: run `mnemobench run --profile longmemeval`"
        )

    def _of_size(self, stage: str, table: str, store: Store) -> Path:
        for key, _ in store.manifests(stage):
            path = self.root / stage / key / f"{table}.parquet"
            if path.is_file() and pl.scan_parquet(path).select(pl.len()).collect().item() == N_DOCUMENTS:
                return path.parent
        pytest.skip(f"the store {self.root} holds no {table} of LongMemEval-S")


@pytest.fixture(scope="module")
def run() -> Run:
    root = os.environ.get("MNEMOBENCH_TEST_STORE")
    if not root or not FIXTURES.is_dir():
        pytest.skip(f"needs {FIXTURES} and, in MNEMOBENCH_TEST_STORE, the store of a longmemeval run")
    return Run(Path(root))


def expected(tokenizer: str) -> pl.DataFrame:
    return pl.read_parquet(FIXTURES / "rif_candidates.parquet").filter(pl.col("tokenizer") == tokenizer)


@pytest.fixture(scope="module", params=["split", "regex"])
def ours(
    run: Run, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, pl.DataFrame]:
    """The tokenizer, and our candidates with ids in place of indices."""
    folder = tmp_path_factory.mktemp(request.param)
    tokens, bm25, out = (folder / name for name in ("tokens", "bm25", "out"))
    for place in (tokens, bm25, out):
        place.mkdir()
    build_tokens.build(run.texts, TokenizerParams(name=request.param), tokens)
    build_bm25.build(tokens, run.corpus, "pooled-turn", Bm25Params(variant="okapi-floor"), bm25)
    build_candidates(run.corpus, run.dense, bm25, "pooled-turn", STUDY_A, out)
    corpus = Corpus.read(run.corpus, with_texts=False)
    candidates = (
        pl.read_parquet(out / "candidates.parquet")
        .join(corpus.queries.select("query_index", "query_id"), on="query_index", validate="m:1")
        .join(corpus.documents.select("document_index", "document_id"), on="document_index", validate="m:1")
    )
    return request.param, candidates


def test_at_least_98_percent_of_the_candidates_are_shared(ours: tuple[str, pl.DataFrame]) -> None:
    tokenizer, candidates = ours
    wanted = expected(tokenizer)
    shared = candidates.join(wanted, on=["query_id", "document_id"], how="semi").height
    print(f"{tokenizer}: {shared} shared of {candidates.height} ours and {wanted.height} theirs")  # noqa: T201
    assert shared / max(candidates.height, wanted.height) >= 0.98


def test_bm25_ranks_of_shared_candidates_agree(ours: tuple[str, pl.DataFrame]) -> None:
    """BM25 needs no model: its ranks are the fixtures' but where numpy's unstable sort orders equal scores."""
    tokenizer, candidates = ours
    both = candidates.join(expected(tokenizer), on=["query_id", "document_id"], suffix="_theirs", validate="1:1")
    share = float(np.mean(both["bm25_rank"].eq_missing(both["bm25_rank_theirs"]).to_numpy()))
    print(f"{tokenizer}: equal BM25 rank on {share:.4f} of the shared candidates")  # noqa: T201
    assert share >= 0.98


def test_pool_recall_of_the_baseline_is_equal_on_99_percent_of_the_questions(ours: tuple[str, pl.DataFrame]) -> None:
    """Relevance is study A's rule, with its fallback, as in the fixtures."""
    tokenizer, candidates = ours
    relevant = pl.DataFrame(
        [
            (query, document)
            for query, documents in pl.read_json(FIXTURES / "rif_relevance.json").row(0, named=True).items()
            for document in documents
        ],
        schema=["query_id", "document_id"],
        orient="row",
    )
    found = candidates.filter(pl.col("position") < 30).join(relevant, on=["query_id", "document_id"], how="semi")
    counts = (
        relevant.group_by("query_id")
        .len()
        .join(found.group_by("query_id").len(name="found"), on="query_id", how="left", validate="1:1")
    )
    recall = counts.select("query_id", recall=pl.col("found").fill_null(0) / pl.col("len"))
    wanted = pl.read_parquet(FIXTURES / "rif_expected.parquet").filter(tokenizer=tokenizer, variant="baseline")
    both = wanted.join(recall, on="query_id", validate="1:1")
    share = np.mean(np.isclose(both["recall"].to_numpy(), both["pool_recall_at_30"].to_numpy(), atol=1e-9))
    print(f"{tokenizer}: equal pool R@30 on {share:.4f} of {both.height} questions")  # noqa: T201
    assert both.height == 499
    assert share >= 0.99


def test_logits_of_shared_pairs_agree(run: Run, ours: tuple[str, pl.DataFrame]) -> None:
    """1e-3 holds on the same kind of processor (AVX-512 VNNI); int8 arithmetic without VNNI rounds otherwise."""
    tokenizer, candidates = ours
    wanted = expected(tokenizer).join(
        candidates.select("query_id", "document_id", "query_index", "document_index"),
        on=["query_id", "document_id"],
        validate="1:1",
    )
    queries = pl.read_parquet(run.texts / "query_texts.parquet").select("query_index", query_text="text")
    texts = pl.read_parquet(run.texts / "document_texts.parquet").select("document_index", document_text="text")
    pairs = wanted.join(queries, on="query_index", validate="m:1").join(texts, on="document_index", validate="m:1")
    keys = [pair_key(query, document) for query, document in pairs.select("query_text", "document_text").iter_rows()]
    logits = pl.concat([pl.read_parquet(shard / "logits.parquet") for shard in run.logits]).unique("pair_key")
    both = (
        pairs.select("logit")
        .with_columns(pair_key=pl.Series(keys))
        .join(logits, on="pair_key", suffix="_ours", validate="m:1")
    )
    gap = np.abs(both["logit"].to_numpy() - both["logit_ours"].to_numpy())
    has_vnni = "avx512_vnni" in Path("/proc/cpuinfo").read_text()
    print(f"{tokenizer}: {both.height} of {wanted.height} pairs; |difference| median {np.median(gap):.2g}, "  # noqa: T201
          f"99 % {np.quantile(gap, 0.99):.2g}, largest {gap.max():.2g}; VNNI here: {has_vnni}")  # fmt: skip
    assert both.height > 0.5 * wanted.height
    assert np.quantile(gap, 0.99) <= (1e-3 if has_vnni else 0.5)

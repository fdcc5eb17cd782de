from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.progress import silent
from tasks.records import BenchError
from tasks.reranking.build import ScoreParams, check_logits, list_pairs, read_logits, score_shard, shard_count
from tasks.reranking.cross_encoder import score_pairs
from tasks.reranking.pairs import PairParams, pair_key

CUT = PairParams(shard_tokens=120)
SCORE = ScoreParams(model="ms-marco-MiniLM-L-12-v2-int8")

QUERIES = ["When did I adopt my cat?", "Where does my train go?", "When did I adopt my cat?"]
DOCUMENTS = [
    "user: I adopted a grey cat last Tuesday.",
    "user: The train to Lyon was late again.",
    "user: I adopted a grey cat last Tuesday.",
    "",
    *[f"user: in week {week} I ran {week * 3} kilometres" for week in range(12)],
]
PAIRS = [(query, document) for query in range(3) for document in range(len(DOCUMENTS))]


def pairs_of(folder: Path, out: Path, cut: PairParams = CUT) -> Path:
    out.mkdir()
    list_pairs(folder, folder, cut, out)
    return out


def score(
    pairs_dir: Path, folder: Path, model: Path, out: Path, donors: Sequence[Path] = (), shards: Sequence[int] = ()
) -> list[Path]:
    folders = []
    for shard in shards or range(shard_count(pairs_dir)):
        folders.append(out / str(shard))
        folders[-1].mkdir(parents=True)
        score_shard(pairs_dir, folder, shard, model, SCORE, donors, folders[-1], silent)
    return folders


def contents(folders: Sequence[Path]) -> dict[str, bytes]:
    return {f"{folder.name}/{path.name}": path.read_bytes() for folder in folders for path in folder.iterdir()}


def test_pairs_hold_one_row_per_candidate_and_one_shard_per_pair(write_candidates: Any, tmp_path: Path) -> None:
    table = pl.read_parquet(
        pairs_of(write_candidates("c", QUERIES, DOCUMENTS, PAIRS), tmp_path / "p") / "pairs.parquet"
    )
    assert table.schema == {
        "shard_index": pl.Int32,
        "query_index": pl.Int32,
        "document_index": pl.Int32,
        "pair_key": pl.String,
    }
    assert list(table.select("query_index", "document_index").iter_rows()) == PAIRS
    assert table["pair_key"].to_list() == [pair_key(QUERIES[query], DOCUMENTS[document]) for query, document in PAIRS]
    assert table["pair_key"].n_unique() == 2 * (len(DOCUMENTS) - 1)
    assert table.group_by("pair_key").agg(pl.col("shard_index").n_unique())["shard_index"].to_list() == [1] * 30
    assert shard_count(tmp_path / "p") == table["shard_index"].n_unique() > 2


def test_no_candidates_give_no_shards(write_candidates: Any, tmp_path: Path) -> None:
    assert shard_count(pairs_of(write_candidates("c", [], [], []), tmp_path / "p")) == 0
    assert read_logits([]).schema == {"pair_key": pl.String, "logit": pl.Float64}


def test_candidates_of_another_corpus_are_an_error(write_candidates: Any, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="1 candidates have no text"):
        pairs_of(write_candidates("c", QUERIES, DOCUMENTS, [(0, 99)]), tmp_path / "p")


def test_resumed_run_gives_identical_files(write_candidates: Any, reranker_dir: Path, tmp_path: Path) -> None:
    folder = write_candidates("c", QUERIES, DOCUMENTS, PAIRS)
    pairs_dir = pairs_of(folder, tmp_path / "p")
    last = shard_count(pairs_dir) - 1
    whole = score(pairs_dir, folder, reranker_dir, tmp_path / "whole")
    resumed = score(pairs_dir, folder, reranker_dir, tmp_path / "resumed", shards=[last, *range(last)])
    assert contents(whole) == contents(resumed)
    logits = read_logits(whole)
    assert logits["pair_key"].is_unique().all()
    assert set(logits["pair_key"]) == set(pl.read_parquet(pairs_dir / "pairs.parquet")["pair_key"])


def test_donors_change_no_byte_and_only_the_rest_is_scored(
    write_candidates: Any, reranker_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = write_candidates("other", QUERIES[1:], DOCUMENTS[::-1], [(q, d) for q in range(2) for d in range(9)])
    donors = score(pairs_of(other, tmp_path / "po"), other, reranker_dir, tmp_path / "donors")
    folder = write_candidates("c", QUERIES, DOCUMENTS, PAIRS)
    pairs_dir = pairs_of(folder, tmp_path / "p")
    without = score(pairs_dir, folder, reranker_dir, tmp_path / "without")
    scored: list[int] = []

    def counting(model: Any, pairs: Sequence[Any]) -> Any:
        scored.append(len(pairs))
        return score_pairs(model, pairs)

    monkeypatch.setattr("tasks.reranking.build.score_pairs", counting)
    given = score(pairs_dir, folder, reranker_dir, tmp_path / "given", donors)
    assert contents(without) == contents(given)
    n_shared = read_logits(donors).join(read_logits(without), on="pair_key", how="semi").height
    assert n_shared > 10
    assert sum(scored) == 30 - n_shared


def test_donor_of_another_model_is_refused(write_candidates: Any, reranker_dir: Path, tmp_path: Path) -> None:
    folder = write_candidates("c", QUERIES[:1], DOCUMENTS[:2], [(0, 0), (0, 1)])
    pairs_dir = pairs_of(folder, tmp_path / "p")
    donor = score(pairs_dir, folder, reranker_dir, tmp_path / "donor")[0]
    (donor / "scorer.json").write_text('{"model": "another"}\n')
    with pytest.raises(BenchError, match="are of another model"):
        score(pairs_dir, folder, reranker_dir, tmp_path / "given", [donor])


def test_wrong_model_is_an_error(write_candidates: Any, reranker_dir: Path, tmp_path: Path) -> None:
    folder = write_candidates("c", QUERIES, DOCUMENTS, PAIRS)
    pairs_dir = pairs_of(folder, tmp_path / "p")
    with pytest.raises(BenchError, match="asked to score with other"):
        score_shard(pairs_dir, folder, 0, reranker_dir, ScoreParams(model="other"), [], tmp_path, silent)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -31.0])
def test_implausible_logits_are_an_error(bad: float) -> None:
    with pytest.raises(BenchError, match="1 of 2 logits"):
        check_logits(pl.Series([0.5, bad]), "m")


def test_probabilities_are_an_error() -> None:
    with pytest.raises(BenchError, match="probabilities"):
        check_logits(pl.Series([0.01] * 60 + [0.9] * 10), "m")


def test_plausible_logits_pass() -> None:
    check_logits(pl.Series([0.5, 0.7]), "m")
    check_logits(pl.Series([-11.0, 9.0] * 50), "m")
    check_logits(pl.Series([], dtype=pl.Float64), "m")

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tasks.embeddings.build import embed_shard, plan_shards, shard_count
from tasks.embeddings.encoders import EncoderParams
from tasks.progress import silent
from tasks.records import BenchError

PARAMS = EncoderParams(model="all-MiniLM-L6-v2", batch_tokens=64, shard_tokens=60)
TEXTS = [
    "user: I adopted a grey cat last Tuesday.",
    "assistant: Congratulations! What is the cat called?",
    "",
    "user: continue",
    "user: continue",
    "user: My train to Lyon leaves at nine.",
    "user: 猫を飼っています \N{CAT FACE}",
    "user: " + "a very long story about nothing " * 80,
    *[f"user: in week {week} I ran {week * 3} kilometres" for week in range(12)],
]


def plan(texts: Path, model: Path, out: Path, params: EncoderParams = PARAMS) -> Path:
    out.mkdir()
    plan_shards(texts, "document_texts", model, params, out, silent)
    return out


def embed(plan_dir: Path, model: Path, out: Path, shards: Sequence[int] | None = None) -> list[Path]:
    folders = []
    for shard in range(shard_count(plan_dir)) if shards is None else shards:
        folder = out / str(shard)
        folder.mkdir(parents=True)
        embed_shard(plan_dir, shard, model, PARAMS, folder, silent)
        folders.append(folder / "vectors.parquet")
    return folders


def by_text(plan_dir: Path, shards: Sequence[Path]) -> dict[str, Any]:
    vectors = pl.concat([pl.read_parquet(shard) for shard in shards])
    table = pl.read_parquet(plan_dir / "plan.parquet").join(vectors, on="text_key", validate="1:1")
    return dict(zip(table["text"], table["vector"].to_numpy(), strict=True))


def test_plan_holds_each_distinct_text_once_in_the_contract_s_order(
    encoder_dir: Path, write_texts: Any, tmp_path: Path
) -> None:
    table = pl.read_parquet(plan(write_texts("t", TEXTS), encoder_dir, tmp_path / "plan") / "plan.parquet")
    assert table.schema == {
        "shard_index": pl.Int32,
        "batch_index": pl.Int32,
        "text_key": pl.String,
        "text": pl.String,
        "n_tokens": pl.Int32,
    }
    assert sorted(table["text"]) == sorted(set(TEXTS))
    assert table.sort("n_tokens", "text_key").equals(table)
    assert table["n_tokens"].min() == 2, "an empty text is read as its two special word pieces"
    assert table["n_tokens"].max() == 256, "a long text is cut at the model's 256 word pieces"
    assert shard_count(tmp_path / "plan") == int(table["shard_index"].n_unique()) > 2


def test_plan_does_not_depend_on_the_order_of_the_texts(encoder_dir: Path, write_texts: Any, tmp_path: Path) -> None:
    one = plan(write_texts("t1", TEXTS), encoder_dir, tmp_path / "p1") / "plan.parquet"
    two = plan(write_texts("t2", TEXTS[::-1]), encoder_dir, tmp_path / "p2") / "plan.parquet"
    assert one.read_bytes() == two.read_bytes()


def test_prefix_counts_as_tokens_and_follows_the_role(encoder_dir: Path, write_texts: Any, tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    for path in encoder_dir.iterdir():
        (model / path.name).symlink_to(path)
    facts = (encoder_dir / "model.json").read_text()
    (model / "model.json").unlink()
    (model / "model.json").write_text(facts.replace('"query_prefix": ""', '"query_prefix": "query: "'))
    texts = write_texts("t", ["a cat"])
    query = PARAMS.model_copy(update={"role": "query"})
    documents = pl.read_parquet(plan(texts, model, tmp_path / "d") / "plan.parquet")
    queries = pl.read_parquet(plan(texts, model, tmp_path / "q", query) / "plan.parquet")
    assert documents["n_tokens"].to_list() == [4]
    assert queries["n_tokens"].to_list() == [6]
    assert queries["text"].to_list() == ["a cat"]


def test_resumed_run_gives_identical_files(encoder_dir: Path, write_texts: Any, tmp_path: Path) -> None:
    plan_dir = plan(write_texts("t", TEXTS), encoder_dir, tmp_path / "plan")
    whole = embed(plan_dir, encoder_dir, tmp_path / "whole")
    last = shard_count(plan_dir) - 1
    resumed = embed(plan_dir, encoder_dir, tmp_path / "resumed", [last, *range(last)])
    assert {p.parent.name: p.read_bytes() for p in whole} == {p.parent.name: p.read_bytes() for p in resumed}


def test_vectors_do_not_depend_on_the_number_of_threads(
    encoder_dir: Path, write_texts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_dir = plan(write_texts("t", TEXTS), encoder_dir, tmp_path / "plan")
    contents = set()
    for threads in (1, 2, 5):
        monkeypatch.setattr("tasks.embeddings.build.n_cores", lambda threads=threads: threads)
        contents.add(tuple(path.read_bytes() for path in embed(plan_dir, encoder_dir, tmp_path / str(threads))))
    assert len(contents) == 1


def test_vectors_have_unit_length_and_stay_close_among_other_texts(
    encoder_dir: Path, write_texts: Any, tmp_path: Path
) -> None:
    plan_all = plan(write_texts("t1", TEXTS), encoder_dir, tmp_path / "p1")
    plan_few = plan(write_texts("t2", TEXTS[:7]), encoder_dir, tmp_path / "p2")
    among_all = by_text(plan_all, embed(plan_all, encoder_dir, tmp_path / "v1"))
    among_few = by_text(plan_few, embed(plan_few, encoder_dir, tmp_path / "v2"))
    for text, vector in among_few.items():
        assert np.isfinite(vector).all()
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)
        np.testing.assert_allclose(among_all[text], vector, atol=2e-6)


def test_wrong_model_is_an_error(encoder_dir: Path, write_texts: Any, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"asked to embed with other, but .* holds the model all-MiniLM-L6-v2"):
        plan(write_texts("t", TEXTS), encoder_dir, tmp_path / "p", EncoderParams(model="other"))


def test_no_texts_give_a_plan_without_shards(encoder_dir: Path, write_texts: Any, tmp_path: Path) -> None:
    assert shard_count(plan(write_texts("t", []), encoder_dir, tmp_path / "p")) == 0

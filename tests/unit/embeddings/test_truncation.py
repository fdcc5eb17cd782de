"""The truncation rate (row M11): a tokenizer of ten words, and the real encoder against its own plan."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.downloads.model_facts import ModelShape, write_facts
from tasks.embeddings import truncation
from tasks.embeddings.build import plan_shards
from tasks.embeddings.build_truncation import build
from tasks.embeddings.encoders import EncoderParams
from tasks.embeddings.truncation import TruncationRate, measure, truncation_rate
from tasks.progress import silent
from tasks.records import BenchError

MAX_LENGTH = 6  # [CLS], four words, [SEP]
PARAMS = EncoderParams(model="words")


@pytest.fixture
def words_dir(tmp_path: Path) -> Path:
    """Return a model that cuts at six pieces and whose pieces are words; its query prefix is one word."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing

    vocabulary = {name: number for number, name in enumerate(["[UNK]", "[CLS]", "[SEP]", *"abcdefg"])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    tokenizer.enable_truncation(MAX_LENGTH)  # as the files of real models have it: must not count here
    tokenizer.enable_padding(length=MAX_LENGTH)
    folder = tmp_path / "words"
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    shape = ModelShape(
        kind="bi-encoder", backend="torch", max_length=MAX_LENGTH, query_prefix="g ", pooling="mean", dimension=4
    )
    write_facts("words", "none", shape, {}, folder)
    return folder


def write_plan(folder: Path, rows: list[tuple[str, str, int]]) -> Path:
    folder.mkdir()
    schema = {"text_key": pl.String, "text": pl.String, "n_tokens": pl.Int32}
    pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        shard_index=pl.lit(0, pl.Int32), batch_index=pl.lit(0, pl.Int32)
    ).write_parquet(folder / "plan.parquet")
    return folder


PLAN = [
    ("empty", "", 2),
    ("short", "a b c", 5),
    ("just full", "a b c d", 6),
    ("one too long", "a b c d e", 6),
    ("long", "a unknown " * 20, 6),
]


@pytest.mark.parametrize("at_once", [1, 2, 512])
def test_lengths_against_hand_counted(
    words_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(truncation, "TEXTS_AT_ONCE", at_once)
    table = measure(write_plan(tmp_path / "plan", PLAN), words_dir)
    assert table.schema == {"text_key": pl.String, "n_pieces": pl.Int32, "is_truncated": pl.Boolean}
    assert table.rows() == [("just full", 6, False), ("one too long", 7, True), ("long", 42, True)]


def test_prefix_counts_and_follows_the_role(words_dir: Path, tmp_path: Path) -> None:
    plan_dir = write_plan(tmp_path / "plan", [("full", "a b c", 6), ("long", "a b c d", 6)])
    assert measure(plan_dir, words_dir, "query").rows() == [("full", 6, False), ("long", 7, True)]


def test_table_is_written_with_the_role_of_the_parameters(words_dir: Path, tmp_path: Path) -> None:
    plan_dir, told = write_plan(tmp_path / "plan", PLAN[2:]), []
    build(plan_dir, words_dir, PARAMS.model_copy(update={"role": "query"}), tmp_path, lambda *row: told.append(row))
    assert pl.read_parquet(tmp_path / "truncation.parquet")["n_pieces"].to_list() == [7, 8, 43]
    assert told == [(3, 3, "texts")]


def test_plan_without_full_texts_gives_an_empty_table(words_dir: Path, tmp_path: Path) -> None:
    for name, rows in {"short": PLAN[:2], "none": []}.items():
        table = measure(write_plan(tmp_path / name, rows), words_dir)
        assert table.height == 0
        assert table.schema == {"text_key": pl.String, "n_pieces": pl.Int32, "is_truncated": pl.Boolean}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("k", "a b c", 6)], r"a text of 6 word pieces that tokenizer\.json of words cuts into 5; expected at least"),
        ([("k", "a b c d e f", 8)], r"has a text read as 8 word pieces; the model reads 6"),
    ],
)
def test_plan_of_another_model_is_refused(
    words_dir: Path, tmp_path: Path, rows: list[tuple[str, str, int]], message: str
) -> None:
    with pytest.raises(BenchError, match=message):
        measure(write_plan(tmp_path / "plan", rows), words_dir)


def test_other_model_in_the_folder_is_refused(words_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"truncation of other, but .* holds the model words"):
        build(write_plan(tmp_path / "plan", PLAN), words_dir, EncoderParams(model="other"), tmp_path)


def test_model_without_a_fast_tokenizer_is_refused(words_dir: Path, tmp_path: Path) -> None:
    (words_dir / "tokenizer.json").unlink()
    with pytest.raises(BenchError, match=r"no tokenizer\.json in .* expected the model words with a fast tokenizer"):
        measure(write_plan(tmp_path / "plan", PLAN), words_dir)


def test_rate_against_hand_counted() -> None:
    cut = pl.DataFrame({"text_key": ["full", "x", "y"], "n_pieces": [6, 7, 9], "is_truncated": [False, True, True]})
    texts = pl.DataFrame({"document_index": range(6), "text_key": ["x", "short", "x", "full", "y", "short"]})
    relevance = pl.DataFrame({"query_index": [0, 0, 1, 2, 2], "document_index": [0, 1, 0, 3, 5]})
    rate = truncation_rate(cut, texts, relevance)
    assert rate == TruncationRate(n_documents=6, n_truncated=3, n_relevant=4, n_relevant_truncated=1)
    assert (rate.share, rate.relevant_share) == (0.5, 0.25)


def test_rate_of_nothing_is_undefined() -> None:
    texts = pl.DataFrame(schema={"document_index": pl.Int32, "text_key": pl.String})
    relevance = pl.DataFrame(schema={"query_index": pl.Int32, "document_index": pl.Int32})
    rate = truncation_rate(pl.DataFrame(schema=truncation.SCHEMA), texts, relevance)
    assert rate == TruncationRate(0, 0, 0, 0)
    assert str((rate.share, rate.relevant_share)) == "(nan, nan)"


def test_lengths_against_the_plan_of_the_real_encoder(encoder_dir: Path, write_texts: Any, tmp_path: Path) -> None:
    """The bare tokenizer file cuts as the encoder does up to the limit, and as transformers does beyond it."""
    from transformers import AutoTokenizer

    texts = ["cat " * n for n in (1, 253, 254, 255, 300)] + ["user: " + "猫 \N{CAT FACE} Ünïcode-words " * 100]
    plan_dir = tmp_path / "plan"
    plan_dir.mkdir()
    params = EncoderParams(model="all-MiniLM-L6-v2")
    plan_shards(write_texts("t", texts), "document_texts", encoder_dir, params, plan_dir, silent)
    build(plan_dir, encoder_dir, params, tmp_path)
    plan = pl.read_parquet(plan_dir / "plan.parquet")
    both = plan.join(pl.read_parquet(tmp_path / "truncation.parquet"), on="text_key", how="left", validate="1:1")
    found = {
        text: (n, whole, cut)
        for text, n, whole, cut in both.select("text", "n_tokens", "n_pieces", "is_truncated").rows()
    }
    assert [found[text] for text in texts[:5]] == [
        (3, None, None),
        (255, None, None),
        (256, 256, False),
        (256, 257, True),
        (256, 302, True),
    ]
    whole = len(AutoTokenizer.from_pretrained(str(encoder_dir))(texts[5], truncation=False)["input_ids"])
    assert whole > 256
    assert found[texts[5]] == (256, whole, True)

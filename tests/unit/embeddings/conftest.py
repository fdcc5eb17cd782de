"""The real encoder, fetched once through pip into an ignored folder of the checkout."""

import shutil
import uuid
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import polars as pl
import pytest

from tasks.downloads.build import fetch_model
from tasks.downloads.catalog import WheelSource, load_catalog
from tasks.progress import silent
from tasks.records import BenchError

MODELS = Path(__file__).resolve().parents[3] / "data" / "raw" / "models-test"
MODEL = "all-MiniLM-L6-v2"


class Writer(Protocol):
    def __call__(self, name: str, texts: Sequence[str]) -> Path: ...


@pytest.fixture(scope="session")
def encoder_dir() -> Path:
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
            pytest.skip(f"the encoder cannot be fetched: {error}")
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return folder


@pytest.fixture
def write_texts(tmp_path: Path) -> Writer:
    """Write `document_texts.parquet` as the text stage does; return its folder."""

    def write(name: str, texts: Sequence[str]) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        keys = [sha256(text.encode()).hexdigest()[:32] for text in texts]
        schema = {"document_index": pl.Int32, "text_key": pl.String, "text": pl.String}
        pl.DataFrame(
            {"document_index": range(len(texts)), "text_key": keys, "text": texts}, schema=schema
        ).write_parquet(folder / "document_texts.parquet")
        return folder

    return write

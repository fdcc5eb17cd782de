from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tasks.embeddings import build_token_vectors
from tasks.embeddings.build import shard_count
from tasks.embeddings.build_token_vectors import TokenShards
from tasks.embeddings.encoders import EncoderParams, Vectors
from tasks.embeddings.token_vectors import Role, TokenParams, load_token_encoder
from tasks.embeddings.truncation import measure
from tasks.progress import silent
from tasks.records import BenchError

PARAMS = EncoderParams(model="answerai-colbert-small-int8", batch_tokens=32, shard_tokens=20)
TOKENS = TokenParams()
PLAIN = TokenParams(is_augmented=False, skips_punctuation=False)
QUERY = "[unused0] When did I adopt my cat?"
DOCUMENT = "[unused1] user: I adopted a grey cat, last Tuesday."
TEXTS = ["user: I adopted a grey cat, last Tuesday.", "", "user: continue", "user: continue", "?!", "a story " * 400]
CLS, SEP, MASK, Q, D = 101, 102, 103, 1, 2


def states_of(model_dir: Path, pieces: list[int], attended: list[int]) -> Vectors:
    """Return normalised hidden states by a plain session, shape (n, 384)."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(model_dir / "model.onnx"), providers=["CPUExecutionProvider"])
    ids, mask = np.array([pieces], dtype=np.int64), np.array([attended], dtype=np.int64)
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    states = np.asarray(session.run(["last_hidden_state"], feed)[0][0])
    return np.asarray(states / np.linalg.norm(states, axis=1, keepdims=True))


def pieces_of(model_dir: Path, text: str) -> list[int]:
    """Return the word pieces of a text without special ones, by transformers' own tokenizer."""
    from transformers import BertTokenizer

    tokenizer = BertTokenizer.from_pretrained(str(model_dir))
    return [int(piece) for piece in tokenizer(text, add_special_tokens=False)["input_ids"]]


def built(texts: Path, model: Path, out: Path, role: Role = "document") -> tuple[Path, list[Path]]:
    plan, params = out / "plan", PARAMS.model_copy(update={"role": role})
    plan.mkdir(parents=True)
    build_token_vectors.plan_shards(texts, "document_texts", model, params, TOKENS, plan, silent)
    folders = [out / str(shard) for shard in range(shard_count(plan))]
    for shard, folder in enumerate(folders):
        folder.mkdir()
        build_token_vectors.embed_shard(plan, shard, model, params, TOKENS, folder, silent)
    return plan, folders


def test_query_is_marked_and_filled_with_masks_that_nobody_attends_to(colbert_dir: Path) -> None:
    """Against a plain session over hand-built input: [CLS] [Q] ... [SEP] [MASK] ... up to 32."""
    real = [CLS, Q, *pieces_of(colbert_dir, "When did I adopt my cat?"), SEP]
    pieces = real + [MASK] * (32 - len(real))
    expected = states_of(colbert_dir, pieces, [1] * len(real) + [0] * (32 - len(real)))
    (vectors,) = load_token_encoder(colbert_dir, "query", TOKENS).encode([QUERY])
    assert vectors.shape == (32, 384)
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_document_is_marked_and_loses_the_vectors_of_punctuation(colbert_dir: Path) -> None:
    pieces = [CLS, D, *pieces_of(colbert_dir, TEXTS[0]), SEP]
    states = states_of(colbert_dir, pieces, [1] * len(pieces))
    marks = {pieces_of(colbert_dir, mark)[0] for mark in ":,."}
    kept = [piece not in marks for piece in pieces]
    assert kept.count(False) == 3
    (vectors,) = load_token_encoder(colbert_dir, "document", TOKENS).encode([DOCUMENT])
    np.testing.assert_allclose(vectors, states[kept], atol=1e-5)
    (whole,) = load_token_encoder(colbert_dir, "document", PLAIN).encode([DOCUMENT])
    np.testing.assert_allclose(whole, states, atol=1e-5)


def test_query_without_augmentation_has_its_own_pieces_only(colbert_dir: Path) -> None:
    pieces = [CLS, Q, *pieces_of(colbert_dir, "When did I adopt my cat?"), SEP]
    (vectors,) = load_token_encoder(colbert_dir, "query", PLAIN).encode([QUERY])
    np.testing.assert_allclose(vectors, states_of(colbert_dir, pieces, [1] * len(pieces)), atol=1e-5)


def test_long_query_is_cut_and_keeps_its_end_mark(colbert_dir: Path) -> None:
    pieces = [CLS, Q, *pieces_of(colbert_dir, "cat " * 29), SEP]
    assert len(pieces) == 32
    (vectors,) = load_token_encoder(colbert_dir, "query", TOKENS).encode(["[unused0] " + "cat " * 100])
    np.testing.assert_allclose(vectors, states_of(colbert_dir, pieces, [1] * 32), atol=1e-5)


def test_paraphrase_is_nearer_than_an_unrelated_sentence(colbert_dir: Path) -> None:
    (query,) = load_token_encoder(colbert_dir, "query", TOKENS).encode([QUERY])
    near, far = load_token_encoder(colbert_dir, "document", TOKENS).encode(
        ["[unused1] user: I got a new kitten last Tuesday.", "[unused1] user: The train to Lyon was late."]
    )
    assert (query @ near.T).max(axis=1).mean() > (query @ far.T).max(axis=1).mean() + 0.02


def test_vectors_have_unit_length_and_do_not_depend_on_the_other_texts(colbert_dir: Path) -> None:
    encoder = load_token_encoder(colbert_dir, "document", TOKENS)
    together = encoder.encode(TEXTS)
    for text, vectors in zip(TEXTS, together, strict=True):
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
        np.testing.assert_array_equal(vectors, encoder.encode([text])[0])


def test_plan_counts_what_the_model_reads(colbert_dir: Path, write_texts: Any, tmp_path: Path) -> None:
    texts = write_texts("t", TEXTS)
    plan, _ = built(texts, colbert_dir, tmp_path / "d")
    counts = dict(pl.read_parquet(plan / "plan.parquet").select("text", "n_tokens").iter_rows())
    assert (counts[""], counts["?!"], counts["a story " * 400]) == (3, 5, 512), "marker and special pieces included"
    plan, _ = built(texts, colbert_dir, tmp_path / "q", "query")
    assert set(pl.read_parquet(plan / "plan.parquet")["n_tokens"]) == {32}


def test_truncation_counts_the_marker_as_one_piece(colbert_dir: Path, write_texts: Any, tmp_path: Path) -> None:
    exactly_full, one_too_long = "story " * 509, "story " * 510
    plan, _ = built(write_texts("t", [exactly_full, one_too_long]), colbert_dir, tmp_path / "d")
    found = measure(plan, colbert_dir).sort("n_pieces")
    assert found.select("n_pieces", "is_truncated").rows() == [(512, False), (513, True)]


def test_shards_against_the_encoder(colbert_dir: Path, write_texts: Any, tmp_path: Path) -> None:
    plan, folders = built(write_texts("t", TEXTS), colbert_dir, tmp_path / "d")
    assert len(folders) > 1
    shards = TokenShards(folders)
    encoder = load_token_encoder(colbert_dir, "document", TOKENS)
    assert shards.dimension == 384
    for key, text in pl.read_parquet(plan / "plan.parquet").select("text_key", "text").iter_rows():
        (exact,) = encoder.encode(["[unused1] " + text])
        stored = shards.vectors(key)
        assert stored.dtype == np.float16
        assert shards.n_vectors(key) == len(stored) == len(exact)
        np.testing.assert_array_equal(stored, exact.astype(np.float16))
    assert shards.missing(["no such text", key]) == ["no such text"]


def test_files_do_not_depend_on_the_number_of_threads(
    colbert_dir: Path, write_texts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, contents = write_texts("t", TEXTS), set()
    for threads in (1, 3):
        monkeypatch.setattr("tasks.embeddings.build_token_vectors.n_cores", lambda threads=threads: threads)
        _, folders = built(texts, colbert_dir, tmp_path / str(threads))
        contents.add(tuple(path.read_bytes() for folder in folders for path in sorted(folder.iterdir())))
    assert len(contents) == 1


def test_model_with_one_vector_per_text_is_an_error(bge_dir: Path) -> None:
    with pytest.raises(BenchError, match="need a bi-encoder for onnx without pooling"):
        load_token_encoder(bge_dir, "query", TOKENS)


def test_shards_of_another_kind_or_torn_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"no token_vectors\.npy in .*; expected the vectors of word pieces"):
        TokenShards([tmp_path])
    np.save(tmp_path / "token_vectors.npy", np.zeros((3, 4), dtype=np.float16))
    pl.DataFrame({"text_key": ["a"], "n_vectors": pl.Series([2], dtype=pl.Int32)}).write_parquet(
        tmp_path / "texts.parquet"
    )
    with pytest.raises(BenchError, match="3 vectors, but 2 in texts"):
        TokenShards([tmp_path])

from pathlib import Path

import numpy as np
import pytest

from tasks.records import BenchError
from tasks.reranking.cross_encoder import CrossEncoder, load_cross_encoder, score_pairs

QUERY = "When did I adopt my cat?"
PAIRS = [
    (QUERY, "user: I adopted a grey cat last Tuesday."),
    (QUERY, "user: The train to Lyon was late again."),
    (QUERY, ""),
    ("", ""),
    (QUERY, "a very long story about nothing " * 200),
    *[(QUERY, f"user: week {week}") for week in range(65)],  # more than a thread takes at a time
]


def scores(model: CrossEncoder, pairs: list[tuple[str, str]], n_threads: int) -> list[float]:
    return [logit for part in score_pairs(model, pairs, n_threads) for logit in part]


def test_relevant_document_scores_higher(reranker_dir: Path) -> None:
    relevant, unrelated = scores(load_cross_encoder(reranker_dir), PAIRS[:2], 1)
    assert relevant > 0 > unrelated


def test_scores_do_not_depend_on_batch_order_or_threads(reranker_dir: Path) -> None:
    model = load_cross_encoder(reranker_dir)
    together = scores(model, PAIRS, 3)
    alone = [scores(model, [pair], 1)[0] for pair in PAIRS[:5]]
    assert together[:5] == alone
    assert scores(model, PAIRS[::-1], 1) == together[::-1]


def test_batching_the_int8_model_would_change_its_logits(reranker_dir: Path) -> None:
    """The reason for one pair per batch (onnxruntime#8625): were this to fail, batches could come back."""
    import onnxruntime

    model = load_cross_encoder(reranker_dir)
    encodings = model.tokenise(PAIRS[:5])
    longest = max(len(encoding.ids) for encoding in encodings)
    feed = {
        name: np.array([values + [0] * (longest - len(values)) for values in rows], dtype=np.int64)
        for name, rows in {
            "input_ids": [encoding.ids for encoding in encodings],
            "attention_mask": [encoding.attention_mask for encoding in encodings],
            "token_type_ids": [encoding.type_ids for encoding in encodings],
        }.items()
    }
    session = onnxruntime.InferenceSession(str(reranker_dir / "model.onnx"), providers=["CPUExecutionProvider"])
    batched = session.run(None, feed)[0].reshape(-1)
    alone = np.array(scores(model, PAIRS[:5], 1))
    assert np.abs(batched - alone).max() > 1e-3
    np.testing.assert_allclose(batched, alone, atol=4)


def test_pair_is_cut_to_512_word_pieces_the_longer_text_first(reranker_dir: Path) -> None:
    encoding = load_cross_encoder(reranker_dir).tokenise([(QUERY, "story " * 3_000)])[0]
    assert len(encoding.ids) == 512
    assert encoding.type_ids.index(1) == len(load_cross_encoder(reranker_dir).tokenise([(QUERY, "")])[0].ids) - 1
    assert encoding.attention_mask == [1] * 512, "no padding: it would change int8 logits"


def test_torch_logits_against_sentence_transformers(torch_reranker_dir: Path) -> None:
    import torch
    from sentence_transformers import CrossEncoder as Reference

    pairs = [("a grey cat ?", "cat ran to Lyon"), ("Lyon ?", "a a grey"), ("cat", " ".join(["ran to"] * 30))]
    reference = Reference(str(torch_reranker_dir), device="cpu", max_length=24, local_files_only=True)
    raw = [reference.predict([pair], activation_fn=torch.nn.Identity(), show_progress_bar=False)[0] for pair in pairs]
    squashed = [
        reference.predict([pair], activation_fn=torch.nn.Sigmoid(), show_progress_bar=False)[0] for pair in pairs
    ]
    ours = scores(load_cross_encoder(torch_reranker_dir), pairs, 1)
    np.testing.assert_allclose(ours, raw, atol=1e-5)
    assert np.abs(np.array(ours) - squashed).max() > 0.1, "the reference's sigmoid differs, so the test can tell"


def test_torch_scores_do_not_depend_on_batch_or_threads(torch_reranker_dir: Path) -> None:
    model = load_cross_encoder(torch_reranker_dir)
    pairs = [("a grey cat ?", "cat ran to Lyon " * (n % 5)) for n in range(150)]
    together = scores(model, pairs, 3)
    assert together == scores(model, pairs, 1)
    assert together[:5] == [scores(model, [pair], 1)[0] for pair in pairs[:5]]


def test_model_of_another_kind_is_an_error(reranker_dir: Path, tmp_path: Path) -> None:
    facts = (reranker_dir / "model.json").read_text()
    (tmp_path / "model.json").write_text(facts.replace('"cross-encoder"', '"bi-encoder"'))
    with pytest.raises(BenchError, match="reranking needs a cross-encoder"):
        load_cross_encoder(tmp_path)


def test_model_without_its_file_is_an_error(reranker_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_bytes((reranker_dir / "model.json").read_bytes())
    with pytest.raises(BenchError, match=r"has 0 files \*\.onnx; expected exactly 1"):
        load_cross_encoder(tmp_path)

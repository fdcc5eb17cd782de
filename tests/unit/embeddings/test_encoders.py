from pathlib import Path

import numpy as np
import pytest

from tasks.embeddings.encoders import EncoderParams, load_encoder, native_precision, normalise
from tasks.records import BenchError


def test_encode_against_sentence_transformers(encoder_dir: Path) -> None:
    from sentence_transformers import SentenceTransformer

    texts = ["I adopted a grey cat.", "", "continue", "a very long story about nothing " * 80]
    reference = SentenceTransformer(str(encoder_dir), device="cpu", local_files_only=True)
    assert reference.max_seq_length == 256
    expected = reference.encode(texts, batch_size=1, show_progress_bar=False, normalize_embeddings=True)
    np.testing.assert_allclose(load_encoder(encoder_dir, "fp32").encode(texts), expected, atol=2e-6)


def test_paraphrase_is_nearer_than_an_unrelated_sentence(encoder_dir: Path) -> None:
    query, paraphrase, unrelated = load_encoder(encoder_dir, "fp32").encode(
        ["When did I adopt my cat?", "user: I got a new kitten last Tuesday.", "user: The train to Lyon was late."]
    )
    assert query @ paraphrase > query @ unrelated + 0.2


def test_bf16_is_close_to_fp32(encoder_dir: Path) -> None:
    texts = ["When did I adopt my cat?", "user: I got a new kitten last Tuesday."]
    exact, rounded = (load_encoder(encoder_dir, dtype).encode(texts) for dtype in ("fp32", "bf16"))
    assert rounded.dtype == np.float32
    cosines = (exact * rounded).sum(axis=1)
    assert (cosines > 0.999).all()
    assert not np.array_equal(exact, rounded)


def test_encoder_is_loaded_once(encoder_dir: Path) -> None:
    assert load_encoder(encoder_dir, "fp32") is load_encoder(encoder_dir, "fp32")


@pytest.mark.parametrize(
    ("flags", "precision"),
    [
        ("fpu avx2 fma", "fp32"),
        ("fpu avx512f avx512_vnni", "fp32"),
        ("avx512_bf16", "bf16"),
        ("amx_tile amx_bf16", "bf16"),
    ],
)
def test_bf16_only_where_the_processor_has_it(tmp_path: Path, flags: str, precision: str) -> None:
    path = tmp_path / "cpuinfo"
    path.write_text(f"processor\t: 0\nflags\t\t: {flags}\n")
    assert native_precision(path) == precision


def test_precision_is_fp32_where_nothing_is_known(tmp_path: Path) -> None:
    assert native_precision(tmp_path / "none") == "fp32"


def test_zero_vector_stays_zero_and_never_nan() -> None:
    vectors = normalise(np.array([[0.0, 0.0], [1e-30, 0.0], [3.0, 4.0]], dtype=np.float32))
    assert np.isfinite(vectors).all()
    assert vectors[0].tolist() == [0.0, 0.0]
    assert np.linalg.norm(vectors[2]) == pytest.approx(1)


def test_model_of_another_kind_is_an_error(encoder_dir: Path, tmp_path: Path) -> None:
    facts = (encoder_dir / "model.json").read_text()
    (tmp_path / "model.json").write_text(facts.replace('"bi-encoder"', '"cross-encoder"'))
    with pytest.raises(BenchError, match="embedding needs a bi-encoder"):
        load_encoder(tmp_path, "fp32")


def test_unknown_parameter_is_an_error() -> None:
    with pytest.raises(ValueError, match="n_threads"):
        EncoderParams.model_validate({"model": "m", "n_threads": 2})

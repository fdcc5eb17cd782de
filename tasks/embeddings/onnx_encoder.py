"""Bi-encoders in ONNX: texts to L2-normalised vectors, on the CPU, one text per run.

The models are quantised to int8, activations at run time over the whole tensor of a run: in a batch the other texts
and the padding change a vector (onnxruntime#8625). One text per run, without padding, makes a vector a function of its
text; with one session per thread, each on one core, it does not depend on the number of cores either.
"""

import re
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tasks.downloads.model_facts import ModelFacts, read_facts
from tasks.embeddings.encoders import Vectors, normalise
from tasks.records import BenchError

OUTPUT = "last_hidden_state"
MARKER = re.compile(r"\[unused\d+\]")
Pieces = Sequence[int] | npt.NDArray[np.int64]


class OnnxModel:
    """The hidden states of a BERT in ONNX, with one onnxruntime session per thread, each on one core."""

    def __init__(self, model_dir: Path, facts: ModelFacts) -> None:
        self._path = only_file(model_dir, "*.onnx", facts)
        self._facts = facts
        self._of_thread = threading.local()

    def prepare_thread(self) -> None:
        """Open this thread's session.

        Raises
        ------
        BenchError
            When the graph has no output `OUTPUT`.
        """
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors only: a warning of the library is no message for a person
        session = onnxruntime.InferenceSession(str(self._path), options, providers=["CPUExecutionProvider"])
        outputs = [item.name for item in session.get_outputs()]
        if OUTPUT not in outputs:
            raise BenchError(
                f"the graph of {self._facts.name} has the outputs {', '.join(outputs)}; expected {OUTPUT}, the vectors "
                "of its word pieces. Expected another model, or another entry in data/catalog.toml."
            )
        self._of_thread.session = session
        self._of_thread.inputs = {item.name for item in session.get_inputs()}

    def states(self, pieces: Pieces, attended: Pieces | None = None) -> Vectors:
        """Return the last hidden states of one text, shape (n_pieces, hidden), float32, not normalised.

        `attended` is 1 for the pieces that the others look at (default all), 0 for the rest.
        """
        ids = np.asarray(pieces, dtype=np.int64)[None]
        mask = np.ones_like(ids) if attended is None else np.asarray(attended, dtype=np.int64)[None]
        features = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        feed = {name: features[name] for name in self._of_thread.inputs}
        output = self._of_thread.session.run([OUTPUT], feed)[0]
        return np.asarray(output[0], dtype=np.float32)


class OnnxEncoder:
    """One vector per text, as `Encoder` wants it: pooled as the catalogue says, then L2-normalised."""

    def __init__(self, model_dir: Path, facts: ModelFacts) -> None:
        self._model = OnnxModel(model_dir, facts)
        self._tokenizer = open_tokenizer(model_dir, facts, facts.max_length)
        self._takes_first = facts.pooling == "cls"
        self.dimension = int(facts.dimension or 0)

    def prepare_thread(self) -> None:
        """Open this thread's session."""
        self._model.prepare_thread()

    def count_tokens(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the word pieces read of each text, shape (n,)."""
        return count_pieces(self._tokenizer, texts)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return L2-normalised vectors, shape (n, dimension), float32; each depends on its own text only."""
        vectors = [self._pooled(encoding.ids) for encoding in self._tokenizer.encode_batch_fast(list(texts))]
        return normalise(np.stack(vectors)) if vectors else np.empty((0, self.dimension), dtype=np.float32)

    def _pooled(self, pieces: Pieces) -> Vectors:
        states = self._model.states(pieces)
        pooled: Vectors = states[0] if self._takes_first else states.mean(axis=0)
        return pooled


@cache
def load_onnx_encoder(model_dir: Path) -> OnnxEncoder:
    """Return the encoder of a fetched model; loaded once per process.

    Raises
    ------
    BenchError
        When the folder holds no model, another kind of model, one without pooling, or one whose vectors have another
        dimension.
    """
    facts = read_facts(model_dir)
    if facts.kind != "bi-encoder" or facts.backend != "onnx" or facts.pooling is None:
        raise BenchError(
            f"the model {facts.name} is a {facts.kind} for {facts.backend} with the pooling {facts.pooling}; one "
            "vector per text needs a bi-encoder for onnx with pooling mean or cls"
        )
    encoder = OnnxEncoder(model_dir, facts)
    encoder.prepare_thread()
    check_dimension(encoder.encode(["dimension"]), facts)
    return encoder


def check_dimension(vectors: Vectors, facts: ModelFacts) -> None:
    """Raise a `BenchError` when the vectors, shape (n, d), are not as long as the catalogue says."""
    if vectors.shape[1] != facts.dimension:
        raise BenchError(
            f"the model {facts.name} gives vectors of {vectors.shape[1]} numbers; the catalogue says {facts.dimension}"
        )


def open_tokenizer(model_dir: Path, facts: ModelFacts, max_length: int) -> Any:
    """Return the model's tokenizer, cutting at `max_length` word pieces, without padding, knowing its markers."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(only_file(model_dir, "tokenizer.json", facts)))
    know_markers(tokenizer, facts)
    tokenizer.enable_truncation(max_length)
    tokenizer.no_padding()  # a file may pad to 512, which would change int8 vectors
    return tokenizer


def know_markers(tokenizer: Any, facts: ModelFacts) -> None:
    """Make the markers in a model's prefixes (``[unused0]``) one word piece each, that of its vocabulary.

    Raises
    ------
    BenchError
        When the vocabulary has no such word piece.
    """
    markers = sorted(set(MARKER.findall(facts.query_prefix + facts.passage_prefix)))
    unknown = [marker for marker in markers if tokenizer.token_to_id(marker) is None]
    if unknown:
        raise BenchError(
            f"the vocabulary of {facts.name} lacks {', '.join(unknown)}, which its prefixes in the catalogue name"
        )
    tokenizer.add_special_tokens(markers)


def count_pieces(tokenizer: Any, texts: Sequence[str]) -> npt.NDArray[np.int32]:
    """Return the word pieces that a tokenizer gives of each text, shape (n,)."""
    encodings = tokenizer.encode_batch_fast(list(texts))
    return np.fromiter((len(encoding.ids) for encoding in encodings), dtype=np.int32, count=len(texts))


def only_file(model_dir: Path, pattern: str, facts: ModelFacts) -> Path:
    """Return the one file of a model that matches.

    Raises
    ------
    BenchError
        When there is none, or more than one.
    """
    found = sorted(model_dir.glob(pattern))
    if len(found) != 1:
        raise BenchError(f"the model {facts.name} in {model_dir} has {len(found)} files {pattern}; expected exactly 1")
    return found[0]

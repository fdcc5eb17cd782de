"""Cross-encoders: a pair of texts to its raw logit, on the CPU, one pair at a time.

One pair per batch makes a logit a function of its pair: with dynamic int8 quantisation the other members of a batch
and its padding change it (onnxruntime#8625), by up to 2.5 here. It costs nothing: without padding, one pair per batch
on one core each was 1.3 times faster than batches.
"""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tasks.downloads.model_facts import ModelFacts, read_facts
from tasks.embeddings.encoders import n_cores
from tasks.records import BenchError

Pair = tuple[str, str]
PAIRS_AT_ONCE = 64
"""Pairs that one thread takes at a time: a second or so of work."""


class CrossEncoder(Protocol):
    """A pair of texts to its logit. Safe to call from several threads at once."""

    def prepare_thread(self) -> None:
        """Make the calling thread compute alone, so that no result depends on the number of cores."""

    def tokenise(self, pairs: Sequence[Pair]) -> list[Any]:
        """Return the encoded pairs, cut to the model's word pieces, the longer text of a pair first."""

    def logit(self, encoding: Any) -> float:
        """Return the raw logit of one pair: no sigmoid."""


class OnnxCrossEncoder:
    """An ONNX model with one onnxruntime session per thread, each on one core."""

    def __init__(self, model_dir: Path, facts: ModelFacts) -> None:
        self._path = _only_file(model_dir, "*.onnx", facts)
        self._tokenizer = _load_tokenizer(model_dir, facts)
        self._of_thread = threading.local()

    def prepare_thread(self) -> None:
        """Open this thread's session."""
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors only: a warning of the library is no message for a person
        session = onnxruntime.InferenceSession(str(self._path), options, providers=["CPUExecutionProvider"])
        self._of_thread.session = session
        self._of_thread.inputs = {item.name for item in session.get_inputs()}

    def tokenise(self, pairs: Sequence[Pair]) -> list[Any]:
        """Return encodings of at most `max_length` word pieces."""
        return list(self._tokenizer.encode_batch(list(pairs)))

    def logit(self, encoding: Any) -> float:
        """Return the raw logit of one pair."""
        features = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        feed = {name: np.array([features[name]], dtype=np.int64) for name in self._of_thread.inputs}
        output = self._of_thread.session.run(None, feed)[0]
        return float(output.reshape(-1)[0])


class TorchCrossEncoder:
    """A sequence classifier with one output (torch, safetensors), in fp32.

    The logits are read from the classifier itself, below any activation: sentence-transformers applies a sigmoid to
    models of one output unless told otherwise (sentence-transformers#1058, #3326).
    """

    def __init__(self, model_dir: Path, facts: ModelFacts) -> None:
        import torch
        from transformers import AutoModelForSequenceClassification
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self._model = AutoModelForSequenceClassification.from_pretrained(
            str(model_dir), local_files_only=True, trust_remote_code=False, use_safetensors=True, dtype=torch.float32
        ).eval()
        if self._model.config.num_labels != 1:
            raise BenchError(f"{facts.name} has {self._model.config.num_labels} outputs; a reranker has exactly 1")
        self._tokenizer = _load_tokenizer(model_dir, facts)

    def prepare_thread(self) -> None:
        """Give the calling thread one core."""
        import torch

        torch.set_num_threads(1)

    def tokenise(self, pairs: Sequence[Pair]) -> list[Any]:
        """Return encodings of at most `max_length` word pieces."""
        return list(self._tokenizer.encode_batch(list(pairs)))

    def logit(self, encoding: Any) -> float:
        """Return the raw logit of one pair."""
        import torch

        features = {
            "input_ids": torch.tensor([encoding.ids]),
            "attention_mask": torch.tensor([encoding.attention_mask]),
        }
        if "token_type_ids" in self._model.forward.__code__.co_varnames:
            features["token_type_ids"] = torch.tensor([encoding.type_ids])
        with torch.inference_mode():
            return float(self._model(**features).logits.reshape(-1)[0])


def score_pairs(model: CrossEncoder, pairs: Sequence[Pair], n_threads: int | None = None) -> Iterator[list[float]]:
    """Yield the logits of `pairs` in their order, some at a time, computed on every core.

    The values depend neither on `n_threads` nor on the other pairs.
    """
    chunks = [pairs[start : start + PAIRS_AT_ONCE] for start in range(0, len(pairs), PAIRS_AT_ONCE)]

    def logits_of(chunk: Sequence[Pair]) -> list[float]:
        return [model.logit(encoding) for encoding in model.tokenise(chunk)]

    with ThreadPoolExecutor(n_threads or n_cores(), "rerank", initializer=model.prepare_thread) as pool:
        try:
            yield from pool.map(logits_of, chunks)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)  # Ctrl-C waits for the pairs in work, not for all


@cache
def load_cross_encoder(model_dir: Path) -> CrossEncoder:
    """Return the cross-encoder of a fetched model; loaded once per process.

    Raises
    ------
    BenchError
        When the folder holds no model, or a model that is no cross-encoder with one output.
    """
    facts = read_facts(model_dir)
    if facts.kind != "cross-encoder":
        raise BenchError(f"the model {facts.name} is a {facts.kind}; reranking needs a cross-encoder")
    return OnnxCrossEncoder(model_dir, facts) if facts.backend == "onnx" else TorchCrossEncoder(model_dir, facts)


def _load_tokenizer(model_dir: Path, facts: ModelFacts) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(_only_file(model_dir, "tokenizer.json", facts)))
    tokenizer.enable_truncation(facts.max_length, strategy="longest_first")
    tokenizer.no_padding()  # the file pads to 512, which would change int8 logits
    return tokenizer


def _only_file(model_dir: Path, pattern: str, facts: ModelFacts) -> Path:
    found = sorted(model_dir.glob(pattern))
    if len(found) != 1:
        raise BenchError(f"the model {facts.name} in {model_dir} has {len(found)} files {pattern}; expected exactly 1")
    return found[0]

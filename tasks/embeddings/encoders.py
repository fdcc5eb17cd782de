"""Bi-encoders: texts to L2-normalised vectors, on the CPU.

A new backend is a class with the methods of `Encoder` and a branch in `load_encoder`.
"""

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tasks.downloads.model_facts import ModelFacts, read_facts
from tasks.records import BenchError, Params

Precision = Literal["fp32", "bf16"]
Vectors = npt.NDArray[np.float32]

CPU_FACTS = Path("/proc/cpuinfo")
NATIVE_BF16 = {"avx512_bf16", "amx_bf16"}


class EncoderParams(Params):
    """How texts become vectors.

    Attributes
    ----------
    model
        Name in the catalogue.
    dtype
        Precision of the matrix products. ``bf16`` only where the processor has it (`native_precision`): elsewhere it
        is emulated, 5 times slower than ``fp32`` (measured: 8 against 41 texts/s).
    role
        Chooses the prefix: the model's passage prefix for a document, its query prefix for a query.
    batch_tokens
        Padded tokens in a batch. Batches that stay in the processor's cache are fastest.
    shard_tokens
        Tokens in a shard: what a killed run may lose, about half a minute on 2 cores.
    """

    model: str
    dtype: Precision = "fp32"
    role: Literal["document", "query"] = "document"
    batch_tokens: int = Field(default=2_048, gt=0)
    shard_tokens: int = Field(default=131_072, gt=0)


def native_precision(cpu_facts: Path = CPU_FACTS) -> Precision:
    """Return the fastest precision that this processor computes natively."""
    try:
        flags = set(cpu_facts.read_text(encoding="utf-8").split())
    except OSError:
        return "fp32"
    return "bf16" if flags & NATIVE_BF16 else "fp32"


def n_cores() -> int:
    """Return the number of processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Encoder(Protocol):
    """Texts to vectors. Safe to call from several threads at once, each of which called `prepare_thread` first."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def prepare_thread(self) -> None:
        """Make the calling thread compute alone, so that no result depends on the number of cores."""

    def count_tokens(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the number of word pieces the model reads of each text, special ones included, shape (n,)."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of one batch, shape (n, dimension), each of length 1 (or 0, never NaN)."""


class SentenceTransformerEncoder:
    """A sentence-transformers model (torch), from local files, without remote code.

    Parallel over batches, one thread each: torch's own parallelism inside a matrix product changes last digits with
    the number of threads (seen with one text per batch), and was no faster.
    """

    def __init__(self, model_dir: Path, facts: ModelFacts, dtype: Precision) -> None:
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self._model = SentenceTransformer(
            str(model_dir),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True, "dtype": torch.float32},
        ).eval()
        self.dimension = int(facts.dimension or 0)
        self._use_bf16 = dtype == "bf16"
        # The tokenizer itself, set once: the wrapper changes truncation and padding on every call, which threads
        # must not do to each other.
        self._tokenizer = self._model.tokenizer.backend_tokenizer
        self._tokenizer.enable_truncation(facts.max_length)
        self._tokenizer.no_padding()

    def prepare_thread(self) -> None:
        """Give the calling thread one core (the number of OpenMP threads belongs to the thread that sets it)."""
        import torch

        torch.set_num_threads(1)

    def count_tokens(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the word pieces read of each text, shape (n,)."""
        encodings = self._tokenizer.encode_batch_fast(list(texts))
        return np.fromiter((len(encoding.ids) for encoding in encodings), dtype=np.int32, count=len(texts))

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return L2-normalised vectors, shape (n, dimension), float32."""
        import torch

        rows = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts))]
        ids = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for index, row in enumerate(rows):
            ids[index, : len(row)] = row
            mask[index, : len(row)] = 1
        features = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
        with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._use_bf16):
            pooled = self._model(features)["sentence_embedding"]
        return normalise(pooled.float().numpy())


def normalise(vectors: Vectors) -> Vectors:
    """Divide each row by its L2 norm, shape (n, d); a row of zeros stays one.

    >>> normalise(np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return unit


@cache
def load_encoder(model_dir: Path, dtype: Precision) -> Encoder:
    """Return the encoder of a fetched model; loaded once per process.

    Raises
    ------
    BenchError
        When the folder holds no model, another kind of model, or one whose vectors have another dimension.
    """
    facts = read_facts(model_dir)
    if facts.kind != "bi-encoder" or facts.backend != "torch":
        raise BenchError(
            f"the model {facts.name} is a {facts.kind} for {facts.backend}; embedding needs a bi-encoder for torch"
        )
    encoder = SentenceTransformerEncoder(model_dir, facts, dtype)
    came = encoder.encode(["dimension"]).shape[1]
    if came != facts.dimension:
        raise BenchError(
            f"the model {facts.name} gives vectors of {came} numbers; the catalogue says {facts.dimension}"
        )
    return encoder

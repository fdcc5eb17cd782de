"""ColBERT: a text to the vectors of its word pieces (Khattab and Zaharia 2020, arXiv 2004.12832, section 3.2).

A query is ``[CLS] [Q] q_1 ... q_l [SEP]``, cut at 32 pieces, and filled up to 32 with ``[MASK]`` ("query
augmentation"): the masks are not attended to, but have vectors and count in the score. A document is
``[CLS] [D] d_1 ... d_m [SEP]`` without the vectors of punctuation. Each vector has length 1. These are the settings of
answerai-colbert-small-v1 as the artifact.metadata of a model trained from it repeats them (query_maxlen 32,
mask_punctuation true, attend_to_mask_tokens false, dim 96; [Q] and [D] are the pieces [unused0] and [unused1]): the
wheel has no such file.

**The published model projects each vector from 384 to 96 numbers before it is normalised; the ONNX file of the
catalogue lacks that layer.** What is scored here is its input, so what the model learnt holds only in part. Measured
on LoCoMo (Hit@1 of the session with the best turn, strict evidence, 1,978 questions, vectors in float32): 0.6416 as
described; 0.7108 without the masks (`is_augmented` false); 0.7144 without masks and markers; 0.6446 with the vectors
of punctuation; 0.3908 when masks are attended to. The default is the model's own configuration, because the others
were seen on the questions they would be judged by.
"""

import string
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tasks.downloads.model_facts import ModelFacts, read_facts
from tasks.embeddings.encoders import Vectors, normalise
from tasks.embeddings.onnx_encoder import OnnxModel, check_dimension, count_pieces, open_tokenizer
from tasks.records import BenchError, Params

Role = Literal["document", "query"]
MASK = "[MASK]"


class TokenParams(Params):
    """How a ColBERT reads its texts; the defaults are those of answerai-colbert-small-v1.

    Attributes
    ----------
    query_length
        Word pieces of a query, special ones included; longer queries are cut.
    is_augmented
        Whether queries are filled up to `query_length` with ``[MASK]``.
    skips_punctuation
        Whether the vectors of a document's punctuation are left out.
    """

    query_length: int = Field(default=32, ge=4)
    is_augmented: bool = True
    skips_punctuation: bool = True


class TokenEncoder:
    """Texts of one role to the vectors of their word pieces. Safe to call from threads that called `prepare_thread`.

    A text's prefix (the marker) is part of the text that comes. One text per run: see `onnx_encoder`.
    """

    def __init__(self, model_dir: Path, facts: ModelFacts, role: Role, params: TokenParams) -> None:
        self._model = OnnxModel(model_dir, facts)
        self._role, self._params = role, params
        length = min(params.query_length, facts.max_length) if role == "query" else facts.max_length
        self._length = length
        self._tokenizer = open_tokenizer(model_dir, facts, length)
        self._mask = self._tokenizer.token_to_id(MASK)
        if self._mask is None:
            raise BenchError(f"the vocabulary of {facts.name} has no {MASK}; expected a ColBERT made from a BERT")
        self._skipped = self._punctuation() if params.skips_punctuation else np.empty(0, dtype=np.int64)
        self.dimension = int(facts.dimension or 0)

    def prepare_thread(self) -> None:
        """Open this thread's session."""
        self._model.prepare_thread()

    def count_tokens(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the word pieces that the model reads of each text, those of punctuation and masks included."""
        counts = count_pieces(self._tokenizer, texts)
        return np.full_like(counts, self._length) if self._fills else counts

    def encode(self, texts: Sequence[str]) -> list[Vectors]:
        """Return the L2-normalised vectors of each text, shape (n_i, dimension), float32, in the order of its pieces.

        A text has at least two vectors, those of ``[CLS]`` and ``[SEP]``.
        """
        encodings = self._tokenizer.encode_batch_fast(list(texts))
        return [self._vectors(np.array(encoding.ids, dtype=np.int64)) for encoding in encodings]

    @property
    def _fills(self) -> bool:
        return self._role == "query" and self._params.is_augmented

    def _vectors(self, pieces: npt.NDArray[np.int64]) -> Vectors:
        if self._fills:
            n_masks = self._length - len(pieces)
            attended = np.repeat([1, 0], [len(pieces), n_masks])
            filled = np.concatenate([pieces, np.full(n_masks, self._mask, dtype=np.int64)])
            return normalise(self._model.states(filled, attended))
        vectors = normalise(self._model.states(pieces))
        return vectors if self._role == "query" else vectors[~np.isin(pieces, self._skipped)]

    def _punctuation(self) -> npt.NDArray[np.int64]:
        """Return the first word piece of each ASCII punctuation mark, as the authors' code takes it."""
        encodings = self._tokenizer.encode_batch(list(string.punctuation), add_special_tokens=False)
        return np.array(sorted({encoding.ids[0] for encoding in encodings}), dtype=np.int64)


@cache
def load_token_encoder(model_dir: Path, role: Role, params: TokenParams) -> TokenEncoder:
    """Return the encoder of a fetched ColBERT for one role; loaded once per process.

    Raises
    ------
    BenchError
        When the folder holds no model, another kind of model, one that pools its vectors into one, or one whose
        vectors have another dimension.
    """
    facts = read_facts(model_dir)
    if facts.kind != "bi-encoder" or facts.backend != "onnx" or facts.pooling is not None:
        raise BenchError(
            f"the model {facts.name} is a {facts.kind} for {facts.backend} with the pooling {facts.pooling}; vectors "
            "of word pieces need a bi-encoder for onnx without pooling"
        )
    encoder = TokenEncoder(model_dir, facts, role, params)
    encoder.prepare_thread()
    check_dimension(encoder.encode(["dimension"])[0], facts)
    return encoder

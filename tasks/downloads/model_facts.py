"""What a fetched model says about itself: `model.json` beside its files, and who may read it."""

import hashlib
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from tasks.files import sha256_of, write_text
from tasks.records import BenchError, Params

FACTS = "model.json"


class ModelShape(Params):
    """How a model is to be called.

    Attributes
    ----------
    kind
        ``bi-encoder`` (a text to a vector) or ``cross-encoder`` (a pair of texts to a logit).
    backend
        What runs it.
    max_length
        Word pieces a model reads of its input, special ones included; the rest is cut off.
    query_prefix, passage_prefix
        Put before a text by its role; the models of study B were trained with them.
    pooling
        How word-piece vectors become one; None for a cross-encoder.
    dimension
        Length of a vector; None for a cross-encoder.
    """

    kind: Literal["bi-encoder", "cross-encoder"]
    backend: Literal["torch", "onnx"]
    max_length: int = Field(gt=0)
    query_prefix: str = ""
    passage_prefix: str = ""
    pooling: Literal["mean", "cls"] | None = None
    dimension: int | None = Field(default=None, gt=0)


class ModelFacts(ModelShape):
    """A fetched model: its shape, and the identity of its files.

    `digest` is the SHA-256 over the sorted lines ``<name> <sha256>`` of `files`. `source` says where they came from;
    for a hub it holds the commit that was really fetched.
    """

    name: str
    licence: str
    digest: str
    files: dict[str, str]
    source: dict[str, str]


def write_facts(name: str, licence: str, shape: ModelShape, source: dict[str, str], out: Path) -> ModelFacts:
    """Hash every file below `out` and write `model.json` beside them."""
    paths = sorted(path for path in out.rglob("*") if path.is_file() and path.name != FACTS)
    files = {path.relative_to(out).as_posix(): sha256_of(path) for path in paths}
    lines = "".join(f"{file} {digest}\n" for file, digest in sorted(files.items()))
    facts = ModelFacts(
        **{field: getattr(shape, field) for field in ModelShape.model_fields},
        name=name,
        licence=licence,
        digest=hashlib.sha256(lines.encode()).hexdigest(),
        files=files,
        source=source,
    )
    write_text(out / FACTS, facts.model_dump_json(indent=1) + "\n")
    return facts


def read_facts(model_dir: Path) -> ModelFacts:
    """Return the facts of a fetched model.

    Raises
    ------
    BenchError
        When the folder holds no readable `model.json`.
    """
    try:
        return ModelFacts.model_validate_json((model_dir / FACTS).read_bytes())
    except (OSError, ValidationError) as error:
        raise BenchError(
            f"{model_dir} holds no fetched model ({type(error).__name__} on {FACTS}); expected the result of fetching "
            "an entry of data/catalog.toml. Delete the folder and run the same command again."
        ) from error

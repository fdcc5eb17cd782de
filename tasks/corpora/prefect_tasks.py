"""Normalised corpora as cached steps, one per dataset."""

from collections.abc import Sequence
from pathlib import Path

from tasks.artifacts import Artifact
from tasks.corpora import (
    build_classes,
    build_locomo,
    build_longmemeval,
    build_nfcorpus,
    build_overlay,
    build_sample,
    build_synthetic,
)
from tasks.corpora.locomo import LocomoParams
from tasks.corpora.longmemeval import LongmemevalParams
from tasks.corpora.nfcorpus import NfcorpusParams
from tasks.corpora.scorable import check_scorable
from tasks.corpora.synthetic.params import SyntheticParams
from tasks.corpora.tables import Corpus
from tasks.downloads.prefect_tasks import fetch_dataset
from tasks.files import sha256_of
from tasks.prefect_cache import step
from tasks.progress import Progress
from tasks.records import BenchError, Params


@step(stage="corpora", module=build_synthetic, libraries=("numpy", "pyarrow"))
def synthetic(out: Path, progress: Progress, *, params: SyntheticParams) -> None:
    """Generate conversations with planted effects."""
    build_synthetic.build(params, out, progress)


@step(stage="corpora", module=build_locomo, libraries=("pyarrow",))
def locomo(out: Path, progress: Progress, *, raw: Artifact, params: LocomoParams) -> None:
    """Parse LoCoMo."""
    build_locomo.build(raw.path, params, out, progress)


@step(stage="corpora", module=build_nfcorpus, libraries=("pyarrow",))
def nfcorpus(out: Path, progress: Progress, *, raw: Artifact, params: NfcorpusParams) -> None:
    """Parse NFCorpus."""
    build_nfcorpus.build(raw.path, params, out, progress)


@step(stage="corpora", module=build_longmemeval, libraries=("pyarrow", "zstandard"))
def longmemeval(out: Path, progress: Progress, *, raw: Artifact, params: LongmemevalParams) -> None:
    """Parse LongMemEval-S."""
    build_longmemeval.build(raw.path, params, out, progress)


@step(stage="corpora", module=build_classes, libraries=("pyarrow",))
def classes(out: Path, progress: Progress, *, corpus: Artifact) -> None:
    """Find the documents and sessions with equal content."""
    build_classes.build(corpus.path, out, progress)


@step(stage="corpora", module=build_sample, libraries=("numpy",))
def sample(out: Path, progress: Progress, *, corpus: Artifact, size: int, population: Sequence[str]) -> None:
    """Draw the questions that are asked, where a table is of a sample."""
    build_sample.build(corpus.path, size, population, out, progress)


@step(stage="corpora", module=build_overlay, libraries=("pyarrow",), unkeyed=("file",))
def overlaid(out: Path, progress: Progress, *, corpus: Artifact, sha256: str, file: Path) -> None:
    """Correct the judgements of a corpus; `sha256` is that of the file."""
    build_overlay.build(corpus.path, file, out, progress)


def with_overlay(corpus: Artifact, file: Path) -> Artifact:
    """Return the corpus with the judgements that a qrels overlay corrects.

    Raises
    ------
    BenchError
        When the file is absent, or does not fit the corpus.
    """
    if not file.is_file():
        raise BenchError(f"no qrels overlay {file}; expected the file that `mnemobench overlay` writes")
    return overlaid(corpus=corpus, sha256=sha256_of(file), file=file)


def corpus(params: Params, mirror: Path | None, accept_local: Path | None) -> Artifact:
    """Return the normalised tables of the dataset whose options `params` are.

    Raises
    ------
    BenchError
        When no question of the main block can be scored: everything after this stage would be in vain.
    """
    made = _corpus(params, mirror, accept_local)
    check_scorable(Corpus.read(made.path, with_texts=False))
    return made


def _corpus(params: Params, mirror: Path | None, accept_local: Path | None) -> Artifact:
    match params:
        case SyntheticParams():
            return synthetic(params=params)
        case LocomoParams():
            return locomo(raw=fetch_dataset("locomo", mirror, accept_local), params=params)
        case LongmemevalParams():
            return longmemeval(raw=fetch_dataset("longmemeval-s", mirror, accept_local), params=params)
        case NfcorpusParams():
            return nfcorpus(raw=fetch_dataset("nfcorpus", mirror, accept_local), params=params)
        case _:
            raise TypeError(f"no dataset has options of the type {type(params).__name__}")

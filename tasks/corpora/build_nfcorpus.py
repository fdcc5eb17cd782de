"""Corpora stage, NFCorpus. A module of its own, so that no other parser is in its cache key."""

from pathlib import Path

from tasks.corpora.nfcorpus import NfcorpusParams, parse
from tasks.corpora.raw import read_raw
from tasks.corpora.tables import CorpusWriter
from tasks.progress import Progress


def build(raw_dir: Path, params: NfcorpusParams, out: Path, progress: Progress) -> None:
    """Write the tables of the raw NFCorpus archive in `raw_dir` (a downloads artifact) into `out`."""
    raw = read_raw(raw_dir)
    options = params.model_dump(mode="json")
    with CorpusWriter(out, "nfcorpus", source=raw.facts, licence=raw.licence, options=options) as writer:
        writer.note = raw.note
        parse(raw, params, writer, progress)

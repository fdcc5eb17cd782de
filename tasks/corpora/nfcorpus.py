"""NFCorpus as published with BEIR: abstracts of medical articles, queries in plain English, graded judgements.

Source: Boteva et al. 2016; BEIR archive `nfcorpus.zip` (CC BY-SA 4.0 as published with BEIR). Title and text stay
apart: what a retriever sees is decided in the text stage.
"""

import zipfile
import zlib
from collections.abc import Iterator
from typing import Literal

from pydantic import Field, TypeAdapter

from tasks.corpora.raw import RawFile, RawRecord, Text, load_json, validated
from tasks.corpora.tables import CorpusWriter, shown
from tasks.progress import Progress
from tasks.records import BenchError, Defect, Document, Judgement, Params, Query, context

CORPUS, QUERIES = "nfcorpus/corpus.jsonl", "nfcorpus/queries.jsonl"
QUESTION_TYPE = "search"
MAX_MEMBER_BYTES = 256 * 1024**2
"""A member that unpacks to more is refused: the real ones have at most 6 MB."""
OFFICIAL_DOCUMENTS = 3_633
OFFICIAL_QUERIES = {"test": 323, "dev": 324, "train": 2_590}
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""Other methods are refused: `zipfile` unpacks them without a bound on memory."""
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)
"""What `zipfile` raises for a damaged archive: RuntimeError when it looks encrypted, ValueError for absurd offsets."""
_HEADER = ["query-id", "corpus-id", "score"]


class NfcorpusParams(Params):
    """Options of the parser. `split`: the queries and judgements to take."""

    split: Literal["test", "dev", "train"] = "test"


class _Document(RawRecord):
    id: Text = Field(alias="_id")
    text: Text
    title: Text | None = None


class _Query(RawRecord):
    id: Text = Field(alias="_id")
    text: Text


_DOCUMENT, _QUERY = TypeAdapter(_Document), TypeAdapter(_Query)
_Judgements = dict[str, dict[str, int]]


def parse(raw: RawFile, params: NfcorpusParams, writer: CorpusWriter, progress: Progress) -> None:
    """Write documents, and the queries that have a judgement in the split. Nothing is extracted to disk.

    Raises
    ------
    BenchError
        Naming file, line and field, when the archive or a member is not what BEIR publishes.
    """
    with context(raw.path.name), _opened(raw) as archive:
        n_documents = _add_documents(archive, writer)
        progress(1, 2, "tables")
        judged = _read_judgements(archive, f"nfcorpus/qrels/{params.split}.tsv", writer)
        n_queries = _add_queries(archive, judged, writer)
        progress(2, 2, "tables")
        came, expected = (n_documents, n_queries), (OFFICIAL_DOCUMENTS, OFFICIAL_QUERIES[params.split])
        if raw.is_official and came != expected:
            raise BenchError(f"{came} documents and {params.split} queries; expected {expected} in the official file")


def _opened(raw: RawFile) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(raw.path)
    except _BROKEN as error:
        why = shown(str(error), 200)
        raise BenchError(f"not a readable ZIP archive ({why}); expected BEIR's nfcorpus.zip: fetch it again") from error


def _lines(archive: zipfile.ZipFile, member: str) -> Iterator[tuple[int, bytes]]:
    """Yield (line number from 1, content without its end) of each line that is not blank."""
    for number, line in enumerate(_content(archive, member).splitlines(), start=1):
        if line.strip():
            yield number, line


def _content(archive: zipfile.ZipFile, member: str) -> bytes:
    found = [info for info in archive.infolist() if info.filename == member]
    if not found:
        names = ", ".join(sorted(map(shown, archive.namelist()))[:8])
        raise BenchError(f"no member {member}; expected BEIR's layout, found {names or 'nothing'}")
    if len(found) > 1:
        raise BenchError(f"{len(found)} members {member}; expected one")
    info = found[0]
    if info.file_size > MAX_MEMBER_BYTES:
        raise BenchError(f"{member}: unpacks to {info.file_size} bytes; expected at most {MAX_MEMBER_BYTES}")
    if info.compress_type not in _METHODS:
        raise BenchError(f"{member}: packed by method {info.compress_type}; expected {sorted(_METHODS)}")
    try:
        with archive.open(info) as file:  # bounded, as the stated size may be a lie; one more byte to meet the end
            return file.read(info.file_size + 1).removeprefix(b"\xef\xbb\xbf")
    except _BROKEN as error:
        why = shown(str(error), 200)  # it may hold names of 60,000 characters
        raise BenchError(f"{member}: cannot be unpacked ({why}); fetch the archive again") from error


def _add_documents(archive: zipfile.ZipFile, writer: CorpusWriter) -> int:
    n_documents = 0
    for number, line in _lines(archive, CORPUS):
        with context(f"{CORPUS}, line {number}"):
            record = validated(_DOCUMENT, load_json(line), "record")
            writer.add_document(Document(record.id, record.text, title=record.title))
            n_documents += 1
    return n_documents


def _add_queries(archive: zipfile.ZipFile, judged: _Judgements, writer: CorpusWriter) -> int:
    """Add the judged queries, in the order of the file, each followed by its judgements."""
    waiting = dict(judged)
    n_queries = 0
    for number, line in _lines(archive, QUERIES):
        with context(f"{QUERIES}, line {number}"):
            record = validated(_QUERY, load_json(line), "record")
            if record.id not in judged:
                continue
            writer.add_query(Query(record.id, record.text, QUESTION_TYPE))
            n_queries += 1
            _add_judgements(record.id, waiting.pop(record.id), writer)
    for query_id in waiting:
        detail = "judgements of a query that is not in the file of queries"
        writer.add_defect(Defect(query_id, "judgements_of_unknown_query", "dropped", detail))
    return n_queries


def _add_judgements(query_id: str, gains: dict[str, int], writer: CorpusWriter) -> None:
    relevant = {document_id: gain for document_id, gain in gains.items() if gain > 0}
    for document_id, gain in relevant.items():
        writer.add_turn_judgement(Judgement(query_id, document_id, gain))
    if not relevant:
        detail = "no document of the corpus is judged relevant"
        writer.add_defect(Defect(query_id, "no_relevant_document", "excluded", detail, (query_id,)))


def _read_judgements(archive: zipfile.ZipFile, member: str, writer: CorpusWriter) -> _Judgements:
    """Return the gain of each known judged document, by query, in the order of the file."""
    judged: _Judgements = {}
    lines = _lines(archive, member)
    number, header = next(lines, (1, b""))
    with context(f"{member}, line {number}"):
        if _cells(header) != _HEADER:
            raise BenchError(f"{shown(header)} came; expected the header {' <tab> '.join(_HEADER)}")
    for number, line in lines:
        with context(f"{member}, line {number}"):
            query_id, document_id, gain = _judgement(line)
            gains = judged.setdefault(query_id, {})
            if gains.get(document_id, gain) != gain:
                raise BenchError(f"gain {gain} for a pair that had gain {gains[document_id]}; expected one gain")
            fault = _fault(document_id, gain, gains, writer)
            if fault:
                kind, policy = fault
                writer.add_defect(Defect(f"{member}:{number}", kind, policy, shown(document_id), (query_id,)))
            if writer.has_document(document_id):
                gains[document_id] = gain
    return judged


def _fault(document_id: str, gain: int, gains: dict[str, int], writer: CorpusWriter) -> tuple[str, str] | None:
    if not writer.has_document(document_id):
        return "judgement_of_unknown_document", "dropped"
    if document_id in gains:
        return "judgement_repeated", "counted_once"
    return ("negative_gain", "counted_as_0") if gain < 0 else None


def _judgement(line: bytes) -> tuple[str, str, int]:
    cells = _cells(line)
    if len(cells) != 3:
        raise BenchError(f"{len(cells)} cells came; expected {' <tab> '.join(_HEADER)}")
    query_id, document_id, score = cells
    digits = score.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10):
        raise BenchError(f"score {shown(score)} came; expected a whole number")
    return query_id, document_id, int(score)


def _cells(line: bytes) -> list[str]:
    try:
        return line.decode("utf-8").rstrip("\r\n").split("\t")
    except UnicodeDecodeError as error:
        raise BenchError(f"byte {error.start}: not UTF-8 ({error.reason})") from error

"""A second, obvious reading of each data set's files, to compare the parsers' tables with: whole file, plain `json`.

It reads what a parser accepted, and checks nothing: a file that must be refused may end it in any exception.
"""

import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable
from typing import Any

import zstandard

from tasks.corpora.tables import Corpus

CORPUS, QUERIES, QRELS = "nfcorpus/corpus.jsonl", "nfcorpus/queries.jsonl", "nfcorpus/qrels/test.tsv"

Summary = tuple[list[Any], list[Any], set[Any]]
"""(id, text) of the documents, (id, text, answer) of the questions, (question, document, gain) of the judgements."""


def summary(corpus: Corpus) -> Summary:
    return (
        corpus.documents.select("document_id", "text").rows(),
        corpus.queries.select("query_id", "text", "answer").rows(),
        set(corpus.judgements_turn.rows()),
    )


def _unpacked(content: bytes) -> bytes:
    if content.startswith(b"\x1f\x8b"):
        return gzip.decompress(content)
    if content.startswith(b"\x28\xb5\x2f\xfd"):
        return zstandard.ZstdDecompressor().stream_reader(content, read_across_frames=True).read()
    return content


def _answer(question: dict[str, Any]) -> str | None:
    return None if question.get("answer") is None else str(question["answer"])


def expected_locomo(content: bytes) -> Summary:
    documents: dict[str, str] = {}
    questions, judged = [], set()
    for record in json.loads(content.decode("utf-8-sig")):
        name, talk = record["sample_id"], record["conversation"]
        numbers = sorted(int(key[8:]) for key in talk if re.fullmatch("session_(0|[1-9][0-9]{0,8})", key))
        for number in numbers:
            for turn in talk[f"session_{number}"]:
                documents[f"{name}:D{number}:{int(turn['dia_id'].split(':')[1])}"] = turn["text"]
        for index, question in enumerate(record["qa"]):
            questions.append((f"{name}_qa{index}", question["question"], _answer(question)))
            for text in question["evidence"]:
                for session, turn in re.findall("(?<![A-Za-z0-9])D:?([0-9]{1,9}):([0-9]{1,9})(?![0-9])", text):
                    judged.add((f"{name}_qa{index}", f"{name}:D{int(session)}:{int(turn)}", 1))
    return list(documents.items()), questions, {row for row in judged if row[1] in documents}


def expected_longmemeval(content: bytes) -> Summary:
    documents: dict[str, str] = {}
    questions, judged = [], set()
    met: set[str] = set()
    for question in json.loads(_unpacked(content).decode("utf-8-sig")):
        name = question["question_id"]
        questions.append((name, question["question"], _answer(question)))
        mine: set[str] = set()
        for session, turns in zip(question["haystack_session_ids"], question["haystack_sessions"], strict=True):
            for index, turn in enumerate(turns):
                if session not in met:
                    documents[f"{session}_t{index}"] = turn["content"]
                if session not in mine and turn.get("has_answer") and f"{session}_t{index}" in documents:
                    judged.add((name, f"{session}_t{index}", 1))
            met.add(session)
            mine.add(session)
    return list(documents.items()), questions, judged


def expected_nfcorpus(content: bytes) -> Summary:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        corpus, queries, qrels = (archive.read(name).removeprefix(b"\xef\xbb\xbf") for name in (CORPUS, QUERIES, QRELS))
    documents = {line["_id"]: line["text"] for line in _json_lines(corpus)}
    rows = [line.decode().split("\t") for line in qrels.splitlines()[1:] if line.strip()]
    known = {query: True for query, _, _ in rows}
    questions = [(line["_id"], line["text"], None) for line in _json_lines(queries) if line["_id"] in known]
    names = {name for name, _, _ in questions}
    judged = {(query, document, int(gain)) for query, document, gain in rows if int(gain) > 0 and document in documents}
    return list(documents.items()), questions, {row for row in judged if row[0] in names}


def _json_lines(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines() if line.strip()]


EXPECTED: dict[str, Callable[[bytes], Summary]] = {
    "locomo": expected_locomo,
    "longmemeval": expected_longmemeval,
    "nfcorpus": expected_nfcorpus,
}

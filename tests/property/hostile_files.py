"""Small valid files of each data set, ways to break them, and the invariant that every parser must keep.

The invariant: either a short `BenchError` that names the file, and a folder that no one takes for a corpus; or a whole
corpus whose tables say what an independent reading of the same bytes says, with a ledger row for what was lost.
"""

import copy
import gzip
import io
import json
import resource
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import zstandard

from tasks.corpora import build_locomo, build_longmemeval, build_nfcorpus
from tasks.corpora.locomo import LocomoParams
from tasks.corpora.longmemeval import LongmemevalParams
from tasks.corpora.nfcorpus import NfcorpusParams
from tasks.corpora.tables import FACTS, Corpus
from tasks.progress import silent
from tasks.records import BenchError
from tests.property.independent_reading import CORPUS, EXPECTED, QRELS, QUERIES, summary

CHECKOUT = Path(__file__).resolve().parents[2]
MAX_MESSAGE = 1_500
"""Characters of an error that a person still reads: five faulty fields of 160 characters, and the place."""

LOCOMO: list[Any] = [
    {
        "sample_id": "talk",
        "conversation": {
            "speaker_a": "Ada",
            "session_1_date_time": "12:05 am on 1 March, 2024",
            "session_1": [
                {"speaker": "Ada", "dia_id": "D1:1", "text": "Seeds are up.", "blip_caption": "a tray", "img_url": []},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "Mine sleep."},
            ],
        },
        "qa": [{"question": "What is up?", "evidence": ["D1:1"], "category": 4, "answer": "seeds"}],
        "event_summary": {},
    }
]
LONGMEMEVAL: list[Any] = [
    {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "Which dog?",
        "question_date": "2023/05/30 (Tue) 23:40",
        "answer": "a whippet",
        "answer_session_ids": ["gold"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 03:24"],
        "haystack_session_ids": ["filler", "gold"],
        "haystack_sessions": [
            [{"role": "user", "content": "Name a river."}, {"role": "assistant", "content": "Oder."}],
            [{"role": "user", "content": "I got a whippet.", "has_answer": True}],
        ],
    }
]
NFCORPUS: dict[str, Any] = {
    CORPUS: [{"_id": "D1", "title": "Oats", "text": "Lower cholesterol.", "metadata": {}}, {"_id": "D2", "text": "x"}],
    QUERIES: [{"_id": "Q1", "text": "oats", "metadata": {}}],
    QRELS: "query-id\tcorpus-id\tscore\nQ1\tD1\t2\nQ1\tD2\t1\n",
}
VALID: dict[str, Any] = {"locomo": LOCOMO, "longmemeval": LONGMEMEVAL, "nfcorpus": NFCORPUS}


# --- bytes ---------------------------------------------------------------------------------------------------------


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return made.getvalue()


def nfcorpus_members(value: dict[str, Any]) -> dict[str, bytes]:
    """Return the members of the archive; a value that is a list is written as lines of JSON, text as it is."""
    return {
        name: content.encode()
        if isinstance(content, str)
        else b"".join(json.dumps(record).encode() + b"\n" for record in content)
        for name, content in value.items()
    }


def to_bytes(dataset: str, value: Any) -> bytes:
    return zipped(nfcorpus_members(value)) if dataset == "nfcorpus" else json.dumps(value).encode()


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": lambda data: gzip.compress(data, mtime=0),
    "zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}
FORMS = [("locomo", "plain"), *(("longmemeval", name) for name in PACKINGS), ("nfcorpus", "plain")]
"""Every form in which a data set may come."""


def valid_bytes(dataset: str, packing: str = "plain") -> bytes:
    return PACKINGS[packing](to_bytes(dataset, VALID[dataset]))


# --- places in a tree ----------------------------------------------------------------------------------------------

Place = tuple[Any, ...]


def places(value: Any) -> Iterator[Place]:
    """Yield the path of every node below the top."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (key,)
        yield from ((key, *rest) for rest in places(item))


def at(value: Any, place: Place) -> Any:
    for part in place:
        value = value[part]
    return value


def replaced(value: Any, place: Place, new: Any) -> Any:
    made = copy.deepcopy(value)
    at(made, place[:-1])[place[-1]] = new
    return made


def removed(value: Any, place: Place) -> Any:
    made = copy.deepcopy(value)
    del at(made, place[:-1])[place[-1]]
    return made


# --- building ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What came of a file: the refusal, or the corpus."""

    refusal: str | None
    corpus: Corpus | None

    @property
    def kinds(self) -> set[str]:
        return set() if self.corpus is None else faults(self.corpus)


def faults(corpus: Corpus) -> set[str]:
    """Return the kinds in the ledger, but for what the valid file has too: images, which are no fault."""
    return set(corpus.defects["kind"]) - {"turn_with_image"}


def build(dataset: str, raw: Path, out: Path) -> None:
    if dataset == "locomo":
        build_locomo.build(raw, LocomoParams(), out, silent)
    elif dataset == "longmemeval":
        build_longmemeval.build(raw, LongmemevalParams(), out, silent)
    else:
        build_nfcorpus.build(raw, NfcorpusParams(), out, silent)


def raw_folder(folder: Path, content: bytes | Path) -> Path:
    """Make a folder as the downloads stage leaves it; its file is named `data.raw`."""
    folder.mkdir()
    if isinstance(content, Path):
        (folder / "data.raw").symlink_to(content)
    else:
        (folder / "data.raw").write_bytes(content)
    (folder / "source.json").write_text(json.dumps({"name": "x", "file": "data.raw"}), encoding="utf-8")
    return folder


def outcome(dataset: str, content: bytes) -> Outcome:
    """Build a corpus from the bytes of a file, and check the invariant."""
    with tempfile.TemporaryDirectory() as name:
        raw, out = raw_folder(Path(name) / "raw", content), Path(name) / "out"
        out.mkdir()
        try:
            build(dataset, raw, out)
        except BenchError as error:
            _check_refusal(str(error), out)
            return Outcome(str(error), None)
        corpus = Corpus.read(out)
    check_whole(corpus)
    assert summary(corpus) == EXPECTED[dataset](content)
    return Outcome(None, corpus)


def refusal(dataset: str, content: bytes) -> str:
    """Return the text of the refusal of a file that must be refused."""
    text = outcome(dataset, content).refusal
    assert text is not None, "a broken file was read"
    return text


def accepted(dataset: str, content: bytes) -> Corpus:
    """Return the corpus of a file that must be read."""
    result = outcome(dataset, content)
    assert result.corpus is not None, result.refusal
    return result.corpus


def _check_refusal(text: str, out: Path) -> None:
    assert text.startswith("data.raw: ")
    assert len(text) <= MAX_MESSAGE
    assert text.isprintable(), f"{text!r} would move the cursor of a terminal, or cannot be printed at all"
    assert not (out / FACTS).exists(), "what a refused file left is read as a corpus"


def check_whole(corpus: Corpus) -> None:
    """Assert that the tables agree with each other, and that no question lost its evidence without a ledger row."""
    documents, queries, ledger = corpus.documents, corpus.queries, corpus.defects
    heights = (documents.height, corpus.sessions.height, queries.height)
    assert heights == tuple(corpus.facts[name] for name in ("n_documents", "n_sessions", "n_queries"))
    assert documents["document_id"].n_unique() == documents["document_key"].n_unique() == documents.height
    assert queries["query_id"].n_unique() == queries.height
    turns = corpus.judgements_turn
    assert turns.join(documents, on="document_id", how="anti").height == 0
    assert turns.join(queries, on="query_id", how="anti").height == 0
    assert turns.select("query_id", "document_id").is_unique().all()
    assert ledger.select("kind", "record_id", "policy", "detail").is_unique().all()
    noted = set(ledger["query_ids"].explode().to_list())
    assert set(queries["query_id"]) - set(turns["query_id"]) <= noted
    listed = set(ledger.filter(pl.col("kind").is_in(["empty_text"]))["record_id"])
    assert set(documents.filter("is_empty")["document_id"]) <= listed


# --- a process of its own --------------------------------------------------------------------------------------------


def build_in_child(*jobs: tuple[str, Path]) -> list[dict[str, Any]]:
    """Build from `folder/raw` into `folder/out`, each (dataset, folder), in one new process; return what it took.

    Keys: `refusal` (text or None), `peak_mb` (of the process so far), `cpu_s` (likewise).
    """
    arguments = [f"{dataset}={folder}" for dataset, folder in jobs]
    for _, folder in jobs:
        (folder / "out").mkdir()
    done = subprocess.run([sys.executable, "-m", "tests.property.hostile_files", *arguments], cwd=CHECKOUT, check=False)
    assert done.returncode == 0, f"the process ended with {done.returncode}"
    return [json.loads((folder / "facts.json").read_text(encoding="utf-8")) for _, folder in jobs]


def main(dataset: str, name: str) -> None:
    """Do one job of `build_in_child`."""
    folder, text = Path(name), None
    try:
        build(dataset, folder / "raw", folder / "out")
    except BenchError as error:
        text = str(error)
    used = resource.getrusage(resource.RUSAGE_SELF)
    facts = {"refusal": text, "peak_mb": _peak_mb(), "cpu_s": used.ru_utime + used.ru_stime}
    (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")


def _peak_mb() -> float:
    """Return the high-water mark of this process's memory. `ru_maxrss` would be its parent's where that was larger."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        main(*argument.split("=", 1))

"""Groups of questions, on a hand-written corpus and on the real LoCoMo file."""

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from pydantic import ValidationError

from tasks.corpora import build_locomo
from tasks.corpora.locomo import LocomoParams
from tasks.corpora.protocols import parse_protocol
from tasks.corpora.tables import Corpus, CorpusWriter
from tasks.measures import build_query_groups
from tasks.measures.query_groups import SCHEMA, QueryGroupParams, class_names, query_groups
from tasks.progress import silent
from tasks.records import Block, Document, Judgement, Query, ScopeMember, Session

LENGTHS = {"empty": 0, "seven": 7, "eight": 8, "fifteen": 15, "sixteen": 16, "twenty-five": 25, "twenty-six": 26}
GOLD = {
    "none": [],
    "short": ["seven"],
    "first": ["eight"],
    "last of the first": ["fifteen"],
    "second": ["sixteen", "eight"],
    "last of the second": ["twenty-five", "seven"],
    "third": ["seven", "twenty-six", "eight"],
    "many": ["eight", "fifteen", "sixteen", "twenty-five"],
    "emptied": ["empty"],
}


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Questions with gold sessions of known lengths; a turn is evidence of the first question only."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    with CorpusWriter(folder, "tiny") as writer:
        for position, (session_id, n_turns) in enumerate(LENGTHS.items()):
            writer.add_session(Session(session_id, position, n_turns))
            writer.add_scope_member(ScopeMember("s", session_id, position))
            writer.add_documents(
                Document(f"{session_id}{turn}", "x", session_id, turn, speaker="user" if turn % 2 else "assistant")
                for turn in range(n_turns)
            )
        for query_id, sessions in GOLD.items():
            kind, block = ("odd", Block.ADVERSARIAL) if query_id == "many" else ("plain", Block.MAIN)
            writer.add_query(Query(query_id, "?", kind, block, scope_id="s"))
            for session_id in sessions:
                writer.add_session_judgement(Judgement(query_id, session_id, 1))
        writer.add_turn_judgement(Judgement("none", "eight1", 1))
        writer.add_turn_judgement(Judgement("short", "sixteen0", 1))  # of the assistant: LongMemEval does not count it
    return Corpus.read(folder)


def groups_by(corpus: Corpus, by: str, protocol: str = "conversation-session", **params: tuple[int, ...]) -> list[str]:
    """Return one group per question, in order; `-` where it has no row."""
    table = query_groups(corpus, parse_protocol(protocol), QueryGroupParams(**params))
    found = dict(table.filter(pl.col("by") == by).select("query_index", "group").iter_rows())
    assert len(found) == table.filter(pl.col("by") == by).height  # a question is in one group only
    return [found.get(place, "-") for place in range(corpus.queries.height)]


def test_lengths_against_hand_computed(corpus: Corpus) -> None:
    expected = ["-", "1-7", "8-15", "8-15", "16-25", "16-25", "26+", "16-25", "0"]
    assert groups_by(corpus, "gold_session_length") == expected
    assert groups_by(corpus, "gold_session_length", "conversation-turn") == expected  # gold sessions, not turns


def test_numbers_against_hand_computed(corpus: Corpus) -> None:
    expected = ["-", "1", "1", "1", "2", "2", "3+", "3+", "1"]
    assert groups_by(corpus, "n_gold_sessions") == expected
    assert groups_by(corpus, "n_gold_sessions", "conversation-session(twins=collapsed)") == expected


def test_other_boundaries_against_hand_computed(corpus: Corpus) -> None:
    lengths = groups_by(corpus, "gold_session_length", length_starts=(16,))
    assert lengths == ["-", "1-15", "1-15", "1-15", "16+", "16+", "16+", "16+", "0"]
    assert groups_by(corpus, "n_gold_sessions", number_starts=(2, 3, 4))[-3:] == ["3", "4+", "1"]


def test_every_question_has_its_type_and_no_length_without_gold(corpus: Corpus) -> None:
    assert groups_by(corpus, "question_type") == ["plain"] * 7 + ["odd", "plain"]
    table = query_groups(corpus, parse_protocol("conversation-session"), QueryGroupParams())
    assert dict(table.schema) == SCHEMA
    assert table.filter(pl.col("query_index") == 0).rows() == [(0, "question_type", "plain")]
    assert table["by"].to_list()[1:4] == ["question_type", "gold_session_length", "n_gold_sessions"]


def test_gold_sessions_are_those_of_the_protocol(corpus: Corpus) -> None:
    """LongMemEval's own evaluation keeps a gold session only where a user's turn is evidence."""
    assert groups_by(corpus, "gold_session_length", "longmemeval-official-session")[:3] == ["8-15", "-", "-"]


def test_a_corpus_without_sessions_has_types_only(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path, "documents") as writer:
        writer.add_document(Document("d0", "x"))
        writer.add_query(Query("q0", "?", "plain"))
        writer.add_turn_judgement(Judgement("q0", "d0", 1))
    table = query_groups(Corpus.read(tmp_path), parse_protocol("pooled-document"), QueryGroupParams())
    assert table.rows() == [(0, "question_type", "plain")]


@pytest.mark.parametrize("starts", [(1, 8), (8, 8), (16, 8), (0,)])
def test_boundaries_that_are_no_classes_are_refused(starts: tuple[int, ...]) -> None:
    with pytest.raises(ValidationError, match="ascending"):
        QueryGroupParams(length_starts=starts)


def test_classes_cover_every_number_once() -> None:
    names = class_names(np.arange(100), (8, 16, 26))
    assert [names.count(name) for name in ("0", "1-7", "8-15", "16-25", "26+")] == [1, 7, 8, 10, 74]


# --- the real file -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def locomo(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    """The groups of LoCoMo's questions by protocol, with their blocks."""
    raw = tmp_path_factory.mktemp("raw")
    (raw / "locomo10.json").symlink_to(mirror / "locomo" / "locomo10.json")
    source = {"name": "locomo", "file": "locomo10.json", "sha256": "0" * 64, "bytes": 1, "is_official": True}
    (raw / "source.json").write_text(json.dumps(source), encoding="utf-8")
    found = {}
    for evidence, protocol in (
        ("strict", "conversation-session(evidence=strict)"),
        ("tolerant", "conversation-session"),
    ):
        folder, out = tmp_path_factory.mktemp(evidence), tmp_path_factory.mktemp("groups")
        build_locomo.build(raw, LocomoParams.model_validate({"evidence": evidence}), folder, silent)
        build_query_groups.build(folder, protocol, QueryGroupParams(), out)
        blocks = pl.read_parquet(folder / "queries.parquet", columns=["query_index", "block"])
        found[evidence] = pl.read_parquet(out / "query_groups.parquet").join(blocks, on="query_index", validate="m:1")
    return found


def counts(table: pl.DataFrame, by: str, *, block: str | None = None) -> dict[str, int]:
    chosen = table.filter(pl.col("by") == by, pl.lit(value=True) if block is None else pl.col("block") == block)
    return dict(chosen["group"].value_counts().sort("group").iter_rows())


def test_locomo_categories_against_the_official_counts(locomo: dict[str, pl.DataFrame]) -> None:
    """All 1,986 questions have their type: 1,540 in main, 446 adversarial (protocols.md B.1)."""
    for table in locomo.values():
        main = {"multi-hop": 282, "open-domain": 96, "single-hop": 841, "temporal": 321}
        assert counts(table, "question_type", block="main") == main
        assert counts(table, "question_type", block="adversarial") == {"adversarial": 446}


def test_locomo_categories_with_evidence_against_study_b(locomo: dict[str, pl.DataFrame]) -> None:
    """The study's n per category (published/fusion_categories.csv), 1,978 in all; a tolerant parser finds four more."""
    expected = {
        "strict": {"adversarial": 446, "multi-hop": 281, "open-domain": 89, "single-hop": 841, "temporal": 321},
        "tolerant": {"adversarial": 446, "multi-hop": 282, "open-domain": 92, "single-hop": 841, "temporal": 321},
    }
    for evidence, table in locomo.items():
        with_gold = table.filter(pl.col("by") == "n_gold_sessions").select("query_index")
        assert counts(table.join(with_gold, on="query_index", how="semi"), "question_type") == expected[evidence]


def test_locomo_classes_against_an_independent_reading(locomo: dict[str, pl.DataFrame], mirror: Path) -> None:
    """Study B's evidence read from the raw file by a regular expression, without any code of the project."""
    lengths, numbers = [], []
    for conversation in json.loads((mirror / "locomo" / "locomo10.json").read_text(encoding="utf-8")):
        for question in conversation["qa"]:
            exact = (re.fullmatch(r"D([0-9]+):[0-9]+", text) for text in question.get("evidence", []))
            sessions = {f"session_{match[1]}" for match in exact if match}
            if sessions:
                lengths.append(max(len(conversation["conversation"][name]) for name in sessions))
                numbers.append(len(sessions))
    expected = {
        "8-15": sum(8 <= n <= 15 for n in lengths),
        "16-25": sum(16 <= n <= 25 for n in lengths),
        "26+": sum(n >= 26 for n in lengths),
    }
    assert expected == {"8-15": 186, "16-25": 1123, "26+": 669}  # 1,978: no session is shorter than 8
    assert counts(locomo["strict"], "gold_session_length") == expected
    expected = {"1": numbers.count(1), "2": numbers.count(2), "3+": sum(n >= 3 for n in numbers)}
    assert expected == {"1": 1649, "2": 203, "3+": 126}
    assert counts(locomo["strict"], "n_gold_sessions") == expected


def test_locomo_class_sizes_are_pinned_by_block(locomo: dict[str, pl.DataFrame]) -> None:
    """Measured here: the four questions that a tolerant parser recovers are in main, with two gold sessions each."""
    strict, tolerant = locomo["strict"], locomo["tolerant"]
    assert counts(strict, "gold_session_length", block="main") == {"8-15": 138, "16-25": 851, "26+": 543}
    assert counts(tolerant, "gold_session_length", block="main") == {"8-15": 138, "16-25": 854, "26+": 544}
    for table in locomo.values():
        assert counts(table, "gold_session_length", block="adversarial") == {"8-15": 48, "16-25": 272, "26+": 126}
    assert counts(tolerant, "n_gold_sessions") == {"1": 1649, "2": 207, "3+": 126}

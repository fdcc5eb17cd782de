"""Near-duplicates: who is removed, what becomes of the judgements, and that the result is a corpus like any other."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal
from pydantic import ValidationError

from tasks.corpora.protocols import parse_protocol
from tasks.corpora.relevance import judging
from tasks.corpora.schemas import SCHEMAS
from tasks.corpora.scopes import scope_documents
from tasks.corpora.tables import Corpus, CorpusWriter
from tasks.files import sha256_of
from tasks.indexes import build_dense
from tasks.indexes.build_deduplicated import TABLE, DeduplicationParams, build
from tasks.indexes.dense import open_vectors
from tasks.indexes.near_duplicates import TOLERANCE, near_duplicates
from tasks.records import BenchError, Defect, Document, Judgement, Query, ScopeMember, Session
from tasks.text import build_texts
from tasks.text.documents import TextParams

Vectors = npt.NDArray[np.float32]
Found = tuple[list[int], list[float]]


def unit(vectors: npt.NDArray[np.float64]) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def at_angles(*degrees: float) -> Vectors:
    """Return one vector per angle, in a plane: the cosine of two is that of the difference."""
    angles = np.radians(degrees)
    return np.asarray(np.column_stack([np.cos(angles), np.sin(angles)]), dtype=np.float32)


def brute_force(vectors: Vectors, threshold: float) -> Found:
    """Return who stands for each row, and its cosine: all pairs in float64, one row after the other."""
    cosines = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    kept: list[int] = []
    stands: list[int] = []
    for row in range(len(vectors)):
        near = [other for other in kept if cosines[row, other] >= threshold - TOLERANCE]
        stands.append(max(near, key=lambda other: (round(cosines[row, other], 12), -other)) if near else row)
        if not near:
            kept.append(row)
    return stands, [1.0 if row == other else float(cosines[row, other]) for row, other in enumerate(stands)]


def found(vectors: Vectors, threshold: float, *, block: int = 1000, text_of: Sequence[int] | None = None) -> Found:
    numbers = np.arange(len(vectors)) if text_of is None else np.asarray(text_of)
    result = near_duplicates(vectors, numbers, threshold, block=block)
    return result.kept_of.tolist(), result.cosine.tolist()


def planted(seed: int, n: int = 300, width: int = 24) -> Vectors:
    """Return random vectors; each of the later half is a walk away from an earlier row: duplicates and chains."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((n, width))
    for row in range(n // 2, n):
        step = rng.choice([0.02, 0.25, 0.35, 0.6])
        vectors[row] = vectors[rng.integers(n // 3, row)] + step * rng.standard_normal(width)
    return unit(vectors)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("threshold", [0.3, 0.8, 0.95, 0.99, 1.0])
def test_removed_rows_against_brute_force(seed: int, threshold: float) -> None:
    vectors = planted(seed)
    kept_of, cosine = found(vectors, threshold)
    expected = brute_force(vectors, threshold)
    assert kept_of == expected[0]
    np.testing.assert_allclose(cosine, expected[1], atol=1e-12)
    if threshold in {0.8, 0.95}:
        assert 20 < sum(row != other for row, other in enumerate(kept_of)) < 280


@pytest.mark.parametrize("block", [7, 64, 149, 150])
@pytest.mark.parametrize("threshold", [0.3, 0.95])
def test_result_does_not_depend_on_the_block(block: int, threshold: float) -> None:
    vectors = planted(1, n=150)
    assert found(vectors, threshold, block=block) == found(vectors, threshold, block=1000)


def test_a_chain_is_not_closed_against_hand_computed() -> None:
    # 18.19 degrees are 0.95: b is near a, c is near b but not a, d is near c.
    kept_of, cosine = found(at_angles(0, 15, 30, 45), 0.95)
    assert kept_of == [0, 0, 2, 2]
    np.testing.assert_allclose(cosine, [1, np.cos(np.radians(15)), 1, np.cos(np.radians(15))], atol=1e-7)


@pytest.mark.parametrize("block", [1, 2, 3, 9])
def test_a_removed_row_belongs_to_the_nearest_of_the_kept_against_hand_computed(block: int) -> None:
    # The third is near both of the others (14 and 6 degrees), which are not near each other.
    assert found(at_angles(0, 20, 14), 0.95, block=block)[0] == [0, 1, 1]


def test_of_equally_near_rows_the_earliest_stands() -> None:
    vectors = np.array([[0.6, 0.8, 0], [0.6, -0.8, 0], [1, 0, 0]], dtype=np.float32)
    assert found(vectors, 0.6)[0] == [0, 1, 0]


@pytest.mark.parametrize(("below", "is_removed"), [(0.0, True), (TOLERANCE / 2, True), (3 * TOLERANCE, False)])
@pytest.mark.parametrize("threshold", [0.5, 0.95, 0.99])
def test_a_cosine_at_the_threshold_reaches_it(threshold: float, below: float, is_removed: bool) -> None:
    cosine = threshold - below
    vectors = np.array([[1, 0], [cosine, np.sqrt(1 - cosine**2)]], dtype=np.float32)
    assert (found(vectors, threshold)[0] == [0, 0]) is is_removed


def test_threshold_1_removes_equal_vectors_whatever_their_rounding() -> None:
    vectors = unit(np.random.default_rng(3).standard_normal((200, 384)))
    lengths = (vectors.astype(np.float64) ** 2).sum(axis=1)
    assert (lengths < 1).any()
    assert found(np.concatenate([vectors, vectors]), 1.0)[0] == [*range(200), *range(200)]


def test_equal_texts_are_searched_once_and_stand_like_their_first() -> None:
    vectors = at_angles(0, 10, 80, 10, 80, 0)
    kept_of, cosine = found(vectors, 0.95, text_of=[7, 3, 5, 3, 5, 7])
    assert (kept_of, cosine) == ([0, 0, 2, 0, 2, 0], [1, cosine[1], 1, cosine[1], 1, 1])
    assert found(vectors, 0.95)[0] == kept_of


def test_rows_of_zeros_are_near_nothing() -> None:
    vectors = np.concatenate([np.zeros((2, 2), np.float32), at_angles(0)])
    assert found(vectors, 1e-9)[0] == [0, 1, 2]
    assert found(vectors, 1e-9, text_of=[4, 4, 9])[0] == [0, 0, 2]


@pytest.mark.parametrize("n", [0, 1])
def test_hardly_any_rows(n: int) -> None:
    assert found(at_angles(*range(n)), 0.95) == (list(range(n)), [1.0] * n)


@pytest.mark.parametrize("threshold", [0.0, -0.5, 1.0001, float("nan"), float("inf")])
def test_a_bad_threshold_has_words(threshold: float) -> None:
    with pytest.raises(BenchError, match=r"threshold .* of near-duplicates; expected a cosine above 0 and at most 1"):
        found(at_angles(0), threshold)
    with pytest.raises(ValidationError):
        DeduplicationParams(threshold=threshold)


@pytest.mark.parametrize("length", [0.9, 1.01, float("nan")])
def test_vectors_of_another_length_are_refused(length: float) -> None:
    vectors = at_angles(0, 90) * np.array([[1], [length]], dtype=np.float32)
    with pytest.raises(BenchError, match=r"vector of row 1 has length .*; expected 1"):
        found(vectors, 0.95)


def test_every_row_needs_a_text() -> None:
    with pytest.raises(BenchError, match="2 vectors came for 3 texts"):
        found(at_angles(0, 90), 0.95, text_of=[0, 1, 2])


def test_progress_ends_at_the_end() -> None:
    told: list[tuple[int, int, str]] = []
    near_duplicates(
        at_angles(*range(0, 360, 4)), np.arange(90), 0.95, block=40, progress=lambda *step: told.append(step)
    )
    assert told == [(done, 4005, "pairs of texts") for done in (780, 3160, 4005)]


TURNS = {
    "a:0": 0, "a:1": 90, "a:2": 180,
    "b:0": 5, "b:1": 95, "b:2": 250,
    "c:0": 2, "c:1": 92,
    "d:0": 8, "d:1": 300,
    "e:0": 183, "e:1": 302,
}  # fmt: skip
"""Angle of each turn. b:0, c:0 and d:0 are near a:0; b:1 and c:1 near a:1; e:0 near a:2; e:1 near d:1. So a keeps all,
b and d one each, c and e none."""

JUDGED = [
    ("moves", "b:0", 1), ("moves", "b:2", 1),
    ("merges", "a:0", 1), ("merges", "c:0", 3), ("merges", "d:0", 2),
    ("all", "c:0", 2), ("all", "e:1", 1),
    ("still", "a:2", 1),
    ("stray", "c:1", 1),
]  # fmt: skip
GOLD = [
    ("moves", "b", 1), ("merges", "a", 1), ("merges", "c", 3), ("merges", "d", 2), ("all", "c", 1), ("all", "e", 1),
    ("still", "a", 1), ("fallback", "d", 1), ("fallback", "e", 2), ("inherits", "c", 2),
    ("lonely", "d", 1),
]  # fmt: skip
"""`stray`'s turn lies in a session that is not gold; `fallback`, `inherits` and `lonely` have gold sessions only."""


@dataclass(frozen=True)
class Made:
    corpus: Path
    texts: Path
    dense: Path
    shards: list[Path]


def write_corpus(out: Path, turns: Mapping[str, float]) -> None:
    names = list(dict.fromkeys(turn[0] for turn in turns))
    with CorpusWriter(out, "tiny", source={"file": "x"}, licence="CC0") as writer:
        for place, name in enumerate(names):
            mine = [turn for turn in turns if turn[0] == name]
            writer.add_session(Session(name, place, len(mine)))
            writer.add_scope_member(ScopeMember("early" if name in "ab" else "late", name, place))
            writer.add_documents(Document(turn, f"text of {turn}", name, int(turn[2]), "user") for turn in mine)
        for query in ("moves", "merges", "all", "still", "stray", "fallback", "inherits", "lonely"):
            scope = "early" if query in {"moves", "still"} else "late"
            writer.add_query(Query(query, f"{query}?", "kind", scope_id=scope))
        for row in JUDGED:
            writer.add_turn_judgement(Judgement(*row))
        for row in GOLD:
            writer.add_session_judgement(Judgement(*row))
        writer.add_defect(Defect("x", "some_fault", "kept", "before", ("moves",)))


def shard(folder: Path, keys: list[str], vectors: Vectors) -> Path:
    folder.mkdir()
    columns = {"text_key": keys, "vector": pl.Series(vectors, dtype=pl.Array(pl.Float32, vectors.shape[1]))}
    pl.DataFrame(columns).write_parquet(folder / "vectors.parquet")
    return folder


def make(root: Path, turns: Mapping[str, float]) -> Made:
    """Return a corpus, its texts, the shards of its vectors, and its dense index."""
    corpus, texts, dense = (root / name for name in ("corpus", "texts", "dense"))
    for folder in (corpus, texts, dense):
        folder.mkdir(parents=True)
    write_corpus(corpus, turns)
    build_texts.build(corpus, TextParams(), texts)
    sides = [pl.read_parquet(texts / f"{side}_texts.parquet")["text_key"].to_list() for side in ("document", "query")]
    vectors = at_angles(*turns.values())
    shards = [
        shard(root / "s0", sides[0][:5], vectors[:5]),
        shard(root / "s1", sides[0][5:], vectors[5:]),
        shard(root / "q", sides[1], at_angles(*range(len(sides[1])))),
    ]
    build_dense.build(texts, shards[:2], shards[2:], dense)
    return Made(corpus, texts, dense, shards)


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return make(tmp_path, TURNS)


def deduplicated(made: Made, threshold: float = 0.95, name: str = "deduplicated") -> Path:
    out = made.corpus.parent / name
    out.mkdir()
    build(made.corpus, made.texts, made.dense, DeduplicationParams(threshold=threshold), out)
    return out


def test_documents_and_sessions_against_hand_computed(made: Made) -> None:
    before, after = Corpus.read(made.corpus), Corpus.read(deduplicated(made))
    left = ["a:0", "a:1", "a:2", "b:2", "d:1"]
    assert after.documents["document_id"].to_list() == left
    assert after.documents["document_index"].to_list() == [0, 1, 2, 3, 4]
    assert_frame_equal(
        after.documents.drop("document_index"),
        before.documents.filter(pl.col("document_id").is_in(left)).drop("document_index"),
    )
    assert after.sessions.select("session_id", "position", "n_turns").rows() == [("a", 0, 3), ("b", 1, 1), ("d", 3, 1)]
    assert after.scopes.rows() == [("early", "a", 0), ("early", "b", 1), ("late", "d", 3)]
    assert_frame_equal(after.queries, before.queries)


def test_the_removed_are_listed_with_what_stands_for_them(made: Made) -> None:
    table = pl.read_parquet(deduplicated(made) / TABLE)
    expected = [
        (3, "b:0", "a:0", 5), (4, "b:1", "a:1", 5), (6, "c:0", "a:0", 2), (7, "c:1", "a:1", 2), (8, "d:0", "a:0", 8),
        (10, "e:0", "a:2", 3), (11, "e:1", "d:1", 2),
    ]  # fmt: skip
    assert table.drop("cosine").rows() == [row[:3] for row in expected]
    np.testing.assert_allclose(table["cosine"], [np.cos(np.radians(row[3])) for row in expected], atol=1e-7)
    assert table.schema == {
        "document_index": pl.Int32, "document_id": pl.Utf8, "kept_document_id": pl.Utf8, "cosine": pl.Float64
    }  # fmt: skip


def test_judgements_against_hand_computed(made: Made) -> None:
    after = Corpus.read(deduplicated(made))
    assert after.judgements_turn.rows() == [
        ("moves", "a:0", 1),
        ("moves", "b:2", 1),
        ("merges", "a:0", 3),  # 1, 3 and 2 became one
        ("all", "a:0", 2),
        ("all", "d:1", 1),
        ("still", "a:2", 1),
        ("stray", "a:1", 1),
    ]
    assert after.judgements_session.rows() == [
        ("moves", "b", 1),  # still holds b:2
        ("moves", "a", 1),  # and a has what was in b
        ("merges", "a", 3),
        ("all", "a", 1),
        ("all", "d", 1),
        ("still", "a", 1),
        ("fallback", "d", 1),  # has d:1 left
        ("fallback", "a", 2),  # nothing is left of e: a has one of its turns, and d one; that of a is earlier
        ("inherits", "a", 2),
        ("lonely", "d", 1),
    ]


def test_the_session_with_most_of_the_turns_inherits(tmp_path: Path) -> None:
    after = Corpus.read(deduplicated(make(tmp_path, TURNS | {"e:2": 298})))
    assert after.judgements_session.rows()[-3:-1] == [("fallback", "d", 2), ("inherits", "a", 2)]


def test_ledger_against_hand_computed(made: Made) -> None:
    rows = Corpus.read(deduplicated(made)).defects.rows()
    assert rows[0] == ("x", "some_fault", "kept", "before", 1, ["moves"])
    assert {row[0] for row in rows[1:]} == {"documents"}
    assert {row[2] for row in rows[1:]} == {"near_duplicate_removal"}
    assert [(kind, detail, queries) for _, kind, _, detail, _, queries in rows[1:]] == [
        (
            "near_duplicates_removed",
            "7 of 12 documents removed: cosine 0.95 or more with an earlier one that is kept; 4 stand for them; 2 "
            "sessions lost all documents",
            ["moves", "merges", "all", "stray", "fallback", "inherits", "lonely"],
        ),
        (
            "judgement_moved",
            "relevant documents removed, and judged as the one kept: 6",
            ["moves", "merges", "all", "stray"],
        ),
        ("judgement_merged", "relevant documents fewer, as two became one: 2", ["merges"]),
        (
            "question_all_moved",
            "questions whose relevant documents were all removed, and are judged as those kept: 2",
            ["all", "stray"],
        ),
        (
            "session_judgement_added",
            "sessions became relevant with a document: 5",
            ["moves", "all", "fallback", "inherits"],
        ),
        (
            "session_judgement_removed",
            "sessions lost what made them relevant: 6",
            ["merges", "all", "fallback", "inherits"],
        ),
        (
            "fallback_turn_lost",
            "turns removed that are relevant by their session only, and the one kept is in no relevant session: 1",
            ["lonely"],  # d:0 is judged as a:0, and a is not gold; what the others lost is in sessions that are
        ),
        (
            "judgement_outside_scope",
            "relevant documents moved out of what the question may search: 4",
            ["merges", "all", "stray"],
        ),
    ]


def test_facts_count_what_happened(made: Made) -> None:
    before, after = (Corpus.read(folder).facts for folder in (made.corpus, deduplicated(made)))
    entry = after.pop("deduplication")
    assert after == {
        **before,
        "n_documents": 5,
        "n_sessions": 3,
        "note": "7 of 12 documents removed as near-duplicates (cosine >= 0.95)",
    }
    assert entry["n_queries"]["question_all_moved"] == 2
    assert entry["n_changes"]["judgement_moved"] == 6
    counts = {name: value for name, value in entry.items() if not isinstance(value, dict)}
    assert counts == {
        "threshold": 0.95,
        "n_documents_removed": 7,
        "n_documents_standing_for_others": 4,
        "n_sessions_removed": 2,
    }


def test_the_result_is_a_corpus_like_any_other(made: Made) -> None:
    corpus = Corpus.read(deduplicated(made))
    assert corpus.facts["n_documents"] == corpus.documents.height == int(corpus.sessions["n_turns"].sum())
    for name, schema in SCHEMAS.items():
        assert pq.read_schema(made.corpus.parent / "deduplicated" / f"{name}.parquet").equals(schema)
    pooled = judging(corpus, parse_protocol("pooled-turn")).relevance
    assert pooled.rows() == [(0, 0, 1), (0, 3, 1), (1, 0, 3), (2, 0, 2), (2, 4, 1), (3, 2, 1), (4, 1, 1)]
    scopes = scope_documents(corpus, parse_protocol("conversation-turn"))
    assert [found.tolist() for found in scopes.documents] == [[0, 1, 2, 3], [4]]


def test_the_dense_index_is_built_from_the_original_shards(made: Made, tmp_path: Path) -> None:
    out, texts, dense = deduplicated(made), tmp_path / "texts2", tmp_path / "dense2"
    texts.mkdir()
    dense.mkdir()
    build_texts.build(out, TextParams(), texts)
    build_dense.build(texts, made.shards[:2], made.shards[2:], dense)
    rows = [0, 1, 2, 5, 9]
    for after, before in zip(open_vectors(dense), open_vectors(made.dense), strict=True):
        np.testing.assert_array_equal(after, before[rows] if len(after) == 5 else before)
    assert found(np.asarray(open_vectors(dense)[0]), 0.95)[0] == [0, 1, 2, 3, 4]


def test_a_corpus_without_duplicates_keeps_its_tables(tmp_path: Path) -> None:
    made = make(tmp_path, {turn: 25.0 * place for place, turn in enumerate(TURNS)})
    before, after = Corpus.read(made.corpus), Corpus.read(deduplicated(made))
    for name in SCHEMAS:
        assert_frame_equal(getattr(before, name), getattr(after, name))
    assert after.facts["note"] == "0 of 12 documents removed as near-duplicates (cosine >= 0.95)"
    assert pl.read_parquet(tmp_path / "deduplicated" / TABLE).height == 0


def test_the_same_removal_gives_identical_files(made: Made) -> None:
    once, twice = deduplicated(made), deduplicated(made, name="again")
    assert {path.name: sha256_of(path) for path in once.iterdir()} == {
        path.name: sha256_of(path) for path in twice.iterdir()
    }


def test_a_question_whose_scope_is_empty_has_none(tmp_path: Path) -> None:
    made = make(tmp_path, {turn: angle for turn, angle in TURNS.items() if turn != "d:1"} | {"d:1": 250.0})
    corpus = Corpus.read(deduplicated(made, threshold=0.6))
    assert corpus.scopes["scope_id"].unique().to_list() == ["early"]
    assert corpus.queries["scope_id"].to_list() == ["early", None, None, "early", None, None, None, None]
    (row,) = corpus.defects.filter(pl.col("kind") == "scope_without_documents").rows()
    lost = ["merges", "all", "stray", "fallback", "inherits", "lonely"]
    assert row[3:] == ("questions with nothing of their own to search: 6", 6, lost)


def test_a_corpus_without_sessions(tmp_path: Path) -> None:
    flat, texts, dense, out = (tmp_path / name for name in ("corpus", "texts", "dense", "out"))
    for folder in (flat, texts, dense, out):
        folder.mkdir()
    with CorpusWriter(flat, "tiny") as writer:
        writer.note = "a copy"
        writer.add_documents(Document(name, name, title="t") for name in ("d1", "d2", "d3"))
        writer.add_query(Query("q", "?", "kind"))
        writer.add_turn_judgement(Judgement("q", "d2", 2))
    build_texts.build(flat, TextParams(), texts)
    np.save(dense / "document_vectors.npy", at_angles(0, 4, 90))
    np.save(dense / "query_vectors.npy", at_angles(0))
    build(flat, texts, dense, DeduplicationParams(), out)
    corpus = Corpus.read(out)
    assert corpus.documents["document_id"].to_list() == ["d1", "d3"]
    assert (corpus.judgements_turn.rows(), corpus.judgements_session.height) == ([("q", "d1", 2)], 0)
    assert set(corpus.defects["kind"]) == {"near_duplicates_removed", "judgement_moved", "question_all_moved"}
    assert corpus.facts["note"] == "a copy; 1 of 3 documents removed as near-duplicates (cosine >= 0.95)"


def test_an_overlay_goes_along(made: Made) -> None:
    pl.DataFrame({"query_id": ["moves"]}).write_parquet(made.corpus / "overlay.parquet")
    facts = json.loads((made.corpus / "facts.json").read_text())
    (made.corpus / "facts.json").write_text(json.dumps({**facts, "overlay": {"name": "x"}}))
    out = deduplicated(made)
    assert (out / "overlay.parquet").read_bytes() == (made.corpus / "overlay.parquet").read_bytes()
    assert Corpus.read(out).facts["overlay"] == {"name": "x"}


def test_a_second_removal_is_refused(made: Made, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"near-duplicates were removed from .* already"):
        build(deduplicated(made), made.texts, made.dense, DeduplicationParams(), tmp_path)


def test_texts_of_another_corpus_are_refused(made: Made, tmp_path: Path) -> None:
    texts = pl.read_parquet(made.texts / "document_texts.parquet")
    texts.head(5).write_parquet(tmp_path / "document_texts.parquet")
    with pytest.raises(BenchError, match=r"document_texts\.parquet has 5 rows; expected 12"):
        build(made.corpus, tmp_path, made.dense, DeduplicationParams(), tmp_path)
    (tmp_path / "document_texts.parquet").unlink()
    with pytest.raises(BenchError, match="run the text stage"):
        build(made.corpus, tmp_path, made.dense, DeduplicationParams(), tmp_path)

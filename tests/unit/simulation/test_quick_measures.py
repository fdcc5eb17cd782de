"""The quick measures against the stages measures and behaviour, on random rankings of a hand-written corpus."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest

from tasks.behaviour import build as behaviour
from tasks.behaviour.decomposition import BehaviourParams
from tasks.corpora import build_classes
from tasks.corpora.protocols import parse_protocol
from tasks.corpora.tables import Corpus, CorpusWriter
from tasks.measures import build as measures
from tasks.measures.names import MeasureParams
from tasks.records import BenchError, Block, Document, Judgement, Query, ScopeMember, Session
from tasks.simulation.quick_measures import BEHAVIOURS, QuickMeasures
from tasks.simulation.truth import Truth, truth_of

TOLERANCE = 1e-12
MEASURES = (
    "nDCG@10",
    "nDCG@3",
    "nDCG(dcg='exp-log2')@10",
    "nDCG(dcg='longmemeval')@5",
    "R@1",
    "R@10",
    "R_all@5",
    "R_all@10",
    "Success@1",
    "Success@5",
    "RR",
    "RR@2",
    "pool_R@4",
    "pool_R@30",
)
PROTOCOLS = (
    "pooled-turn",
    "pooled-turn(relevance=study-a)",
    "pooled-turn(twins=collapsed)",
    "pooled-turn(level=session)",
    "pooled-turn(level=session,twins=collapsed)",
    "conversation-turn",
)
N_SESSIONS, TURNS, N_QUERIES = 6, 5, 24


class Place(NamedTuple):
    corpus: Path
    classes: Path
    asked: Path
    queries: list[int]


@pytest.fixture(scope="module", params=[True, False], ids=["sessions", "no-sessions"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Give 30 turns, many of them twins; questions of every block, with and without evidence."""
    root = tmp_path_factory.mktemp("corpus")
    found = Place(root / "corpus", root / "classes", root / "asked", list(range(N_QUERIES)))
    for folder in found[:3]:
        folder.mkdir()
    _write_corpus(found.corpus, has_sessions=request.param)
    build_classes.build(found.corpus, found.classes)
    asked = pl.DataFrame({"query_index": np.arange(0, N_QUERIES, 2, dtype=np.int32)})
    asked.write_parquet(found.asked / "asked.parquet")
    return found


def _write_corpus(folder: Path, *, has_sessions: bool) -> None:
    rng = np.random.default_rng(7)
    types, blocks = ("knowledge-update", "plain"), (*[Block.MAIN] * 5, Block.ADVERSARIAL, Block.ABSTENTION)
    with CorpusWriter(folder, "hand-written") as writer:
        for session in range(N_SESSIONS if has_sessions else 0):
            writer.add_session(Session(f"s{session}", session, TURNS))
            writer.add_scope_member(ScopeMember(f"c{session % 2}", f"s{session}", session // 2))
        for number in range(N_SESSIONS * TURNS):
            session, turn = divmod(number, TURNS)
            where = (f"s{session}", turn) if has_sessions else (None, None)
            writer.add_documents([Document(f"d{number}", f"text {number % 11}", *where)])
        for query in range(N_QUERIES):
            scope = f"c{query % 2}" if has_sessions else None
            writer.add_query(
                Query(f"q{query}", "?", types[query % 2], blocks[query % len(blocks)], scope_id=scope, answer="!")
            )
            _judge(writer, query, rng, has_sessions=has_sessions)


def _judge(writer: CorpusWriter, query: int, rng: np.random.Generator, *, has_sessions: bool) -> None:
    """Judge nothing for every fourth query, else up to five turns with gains 1 to 3; and their sessions."""
    n_relevant = 0 if query % 4 == 3 else int(rng.integers(1, 6))
    relevant = rng.choice(N_SESSIONS * TURNS, size=n_relevant, replace=False)
    for document in relevant.tolist():
        writer.add_turn_judgement(Judgement(f"q{query}", f"d{document}", int(rng.integers(1, 4))))
    sessions = {document // TURNS for document in relevant.tolist()} or {query % N_SESSIONS}
    for session in sorted(sessions) if has_sessions else []:
        writer.add_session_judgement(Judgement(f"q{query}", f"s{session}", 1))


class Ranked(NamedTuple):
    candidates: pl.DataFrame
    offsets: np.ndarray
    rows: np.ndarray
    r_init: np.ndarray


def random_rankings(seed: int, *, longest: int = 30) -> Ranked:
    """Draw candidates of each query; some of them in some order before reranking, and in another one after it."""
    rng = np.random.default_rng(seed)
    frames, rows, r_init, offsets, n_before = [], [], [], [0], 0
    for query in range(N_QUERIES):
        n = int(rng.integers(0, longest + 1))
        documents = rng.choice(N_SESSIONS * TURNS, size=n, replace=False)
        frames.append(pl.DataFrame({"query_index": np.full(n, query, np.int32), "document_index": documents}))
        kept = rng.permutation(n)[: int(rng.integers(0, n + 1))]
        rows += (n_before + kept).tolist()
        r_init += rng.permutation(len(kept)).tolist()
        offsets.append(len(rows))
        n_before += n
    candidates = pl.concat(frames).cast({"document_index": pl.Int32})
    return Ranked(candidates, *(np.array(column, np.int64) for column in (offsets, rows, r_init)))


def by_the_stages(place: Place, ranked: Ranked, protocol: str, asked: Path | None, out: Path) -> pl.DataFrame:
    """Write the rankings as the step `replay` does, and let both stages judge them."""
    rankings = ranked.candidates[ranked.rows].with_columns(
        rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("query_index"),
        initial_position=pl.Series(ranked.r_init, dtype=pl.Int32),
        logit=pl.lit(0.5),
        score=pl.lit(0.5),
        suppression=pl.lit(0.1),
    )
    out.mkdir()
    rankings.write_parquet(out / "rankings.parquet")
    common = ({"v": out}, place.corpus, place.classes, protocol)
    measures.build(*common, MeasureParams(names=MEASURES), out, asked_dir=asked)
    behaviour.build(*common, BehaviourParams(), out, asked_dir=asked)
    return pl.concat(pl.read_parquet(out / f"{name}_metrics.parquet") for name in ("query", "behaviour"))


@pytest.mark.parametrize("is_sample", [False, True], ids=["all", "sample"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_quick_measures_match_the_stages(place: Place, protocol: str, is_sample: bool, tmp_path: Path) -> None:
    corpus = Corpus.read(place.corpus, with_texts=False)
    if not corpus.sessions.height and ("session" in protocol or "study" in protocol or "conversation" in protocol):
        pytest.skip("a corpus without sessions has no such protocol")
    asked = place.asked if is_sample else None
    for seed in range(3):
        ranked = random_rankings(seed)
        expected = by_the_stages(place, ranked, protocol, asked, tmp_path / str(seed))
        truth = truth_of(ranked.candidates, corpus, parse_protocol(protocol), place.classes, asked)
        quick = QuickMeasures((*MEASURES, *BEHAVIOURS), truth)
        values = quick.values(ranked.offsets, ranked.rows, ranked.r_init)
        for name, row in zip(quick.names, values, strict=True):
            truly = expected.filter(measure=name).sort("query_index")["value"].to_numpy()
            np.testing.assert_allclose(row, truly, rtol=0, atol=TOLERANCE, err_msg=f"{name}, seed {seed}")


def test_the_cases_hold_every_kind_of_value(place: Place) -> None:
    """Else the comparison above could not fail: defined and undefined, 0 and more, and of the measures 1 too."""
    corpus = Corpus.read(place.corpus, with_texts=False)
    values = []
    for seed in range(3):
        ranked = random_rankings(seed)
        quick = QuickMeasures(MEASURES, truth_of(ranked.candidates, corpus, parse_protocol("pooled-turn")))
        values.append(quick.values(ranked.offsets, ranked.rows, ranked.r_init))
    for row in np.concatenate(values, axis=1):
        assert np.isnan(row).any()
        assert (row == 0).any()
        assert (row > 0).any()


def test_without_any_pool_there_is_no_pool_recall(place: Place, tmp_path: Path) -> None:
    ranked = random_rankings(3)
    nothing = ranked._replace(offsets=np.zeros(N_QUERIES + 1, np.int64), rows=ranked.rows[:0], r_init=ranked.r_init[:0])
    expected = by_the_stages(place, nothing, "pooled-turn", None, tmp_path / "none")
    truth = truth_of(ranked.candidates, Corpus.read(place.corpus, with_texts=False), parse_protocol("pooled-turn"))
    quick = QuickMeasures((*MEASURES, *BEHAVIOURS), truth)
    values = quick.values(nothing.offsets, nothing.rows, nothing.r_init)
    truly = [expected.filter(measure=name).sort("query_index")["value"].to_numpy() for name in quick.names]
    np.testing.assert_array_equal(values, np.array(truly))
    assert np.isnan(values[MEASURES.index("pool_R@30")]).all()
    assert np.nanmax(values[MEASURES.index("R@10")]) == 0


@pytest.fixture
def one_query() -> Truth:
    """Four candidates of one query: gains 0, 2, 0, 1, and a relevant one that was not found."""
    return Truth(
        items=np.arange(4),
        gains=np.array([0, 2, 0, 1]),
        is_family=np.array([True, True, False, True]),
        ideal=np.array([[2, 1, 1]]),
        has_value=np.array([True]),
        has_behaviour=np.array([True]),
        is_update=np.array([False]),
    )


def test_values_against_hand_computed(one_query: Truth) -> None:
    names = ("nDCG@2", "nDCG(dcg='exp-log2')@2", "R@3", "RR", "pool_R@1", "sibling_confusion", "stale_fact")
    quick = QuickMeasures(names, one_query)
    (values,) = quick.values(np.array([0, 4]), np.array([0, 1, 2, 3]), np.array([2, 1, 3, 0])).T
    log3 = np.log2(3)
    hand = [2 / log3 / (2 + 1 / log3), 3 / log3 / (3 + 1 / log3), 1 / 3, 1 / 2, 1 / 3, 1.0, np.nan]
    np.testing.assert_allclose(values, hand, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("name", ["abstain@2", "AP", "nDCG", "P@3", "R@0", ""])
def test_an_unsupported_name_lists_the_supported_ones(one_query: Truth, name: str) -> None:
    with pytest.raises(BenchError, match=r"expected nDCG@k, .*pool_R@k.*exact_episode"):
        QuickMeasures(["nDCG@10", name], one_query)

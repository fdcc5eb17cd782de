"""The compiled engine and the plain reference are two implementations of one protocol: they must agree."""

import dataclasses
import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.simulation import reference
from tasks.simulation.layout import COLD, Pools, Served, lay_out
from tasks.simulation.reference import Candidate
from tasks.simulation.replay import Replayed, as_read, evaluate, new_state, replay, serve
from tasks.simulation.suppression import Decay, RifParams, Rule, RuleSet

TOLERANCE = 1e-12
N_SCOPES = 2

SETTINGS = settings(max_examples=50, deadline=None)


class Case(NamedTuple):
    """Query i is of scope i % 2, and cluster c of scope c % 2: scopes share no cluster. None is cold."""

    pools: dict[int, list[Candidate]]
    stream: list[tuple[int, int, int | None]]
    clusters: list[int | None]
    ends: list[int]
    params: RifParams


# Few distinct values make ties of every kind; wide ones make everything else.
RRF = st.one_of(st.sampled_from([0.0, 1 / 60, 1 / 61, 1 / 60 + 1 / 61]), st.floats(0, 0.04))
LOGITS = st.one_of(st.sampled_from([-11.0, 0.0, 0.5, 8.0]), st.floats(-12, 12), st.floats(-800, 800))


@st.composite
def params(draw: st.DrawFn) -> RifParams:
    rate = st.one_of(st.floats(0.01, 1), st.floats(0, 2), st.sampled_from([0.0, 1.0]))
    decay = draw(st.sampled_from(Decay))
    return RifParams(
        rule=draw(st.sampled_from(Rule)),
        rule_set=RuleSet.RELEASED if decay is Decay.READ else draw(st.sampled_from(RuleSet)),
        alpha=draw(rate),
        eta=draw(rate),
        rho=draw(rate),
        lambda_=draw(st.one_of(rate, st.floats(0, 0.1))),
        s_max=draw(rate),
        pool=draw(st.integers(1, 12)),
        winners=draw(st.integers(0, 4)),
        decay=decay,
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw every kind of cluster source: fixed ones, a cold start, clusters that move, others at evaluation."""
    n_queries, fewest = draw(st.integers(1, 6)), draw(st.sampled_from([5, 5, 0]))
    pools = {}
    for query in range(n_queries):
        documents = draw(st.lists(st.integers(0, 12), unique=True, min_size=fewest, max_size=10))
        pools[query] = [Candidate(document, draw(RRF), draw(LOGITS)) for document in documents]
    local = draw(st.sampled_from([st.just(0), st.integers(0, 2), st.sampled_from([None, 0, 1, 2])]))
    fixed = [_of_scope(query, draw(local)) for query in range(n_queries)]
    is_fixed, cold_until = draw(st.booleans()), draw(st.sampled_from([0, 0, 20]))
    asked = draw(
        st.lists(
            st.tuples(st.integers(1, 4), st.integers(0, n_queries - 1)),
            min_size=draw(st.sampled_from([15, 0])),
            max_size=40,
        )
    )
    steps = list(itertools.accumulate(gap for gap, _ in asked))
    stream = []
    for t, (_, query) in zip(steps, asked, strict=True):
        cluster = fixed[query] if is_fixed else _of_scope(query, draw(local))
        stream.append((t, query, None if t < cold_until else cluster))
    ends = [max(steps, default=0) + draw(st.integers(1, 50)) for _ in range(N_SCOPES)]
    return Case(pools, stream, fixed, [ends[query % N_SCOPES] for query in range(n_queries)], draw(params()))


def _of_scope(query: int, cluster: int | None) -> int | None:
    return None if cluster is None else cluster * N_SCOPES + query % N_SCOPES


def _arrays(case: Case) -> tuple[Pools, Served]:
    rows = [candidate for query in sorted(case.pools) for candidate in case.pools[query]]
    lengths = [len(case.pools[query]) for query in sorted(case.pools)]
    pools = Pools(
        offsets=np.array([0, *itertools.accumulate(lengths)], np.int64),
        documents=np.array([row.document for row in rows], np.int64),
        rrf=np.array([row.rrf for row in rows], np.float64),
        logits=np.array([row.logit for row in rows], np.float64),
    )
    served = Served(
        steps=np.array([t for t, _, _ in case.stream], np.int64),
        queries=np.array([query for _, query, _ in case.stream], np.int64),
        step_clusters=np.array([COLD if c is None else c for _, _, c in case.stream], np.int64),
        query_clusters=np.array([COLD if c is None else c for c in case.clusters], np.int64),
        end_steps=np.array(case.ends, np.int64),
    )
    return pools, served


def _fast(case: Case) -> Replayed:
    pools, served = _arrays(case)
    return replay(lay_out(pools, served), served, case.params)


def _assert_equal(case: Case) -> None:
    fast = _fast(case)
    slow, state = reference.replay(
        case.pools, case.stream, dict(enumerate(case.clusters)), dict(enumerate(case.ends)), case.params
    )
    entries = zip(fast.entry_cluster.tolist(), fast.entry_document.tolist(), strict=True)
    read = {(c, d): state.read(c, d, case.ends[c % N_SCOPES], case.params) for c, d in state.s}
    assert dict(zip(entries, fast.entry_s.tolist(), strict=True)) == pytest.approx(read, abs=TOLERANCE, rel=0)
    documents = [candidate.document for query in sorted(case.pools) for candidate in case.pools[query]]
    competitors = [competitor for query in sorted(case.pools) for competitor in slow[query]]
    assert np.diff(fast.offsets).tolist() == [len(slow[query]) for query in sorted(case.pools)]
    assert [documents[row] for row in fast.rows] == [competitor.document for competitor in competitors]
    assert fast.r_init.tolist() == [competitor.r_init for competitor in competitors]
    np.testing.assert_allclose(fast.suppression, [c.suppression for c in competitors], rtol=0, atol=TOLERANCE)


@settings(max_examples=200, deadline=None)
@given(cases())
def test_replay_matches_reference(case: Case) -> None:
    _assert_equal(case)


@pytest.mark.parametrize("depth", [30, 200])
@pytest.mark.parametrize(
    ("rule_set", "decay"), [*((rule_set, Decay.WRITE) for rule_set in RuleSet), (RuleSet.RELEASED, Decay.READ)]
)
@pytest.mark.parametrize("rule", Rule)
def test_replay_matches_reference_at_full_depth(rule: Rule, rule_set: RuleSet, decay: Decay, depth: int) -> None:
    """Pools of study A's size and of adaptive depth, with ties as reciprocal ranks make them; clusters that move."""
    rng = np.random.default_rng(depth)
    pools = {}
    for query in range(12):
        documents = rng.choice(600, size=int(rng.integers(depth, 2 * depth)), replace=False)
        ranks = np.sort(rng.integers(0, depth, size=len(documents)))
        logits = rng.normal(-4, 5, size=len(documents)).round(1)
        pools[query] = [
            Candidate(int(document), float(1 / (60 + rank)), float(logit))
            for document, rank, logit in zip(documents, ranks, logits, strict=True)
        ]
    stream = [
        (step, int(query), None if step < 50 else _of_scope(int(query), int(rng.integers(3))))
        for step, query in enumerate(rng.integers(0, 12, size=400))
    ]
    clusters = [_of_scope(query, query % 3) for query in range(12)]
    params = RifParams(rule=rule, rule_set=rule_set, decay=decay)
    _assert_equal(Case(pools, stream, clusters, [400, 430] * 6, params))


@SETTINGS
@given(cases(), st.lists(st.integers(0, 40), max_size=3))
def test_a_stream_in_parts_is_the_stream(case: Case, cuts: list[int]) -> None:
    pools, served = _arrays(case)
    layout = lay_out(pools, served)
    state = new_state(layout)
    for start, stop in itertools.pairwise([0, *sorted(cuts), 40]):
        serve(layout, served.part(start, stop), case.params, state)
    parts, whole = evaluate(layout, served, case.params, state), replay(layout, served, case.params)
    assert parts.rows.tolist() == whole.rows.tolist()
    assert parts.entry_s.tolist() == whole.entry_s.tolist()


@SETTINGS
@given(cases(), cases())
def test_a_layout_serves_many_streams(case: Case, other: Case) -> None:
    """Laid out with another stream and its clusters too, and used before: the same, and nothing of it left behind."""
    pools, served = _arrays(case)
    n_queries = len(case.clusters)
    second = _arrays(other._replace(clusters=(other.clusters * n_queries)[:n_queries], ends=case.ends))[1]
    second = dataclasses.replace(second, queries=second.queries % n_queries)
    layout = lay_out(pools, second, served)
    replay(layout, second, other.params)
    alone, together = _fast(case), replay(layout, served, case.params)
    assert together.rows.tolist() == alone.rows.tolist()
    assert together.suppression.tolist() == alone.suppression.tolist()
    assert together.entry_document.tolist() == alone.entry_document.tolist()


@SETTINGS
@given(cases(), st.integers(0, 200))
def test_as_read_against_reference(case: Case, ahead: int) -> None:
    pools, served = _arrays(case)
    layout = lay_out(pools, served)
    state = new_state(layout)
    serve(layout, served, case.params, state)
    at = max(case.ends, default=0) + ahead
    _, truth = reference.replay(
        case.pools, case.stream, dict(enumerate(case.clusters)), dict(enumerate(case.ends)), case.params
    )
    entries = zip(layout.entry_cluster.tolist(), layout.entry_document.tolist(), strict=True)
    expected = [truth.read(cluster, document, at, case.params) for cluster, document in entries]
    np.testing.assert_allclose(as_read(state, case.params, at), expected, rtol=0, atol=TOLERANCE)


@SETTINGS
@given(cases())
def test_paper_literal_has_no_effect(case: Case) -> None:
    """The pool is cut before the penalty and all of it is reranked: whatever the state, nothing changes."""
    literal = case.params.model_copy(update={"rule_set": RuleSet.PAPER_LITERAL, "decay": Decay.WRITE})
    suppressed, untouched = _fast(case._replace(params=literal)), _fast(case._replace(params=literal, stream=[]))
    assert suppressed.rows.tolist() == untouched.rows.tolist()


@SETTINGS
@given(cases())
def test_a_cold_stream_has_no_effect(case: Case) -> None:
    cold = case._replace(stream=[(t, query, None) for t, query, _ in case.stream])
    result = _fast(cold)
    assert result.entry_s.size == 0
    assert result.rows.tolist() == _fast(case._replace(stream=[])).rows.tolist()


@SETTINGS
@given(cases())
def test_without_lambda_reading_and_writing_are_one(case: Case) -> None:
    results = [
        _fast(case._replace(params=case.params.model_copy(update={"decay": decay, "lambda_": 0.0}))) for decay in Decay
    ]
    assert results[0].rows.tolist() == results[1].rows.tolist()
    assert results[0].entry_s.tolist() == results[1].entry_s.tolist()


@SETTINGS
@given(cases())
def test_without_alpha_nothing_changes(case: Case) -> None:
    idle = case.params.model_copy(update={"alpha": 0.0})
    assert _fast(case._replace(params=idle)).rows.tolist() == _fast(case._replace(params=idle, stream=[])).rows.tolist()


@SETTINGS
@given(cases())
def test_suppression_is_within_its_bounds(case: Case) -> None:
    released = case.params.model_copy(update={"rule_set": RuleSet.RELEASED})
    s = _fast(case._replace(params=released)).entry_s
    assert all(0 <= value <= released.s_max for value in s)
    assert all(math.isfinite(value) for value in s)


@SETTINGS
@given(cases(), st.permutations(range(13)))
def test_renaming_documents_changes_nothing(case: Case, names: list[int]) -> None:
    renamed = {
        query: [Candidate(names[c.document], c.rrf, c.logit) for c in pool] for query, pool in case.pools.items()
    }
    ours, theirs = _fast(case), _fast(case._replace(pools=renamed))
    assert ours.rows.tolist() == theirs.rows.tolist()
    assert ours.suppression.tolist() == theirs.suppression.tolist()

"""The compiled engine and the plain reference are two implementations of one protocol: they must agree."""

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.simulation import reference
from tasks.simulation.reference import Candidate
from tasks.simulation.replay import Pools, Replayed, replay
from tasks.simulation.suppression import RifParams, Rule, RuleSet

TOLERANCE = 1e-12

SETTINGS = settings(max_examples=50, deadline=None)


class Case(NamedTuple):
    pools: dict[int, list[Candidate]]
    clusters: list[int]
    stream: list[tuple[int, int]]
    params: RifParams


# Few distinct values make ties of every kind; wide ones make everything else.
RRF = st.one_of(st.sampled_from([0.0, 1 / 60, 1 / 61, 1 / 60 + 1 / 61]), st.floats(0, 0.04))
LOGITS = st.one_of(st.sampled_from([-11.0, 0.0, 0.5, 8.0]), st.floats(-12, 12), st.floats(-800, 800))


@st.composite
def params(draw: st.DrawFn) -> RifParams:
    rate = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 2))
    return RifParams(
        rule=draw(st.sampled_from(Rule)),
        rule_set=draw(st.sampled_from(RuleSet)),
        alpha=draw(rate),
        eta=draw(rate),
        rho=draw(rate),
        lambda_=draw(rate),
        s_max=draw(rate),
        pool=draw(st.integers(1, 12)),
        winners=draw(st.integers(0, 6)),
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    n_queries = draw(st.integers(1, 6))
    pools = {}
    for query in range(n_queries):
        documents = draw(st.lists(st.integers(0, 12), unique=True, max_size=10))
        pools[query] = [Candidate(document, draw(RRF), draw(LOGITS)) for document in documents]
    n_clusters = draw(st.integers(1, n_queries))
    clusters = draw(st.lists(st.integers(0, n_clusters - 1), min_size=n_queries, max_size=n_queries))
    asked = draw(st.lists(st.tuples(st.integers(1, 4), st.integers(0, n_queries - 1)), max_size=40))
    steps = itertools.accumulate(gap for gap, _ in asked)
    return Case(pools, clusters, list(zip(steps, (query for _, query in asked), strict=True)), draw(params()))


def _fast(case: Case) -> Replayed:
    rows = [candidate for query in sorted(case.pools) for candidate in case.pools[query]]
    lengths = [len(case.pools[query]) for query in sorted(case.pools)]
    return replay(
        Pools(
            offsets=np.array([0, *itertools.accumulate(lengths)], np.int64),
            documents=np.array([row.document for row in rows], np.int64),
            rrf=np.array([row.rrf for row in rows], np.float64),
            logits=np.array([row.logit for row in rows], np.float64),
        ),
        np.array(case.clusters, np.int64),
        np.array([step for step, _ in case.stream], np.int64),
        np.array([query for _, query in case.stream], np.int64),
        case.params,
    )


def _assert_equal(case: Case) -> None:
    fast = _fast(case)
    slow, state = reference.replay(case.pools, dict(enumerate(case.clusters)), case.stream, case.params)
    entries = zip(fast.entry_cluster.tolist(), fast.entry_document.tolist(), strict=True)
    assert dict(zip(entries, fast.entry_s.tolist(), strict=True)) == pytest.approx(state.s, abs=TOLERANCE, rel=0)
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
@pytest.mark.parametrize("rule_set", RuleSet)
@pytest.mark.parametrize("rule", Rule)
def test_replay_matches_reference_at_full_depth(rule: Rule, rule_set: RuleSet, depth: int) -> None:
    """Pools of study A's size and of adaptive depth, with ties as reciprocal ranks make them."""
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
    stream = [(step, int(query)) for step, query in enumerate(rng.integers(0, 12, size=400))]
    _assert_equal(Case(pools, [query % 3 for query in range(12)], stream, RifParams(rule=rule, rule_set=rule_set)))


@SETTINGS
@given(cases())
def test_paper_literal_has_no_effect(case: Case) -> None:
    """The pool is cut before the penalty and all of it is reranked: whatever the state, nothing changes."""
    literal = case.params.model_copy(update={"rule_set": RuleSet.PAPER_LITERAL})
    suppressed, untouched = _fast(case._replace(params=literal)), _fast(case._replace(params=literal, stream=[]))
    assert suppressed.rows.tolist() == untouched.rows.tolist()


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

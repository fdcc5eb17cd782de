import numpy as np
import numpy.typing as npt
import pytest

from tasks.clusters.kmeans import assign_clusters
from tasks.records import BenchError
from tasks.simulation.cluster_sources import Asking, follow, in_clusters
from tasks.simulation.layout import COLD, Pools, Served, lay_out
from tasks.simulation.replay import Replayed, replay
from tasks.simulation.streams import ScopeStream
from tasks.simulation.suppression import RifParams

N_QUERIES = 40
N_STEPS = 400


def _vectors(n: int = N_QUERIES, width: int = 8, seed: int = 0) -> npt.NDArray[np.float32]:
    vectors = np.random.default_rng(seed).standard_normal((n, width))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def _stream(n_steps: int = N_STEPS, *, scope: int = 0, queries: npt.NDArray[np.int64] | None = None) -> ScopeStream:
    """A stream over `queries`; like the drawn ones, the shorter is the beginning of the longer. Step 3 is left out."""
    queries = np.arange(N_QUERIES) if queries is None else queries
    asked = queries[np.random.default_rng(scope).integers(0, len(queries), size=n_steps)]
    steps = np.flatnonzero(np.arange(n_steps) != 3)
    return ScopeStream(scope, n_steps, steps, asked[steps])


def _rif(**values: object) -> RifParams:
    return RifParams.model_validate({"clusters": 4, **values})


def _pooled(**values: object) -> Asking:
    return Asking(np.zeros(N_QUERIES, np.int64), is_pooled=True, **values)  # type: ignore[arg-type]


def _replayed(served: Served, params: RifParams) -> Replayed:
    rng = np.random.default_rng(5)
    pools = Pools(
        offsets=np.arange(N_QUERIES + 1) * 20,
        documents=np.concatenate([rng.permutation(60)[:20] for _ in range(N_QUERIES)]),
        rrf=np.tile(1 / (60 + np.arange(20) // 2), N_QUERIES),
        logits=rng.normal(-2, 4, size=N_QUERIES * 20),
    )
    params = params.model_copy(update={"pool": 10, "winners": 3})
    return replay(lay_out(pools, served), served, params)


@pytest.mark.parametrize("source", ["all-queries", "corpus"])
def test_fixed_sources_give_a_query_one_cluster(source: str) -> None:
    fitted = np.arange(N_QUERIES) % 4
    served = in_clusters([_stream()], _pooled(fitted=fitted), _rif(source=source))
    assert served.step_clusters.tolist() == fitted[served.queries].tolist()
    assert served.query_clusters.tolist() == fitted.tolist()
    assert 3 not in served.steps
    assert set(served.end_steps) == {N_STEPS}


def test_buffer_against_its_definition() -> None:
    """k-means over the vectors of the steps before 100, repetitions included; cold until then; frozen after."""
    vectors, stream = _vectors(), _stream()
    served = in_clusters([stream], _pooled(vectors=vectors), _rif(source="buffer", burn_in=100))
    buffer = [query for step, query in zip(stream.steps, stream.queries, strict=True) if step < 100]
    assert len(buffer) == 99, "step 3 asked nobody"
    of_buffer = dict(zip(buffer, assign_clusters(vectors[buffer], 4).tolist(), strict=True))
    for step, query, cluster in zip(served.steps, served.queries, served.step_clusters, strict=True):
        assert cluster == (COLD if step < 100 else of_buffer.get(query, served.query_clusters[query]))
    assert all(served.query_clusters[query] == cluster for query, cluster in of_buffer.items())
    assert len(set(served.query_clusters)) == 4


@pytest.mark.parametrize("source", ["buffer", "online"])
def test_the_later_stream_does_not_reach_the_buffer(source: str) -> None:
    """No peeking: what is asked after step t changes no cluster of a step before it."""
    stream = _stream()
    other = np.where(stream.steps < 200, stream.queries, (stream.queries + 7) % N_QUERIES)
    rif = _rif(source=source, burn_in=100)
    first = in_clusters([stream], _pooled(vectors=_vectors()), rif)
    second = in_clusters([ScopeStream(0, N_STEPS, stream.steps, other)], _pooled(vectors=_vectors()), rif)
    before = first.steps < 200
    assert first.step_clusters[before].tolist() == second.step_clusters[before].tolist()
    assert first.queries[~before].tolist() != second.queries[~before].tolist()


def test_online_against_hand_computed() -> None:
    """Two centroids of 1 and 3 members; a vector is assigned first, then a fraction 1 / n of the way is gone."""
    centroids, counts = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1, 3])
    vectors = np.array([[0.6, 0.8], [0.8, 0.6], [0.8, 0.6]], np.float32)
    clusters, moved = follow(vectors, centroids, counts)
    # [0.6, 0.8] goes to 1: (0, 1) + ((0.6, 0.8) - (0, 1)) / 4 = (0.15, 0.95). [0.8, 0.6] meets 0.8 and 0.69, goes to 0:
    # (1, 0) + (-0.2, 0.6) / 2 = (0.9, 0.3); then 0.9 and 0.69, to 0 again: (0.9, 0.3) + (-0.1, 0.3) / 3.
    assert clusters.tolist() == [1, 0, 0]
    np.testing.assert_allclose(moved, [[0.9 - 0.1 / 3, 0.4], [0.15, 0.95]], atol=1e-7)
    assert centroids.tolist() == [[1.0, 0.0], [0.0, 1.0]], "the argument is not changed"


def test_online_centroid_is_the_mean_of_its_members() -> None:
    """A running mean is the mean: of one cluster, whatever the order."""
    vectors = _vectors(30)
    _, moved = follow(vectors[10:], vectors[:10].astype(np.float64).mean(axis=0, keepdims=True), np.array([10]))
    np.testing.assert_allclose(moved[0], vectors.astype(np.float64).mean(axis=0), atol=1e-12)


def test_a_centroid_without_members_becomes_its_first() -> None:
    vectors = np.array([[0.0, 1.0]], np.float32)
    clusters, moved = follow(vectors, np.array([[1.0, 0.0], [0.1, 0.5]]), np.array([4, 0]))
    assert clusters.tolist() == [1]
    assert moved[1].tolist() == [0.0, 1.0]


def test_online_evaluation_asks_the_final_centroids() -> None:
    stream, vectors = _stream(), _vectors()
    frozen = in_clusters([stream], _pooled(vectors=vectors), _rif(source="buffer", burn_in=50))
    online = in_clusters([stream], _pooled(vectors=vectors), _rif(source="online", burn_in=50))
    assert online.step_clusters[:49].tolist() == [COLD] * 49
    assert online.step_clusters[49] == frozen.step_clusters[49], "assigned before anything moved"
    assert online.query_clusters.tolist() != frozen.query_clusters.tolist()
    met = {int(query): int(cluster) for query, cluster in zip(online.queries, online.step_clusters, strict=True)}
    later = {(int(q), int(c)) for q, c in zip(online.queries[49:], online.step_clusters[49:], strict=True)}
    assert len(later) > len({query for query, _ in later}), "a query can change its cluster"
    assert sum(met[query] == online.query_clusters[query] for query in met) > N_QUERIES / 2


@pytest.mark.parametrize("source", ["buffer", "online"])
def test_burn_in_of_all_steps_learns_nothing_and_of_half_learns_in_the_other(source: str) -> None:
    """The paper's third version, 5,000 of 5,000 steps, and what it needs to learn: 10,000."""
    rif = _rif(source=source, burn_in=N_STEPS)
    once = in_clusters([_stream()], _pooled(vectors=_vectors()), rif)
    twice = in_clusters([_stream(2 * N_STEPS)], _pooled(vectors=_vectors()), rif)
    assert set(once.step_clusters.tolist()) == {COLD}
    assert _replayed(once, rif).entry_s.size == 0
    assert _replayed(once, rif).rows.tolist() == _replayed(once.part(0, 0), rif).rows.tolist()
    is_cold = twice.steps < N_STEPS
    assert (twice.step_clusters == COLD).tolist() == is_cold.tolist()
    assert _replayed(twice, rif).rows.tolist() != _replayed(once, rif).rows.tolist()


def test_steps_cut_a_longer_stream_to_the_shorter_one() -> None:
    for values in ({}, {"source": "online", "burn_in": 100}):
        asking = _pooled(vectors=_vectors(), fitted=np.arange(N_QUERIES) % 4)
        cut = in_clusters([_stream(2 * N_STEPS)], asking, _rif(steps=N_STEPS, **values))
        short = in_clusters([_stream()], asking, _rif(**values))
        for ours, theirs in zip(
            (cut.steps, cut.queries, cut.step_clusters, cut.query_clusters, cut.end_steps),
            (short.steps, short.queries, short.step_clusters, short.query_clusters, short.end_steps),
            strict=True,
        ):
            assert ours.tolist() == theirs.tolist()


def test_more_steps_than_a_stream_has_is_an_error() -> None:
    with pytest.raises(BenchError, match="steps=401, but the longest stream has 400 steps"):
        in_clusters([_stream()], _pooled(fitted=np.zeros(N_QUERIES, np.int64)), _rif(steps=401))


@pytest.mark.parametrize("source", ["all-queries", "buffer", "online"])
def test_each_scope_has_its_own_clusters_and_its_own_stream(source: str) -> None:
    """Two scopes together are the two alone, numbered apart; a stream that is shorter than the burn-in stays cold."""
    even, odd = np.arange(0, N_QUERIES, 2), np.arange(1, N_QUERIES, 2)
    values = {} if source == "all-queries" else {"source": source, "burn_in": 60}
    asking = Asking(
        np.arange(N_QUERIES) % 2,
        is_pooled=False,
        fitted=np.arange(N_QUERIES) // 2 % 2 if source == "all-queries" else None,
        vectors=None if source == "all-queries" else _vectors(),
    )
    first, second = _stream(200, queries=even), _stream(100, scope=1, queries=odd)
    both = in_clusters([first, second], asking, _rif(**values))
    lone = in_clusters([first], asking, _rif(**values))
    in_first = np.arange(len(both.steps)) < 199
    assert both.step_clusters[in_first].tolist() == lone.step_clusters.tolist()
    assert both.query_clusters[even].tolist() == lone.query_clusters[even].tolist()
    assert set(both.query_clusters[even]) == {0, 1}, "20 queries of a conversation: K = 2"
    assert set(both.query_clusters[odd]) == {4, 5}
    assert both.end_steps[:2].tolist() == [200, 100]
    if source != "all-queries":
        short = in_clusters([first, _stream(50, scope=1, queries=odd)], asking, _rif(**values))
        assert set(short.query_clusters[odd]) == {COLD}
        assert short.query_clusters[even].tolist() == lone.query_clusters[even].tolist()


def test_more_clusters_than_retrievals_in_the_buffer() -> None:
    served = in_clusters([_stream()], _pooled(vectors=_vectors()), _rif(clusters=30, source="buffer", burn_in=6))
    assert len(set(served.query_clusters.tolist())) == 5  # five retrievals of five queries; step 3 asked nobody


def test_a_buffer_in_which_nobody_asked_stays_cold() -> None:
    stream = ScopeStream(0, 9, np.arange(5, 9), np.arange(4))
    served = in_clusters([stream], _pooled(vectors=_vectors()), _rif(source="buffer", burn_in=5))
    assert set(served.step_clusters) == set(served.query_clusters) == {COLD}


@pytest.mark.parametrize(
    ("values", "words"),
    [({}, "came without clusters"), ({"source": "buffer", "burn_in": 5}, "came without query vectors")],
)
def test_what_a_source_needs_is_an_error_without_it(values: dict[str, object], words: str) -> None:
    with pytest.raises(BenchError, match=words):
        in_clusters([_stream()], _pooled(), _rif(**values))


def test_no_queries_and_no_streams() -> None:
    nobody = Asking(np.empty(0, np.int64), is_pooled=True, fitted=np.empty(0, np.int64))
    served = in_clusters([], nobody, _rif())
    assert served.steps.size == served.query_clusters.size == 0

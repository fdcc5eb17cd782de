import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tasks.embeddings.plan import cut_batches, cut_shards

LENGTHS = st.lists(st.integers(min_value=1, max_value=256), max_size=200).map(sorted)
BUDGET = st.integers(min_value=1, max_value=4_096)


@given(LENGTHS, BUDGET)
def test_batches_keep_order_and_budget(lengths: list[int], budget: int) -> None:
    batch_of = cut_batches(lengths, budget)
    assert len(batch_of) == len(lengths)
    assert np.isin(np.diff(batch_of), [0, 1]).all()
    for batch in np.unique(batch_of):
        members = np.array(lengths)[batch_of == batch]
        assert len(members) == 1 or members.max() * len(members) <= budget


@given(LENGTHS, BUDGET)
def test_batches_are_as_full_as_they_may_be(lengths: list[int], budget: int) -> None:
    batch_of = cut_batches(lengths, budget)
    for batch in range(batch_of.max(initial=0)):
        n_members, next_length = int((batch_of == batch).sum()), lengths[int(np.argmax(batch_of == batch + 1))]
        assert next_length * (n_members + 1) > budget


@given(LENGTHS, BUDGET, BUDGET)
def test_shards_are_whole_batches_of_about_the_wanted_size(lengths: list[int], budget: int, wanted: int) -> None:
    batch_of = cut_batches(lengths, budget)
    shard_of = cut_shards(lengths, batch_of, wanted)
    assert np.isin(np.diff(shard_of), [0, 1]).all()
    for batch in np.unique(batch_of):
        assert len(np.unique(shard_of[batch_of == batch])) == 1
    for shard in range(shard_of.max(initial=0)):
        tokens = np.array(lengths)[shard_of == shard].sum()
        last_batch = batch_of[shard_of == shard].max()
        without_last = np.array(lengths)[(shard_of == shard) & (batch_of != last_batch)].sum()
        assert without_last < wanted <= tokens


def test_plan_of_nothing_is_empty() -> None:
    assert cut_batches([], 10).tolist() == []
    assert cut_shards([], cut_batches([], 10), 10).tolist() == []

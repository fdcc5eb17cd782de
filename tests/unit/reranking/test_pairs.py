import hashlib
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tasks.reranking.pairs import cut_pairs, estimated_tokens, pair_key

PAIRS = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(min_value=1, max_value=512)), max_size=80)


def test_pair_key_against_hand_computed() -> None:
    assert pair_key("why?", "because") == hashlib.sha256(b"why?\x1fbecause").hexdigest()[:32]


def test_estimate_never_exceeds_what_the_model_reads() -> None:
    assert estimated_tokens("", "") == 3
    assert estimated_tokens("x" * 10_000, "y" * 50_000) == 512


@given(PAIRS, st.integers(min_value=1, max_value=1_000))
def test_a_pair_is_in_exactly_one_shard_and_shards_are_even(pairs: list[tuple[str, int]], wanted: int) -> None:
    cost_of = dict(reversed(pairs))  # the first cost of a key counts
    table = cut_pairs([key for key, _ in pairs], [cost for _, cost in pairs], wanted)
    keys, shards = table["pair_key"].to_list(), table["shard_index"].to_list()
    assert keys == list(dict.fromkeys(key for key, _ in pairs))
    assert all(after - before in {0, 1} for before, after in pairwise(shards))
    for shard in range(max(shards, default=0)):
        costs = [cost_of[key] for key, of in zip(keys, shards, strict=True) if of == shard]
        assert sum(costs[:-1]) < wanted <= sum(costs)

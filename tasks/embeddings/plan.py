"""Which texts are encoded together: batches of equal length within a budget of tokens, and shards of whole batches.

A vector depends on the composition of its batch in its last digits, so the plan is a result of its own: the same texts
always meet in the same batches, whatever order they came in and wherever a run was interrupted.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]


def cut_batches(n_tokens: Sequence[int] | npt.NDArray[np.integer], batch_tokens: int) -> Ints:
    """Return the batch of each text, shape (n,), for texts already sorted by `n_tokens`.

    A batch costs its longest text times its number of texts (shorter ones are padded); this padded cost is at most
    `batch_tokens`, except that a single text always fits.

    >>> cut_batches([3, 3, 4, 9], batch_tokens=10).tolist()
    [0, 0, 1, 2]
    """
    batch_of = np.zeros(len(n_tokens), dtype=np.int32)
    batch = n_texts = 0
    for index, length in enumerate(n_tokens):
        if n_texts and int(length) * (n_texts + 1) > batch_tokens:
            batch, n_texts = batch + 1, 0
        batch_of[index] = batch
        n_texts += 1
    return batch_of


def cut_shards(n_tokens: Sequence[int] | npt.NDArray[np.integer], batch_of: Ints, shard_tokens: int) -> Ints:
    """Return the shard of each text, shape (n,): whole batches, about `shard_tokens` tokens each.

    Cut by tokens and not by texts, so that every shard takes about as long as the others.

    >>> cut_shards([3, 3, 4, 9], cut_batches([3, 3, 4, 9], 10), shard_tokens=8).tolist()
    [0, 0, 0, 1]
    """
    shard_of = np.zeros(len(n_tokens), dtype=np.int32)
    shard = n_before = 0
    for index, length in enumerate(n_tokens):
        starts_batch = index > 0 and batch_of[index] != batch_of[index - 1]
        if starts_batch and n_before >= shard_tokens:
            shard, n_before = shard + 1, 0
        shard_of[index] = shard
        n_before += int(length)
    return shard_of

"""Named random streams from one run seed.

Each use of randomness has a name, so that adding one never shifts the numbers of another.
"""

import hashlib

import numpy as np


def generator(seed: int, *names: str | int) -> np.random.Generator:
    """Return the generator of a named stream.

    The name is hashed (SHA-256) into the entropy of a `numpy.random.SeedSequence`, after numpy's own advice for
    independent streams.

    >>> generator(7, "bootstrap", "nDCG@10").random() == generator(7, "bootstrap", "nDCG@10").random()
    True
    >>> generator(7, "bootstrap").random() == generator(7, "permutation").random()
    False
    """
    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.default_rng(np.random.SeedSequence([seed, *words]))


def opaque_key(name: str, *, seed: int = 0) -> str:
    """Return 16 hexadecimal digits that reveal nothing of `name` (keyed BLAKE2b, 64 bits).

    >>> opaque_key("answer_4be1b6b4_t0") == opaque_key("answer_4be1b6b4_t0")
    True
    >>> opaque_key("a") == opaque_key("a", seed=1)
    False
    """
    key = seed.to_bytes(8, "little", signed=True)
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, key=key).hexdigest()

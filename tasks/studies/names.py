"""Names that the declarations of studies share: data sets, and how the name of a variant or a sample is made.

Names are those of `tasks.simulation.variants`, which knows what a variant uses and what is the default.
"""

from collections.abc import Mapping
from functools import cache

from tasks.simulation.variants import parameter_names, parse

Settings = Mapping[str, object]

LONGMEMEVAL, NFCORPUS, LOCOMO = "longmemeval-s", "nfcorpus", "locomo"
DATASET_LABELS = {LONGMEMEVAL: "LongMemEval-S", NFCORPUS: "NFCorpus", LOCOMO: "LoCoMo"}


def variant(kind: str, *settings: Settings) -> str:
    """Return a variant's canonical name; later settings win, and what the variant does not use is left out.

    >>> variant("rif", {"tokenizer": "split", "ties": "released"}, {"rule": "gap", "clusters": 30})
    'rif(rule=gap,clusters=30,tokenizer=split,ties=released)'
    >>> variant("dense", {"tokenizer": "split", "ties": "released"})
    'dense(ties=released)'
    """
    given: dict[str, object] = {}
    for part in settings:
        given |= part
    used = [f"{name}={given[name]}" for name in parameter_names(kind) if name in given]
    return _canonical(f"{kind}({','.join(used)})")


@cache
def _canonical(text: str) -> str:
    """Return the name that a variant goes by; the declarations ask for the same few some thousand times."""
    return str(parse(text))


def with_parameter(protocol: str, parameter: str) -> str:
    """Return the protocol with one more parameter.

    >>> with_parameter("pooled-turn(relevance=study-a)", "sample=200")
    'pooled-turn(relevance=study-a,sample=200)'
    """
    return f"{protocol[:-1]},{parameter})" if protocol.endswith(")") else f"{protocol}({parameter})"


def sampled(protocol: str, n: int) -> str:
    """Return the protocol that asks only `n` of the questions.

    >>> sampled("haystack-session", 150)
    'haystack-session(sample=150)'
    """
    return with_parameter(protocol, f"sample={n}")

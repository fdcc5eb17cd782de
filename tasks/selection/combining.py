"""The weight of BM25 where two scores become one: what may be asked for, in a step as in a variant's name."""

from typing import Annotated, Literal

from pydantic import Field

HELD_OUT: Literal["held-out"] = "held-out"
Alpha = Annotated[float, Field(ge=0, le=1)] | Literal["held-out"]
"""A fixed weight, or one that is chosen for each fold on the questions of the others."""

_WEIGHED = ("z", "minmax")


def fitting_weight(alpha: float | str, combine: str | None) -> float | str:
    """Return the weight; raises `ValueError` for a number where the combination has none.

    `combine` is None where it was refused itself.
    """
    if combine not in (*_WEIGHED, None) and alpha != HELD_OUT:
        raise ValueError(f"combine={combine} has no fixed weight; leave alpha out")
    return alpha

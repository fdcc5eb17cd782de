"""What a declaration of a study is made of: a published number's counterpart, a family of tests, two readings."""

from dataclasses import dataclass
from enum import StrEnum

NDCG = "nDCG(dcg='exp-log2')@10"
POOL_RECALL = "pool_R@30"
RECALL_10 = "R@10"
STATE_MEASURES = ("n_entries_above", "n_documents_above", "share_of_documents_above")
"""Measures of the suppression that a stream leaves behind; they are of the state, not of single questions."""


class Statistic(StrEnum):
    """What is computed from a variant's values."""

    MEAN = "mean"
    """Mean over the questions; of a state, its value."""
    DIFFERENCE = "difference"
    """Mean of the paired difference to `against`."""
    RELATIVE = "relative difference"
    """That difference over the mean of `against`."""
    P = "p"
    """Two-sided p of that difference, not adjusted."""
    P_ONE_SIDED = "one-sided p"
    """Share of the resamples in which that difference is 0 or less (study B)."""
    N = "n"
    """Questions that have a value."""


@dataclass(frozen=True, slots=True)
class Source:
    """Our side of a number that is no mean over our values: a column of a table of the report, at one line.

    Attributes
    ----------
    table
        Name of the table; its lines are of the quantity's protocol, and of its variant and measure where it has such
        columns.
    line
        What else tells the line, by column.
    column
        What is read.
    over
        Where it is given, the number is the sum of `column` over the sum of this column, of all lines.
    """

    table: str
    line: tuple[tuple[str, str | float], ...]
    column: str
    over: str | None = None


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something we measure.

    Attributes
    ----------
    protocol, variant, measure
        Canonical names.
    statistic, against
        What is computed; `against` is the variant that a difference is taken to.
    question_type
        Only questions of this type; None for all.
    block
        Only questions of this block, `all` for those of every block; None for those that count.
    group
        Only questions of this group, as (grouped by, group) of the table `query_groups`; None for all.
    source
        Where our side stands when it is no statistic of per-query values.
    step
        Of a state: after so many steps; None at the end of the stream.
    """

    protocol: str
    variant: str
    measure: str
    statistic: Statistic = Statistic.MEAN
    against: str | None = None
    question_type: str | None = None
    step: int | None = None
    block: str | None = None
    group: tuple[str, str] | None = None
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """The place of a published number: a file, the line with these values, a column, and those of its interval.

    Attributes
    ----------
    decimals
        Decimals that were printed, where the file does not show them: it dropped trailing zeros.
    is_percent
        Whether it is in per cent or percentage points: ours are shares.
    """

    file: str
    line: tuple[tuple[str, str], ...]
    column: str
    lo: str | None = None
    hi: str | None = None
    decimals: int | None = None
    is_percent: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a table: what of ours it is, and where it was published; None where nobody did.

    A cell that is not judged shows both numbers and says nothing about them: they are of two machines.
    """

    table: str
    dataset: str
    row: str
    column: str
    quantity: Quantity
    where: Where | None = None
    is_judged: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the study at a place where text and code differ.

    Attributes
    ----------
    label
        The reading in words.
    dataset, quantity
        What is measured under it.
    group
        Readings of one place are set against the first of the same data set, measure, statistic and group.
    claim
        A number of the text (`rif_text_claims.csv`) that this reading should give.
    """

    label: str
    dataset: str
    quantity: Quantity
    group: str = ""
    claim: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A place where the study's text and code differ, or text and its own tables.

    Attributes
    ----------
    name, protocol_section
        A short name, and where the protocol describes it.
    text, code
        What the text says, and what the code does (or the table shows).
    readings
        What we measure; the first of a group is the code's.
    """

    name: str
    protocol_section: str
    text: str
    code: str
    readings: tuple[Reading, ...]

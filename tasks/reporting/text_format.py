"""How numbers and data text are printed: one function for each kind, so that a number looks the same everywhere."""

import re
from collections.abc import Iterable, Sequence
from math import isfinite, isnan

UNDEFINED = "–"
_MARKDOWN = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;"} | {mark: f"\\{mark}" for mark in "\\`*_[]|~$#"}
_LINK = re.compile(r"(?i)(?<=[a-z])://|(?<=\bwww)\.")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]+")


def number(value: float | None) -> str:
    """Print a value of a measure to four places.

    >>> number(0.29604), number(float("nan")), number(None)
    ('0.2960', '–', '–')
    """
    return UNDEFINED if value is None or isnan(value) else f"{value:.4f}"


def signed(value: float | None) -> str:
    """Print a difference to four places, with its sign unless it rounds to zero.

    >>> signed(0.0123), signed(-0.00001), signed(float("nan"))
    ('+0.0123', '0.0000', '–')
    """
    if value is None or isnan(value):
        return UNDEFINED
    return "0.0000" if abs(value) < 0.00005 else f"{value:+.4f}"


def interval(lo: float | None, hi: float | None, *, is_difference: bool = False) -> str:
    """Print an interval in brackets.

    >>> interval(0.1, 0.25)
    '[0.1000, 0.2500]'
    """
    print_one = signed if is_difference else number
    return f"[{print_one(lo)}, {print_one(hi)}]"


def estimate(mean: float | None, lo: float | None, hi: float | None, *, is_difference: bool = False) -> str:
    """Print a number with its interval; one dash when there is no number."""
    if mean is None or not isfinite(mean):
        return UNDEFINED
    return f"{signed(mean) if is_difference else number(mean)} {interval(lo, hi, is_difference=is_difference)}"


def p_value(p: float | None) -> str:
    """Print a p-value: four places, and a bound where these would show zero.

    >>> p_value(0.04321), p_value(0.00001), p_value(float("nan"))
    ('0.0432', '< 0.0001', '–')
    """
    if p is None or isnan(p):
        return UNDEFINED
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def share(value: float | None) -> str:
    """Print a share as a percentage with one place.

    >>> share(0.4567)
    '45.7 %'
    """
    return UNDEFINED if value is None or isnan(value) else f"{100 * value:.1f} %"


def seconds(value: float) -> str:
    """Print a duration.

    >>> seconds(0.04), seconds(75.2), seconds(3725)
    ('0.0 s', '1 min 15 s', '1 h 02 min')
    """
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def size(n_bytes: int) -> str:
    """Print a size in decimal units.

    >>> size(999), size(2_805_274)
    ('999 B', '2.8 MB')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= factor:
            return f"{n_bytes / factor:.1f} {unit}"
    return f"{n_bytes} B"


def escape(text: object) -> str:
    r"""Return text from data such that Markdown and HTML show it and obey none of it: no tags, links, tables, mentions.

    Control characters, and those that reorder text, become one space.

    >>> escape("<script>|a_b")
    '&lt;script&gt;\\|a\\_b'
    """
    plain = _CONTROL.sub(" ", str(text))
    marked = "".join(_MARKDOWN.get(character, character) for character in plain)
    return _LINK.sub(lambda found: found[0].replace(":", "&#58;").replace(".", "&#46;"), marked)


def shortened(text: str, width: int = 200) -> str:
    """Return text of at most `width` characters: its middle is left out, ids often differ at their end.

    >>> shortened("session-1-turn-17", width=9)
    'sess…n-17'
    """
    if len(text) <= width:
        return text
    kept = width - 1
    return f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], align: str) -> list[str]:
    """Return the lines of a Markdown table. `align` holds `l` or `r` per column; cells must be escaped already."""
    marks = {"l": ":--", "r": "--:"}
    lines = [header, [marks[side] for side in align], *rows]
    return ["| " + " | ".join(line) + " |" for line in lines] + [""]

"""Strict readers of the dates in raw files: one format each, whatever the locale, anything else is an error."""

import re
from datetime import datetime

from tasks.corpora.tables import shown
from tasks.records import BenchError

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_LOCOMO = re.compile(r"([0-9]{1,2}):([0-9]{2}) (am|pm) on ([0-9]{1,2}) ([A-Z][a-z]+), ([0-9]{4})")
_LONGMEMEVAL = re.compile(r"([0-9]{4})/([0-9]{2})/([0-9]{2}) \(([A-Z][a-z]{2})\) ([0-9]{2}):([0-9]{2})")


def parse_locomo_date(text: str) -> datetime:
    """Return the time in LoCoMo's format; it has no zone.

    Raises
    ------
    BenchError
        For any other format, or a time that is not in the calendar.

    >>> parse_locomo_date("1:56 pm on 8 May, 2023")
    datetime.datetime(2023, 5, 8, 13, 56)
    """
    match = _LOCOMO.fullmatch(text)
    try:
        if match is None or not 1 <= int(match[1]) <= 12:
            raise ValueError(text)
        hour, minute, half, day, month, year = match.groups()
        hour_of_day = int(hour) % 12 + (12 if half == "pm" else 0)
        return datetime(int(year), _MONTHS.index(month) + 1, int(day), hour_of_day, int(minute))
    except ValueError as error:
        raise BenchError(f"{shown(text)} came; expected a date such as '1:56 pm on 8 May, 2023'") from error


def parse_longmemeval_date(text: str) -> datetime:
    """Return the time in LongMemEval's format, whose weekday must be right; it has no zone.

    Raises
    ------
    BenchError
        For any other format, a time that is not in the calendar, or another weekday.

    >>> parse_longmemeval_date("2023/05/28 (Sun) 19:47")
    datetime.datetime(2023, 5, 28, 19, 47)
    """
    match = _LONGMEMEVAL.fullmatch(text)
    try:
        if match is None:
            raise ValueError(text)
        year, month, day, weekday, hour, minute = match.groups()
        date = datetime(int(year), int(month), int(day), int(hour), int(minute))
        if _WEEKDAYS[date.weekday()] != weekday:
            raise ValueError(weekday)
    except ValueError as error:
        raise BenchError(
            f"{shown(text)} came; expected a date with its right weekday, such as '2023/05/28 (Sun) 19:47'"
        ) from error
    return date

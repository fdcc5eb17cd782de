"""What a study published, read from `data/published/<study>/`: single numbers with their digits; per-query values."""

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tasks.files import CHECKOUT, json_digest, sha256_of
from tasks.records import BenchError
from tasks.studies.declared import NDCG, POOL_RECALL, Where
from tasks.studies.names import LONGMEMEVAL, NFCORPUS

FOLDER = CHECKOUT / "data" / "published"
STUDY_A, STUDY_B = "study-a", "study-b"
_PER_QUERY = {
    STUDY_A: {LONGMEMEVAL: "rif_longmemeval_per_query.json", NFCORPUS: "rif_nfcorpus_per_query.json"},
    STUDY_B: {},
}
"""By study and data set: the file with its per-query values, where it published any."""
_CLAIMS = "rif_text_claims.csv"
PerQuery = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Number:
    """A published number: its value, the decimals that were printed, and its interval where one was."""

    value: float
    decimals: int
    lo: float | None = None
    hi: float | None = None

    def equals(self, value: float) -> bool:
        """Whether a value, rounded to the printed decimals, is the published number.

        >>> Number(0.296, 4).equals(0.29604), Number(0.296, 4).equals(0.2961)
        (True, False)
        """
        return f"{value:.{self.decimals}f}" == f"{self.value:.{self.decimals}f}"

    @property
    def as_share(self) -> "Number":
        """A number of per cent, as a share.

        >>> Number(13.5, 2, 12.25, None).as_share
        Number(value=0.135, decimals=4, lo=0.1225, hi=None)
        """
        lo, hi = (None if end is None else round(end / 100, self.decimals + 2) for end in (self.lo, self.hi))
        return Number(round(self.value / 100, self.decimals + 2), self.decimals + 2, lo, hi)


class Published:
    """The published files of a study, which has its name; in its own folder unless another is given.

    Raises
    ------
    BenchError
        When there is no such study, a file is missing, or a declared place is not exactly one number in it.
    """

    def __init__(self, study: str = STUDY_A, folder: Path | None = None) -> None:
        if study not in _PER_QUERY:
            raise BenchError(f"no study {study!r} was published; expected one of {', '.join(_PER_QUERY)}")
        self.study = study
        self.folder = folder or FOLDER / study
        self._lines: dict[str, list[dict[str, str]]] = {}

    @cached_property
    def digest(self) -> str:
        """SHA-256 over names and content of the files: an ingredient of whatever is computed from them."""
        return json_digest({path.name: sha256_of(path) for path in sorted(self.folder.iterdir()) if path.is_file()})

    def number(self, where: Where) -> Number:
        """Return the number at a place.

        Its decimals, unless the place says them, are the most that its column shows for the data set: the files
        dropped trailing zeros.
        """
        wanted = dict(where.line)
        lines = self._read(where.file)
        found = [line for line in lines if all(line.get(name) == value for name, value in wanted.items())]
        if len(found) != 1 or not found[0].get(where.column):
            raise BenchError(
                f"{where.file}: {len(found)} lines with {wanted} and a number in column {where.column}; expected one"
            )
        same = [line[where.column] for line in lines if line.get("dataset") == found[0].get("dataset")]
        decimals = max(map(_decimals, same)) if where.decimals is None else where.decimals
        lo, hi = (float(found[0][end]) if end and found[0].get(end) else None for end in (where.lo, where.hi))
        number = Number(float(found[0][where.column]), decimals, lo, hi)
        return number.as_share if where.is_percent else number

    def claim(self, name: str) -> Number:
        """Return a number that stands in the text only."""
        (text,) = [line["value"] for line in self._read(_CLAIMS) if line["claim"] == name] or [""]
        if not text:
            raise BenchError(f"{_CLAIMS} has no claim {name!r}")
        return Number(float(text), _decimals(text))

    def per_query(self, dataset: str, row: str, measure: str) -> PerQuery | None:
        """Return the published values of a row of the main table by query id; None where there are none."""
        if dataset not in _PER_QUERY[self.study] or measure not in (NDCG, POOL_RECALL):
            return None
        return self._per_query[dataset].get((row, measure))

    @cached_property
    def _per_query(self) -> dict[str, dict[tuple[str, str], PerQuery]]:
        return {dataset: self._configs(name) for dataset, name in _PER_QUERY[self.study].items()}

    def _configs(self, name: str) -> dict[tuple[str, str], PerQuery]:
        content = json.loads(self._text(name))
        found: dict[tuple[str, str], PerQuery] = {}
        for config in content["configs"]:
            row = config["name"].replace("-original", "-uniform")  # the study's word for the uniform rule
            for measure, values in ((NDCG, config["ndcg"]), (POOL_RECALL, config["recall"])):
                found[row, measure] = dict(zip(content["queries"], values, strict=True))
        return found

    def _read(self, name: str) -> list[dict[str, str]]:
        if name not in self._lines:
            self._lines[name] = list(csv.DictReader(self._text(name).splitlines()))
        return self._lines[name]

    def _text(self, name: str) -> str:
        path = self.folder / name
        try:
            return path.read_text(encoding="utf-8")
        except OSError as error:
            raise BenchError(
                f"{path}: {error.strerror}; expected a published file of {self.study} (data/published)"
            ) from error


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])

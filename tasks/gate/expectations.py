"""What the gate expects of a run: `data/expectations.toml`, every bound with its reason."""

import tomllib
from pathlib import Path

from pydantic import Field, ValidationError

from tasks.files import CHECKOUT
from tasks.records import BenchError, Params

EXPECTATIONS = CHECKOUT / "data" / "expectations.toml"


class Margin(Params):
    """The loss that is tolerated in a measure, on every data set or on one, and why that much."""

    measure: str
    dataset: str | None = None
    margin: float = Field(ge=0, allow_inf_nan=False)
    reason: str = Field(min_length=1)


class QualityRule(Params):
    """How quality is guarded.

    Attributes
    ----------
    level
        Probability of any false alarm in a run on one data set where nothing got worse.
    measures
        Guarded ones; the main measure of a run is guarded too.
    margin
        Loss that is tolerated where no entry says otherwise.
    margins
        Entries for single measures, and for a measure on a data set; the latter comes first.
    """

    level: float = Field(gt=0, lt=0.5)
    level_reason: str = Field(min_length=1)
    measures: tuple[str, ...] = Field(min_length=1)
    margin: float = Field(ge=0, allow_inf_nan=False)
    margin_reason: str = Field(min_length=1)
    margins: tuple[Margin, ...] = ()

    def margin_of(self, dataset: str, measure: str) -> float:
        """Return the tolerated loss in a measure on a data set."""
        fitting = [entry for entry in self.margins if entry.measure == measure and entry.dataset in (dataset, None)]
        return min(fitting, key=lambda entry: entry.dataset is None).margin if fitting else self.margin


class ExactRule(Params):
    """Which artifacts must be equal bit by bit.

    Attributes
    ----------
    inexact_stages
        Stages whose bytes may depend on the processor.
    measured_by
        Stages, or `stage/step`, whose parameters say what is measured: with others, runs are not comparable.
    """

    inexact_stages: tuple[str, ...] = ()
    inexact_reason: str = Field(min_length=1)
    measured_by: tuple[str, ...] = ()
    measured_by_reason: str = Field(min_length=1)


class CostRule(Params):
    """When a stage has become slower, bigger or recomputes what it need not (`tasks.gate.cost`).

    Attributes
    ----------
    window, at_least
        The level is that of the last `window` comparable runs; before `at_least` of them there is no verdict.
    deviations
        Robust standard deviations above the median.
    share, seconds, megabytes
        A smaller step than this share of the median, or than this, is never an alarm.
    fails
        Whether an alarm fails the run.
    """

    window: int = Field(ge=3)
    at_least: int = Field(ge=3)
    deviations: float = Field(gt=0)
    share: float = Field(ge=0)
    seconds: float = Field(ge=0)
    megabytes: float = Field(ge=0)
    fails: bool
    reason: str = Field(min_length=1)


class Expectations(Params):
    """All of the file."""

    quality: QualityRule
    exact: ExactRule
    cost: CostRule


def load_expectations(path: Path = EXPECTATIONS) -> Expectations:
    """Read the file.

    Raises
    ------
    BenchError
        When it is absent, is no TOML, or does not fit: says where.
    """
    try:
        return Expectations.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise BenchError(f"{path} cannot be read: {error}; expected the gate's bounds in TOML") from error
    except ValidationError as error:
        faults = sorted(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise BenchError(f"{path} does not fit: {'; '.join(faults)}") from error

"""The end of a run: its facts, its folder of reports, and its rows in the warehouse."""

import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from flows.run_config import RunConfig
from tasks.artifacts import Artifact
from tasks.downloads.model_facts import read_facts as read_model
from tasks.files import CHECKOUT, json_digest
from tasks.fingerprints import code_fingerprint
from tasks.prefect_cache import StepEvent
from tasks.reporting import markdown, warehouse
from tasks.reporting.run_facts import ModelFacts, RunFacts, StageEvent
from tasks.reporting.schemas import STUDY_CELLS
from tasks.studies.build import study_cells
from tasks.studies.markdown import write_study_report

ID_TIME = "%Y%m%dT%H%M%SZ"
"""How an id begins: ids sort by time."""


@dataclass(frozen=True, slots=True)
class Start:
    """When a run started, by which command, and its id."""

    run_id: str
    started_at: datetime
    command: str

    @classmethod
    def now(cls, profile: str, command: str) -> "Start":
        """Return the start of a run of `profile` that starts now."""
        moment = datetime.now(UTC)
        return cls(f"{moment:{ID_TIME}}-{profile}-{uuid.uuid4().hex[:6]}", moment, command)


@dataclass(frozen=True, slots=True)
class Published:
    """A published run: its id, the path of its report, and the artifact with the tables of its main protocol.

    `study` is the artifact of the stage `studies`, where the run reproduces one; `tables` are of its first data set.
    """

    run_id: str
    report: str
    tables: Artifact
    study: Artifact | None = None


def publish(
    config: RunConfig,
    reports: Sequence[Artifact],
    models: Sequence[tuple[str, Artifact]],
    start: Start,
    events: Sequence[StepEvent],
    root: Path,
) -> Published:
    """Write `<root>/<run_id>/` and the run's rows in `<root>/warehouse/`, and sweep what killed runs left there.

    `reports` has one artifact per protocol, main first.

    Raises
    ------
    BenchError
        When a check of the tables fails, or a folder cannot be written: nothing is published then.
    """
    run = run_facts(config, models, start, events)
    folders, tables = [report.path for report in reports], root / "warehouse"
    markdown.sweep(root)
    warehouse.sweep(tables)
    written = markdown.write_report(folders, run, root)
    with taken_back(written, tables, run.run_id):
        warehouse.publish(folders, run, tables)
    return Published(run.run_id, str(written), reports[0])


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What a run found on one data set: its reports, main protocol first, its models by role, and its steps."""

    config: RunConfig
    reports: Sequence[Artifact]
    models: Sequence[tuple[str, Artifact]]
    events: Sequence[StepEvent]


def publish_study(study: Artifact, found: Sequence[Evaluated], start: Start, root: Path) -> Published:
    """Write the report of a study, and the rows of all its data sets under one run id.

    Parameters
    ----------
    study
        Artifact of the stage `studies`.
    found
        One per data set, in the order of the report.
    start, root
        As for `publish`.

    Raises
    ------
    BenchError
        As `publish`.
    """
    runs = [run_facts(part.config, part.models, start, part.events) for part in found]
    partitions = [
        warehouse.Partition(
            [report.path for report in part.reports],
            run,
            {STUDY_CELLS.name: study_cells(study.path, part.config.dataset)},
        )
        for part, run in zip(found, runs, strict=True)
    ]
    tables = root / "warehouse"
    markdown.sweep(root)
    warehouse.sweep(tables)
    written = write_study_report(study.path, runs, root)
    with taken_back(written, tables, start.run_id):
        warehouse.publish_together(partitions, tables)
    return Published(start.run_id, str(written), found[0].reports[0], study)


@contextmanager
def taken_back(report: Path, tables: Path, run_id: str) -> Iterator[None]:
    """Remove the report when the run's rows do not come into the warehouse: a run is published whole or not at all."""
    try:
        yield
    except BaseException:
        if not warehouse.is_published(tables, run_id):
            shutil.rmtree(report.parent, ignore_errors=True)
        raise


def runs_from_the_future(published: Published, reports: Path) -> list[str]:
    """Return the ids of the runs of the same dataset that started later than it is now: somebody set the clock back."""
    dataset = warehouse.read_facts(published.tables.path)["dataset"]
    folders = (reports / "warehouse" / "runs" / f"dataset={dataset}").glob("run_id=*")
    now = f"{datetime.now(UTC):{ID_TIME}}"
    return sorted(name for folder in folders if (name := folder.name.removeprefix("run_id="))[: len(now)] > now)


def run_facts(
    config: RunConfig, models: Sequence[tuple[str, Artifact]], start: Start, events: Sequence[StepEvent]
) -> RunFacts:
    """Return what is said of a run that ends now."""
    return RunFacts(
        run_id=start.run_id,
        profile=config.profile,
        started_at=start.started_at,
        finished_at=datetime.now(UTC),
        status="complete",
        seed=config.stream.seed,
        code_fingerprint=_code(),
        config_fingerprint=json_digest(config.model_dump(mode="json", exclude={"profile"})),
        mnemobench_version=version("mnemobench"),
        command=start.command,
        models=tuple(_model(role, model) for role, model in models),
        stages=tuple(_stage(event) for event in events),
        method=config.method,
    )


def _model(role: str, artifact: Artifact) -> ModelFacts:
    facts = read_model(artifact.path)
    return ModelFacts(role=role, name=facts.name, digest=facts.digest, licence=facts.licence)


def _stage(event: StepEvent) -> StageEvent:
    return StageEvent(
        stage=event.stage,
        step=event.step,
        key=event.key,
        digest=event.digest,
        is_cached=event.is_cached,
        reason=event.reason,
        wall_s=event.elapsed_s,
        cpu_s=0.0 if event.is_cached else event.cpu_s,
        made_wall_s=event.wall_s,
        peak_memory_mb=event.peak_memory_mb,
        n_files=event.n_files,
        n_bytes=event.n_bytes,
    )


def _code() -> str:
    """Return one digest of the code of every stage."""
    modules = sorted(path.relative_to(CHECKOUT) for path in (CHECKOUT / "tasks").glob("*/build*.py"))
    names = [".".join(path.with_suffix("").parts) for path in modules]
    return json_digest({name: code_fingerprint(name) for name in names})

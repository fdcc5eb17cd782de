"""A step under Prefect: what is computed, what is cached, and what Prefect is told."""

import logging
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from prefect import flow
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import State

from tasks import randomness
from tasks.artifacts import Artifact, Store
from tasks.prefect_cache import StepEvent, bench, step
from tasks.progress import Progress
from tasks.records import BenchError, Params

pytestmark = pytest.mark.usefixtures("prefect_server")


class CountParams(Params):
    n: int = 3


class Recorder:
    def __init__(self) -> None:
        self.events: list[StepEvent] = []
        self.seen: list[tuple[int, int, str]] = []

    def announced(self, stage: str, step: str, count: int) -> None: ...

    def started(self, stage: str, step: str, reason: str | None) -> None: ...

    def progressed(self, done: int, total: int, unit: str) -> None:
        self.seen.append((done, total, unit))

    def finished(self, event: StepEvent) -> None:
        self.events.append(event)

    def states(self) -> dict[str, bool]:
        return {event.step: event.is_cached for event in self.events}


@step(stage="text", module=randomness)
def first(out: Path, progress: Progress, *, params: CountParams, word: str) -> None:
    progress(1, 1, "words")
    (out / "numbers.txt").write_text(word * params.n)


@step(stage="text", module=randomness)
def second(out: Path, progress: Progress, *, source: Artifact, others: Sequence[Artifact]) -> None:
    (out / "length.txt").write_text(str(len((source.path / "numbers.txt").read_text())))


@step(stage="text", module=randomness, unkeyed=("place",))
def third(out: Path, progress: Progress, *, place: Path | None) -> None:
    (out / "x.txt").write_text("x")


@step(stage="text", module=randomness)
def broken(out: Path, progress: Progress, *, word: str) -> None:
    raise BenchError("nothing to read; expected a word")


@flow
def pipeline(n: int = 3, word: str = "a", place: Path | None = None) -> list[Artifact]:
    one = first(params=CountParams(n=n), word=word)
    return [one, second(source=one, others=[one]), third(place=place)]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def run(store: Store, **arguments: object) -> tuple[list[Artifact], Recorder]:
    recorder = Recorder()
    with bench(store, recorder):
        artifacts = pipeline(**arguments)  # type: ignore[call-overload]
    return artifacts, recorder


def test_a_second_run_computes_nothing_and_prefect_says_cached(store: Store) -> None:
    made, recorder = run(store)
    assert recorder.states() == {"first": False, "second": False, "third": False}
    assert recorder.seen == [(1, 1, "words")]
    again, recorder = run(store)
    assert again == made
    assert recorder.states() == {"first": True, "second": True, "third": True}
    assert task_states(store) == ["Cached", "Cached", "Cached"]


def task_states(store: Store) -> list[str]:
    """Return the names of the states of the tasks of one more run."""
    recorder = Recorder()
    with bench(store, recorder):
        state: State = pipeline(return_state=True)
    with get_client(sync_client=True) as client:
        task_runs = client.read_task_runs()
    flow_run_id = state.state_details.flow_run_id
    return [str(task_run.state_name) for task_run in task_runs if task_run.flow_run_id == flow_run_id]


@pytest.mark.parametrize("damage", ["delete", "corrupt"])
def test_a_lost_artifact_is_recomputed_alone(store: Store, damage: str) -> None:
    made, _ = run(store)
    if damage == "delete":
        shutil.rmtree(made[0].path)
    else:
        (made[0].path / "numbers.txt").write_text("bbb")
    again, recorder = run(store)
    assert recorder.states() == {"first": False, "second": True, "third": True}
    assert again == made
    assert (made[0].path / "numbers.txt").read_text() == "aaa"
    _, recorder = run(store)
    assert set(recorder.states().values()) == {True}


def test_a_parameter_recomputes_its_step_and_what_depends_on_it(store: Store) -> None:
    run(store)
    _, recorder = run(store, n=4)
    assert recorder.states() == {"first": False, "second": False, "third": True}
    assert recorder.events[0].reason == "changed: params params"


def test_equal_content_stops_the_recomputation(store: Store) -> None:
    run(store, n=2, word="aa")
    _, recorder = run(store, n=4, word="a")
    assert recorder.states() == {"first": False, "second": True, "third": True}


def test_an_unkeyed_place_does_not_change_the_key(store: Store, tmp_path: Path) -> None:
    run(store)
    _, recorder = run(store, place=tmp_path)
    assert recorder.states() == {"first": True, "second": True, "third": True}


def test_results_are_found_in_another_store_only_there(store: Store, tmp_path: Path) -> None:
    run(store)
    made, recorder = run(Store(tmp_path / "other"))
    assert set(recorder.states().values()) == {False}
    assert all(Path(artifact.root) == tmp_path / "other" for artifact in made)


def test_a_path_as_a_parameter_is_refused(store: Store, tmp_path: Path) -> None:
    @step(stage="text", module=randomness)
    def careless(out: Path, progress: Progress, *, place: Path) -> None: ...

    with bench(store, Recorder()), pytest.raises(BenchError, match="keys hold contents, not places"):
        careless(place=tmp_path)


def test_an_error_reaches_the_caller_and_leaves_nothing(store: Store) -> None:
    @flow
    def failing() -> None:
        broken(word="x")

    with bench(store, Recorder()), pytest.raises(BenchError, match="expected a word"):
        failing()
    assert not [path for path in store.root.rglob("*") if path.is_file()]


def test_the_log_has_no_error_of_cache_keys(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        run(store)
        run(store)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_a_step_outside_a_bench_is_refused() -> None:
    with pytest.raises(BenchError, match="outside `with bench"):
        third(place=None)

"""How a stage becomes a Prefect task: `step`, and the one cache policy.

Prefect's own policies are unsafe for stages that write files (they miss changes in helper modules, deleted outputs and
changed file contents). Here the artifact's key is the cache key, and a missing or damaged artifact forces a miss.
"""

import hashlib
import inspect
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, cast

from prefect import Task, task
from prefect.cache_policies import CachePolicy
from prefect.context import TaskRunContext

from tasks.artifacts import Artifact, Recipe, Store, read_manifest
from tasks.fingerprints import code_fingerprint
from tasks.progress import Progress
from tasks.records import BenchError, Params

P = ParamSpec("P")
Build = Callable[Concatenate[Path, Progress, P], None]


@dataclass(frozen=True, slots=True)
class StepEvent:
    """What happened in one step of a run. Costs are those of making the artifact, whenever that was."""

    stage: str
    step: str
    key: str
    digest: str
    is_cached: bool
    reason: str
    elapsed_s: float
    wall_s: float
    cpu_s: float
    peak_memory_mb: float
    n_files: int
    n_bytes: int


class Listener(Protocol):
    """Who is told what a run does: the live line of a terminal, or a log."""

    def announced(self, stage: str, step: str, count: int) -> None:
        """Tell that `count` steps of one name follow (shards)."""

    def started(self, stage: str, step: str, reason: str | None) -> None:
        """Tell that a step starts; `reason` says why it must be computed, None when it is cached."""

    def progressed(self, done: int, total: int, unit: str) -> None:
        """Tell how far the current step is."""

    def finished(self, event: StepEvent) -> None:
        """Tell that the step ended."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Where results live and who listens, for the steps called inside `with bench(...)`."""

    store: Store
    listener: Listener


_bench: ContextVar[Bench] = ContextVar("bench")


@contextmanager
def bench(store: Store, listener: Listener) -> Iterator[None]:
    """Give the steps called inside a store and a listener; what was left half-written goes, before and after."""
    store.sweep()
    token = _bench.set(Bench(store, listener))
    try:
        yield
    finally:
        _bench.reset(token)
        store.sweep_own()


def current_bench() -> Bench:
    """Return the bench of the running flow.

    Raises
    ------
    BenchError
        Outside `with bench(...)`.
    """
    try:
        return _bench.get()
    except LookupError:
        raise BenchError("a step was called outside `with bench(store, listener)`: flows open it first") from None


class ArtifactPolicy(CachePolicy):
    """Cache key = the artifact's key and the place of its store; unique where the artifact is absent or damaged."""

    def __init__(self, recipe_of: Callable[[Mapping[str, Any]], Recipe]) -> None:
        self.recipe_of = recipe_of

    def compute_key(
        self,
        task_ctx: TaskRunContext,
        inputs: dict[str, Any],
        flow_parameters: dict[str, Any],
        **kwargs: Any,
    ) -> str:
        """Return the key. Never None: Prefect would silently drop it and cache nothing."""
        store = current_bench().store
        recipe = self.recipe_of(inputs)
        place = hashlib.sha256(str(store.root).encode()).hexdigest()[:12]
        key = f"{recipe.stage}-{recipe.key}-{place}"
        if task_ctx.task.refresh_cache or store.find(recipe) is not None:
            return key
        return f"{key}-missing-{uuid.uuid4().hex}"


@dataclass(frozen=True, slots=True)
class Step(Generic[P]):
    """A cached step: call it with keywords to get its artifact, computed or from the store."""

    name: str
    prefect_task: Task[..., Artifact]
    recipe_of: Callable[[Mapping[str, Any]], Recipe]

    def recipe(self, *_: P.args, **arguments: P.kwargs) -> Recipe:
        """Return what would be made with these arguments."""
        return self.recipe_of(arguments)

    def __call__(self, *_: P.args, **arguments: P.kwargs) -> Artifact:
        """Return the artifact, and tell the listener what happened."""
        here = current_bench()
        recipe = self.recipe_of(arguments)
        is_cached = here.store.find(recipe) is not None
        reason = "cached" if is_cached else here.store.why_missing(recipe)
        here.listener.started(recipe.stage, recipe.step, None if is_cached else reason)
        started = time.monotonic()
        artifact: Artifact = self.prefect_task.with_options(refresh_cache=not is_cached)(**arguments)
        here.listener.finished(_event(recipe, artifact, is_cached, reason, time.monotonic() - started))
        return artifact


def step(
    *, stage: str, module: ModuleType, libraries: tuple[str, ...] = (), unkeyed: tuple[str, ...] = ()
) -> Callable[[Build[P]], Step[P]]:
    """Turn `function(out, progress, **arguments) -> None` into a cached step that returns an `Artifact`.

    Arguments are keywords. Those that are an `Artifact`, or a sequence or mapping of them, are inputs; everything else
    is a parameter and must be JSON-able or a `Params`.

    Parameters
    ----------
    stage
        Name of the stage: its package under `tasks/`, its folder in the store.
    module
        Module whose code does the work; it and what it imports from `tasks` are in the key.
    libraries
        Distributions whose version changes the numbers.
    unkeyed
        Arguments that say where to read what the key knows by its checksum, or how to get it faster: never what
        the result is.
    """

    def decorate(function: Build[P]) -> Step[P]:
        name = function.__name__
        code = code_fingerprint(module.__name__)
        build = cast("Callable[..., None]", function)

        def recipe_of(arguments: Mapping[str, Any]) -> Recipe:
            inputs, params = _split({key: value for key, value in arguments.items() if key not in unkeyed})
            return Recipe(stage, name, code, params, inputs, libraries)

        def body(**arguments: Any) -> Artifact:
            here = current_bench()

            def build_unedited(out: Path) -> None:
                build(out, here.listener.progressed, **arguments)
                if code_fingerprint(module.__name__) != code:
                    # Modules are imported when they are needed: what ran may be half old, half new.
                    raise BenchError(
                        f"the code of {stage}/{name} was edited while the run was going; its result is not kept. Run "
                        "the same command again."
                    )

            return here.store.make(recipe_of(arguments), build_unedited)

        body.__signature__ = _signature(function)  # type: ignore[attr-defined]
        prefect_task: Task[..., Artifact] = task(
            name=f"{stage}/{name}",
            description=inspect.getdoc(function),
            cache_policy=ArtifactPolicy(recipe_of),
            persist_result=True,
            result_serializer="json",
        )(body)

        return Step(name, prefect_task, recipe_of)

    return decorate


def _event(recipe: Recipe, artifact: Artifact, is_cached: bool, reason: str, elapsed_s: float) -> StepEvent:
    manifest = read_manifest(artifact.path)
    if manifest is None:
        raise BenchError(f"{artifact.path} vanished while the run was using it: run the same command again")
    cost = manifest["cost"]
    return StepEvent(
        stage=recipe.stage,
        step=recipe.step,
        key=artifact.key,
        digest=artifact.digest,
        is_cached=is_cached,
        reason=reason,
        elapsed_s=round(elapsed_s, 3),
        wall_s=cost["wall_s"],
        cpu_s=cost["cpu_s"],
        peak_memory_mb=cost["peak_memory_mb"],
        n_files=len(manifest["files"]),
        n_bytes=sum(facts["bytes"] for facts in manifest["files"].values()),
    )


def _split(arguments: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """Return (digests of the inputs, JSON-able parameters)."""
    inputs: dict[str, str] = {}
    params: dict[str, Any] = {}
    for name, value in arguments.items():
        match value:
            case Artifact():
                inputs[name] = value.digest
            case [Artifact(), *_]:
                inputs |= {f"{name}[{index}]": item.digest for index, item in enumerate(value)}
            case Mapping() if value and all(isinstance(item, Artifact) for item in value.values()):
                inputs |= {f"{name}[{key}]": item.digest for key, item in value.items()}
            case Path():
                raise BenchError(f"the path {value} cannot be a parameter of a step: keys hold contents, not places")
            case _:
                params[name] = _plain(value)
    return inputs, params


def _plain(value: Any) -> Any:
    if isinstance(value, Params):
        return value.model_dump(mode="json")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value


def _signature(function: Callable[..., None]) -> inspect.Signature:
    """Return the signature without `out` and `progress`, for Prefect's own binding of arguments."""
    whole = inspect.signature(function)
    kept = [parameter for name, parameter in whole.parameters.items() if name not in {"out", "progress"}]
    return whole.replace(parameters=kept, return_annotation=Artifact)

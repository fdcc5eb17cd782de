"""Many replays of the same candidates: streams x parameters, measured as they end, in threads."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from tasks.progress import Progress, silent
from tasks.simulation.layout import Layout, Served
from tasks.simulation.quick_measures import QuickMeasures
from tasks.simulation.replay import replay
from tasks.simulation.suppression import RifParams

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]

_IN_FLIGHT = 2
"""Jobs handed out per thread: one that runs, and one that waits, so that none idles."""


@dataclass(frozen=True, slots=True)
class Job:
    """One replay: a stream in its clusters under some rules."""

    layout: Layout
    served: Served
    params: RifParams


@dataclass(frozen=True, slots=True)
class Many:
    """What a list of replays gave.

    Attributes
    ----------
    n
        (n_measures,) int64: questions counted that have a value.
    means
        (n_jobs, n_measures) float64: mean over them; NaN where there is none.
    deltas
        (n_jobs, n_measures) float64: mean over them of the difference to the baseline; NaN without a baseline.
    values
        (n_jobs, n_measures, n_queries) float32, NaN where undefined; None unless asked for.
    """

    n: npt.NDArray[np.int64]
    means: Floats
    deltas: Floats
    values: npt.NDArray[np.float32] | None


def replay_many(
    jobs: Sequence[Callable[[], Job]],
    quick: QuickMeasures,
    is_counted: Booleans,
    *,
    baseline: Floats | None = None,
    keeps_values: bool = False,
    n_threads: int = 1,
    progress: Progress = silent,
) -> Many:
    """Run every job and measure it. What comes out depends neither on the number of threads nor on who ends first.

    Parameters
    ----------
    jobs
        Each makes its job when its turn comes, so that the arrays of a stream live no longer than its replay. They
        are called from several threads.
    quick
        The measures.
    is_counted
        (n_queries,) bool: the questions that means are over.
    baseline
        (n_measures, n_queries) float64: per-query values that the others are compared with.
    keeps_values
        Whether the per-query values are returned too.
    n_threads
        Replays at once: the compiled loops let go of the interpreter's lock.
    progress
        Told the replays done.

    Notes
    -----
    Memory: per thread that of `replay` and 8 bytes per measure and query; besides 16 bytes per job and measure, and,
    where values are kept, 4 per job, measure and query. At most two jobs per thread are made at once.
    """
    n_jobs, n_measures, n_queries = len(jobs), len(quick.names), len(is_counted)
    means, deltas = np.full((n_jobs, n_measures), np.nan), np.full((n_jobs, n_measures), np.nan)
    values = np.full((n_jobs, n_measures, n_queries), np.nan, np.float32) if keeps_values else None
    n = np.zeros((n_jobs, n_measures), np.int64)

    def run(place: int) -> None:
        job = jobs[place]()
        done = replay(job.layout, job.served, job.params)
        found = quick.values(done.offsets, done.rows, done.r_init)
        n[place], means[place] = means_of(found, is_counted)
        if baseline is not None:
            _, deltas[place] = means_of(found - baseline, is_counted)
        if values is not None:
            values[place] = found

    _in_threads(run, n_jobs, n_threads, progress)
    return Many(n.max(axis=0, initial=0), means, deltas, values)


def baseline_values(job: Job, quick: QuickMeasures) -> Floats:
    """Return the per-query values of a job before the first step of its stream: those of reranking alone.

    (n_measures, n_queries) float64. A pool without suppression is the first P candidates, in the order of the logits.
    """
    untouched = replay(job.layout, job.served.part(0, 0), job.params)
    return quick.values(untouched.offsets, untouched.rows, untouched.r_init)


def means_of(values: Floats, is_counted: Booleans) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return how many counted values there are of each measure, and their mean."""
    has_value = is_counted & ~np.isnan(values)
    n = has_value.sum(axis=1)
    total = np.where(has_value, values, 0.0).sum(axis=1)
    return n, np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)


def _in_threads(run: Callable[[int], None], n_jobs: int, n_threads: int, progress: Progress) -> None:
    """Call `run` for each place, a few ahead of the slowest; the first error stops what has not begun."""
    places: Iterator[int] = iter(range(n_jobs))
    with ThreadPoolExecutor(max(1, n_threads)) as pool:
        waiting: set[Future[None]] = {pool.submit(run, place) for place in islice(places, n_threads * _IN_FLIGHT)}
        n_done = 0
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for one in done:
                    one.result()
                n_done += len(done)
                waiting |= {pool.submit(run, place) for place in islice(places, len(done))}
                progress(n_done, n_jobs, "replays")
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

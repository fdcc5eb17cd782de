"""The reproduction of a study: the main job on each of its data sets, and what it published beside what we measure."""

from collections.abc import Sequence
from pathlib import Path

from prefect import flow

from flows import environment
from flows.evaluate_memory import evaluate
from flows.listeners import current_listener
from flows.publish import Evaluated, Published, Start, publish_study
from flows.run_config import command_of
from flows.study_config import load_study
from tasks.artifacts import Artifact, Store
from tasks.prefect_cache import bench
from tasks.studies import prefect_tasks as studies
from tasks.studies.estimates import StudyParams


@flow(name="reproduce-study", flow_run_name="{profile}")
def reproduce_study(
    profile: str = "study-a",
    settings: list[str] | None = None,
    mirror: Path | None = None,
    store: Path | None = None,
    accept_local: Path | None = None,
) -> Published:
    """Reproduce every table of a study and publish its report and tables.

    Parameters
    ----------
    profile
        Name of a file in `flows/profiles/` with a key `study`.
    settings
        Overrides, each `key=value`: of all data sets, or `options.<dataset>.<key>=value` of one.
    mirror, store, accept_local
        As for `evaluate_memory`; a local file needs `datasets=[...]` with its data set alone.

    Returns
    -------
    Published
        The run's id, its report, and the artifact with the tables of its first data set.

    Raises
    ------
    BenchError
        As `evaluate_memory`.
    """
    config = load_study(profile, settings or [])
    start = Start.now(profile, command_of(profile, settings or [], mirror, accept_local))
    listener = current_listener()
    found: list[Evaluated] = []
    rankings: dict[str, dict[str, dict[str, Artifact]]] = {}
    with bench(Store(environment.store_root(store)), listener):
        for run in config.runs:
            n_before = len(listener.events)
            results = evaluate(run, environment.mirror_root(mirror), accept_local)
            found.append(Evaluated(run, results.reports, results.models, listener.events[n_before:]))
            rankings[run.dataset] = results.rankings
        reports: dict[str, Sequence[Artifact]] = {part.config.dataset: part.reports for part in found}
        study = studies.compare(reports, rankings, StudyParams(study=config.study))
    return publish_study(study, found, start, environment.reports_root())

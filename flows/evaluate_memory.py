"""The main job: from a dataset file to a report, every stage for the variants of one run."""

from dataclasses import dataclass
from pathlib import Path

from prefect import flow

from flows import environment
from flows.judge_rankings import judge
from flows.listeners import current_listener
from flows.prepare_corpus import prepare
from flows.publish import Published, Start, publish
from flows.rank_variants import run_search
from flows.run_config import RunConfig, command_of, load_config
from flows.searches import protocols_of, searches_of
from tasks.artifacts import Artifact, Store
from tasks.prefect_cache import bench


@dataclass(frozen=True, slots=True)
class Results:
    """What a run found.

    Attributes
    ----------
    reports
        A report artifact for each protocol, the main one first.
    models
        The models by their role.
    rankings
        By protocol and variant.
    """

    reports: list[Artifact]
    models: list[tuple[str, Artifact]]
    rankings: dict[str, dict[str, Artifact]]


@flow(name="evaluate-memory", flow_run_name="{profile}")
def evaluate_memory(
    profile: str = "sample",
    settings: list[str] | None = None,
    mirror: Path | None = None,
    store: Path | None = None,
    accept_local: Path | None = None,
) -> Published:
    """Evaluate the variants of a profile and publish report and tables.

    Parameters
    ----------
    profile
        Name of a file in `flows/profiles/`.
    settings
        Overrides, each `key=value`.
    mirror
        Folder `<dataset>/<file>` to read datasets from; default `MNEMOBENCH_MIRROR`, else their own addresses.
    store
        Where the results of stages live; default `MNEMOBENCH_STORE`, else `data/derived`.
    accept_local
        A local dataset file to take under its own recorded hash.

    Returns
    -------
    Published
        The run's id, its report, and the artifact with its tables.

    Raises
    ------
    BenchError
        Before any work for a wrong profile or setting; later when data, models or disk are not as they should be.
    """
    config = load_config(profile, settings or [])
    start = Start.now(profile, command_of(profile, settings or [], mirror, accept_local))
    listener = current_listener()
    with bench(Store(environment.store_root(store)), listener):
        results = evaluate(config, environment.mirror_root(mirror), accept_local)
    return publish(config, results.reports, results.models, start, listener.events, environment.reports_root())


def evaluate(config: RunConfig, mirror: Path | None, accept_local: Path | None) -> Results:
    """Run the stages in the order of the data flow; return what was found."""
    ready, models = prepare(config, mirror, accept_local)
    found = {
        search.protocol: run_search(config, search, ready[search.protocol.dedup]) for search in searches_of(config)
    }
    protocols = protocols_of(config)
    reports = [judge(config, protocol, found[protocol.search], ready[protocol.dedup]) for protocol in protocols]
    rankings = {str(protocol): found[protocol.search].rankings for protocol in protocols}
    return Results(reports, models, rankings)

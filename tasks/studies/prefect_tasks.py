"""What a study published beside what a run measured, as a cached step."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from tasks.artifacts import Artifact
from tasks.prefect_cache import step
from tasks.progress import Progress
from tasks.studies import build
from tasks.studies.estimates import StudyParams
from tasks.studies.published import Published

_APART = "|"


def compare(
    reports: Mapping[str, Sequence[Artifact]],
    rankings: Mapping[str, Mapping[str, Mapping[str, Artifact]]],
    params: StudyParams | None = None,
) -> Artifact:
    """Set a study's numbers beside those of a run.

    Parameters
    ----------
    reports
        By data set: artifacts of the stage `reporting`, one for each protocol.
    rankings
        By data set, protocol and variant: what was judged, for the receipts.
    params
        The study, resamples and seed; the published files are always an ingredient of the key.
    """
    flat = {
        _APART.join((str(order), name, str(place))): one
        for order, (name, some) in enumerate(reports.items())  # the order of the data sets is the report's: in the key
        for place, one in enumerate(some)
    }
    keys = {
        dataset: {protocol: {name: one.key for name, one in ranked.items()} for protocol, ranked in searched.items()}
        for dataset, searched in rankings.items()
    }
    asked = params or StudyParams()
    keyed = asked.model_copy(update={"published_digest": Published(asked.study).digest})
    return tables_and_figures(reports=flat, keys=keys, params=keyed)


@step(stage="studies", module=build, libraries=("matplotlib", "numpy", "polars"))
def tables_and_figures(
    out: Path,
    progress: Progress,
    *,
    reports: Mapping[str, Artifact],
    keys: Mapping[str, Mapping[str, Mapping[str, str]]],
    params: StudyParams,
) -> None:
    """Judge every published number, measure both sides of every place where text and code differ, draw figures."""
    folders: dict[str, list[Path]] = defaultdict(list)
    for name, artifact in reports.items():
        folders[name.split(_APART)[1]].append(artifact.path)
    build.build(folders, params, out, progress, keys=keys)

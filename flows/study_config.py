"""What one reproduction of a study does: a run for each of its data sets, derived from what the study published."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field, ValidationError

from flows.run_config import RunConfig
from flows.settings import apply, complaints, read_profile
from tasks.corpora.protocols import parse_protocol
from tasks.records import BenchError, Params
from tasks.studies import plan
from tasks.studies.catalog import AVAILABLE
from tasks.studies.declared import NDCG
from tasks.studies.published import STUDY_A, Published

SHARED_BY_NAME = ("study", "datasets", "encoders", "cross", "options", "profile")


class StudyConfig(Params):
    """The runs of a study: one per data set, in the order of the report."""

    profile: str
    study: Literal["study-a", "study-b"]
    runs: tuple[RunConfig, ...] = Field(min_length=1)


def load_study(profile: str, overrides: Sequence[str] = ()) -> StudyConfig:
    """Return the runs of a study's profile with `key=value` overrides applied.

    A setting is of every data set; `options.<dataset>.<setting>` is of one. `encoders` are those whose numbers are
    measured. Variants, protocols and comparisons follow from the study: setting them is an error.

    Raises
    ------
    BenchError
        For an unknown key or value: all offenders at once, with what is valid.
    """
    settings = read_profile(profile)
    for override in overrides:
        apply(settings, override)
    study, known = settings["study"], plan.datasets(settings["study"])
    datasets, options = settings.get("datasets"), settings.get("options", {})
    if not isinstance(datasets, list) or not datasets or not set(map(str, datasets)) <= set(known):
        raise BenchError(f"datasets = {datasets!r}; expected some of {', '.join(known)}")
    if not isinstance(options, dict) or (strangers := sorted(set(options) - set(known))):
        raise BenchError(f"options of {', '.join(strangers)}; expected those of {', '.join(known)}")
    encoders = settings.get("encoders", list(AVAILABLE))
    if not isinstance(encoders, list) or not encoders:
        raise BenchError(f"encoders = {encoders!r}; expected a list of names of the catalogue (data/catalog.toml)")
    if not isinstance(has_cross := settings.get("cross", True), bool):
        raise BenchError(f"cross = {has_cross!r}; expected true or false")
    derived = {"variants", "protocol", "other_protocols", "searches", "dataset"}
    if given := sorted(derived & set(settings)):
        raise BenchError(f"profile {profile}: {', '.join(given)} follow from the study and cannot be set")
    shared = {name: value for name, value in settings.items() if name not in SHARED_BY_NAME}
    asked = tuple(map(str, encoders))
    runs = [
        _run(profile, plan.protocols(study, name, has_cross=has_cross), study, name, asked, own)
        for name, own in ((str(name), _merged(shared, options.get(name, {}))) for name in datasets)
    ]
    return StudyConfig(profile=profile, study=study, runs=tuple(runs))


def _run(
    profile: str,
    protocols: Sequence[str],
    study: str,
    dataset: str,
    encoders: tuple[str, ...],
    settings: dict[str, Any],
) -> RunConfig:
    main, *others = protocols
    searches: dict[str, dict[str, Any]] = {}  # protocols of one search judge the same variants
    for protocol in (main, *others):
        search = str(parse_protocol(protocol).search)
        searches.setdefault(search, _compared(study, dataset, protocol, encoders))
    compared = searches.pop(str(parse_protocol(main).search))
    published = Published(STUDY_A).per_query(dataset, "baseline", NDCG)  # in the order that study A drew over
    stream = {"published_ids": tuple(published or ()), **settings.get("stream", {})}
    filled = {
        **settings,
        "profile": profile,
        "dataset": dataset,
        "protocol": main,
        "other_protocols": others,
        "variants": compared["variants"],
        "stream": stream,
        "searches": searches,
        "significance": {**settings.get("significance", {}), **{k: compared[k] for k in ("baseline", "families")}},
    }
    try:
        return RunConfig.model_validate(filled)
    except ValidationError as error:
        raise BenchError(f"profile {profile}, {dataset}: " + "; ".join(complaints(RunConfig, error))) from error


def _compared(study: str, dataset: str, protocol: str, encoders: Sequence[str]) -> dict[str, Any]:
    families = plan.families(study, dataset, protocol, encoders)
    return {
        "variants": plan.variants(study, dataset, protocol, encoders),
        "baseline": families[0].baseline,
        "families": families,
    }


def _merged(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the shared settings with those of one data set over them, table by table."""
    both = {
        name: _merged(shared[name], value) if isinstance(value, dict) and isinstance(shared.get(name), dict) else value
        for name, value in own.items()
    }
    return {**shared, **both}

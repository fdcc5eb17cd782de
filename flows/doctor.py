"""What is installed, reachable, downloaded and cached here, and what each profile needs of this machine."""

import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
from rich.console import Console
from rich.table import Table

from flows.resources import free_mb, measured_rates, needed_mb, stored_mb, workload
from flows.run_config import RunConfig, load_config
from flows.searches import encoders_of
from flows.settings import profile_names
from flows.study_config import load_study
from tasks.artifacts import Store
from tasks.downloads.build import resolve_dataset
from tasks.downloads.catalog import DatasetEntry, HubSource, load_catalog
from tasks.files import CHECKOUT
from tasks.records import BenchError

OK, MISSING = "[green]ok[/]", "[red]missing[/]"
TIMEOUT_S = 5.0


def examine(console: Console, mirror: Path | None, store_root: Path) -> bool:
    """Print the findings; return whether every profile can run."""
    store = Store(store_root)
    console.print(f"Python {sys.version.split()[0]}, checkout {CHECKOUT}", soft_wrap=True)
    problems = [*_packages(), *_store(store)]
    for line in problems:
        console.print(f"{MISSING}  {line}", soft_wrap=True)
    if not problems:
        console.print(f"{OK}  packages are those of requirements.lock; the store can be written", soft_wrap=True)
    rates = measured_rates(store)
    console.print(
        f"{OK}  rates: {rates.embedding:,.0f} embedded and {rates.reranking:,.0f} reranked word pieces per second "
        f"({rates.source})",
        soft_wrap=True,
    )
    configs = [load_config(name) for name in profile_names()]
    configs += [run for name in profile_names(studies=True) for run in load_study(name).runs]
    profiles = [_profile(config, store, mirror) for config in configs]
    table = Table("profile", "dataset", "models", "cold time", "disk, MB")
    of_one = profile_names()
    for config, parts in profiles:
        work = workload(config)
        least, minutes = "at least " if work.is_least else "", rates.seconds(work) / 60
        of_study = f", {config.dataset}" if config.profile not in of_one else ""
        table.add_row(config.profile + of_study, *parts, f"{least}{minutes:,.0f} min", f"{least}{needed_mb(config):,}")
    console.print(f"Profiles; free on the disk of the store: {free_mb(store.root):,} MB")
    console.print(table)
    console.print(f"Cached in {store.root}", soft_wrap=True)
    cached = Table("stage", "artifacts", "MB")
    for stage, (count, size) in stored_mb(store).items():
        cached.add_row(stage, f"{count:,}", f"{size:,.1f}")
    console.print(cached if cached.row_count else "Nothing is cached yet.")
    return not problems and all("missing" not in part for _, parts in profiles for part in parts)


def _packages() -> Iterator[str]:
    """Yield a sentence for each locked distribution that is absent or of another version."""
    for line in (CHECKOUT / "requirements.lock").read_text(encoding="utf-8").splitlines():
        name, _, wanted = line.partition("==")
        try:
            came = importlib.metadata.version(name).partition("+")[0]
        except importlib.metadata.PackageNotFoundError:
            came = "nothing"
        if came != wanted:
            yield f"{name}: {came} is installed, the lock says {wanted}; run `make run`, which installs it"


def _store(store: Store) -> Iterator[str]:
    try:
        store.check_writable()
    except BenchError as error:
        yield str(error)


def _profile(config: RunConfig, store: Store, mirror: Path | None) -> tuple[RunConfig, list[str]]:
    catalog = load_catalog()
    models = [catalog.model(name) for name in (*encoders_of(config), config.reranker.model)]
    places = [
        _model(store, model.name, model.source.repository if isinstance(model.source, HubSource) else None)
        for model in models
    ]
    fetched = ", ".join(dict.fromkeys(places))
    if config.dataset == "synthetic":
        return config, ["generated", fetched]
    return config, [_dataset(store, catalog.dataset(config.dataset), mirror), fetched]


def _dataset(store: Store, entry: DatasetEntry, mirror: Path | None) -> str:
    if _is_downloaded(store, "dataset", "source", entry.name):
        return "downloaded"
    if mirror is not None:
        try:
            resolve_dataset(entry, mirror, None)
        except BenchError:
            return "[red]missing in the mirror[/]"
        return "in the mirror"
    return "reachable" if _answers(entry.url) else "[red]missing, its address does not answer: use --mirror[/]"


def _model(store: Store, name: str, repository: str | None) -> str:
    if _is_downloaded(store, "model", "entry", name):
        return "downloaded"
    if repository is None:
        return "by pip"
    return "reachable" if _answers(f"https://huggingface.co/{repository}") else "[red]missing, hub unreachable[/]"


def _is_downloaded(store: Store, step: str, param: str, name: str) -> bool:
    return any(
        manifest["step"] == step and manifest["ingredients"]["params"][param]["name"] == name
        for _, manifest in store.manifests("downloads")
    )


def _answers(url: str) -> bool:
    try:
        return httpx.head(url, timeout=TIMEOUT_S, follow_redirects=True).is_success
    except httpx.HTTPError:
        return False

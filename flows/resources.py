"""What a run needs of the machine: disk, checked before any work, and time, from the rates measured here."""

import shutil
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flows.run_config import RunConfig
from flows.settings import profile_names
from tasks.artifacts import Store
from tasks.embeddings.encoders import EncoderParams
from tasks.records import BenchError
from tasks.reranking.pairs import PairParams

MB = 2**20
MODELS_MB = 350  # two wheels while they are unpacked; 125 MB stay


@dataclass(frozen=True, slots=True)
class Workload:
    """What a cold run takes.

    Attributes
    ----------
    embedded, reranked
        Word pieces that the two models read.
    disk_mb
        Disk of its results, MB of 2**20 bytes, without models.
    other_s
        Seconds of everything but the two models, on 2 cores.
    is_least
        Whether these are those of the data set's own profile, because nobody has measured a study that does more.
    """

    embedded: int
    reranked: int
    disk_mb: int
    other_s: float = 0.0
    is_least: bool = False


# Read off real runs. `embedded`: the sum of n_tokens over plan.parquet; `reranked`: the shards of pairs times their
# 150,000 word pieces. `other_s`, in the warehouse with the runs 20261130T204354Z-longmemeval-f73075,
# 20261130T212812Z-nfcorpus-7de433 and 20261130T213835Z-locomo-b0746c, and the study's below (an artifact counts once,
# with the time of when it was made):
#   mnemobench sql "SELECT run_id, dataset, sum(made_wall_s) FROM (SELECT DISTINCT run_id, dataset, artifact_key, step,
#     made_wall_s FROM timings) WHERE step NOT IN ('vectors', 'logits') GROUP BY ALL"
WORKLOADS = {
    "locomo": Workload(embedded=225_194, reranked=33 * 150_000, disk_mb=80, other_s=70),
    "longmemeval-s": Workload(embedded=26_255_000, reranked=33 * 150_000, disk_mb=1_800, other_s=321),
    "nfcorpus": Workload(embedded=871_863, reranked=36 * 150_000, disk_mb=60, other_s=60),
}
"""By data set: those of its own profile."""

# The run 20261201T023318Z-study-a-3add76. `reranked`: the sum of `estimated_tokens` over the distinct keys of all its
# pairs.parquet (92,888, 19,640 and 122,565 pairs), because most of its shards were copied from earlier ones and their
# time says nothing; `disk_mb`: the query above with `sum(n_bytes) / 1048576` over `artifacts`, less the 121 MB of the
# models, rounded up.
OF_STUDIES = {
    ("study-a", "longmemeval-s"): Workload(26_256_213, 19_947_666, 3_000, other_s=1_452),
    ("study-a", "nfcorpus"): Workload(871_863, 7_232_184, 100, other_s=110),
    ("study-a", "locomo"): Workload(225_194, 5_535_769, 100, other_s=213),
    # The run 20261201T035744Z-study-b-860b8c in the same way; LoCoMo's turns are read by three encoders.
    ("study-b", "locomo"): Workload(938_469, 5_251_685, 550, other_s=380),
    ("study-b", "longmemeval-s"): Workload(26_256_213, 4_954_687, 1_800, other_s=445),
    ("study-b", "nfcorpus"): Workload(871_863, 5_266_022, 160, other_s=44),
}
"""By profile and data set: a study asks for more than its data sets' own profiles."""
SHORTEST_SHARD_S = 10.0
"""Below this a shard was a remainder, or copied from another one."""
SYNTHETIC_PER_TURN, SYNTHETIC_PER_QUESTION = 31, 3_000


@dataclass(frozen=True, slots=True)
class Rates:
    """Word pieces per second of the two models, and where the numbers come from."""

    embedding: float
    reranking: float
    source: str

    def seconds(self, work: Workload) -> float:
        """Return the time of the two models at these rates, and that of everything else."""
        return work.embedded / self.embedding + work.reranked / self.reranking + work.other_s


DEFAULT_RATES = Rates(3_500.0, 3_600.0, "typical of 2 cores; nothing was measured here yet")


def workload(config: RunConfig) -> Workload:
    """Return the workload of a profile; of a study that nobody has measured, that of the data set as the least."""
    measured = OF_STUDIES.get((config.profile, config.dataset))
    if measured is not None:
        return measured
    if config.dataset != "synthetic":
        return replace(WORKLOADS[config.dataset], is_least=config.profile in profile_names(studies=True))
    turns, questions = config.synthetic.n_turns, config.synthetic.n_questions
    return Workload(turns * SYNTHETIC_PER_TURN, questions * SYNTHETIC_PER_QUESTION, 20 + turns // 200)


def needed_mb(config: RunConfig) -> int:
    """Return the disk a cold run needs in its store, MB of 2**20 bytes, rounded up from measured runs."""
    return MODELS_MB + workload(config).disk_mb


def free_mb(root: Path) -> int:
    """Return what is free on the disk that holds, or would hold, `root`."""
    root = root.expanduser().absolute()
    place = next(folder for folder in (root, *root.parents) if folder.exists())
    return shutil.disk_usage(place).free // MB


def check_room(configs: Sequence[RunConfig], root: Path) -> None:
    """Refuse to start where the disk is too small.

    Raises
    ------
    BenchError
        With what is free, what is needed, and what to do.
    """
    free, needed = free_mb(root), sum(map(needed_mb, configs))
    if free < needed:
        raise BenchError(
            f"the disk of the store {root} has {free:,} MB free; profile {configs[0].profile} needs about {needed:,} "
            "MB when nothing is cached. Free some, or choose another folder with --store."
        )


def stored_mb(store: Store) -> dict[str, tuple[int, float]]:
    """Return the number of artifacts of each stage in the store, and their size, MB of 2**20 bytes."""
    stages = sorted(folder.name for folder in store.root.glob("*") if folder.is_dir())
    found = {stage: [manifest["files"].values() for _, manifest in store.manifests(stage)] for stage in stages}
    return {
        stage: (len(artifacts), sum(facts["bytes"] for files in artifacts for facts in files) / MB)
        for stage, artifacts in found.items()
        if artifacts
    }


def measured_rates(store: Store) -> Rates:
    """Return the rates of the shards in the store; those of a typical machine where there is none."""
    embedding = _median_rate(store, "embeddings", "vectors", EncoderParams.model_fields["shard_tokens"].default)
    reranking = _median_rate(store, "reranking", "logits", PairParams().shard_tokens)
    if embedding is None or reranking is None:
        return DEFAULT_RATES
    return Rates(embedding, reranking, "median of the shards in the store")


def _median_rate(store: Store, stage: str, step: str, shard_tokens: int) -> float | None:
    """Return word pieces per second of the full shards that were really computed, or None without any."""
    times = [
        manifest["cost"]["wall_s"]
        for _, manifest in store.manifests(stage)
        if manifest["step"] == step and manifest["cost"]["wall_s"] > SHORTEST_SHARD_S
    ]
    return shard_tokens / statistics.median(times) if times else None

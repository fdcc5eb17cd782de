"""Corpora stage, synthetic. A module of its own, so that no parser is in its cache key."""

from pathlib import Path

from tasks.corpora.synthetic.generate import generate
from tasks.corpora.synthetic.params import PLANTED, SyntheticParams
from tasks.corpora.synthetic.planted import PlantedWriter
from tasks.corpora.tables import CorpusWriter
from tasks.progress import Progress


def build(params: SyntheticParams, out: Path, progress: Progress) -> None:
    """Generate the corpus into `out`: the normalised tables, and the truth in `planted.parquet`.

    `facts.json` holds the parameters, and under `planted` what each planted effect should do.
    """
    options = {**params.model_dump(mode="json"), "planted": PLANTED}
    licence = "Apache-2.0 (generated)"
    with CorpusWriter(out, "synthetic", licence=licence, options=options) as writer, PlantedWriter(out) as planted:
        for n_users in generate(params, writer, planted):
            progress(n_users, params.n_users, "users")

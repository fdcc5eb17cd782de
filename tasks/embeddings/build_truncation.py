"""Write which texts an encoder reads in part only. A module of its own, so that no vector has it in its key."""

from pathlib import Path

from tasks.downloads.model_facts import read_facts
from tasks.embeddings.encoders import EncoderParams
from tasks.embeddings.truncation import measure
from tasks.progress import Progress, silent
from tasks.records import BenchError


def build(plan_dir: Path, model_dir: Path, params: EncoderParams, out: Path, progress: Progress = silent) -> None:
    """Write `truncation.parquet` (text_key, n_pieces, is_truncated): the texts that fill the model's input.

    Parameters
    ----------
    plan_dir
        Artifact of the step `plan`, made with the same model and parameters.
    model_dir
        The fetched model.
    params
        The role chooses the prefix; precision and batches do not matter here.
    out
        Directory to write into.
    progress
        Told the texts of the plan looked at.

    Raises
    ------
    BenchError
        When the folder holds another model, or the plan was made for another.
    """
    name = read_facts(model_dir).name
    if name != params.model:
        raise BenchError(f"asked for the truncation of {params.model}, but {model_dir} holds the model {name}")
    table = measure(plan_dir, model_dir, params.role, progress)
    table.write_parquet(out / "truncation.parquet", compression="zstd")

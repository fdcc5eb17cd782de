"""What one run does: `RunConfig`, read from a committed profile and the overrides of the command line."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, Field, ValidationError, model_validator

from tasks.candidates.params import CandidateParams
from tasks.clusters.params import ClusterParams
from tasks.corpora.locomo import LocomoParams
from tasks.corpora.nfcorpus import NfcorpusParams
from tasks.corpora.synthetic_params import SyntheticParams
from tasks.embeddings.params import EncoderParams
from tasks.indexes.params import Bm25Params
from tasks.measures.params import MeasureParams
from tasks.records import BenchError, Params
from tasks.reranking.params import RerankerParams
from tasks.significance.params import SignificanceParams
from tasks.simulation.params import RifParams, StreamParams
from tasks.simulation.variants import Variant, parse
from tasks.text.params import TextParams, TokenizerParams

PROFILES = Path(__file__).resolve().parent / "profiles"

Dataset = Literal["synthetic", "locomo", "nfcorpus"]
Protocol = Literal["pooled-turn", "conversation-turn", "pooled-document"]


class RunConfig(Params):
    """Everything that decides the numbers of a run. Where results go and how many cores work is not part of it.

    The table of the dataset's own options bears the dataset's name; giving another dataset's table is an error.
    """

    profile: str
    dataset: Dataset
    protocol: Protocol
    synthetic: SyntheticParams = SyntheticParams()
    locomo: LocomoParams = LocomoParams()
    nfcorpus: NfcorpusParams = NfcorpusParams()
    text: TextParams = TextParams()
    tokenizer: TokenizerParams = TokenizerParams()
    bm25: Bm25Params = Bm25Params()
    encoder: EncoderParams = EncoderParams()
    candidates: CandidateParams = CandidateParams()
    reranker: RerankerParams = RerankerParams()
    clusters: ClusterParams = ClusterParams()
    stream: StreamParams = StreamParams()
    rif: RifParams = RifParams()
    variants: tuple[str, ...] = Field(min_length=1)
    measures: MeasureParams = MeasureParams()
    significance: SignificanceParams = SignificanceParams()

    @model_validator(mode="after")
    def _check(self) -> Self:
        strangers = sorted({"synthetic", "locomo", "nfcorpus"} & self.model_fields_set - {self.dataset})
        if strangers:
            raise ValueError(f"options of {', '.join(strangers)} given, but the dataset is {self.dataset}")
        for variant in self.variants:
            parse(variant)
        return self

    @property
    def parsed_variants(self) -> tuple[Variant, ...]:
        """The variants, in the order of the profile."""
        return tuple(parse(variant) for variant in self.variants)


def profile_names() -> list[str]:
    """Return the names of the committed profiles, sorted."""
    return sorted(path.stem for path in PROFILES.glob("*.toml"))


def load_config(profile: str, overrides: Sequence[str] = ()) -> RunConfig:
    """Return the configuration of a profile with `key=value` overrides applied.

    Keys are dotted (`candidates.k=20`), values are TOML (`0.3`, `true`, `"split"`; a bare word is a string).

    Raises
    ------
    BenchError
        For an unknown profile, key or value: all offenders at once, with what is valid.
    """
    if profile not in profile_names():
        raise BenchError(f"unknown profile {profile!r}; there are: {', '.join(profile_names())}")
    settings: dict[str, Any] = {"profile": profile}
    settings |= tomllib.loads((PROFILES / f"{profile}.toml").read_text(encoding="utf-8"))
    for override in overrides:
        _apply(settings, override)
    try:
        return RunConfig.model_validate(settings)
    except ValidationError as error:
        raise BenchError(f"profile {profile}: " + "; ".join(_complaints(error))) from error


def _apply(settings: dict[str, Any], override: str) -> None:
    key, separator, text = override.partition("=")
    if not separator or not key:
        raise BenchError(f"--set {override!r} is not key=value, e.g. --set candidates.k=20")
    *tables, last = key.strip().split(".")
    place = settings
    for table in tables:
        inner = place.setdefault(table, {})
        if not isinstance(inner, dict):
            raise BenchError(f"--set {override!r}: {table} is a value, not a table")
        place = inner
    place[last] = _value(text.strip())


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _complaints(error: ValidationError) -> list[str]:
    """Return one sentence per fault, sorted; an unknown key names the valid ones of its table."""
    sentences = []
    for fault in error.errors():
        place = ".".join(str(part) for part in fault["loc"]) or "the profile"
        if fault["type"] == "extra_forbidden":
            valid = _fields(RunConfig, fault["loc"][:-1])
            sentences.append(f"unknown key {place}; valid here: {', '.join(valid)}")
        else:
            sentences.append(f"{place} = {fault['input']!r}: {fault['msg']}" if fault["loc"] else fault["msg"])
    return sorted(sentences)


def _fields(model: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    for part in path:
        annotation = model.model_fields[str(part)].annotation
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return []
        model = annotation
    return sorted(model.model_fields)

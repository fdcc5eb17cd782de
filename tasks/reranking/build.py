"""Build the list of pairs to be scored, and its shards of logits."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from tasks.downloads.model_facts import ModelFacts, read_facts
from tasks.files import write_text
from tasks.progress import Progress
from tasks.records import BenchError, Params
from tasks.reranking.cross_encoder import load_cross_encoder, score_pairs
from tasks.reranking.pairs import PairParams, cut_pairs, estimated_tokens, pair_key

LIBRARIES = ("onnxruntime", "tokenizers", "torch", "transformers")
"""Distributions whose version changes the logits."""

SCORER = "scorer.json"
LARGEST_PLAUSIBLE = 30.0
"""MS MARCO cross-encoders give logits between about -12 and 12."""
ENOUGH_TO_TELL = 64
"""So many logits never all lie in [0, 1] unless something squashed them: most candidates are below 0."""

LOGIT_SCHEMA = {"pair_key": pl.String, "logit": pl.Float64}


class ScoreParams(Params):
    """Which model scores. The number of threads is no parameter: it changes nothing."""

    model: str


def list_pairs(candidates_dir: Path, texts_dir: Path, params: PairParams, out: Path) -> None:
    """Write `pairs.parquet`: one row per candidate, with the identity of its pair and the shard that scores it.

    Candidates with equal texts share a `pair_key`, which is in one shard only and scored once.
    """
    pairs = _with_texts(
        pl.read_parquet(candidates_dir / "candidates.parquet", columns=["query_index", "document_index"]), texts_dir
    )
    texts = list(pairs.select("query_text", "document_text").iter_rows())
    keys = [pair_key(query, document) for query, document in texts]
    costs = [estimated_tokens(query, document) for query, document in texts]
    shards = cut_pairs(keys, costs, params.shard_tokens)
    pairs.with_columns(pair_key=pl.Series(keys, dtype=pl.String)).join(
        shards, on="pair_key", how="left", validate="m:1", maintain_order="left"
    ).select("shard_index", "query_index", "document_index", "pair_key").write_parquet(
        out / "pairs.parquet", compression="zstd", statistics=True
    )


def shard_count(pairs_dir: Path) -> int:
    """Return the number of shards of a list of pairs (0 when it is empty)."""
    last = pl.scan_parquet(pairs_dir / "pairs.parquet").select(pl.col("shard_index").max()).collect().item()
    return 0 if last is None else int(last) + 1


def score_shard(
    pairs_dir: Path,
    texts_dir: Path,
    shard_index: int,
    model_dir: Path,
    params: ScoreParams,
    donors: Sequence[Path],
    out: Path,
    progress: Progress,
) -> None:
    """Write `logits.parquet` (pair_key, logit) of one shard, sorted by key, and `scorer.json` (the model's digest).

    `donors` are finished shards of the same model, of any list of pairs. A logit is a function of its pair, so what
    they hold is copied: it saves time and changes no byte.

    Raises
    ------
    BenchError
        When the model does not fit the parameters, a donor is of another model, or a logit is not plausible.
    """
    facts = read_facts(model_dir)
    if facts.name != params.model:
        raise BenchError(f"asked to score with {params.model}, but {model_dir} holds the model {facts.name}")
    wanted = _shard(pairs_dir, shard_index)
    known = _donated(donors, facts).join(wanted.select("pair_key"), on="pair_key", how="semi")
    missing = _with_texts(wanted.join(known, on="pair_key", how="anti", maintain_order="left"), texts_dir)
    progress(known.height, wanted.height, "pairs")
    scored = _score(missing, model_dir, known.height, wanted.height, progress)
    check_logits(scored["logit"], facts.name)
    pl.concat([known, scored]).sort("pair_key").write_parquet(out / "logits.parquet", compression="zstd")
    write_text(out / SCORER, _scorer(facts))


def read_logits(shard_dirs: Iterable[Path]) -> pl.DataFrame:
    """Return all logits of the shards, (pair_key, logit), each pair once, sorted by key."""
    frames = [pl.read_parquet(shard / "logits.parquet") for shard in shard_dirs]
    return pl.concat([pl.DataFrame(schema=LOGIT_SCHEMA), *frames]).unique("pair_key", keep="first").sort("pair_key")


def check_logits(logits: pl.Series, model: str) -> None:
    """Raise `BenchError` unless every logit is finite and plausible, and they are not probabilities."""
    values = logits.to_numpy()
    bad = int((~np.isfinite(values) | (np.abs(values) >= LARGEST_PLAUSIBLE)).sum())
    if bad:
        raise BenchError(
            f"{model} gave {bad} of {len(values)} logits that are not finite or not within +-{LARGEST_PLAUSIBLE:g}. "
            "Its files may be damaged, or it is no cross-encoder of the MS MARCO kind."
        )
    if len(values) >= ENOUGH_TO_TELL and values.min() >= 0 and values.max() <= 1:
        raise BenchError(
            f"all {len(values)} scores of {model} lie between 0 and 1: they look like probabilities, but raw logits "
            "are needed. Its files apply a sigmoid; choose a model that does not."
        )


def _shard(pairs_dir: Path, shard_index: int) -> pl.DataFrame:
    """Return one row per pair of a shard: (pair_key, query_index, document_index), by first appearance."""
    pairs = pl.scan_parquet(pairs_dir / "pairs.parquet").filter(pl.col("shard_index") == shard_index).collect()
    return pairs.unique("pair_key", keep="first", maintain_order=True).drop("shard_index")


def _with_texts(pairs: pl.DataFrame, texts_dir: Path) -> pl.DataFrame:
    """Add query_text and document_text; every pair has exactly one of each."""
    for side in ("query", "document"):
        texts = pl.read_parquet(texts_dir / f"{side}_texts.parquet", columns=[f"{side}_index", "text"])
        pairs = pairs.join(
            texts.rename({"text": f"{side}_text"}),
            on=f"{side}_index",
            how="left",
            validate="m:1",
            maintain_order="left",
        )
    n_lost = pairs.filter(pl.col("query_text").is_null() | pl.col("document_text").is_null()).height
    if n_lost:
        raise BenchError(
            f"{n_lost} candidates have no text in {texts_dir}: candidates and texts are of different corpora"
        )
    return pairs


def _donated(donors: Sequence[Path], facts: ModelFacts) -> pl.DataFrame:
    for donor in donors:
        if (donor / SCORER).read_text(encoding="utf-8") != _scorer(facts):
            raise BenchError(f"the logits in {donor} are of another model than {facts.name} ({facts.digest[:12]})")
    return read_logits(donors)


def _scorer(facts: ModelFacts) -> str:
    return f'{{"model": "{facts.name}", "digest": "{facts.digest}", "max_length": {facts.max_length}}}\n'


def _score(missing: pl.DataFrame, model_dir: Path, n_known: int, n_wanted: int, progress: Progress) -> pl.DataFrame:
    logits: list[float] = []
    if missing.height:
        pairs = list(missing.select("query_text", "document_text").iter_rows())
        for part in score_pairs(load_cross_encoder(model_dir), pairs):
            logits += part
            progress(n_known + len(logits), n_wanted, "pairs")
    return pl.DataFrame({"pair_key": missing["pair_key"], "logit": logits}, schema=LOGIT_SCHEMA)

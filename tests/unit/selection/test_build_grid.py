"""The study of BM25's parameters: against the index of each setting, and against the published grid."""

import csv
import json
from pathlib import Path

import polars as pl
import pytest

from tasks.corpora import build_locomo
from tasks.corpora.locomo import LocomoParams
from tasks.indexes import build_bm25
from tasks.indexes.bm25 import Bm25Index, Bm25Params
from tasks.measures import build as measures
from tasks.measures.names import MeasureParams
from tasks.progress import silent
from tasks.records import BenchError
from tasks.selection.build_grid import GRID_CHOICES, GRID_SCHEMA, GridParams, build
from tasks.text import build_texts, build_tokens
from tasks.text.documents import TextParams
from tasks.text.tokenizers import TokenizerParams
from tests.unit.selection.talks import N_SESSIONS, TURNS, Talks

PROTOCOL = "conversation-session"
SMALL = GridParams(k1=(0.5, 3.0), b=(0.0, 1.0))


@pytest.fixture
def tokens(talks: Talks) -> Path:
    """Three conversations of three sessions whose lengths differ; question i asks for two words."""
    folder, lists = talks.folder / "tokens", pl.List(pl.UInt32)
    folder.mkdir()
    words = [[(7 * i + j) % 5 for j in range(1 + (5 * i) % 11)] for i in range(3 * N_SESSIONS * TURNS)]
    for name, values in (("document", words), ("query", [[i % 5, (2 * i) % 5] for i in range(12)])):
        frame = {f"{name}_index": range(len(values)), "tokens": pl.Series(values, dtype=lists)}
        pl.DataFrame(frame).cast({f"{name}_index": pl.Int32}).write_parquet(folder / f"{name}_tokens.parquet")
    return folder


def grid(talks: Talks, tokens: Path, params: GridParams, protocol: str = PROTOCOL) -> tuple[pl.DataFrame, ...]:
    out = talks.folder / "grid"
    out.mkdir(exist_ok=True)
    build(tokens, talks.corpus, protocol, params, out)
    return tuple(pl.read_parquet(out / f"{name}.parquet") for name in ("grid", "grid_choices", "rankings"))


def hits(talks: Talks, tokens: Path, setting: Bm25Params) -> list[int]:
    """Return, for each question, whether the best session of an index built with the setting is right."""
    out = talks.folder / f"{setting.variant}-{setting.k1}-{setting.b}"
    out.mkdir(exist_ok=True)
    build_bm25.build(tokens, talks.corpus, PROTOCOL, setting, out)
    index = Bm25Index(out)
    gold = pl.read_parquet(talks.corpus / "judgements_session.parquet").select("query_id", "session_id").rows()
    right = []
    for query, talk in enumerate(talks.groups):
        scores = index.scope(talk).scores(index.queries[query]).round(9)
        right.append(int((f"q{query}", f"t{talk}-s{scores.argmax()}") in gold))
    return right


def test_grid_and_choices_against_an_index_per_setting(talks: Talks, tokens: Path) -> None:
    table, choices, rankings = grid(talks, tokens, SMALL)
    assert (table.schema, choices.schema) == (pl.Schema(GRID_SCHEMA), pl.Schema(GRID_CHOICES))
    right = [hits(talks, tokens, setting) for setting in SMALL.settings]
    assert table["n_hits"].to_list() == [sum(of) for of in right]
    assert table["n_hits"].n_unique() > 1
    for fold in range(3):
        others = [sum(of[i] for i in range(12) if i % 3 != fold) for of in right]
        best = others.index(max(others))
        setting = SMALL.settings[best]
        mine = sum(right[best][i] for i in range(12) if i % 3 == fold)
        expected = (fold, f"t{fold}", 4, 8, setting.variant, setting.k1, setting.b, max(others) / 8, mine)
        assert choices.row(fold) == expected
    assert set(rankings["document_index"] % TURNS) == {0}  # a session is known by its first turn


def test_rankings_are_those_of_the_choices(talks: Talks, tokens: Path) -> None:
    _, choices, _ = grid(talks, tokens, SMALL)
    out = talks.folder / "grid"
    measures.build({"x": out}, talks.corpus, None, PROTOCOL, MeasureParams(names=("Success@1",)), out)
    assert pl.read_parquet(out / "query_metrics.parquet")["value"].sum() == choices["n_hits_held_out"].sum()


def test_what_cannot_be_chosen_is_refused_in_words(talks: Talks, tokens: Path, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="ranks no sessions"):
        grid(talks, tokens, SMALL, "conversation-turn")
    with pytest.raises(BenchError, match=r"no table document_tokens\.parquet"):
        grid(talks, tmp_path, SMALL)
    pl.read_parquet(tokens / "query_tokens.parquet").head(5).write_parquet(tokens / "query_tokens.parquet")
    with pytest.raises(BenchError, match="has 5 rows; expected 12"):
        grid(talks, tokens, SMALL)


def test_grid_against_the_published(mirror: Path, tmp_path: Path) -> None:
    """Every published setting to four places, the ceiling, and the choice on the other nine conversations."""
    published = mirror.parent / "published" / "fusion_bm25_grid.csv"
    if not published.is_file():
        pytest.skip(f"the published grid is absent: looked for {published}")
    raw, corpus, texts, tokens, out = (tmp_path / name for name in ("raw", "corpus", "texts", "tokens", "out"))
    for folder in (raw, corpus, texts, tokens, out):
        folder.mkdir()
    (raw / "locomo10.json").symlink_to(mirror / "locomo" / "locomo10.json")
    facts = {"name": "locomo", "file": "locomo10.json", "sha256": "0" * 64, "bytes": 1, "is_official": True}
    (raw / "source.json").write_text(json.dumps(facts), encoding="utf-8")
    build_locomo.build(raw, LocomoParams(evidence="strict"), corpus, silent)
    build_texts.build(corpus, TextParams(), texts)
    build_tokens.build(texts, TokenizerParams(name="word3+stop"), tokens)
    build(tokens, corpus, PROTOCOL, GridParams(), out)
    table, choices = (pl.read_parquet(out / f"{name}.parquet") for name in ("grid", "grid_choices"))
    ours = {(variant, k1, b): value for variant, k1, b, _, _, value in table.iter_rows()}
    assert (len(ours), set(table["n"])) == (200, {1978})
    with published.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    settings = [row for row in rows if row["k1"]]
    assert len(settings) == 12
    for row in settings:
        key = (row["variant"].replace("classic", "lucene"), float(row["k1"]), float(row["b"]))
        assert round(ours[key], 4) == float(row["hit_at_1"]), key
    assert max(ours, key=lambda key: ours[key]) == ("bm25l", 1.2, 0.2)
    held_out = next(float(row["hit_at_1"]) for row in rows if row["variant"] == "leave-one-conversation-out")
    n_hits, n = (sum(choices[name].to_list()) for name in ("n_hits_held_out", "n_held_out"))
    assert round(n_hits / n, 4) == held_out == 0.6395

"""Study B's BM25 row on LoCoMo, from our tokenizer and our measures: protocol B.2 gives the numbers."""

import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tasks.measures.judged import Judged, evaluate, judge
from tasks.measures.names import parse
from tasks.text.tokenizers import tokenizer

EVIDENCE = re.compile(r"D(\d+):\d+")
# Protocol B.2, n = 1,978; Hit@1 is Success@1, MRR is RR.
PUBLISHED = {"Success@1": 0.6395, "R@3": 0.7788, "R@5": 0.8325, "RR": 0.7504, "nDCG@5": 0.7456}


def bm25_scores(query: set[str], sessions: list[Counter[str]]) -> list[float]:
    """Score sessions the slow way: k1 1.5, b 0.75, Lucene's idf, statistics of these sessions alone."""
    n, mean_length = len(sessions), float(np.mean([session.total() for session in sessions]))
    scores = []
    for session in sessions:
        norm = 1.5 * (0.25 + 0.75 * session.total() / mean_length)
        score = 0.0
        for token in query & session.keys():
            df = sum(token in other for other in sessions)
            tf = session[token]
            score += math.log((n - df + 0.5) / (df + 0.5) + 1) * tf * 2.5 / (tf + norm)
        scores.append(score)
    return scores


def judged_locomo(path: Path) -> tuple[Judged, int]:
    tokenize, rankings, relevance, n_queries = tokenizer("word3+stop"), [], [], 0
    for sample in json.loads(path.read_text(encoding="utf-8")):
        conversation = sample["conversation"]
        numbers = sorted(int(key[8:]) for key in conversation if re.fullmatch(r"session_\d+", key))
        sessions = [
            Counter(tokenize("\n".join(f"{turn['speaker']}: {turn['text']}" for turn in conversation[f"session_{n}"])))
            for n in numbers
        ]
        for question in sample["qa"]:
            gold = {int(found[1]) for evidence in question["evidence"] if (found := EVIDENCE.fullmatch(evidence))}
            if not gold:
                continue
            scores = bm25_scores(set(tokenize(question["question"])), sessions)
            # Of equals the earliest session is first (protocol B.2).
            order = np.argsort(-np.array(scores), kind="stable")
            rankings += [(n_queries, rank, numbers[i], None, rank - 1) for rank, i in enumerate(order, start=1)]
            relevance += [(n_queries, session, 1) for session in gold]
            n_queries += 1
    names = ["query_index", "rank", "item_index", "logit", "initial_position"]
    ranked = pl.DataFrame(rankings, schema=names, orient="row")
    return judge(
        ranked, pl.DataFrame(relevance, schema=["query_index", "item_index", "gain"], orient="row"), n_queries
    ), n_queries


def test_bm25_on_locomo_against_published(mirror: Path) -> None:
    judged, n_queries = judged_locomo(mirror / "locomo" / "locomo10.json")
    assert n_queries == 1978
    means = {name: float(evaluate(parse(name), judged).mean()) for name in PUBLISHED}
    assert means == pytest.approx(PUBLISHED, abs=5e-5)

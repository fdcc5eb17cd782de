"""Samples of questions: drawn as study A draws them."""

from pathlib import Path

import numpy as np
import pytest

from tasks.corpora.protocols import parse_protocol
from tasks.corpora.samples import read_asked, sample_of, write_asked
from tasks.records import BenchError

IDS = [f"q{number}" for number in range(20)]


def test_sample_against_numpy() -> None:
    drawn = np.random.default_rng(0).choice(20, 7, replace=False)
    assert np.flatnonzero(sample_of(IDS, 7)).tolist() == sorted(drawn.tolist())


def test_a_sample_of_published_ids_leaves_out_those_the_corpus_lacks() -> None:
    whole = sample_of(IDS, 7)
    missing = IDS[int(np.flatnonzero(whole)[3])]
    ours = [query_id for query_id in reversed(IDS) if query_id != missing]
    found = {query_id for query_id, is_drawn in zip(ours, sample_of(ours, 7, IDS), strict=True) if is_drawn}
    assert found == {query_id for query_id, is_drawn in zip(IDS, whole, strict=True) if is_drawn} - {missing}
    assert len(found) == 6


@pytest.mark.parametrize("size", [0, 21])
def test_an_impossible_sample_is_refused(size: int) -> None:
    with pytest.raises(BenchError, match=f"a sample of {size} questions of 20; expected 1 to 20"):
        sample_of(IDS, size)


def test_a_sample_of_other_questions_is_refused() -> None:
    with pytest.raises(BenchError, match="none of the 2 sampled ids is in the corpus"):
        sample_of(["x", "y"], 2, IDS)


def test_what_is_asked_is_read_back(tmp_path: Path) -> None:
    write_asked(sample_of(IDS, 5), tmp_path)
    assert read_asked(tmp_path, 20).tolist() == sample_of(IDS, 5).tolist()
    assert read_asked(None, 3).tolist() == [True, True, True]
    with pytest.raises(BenchError, match="the corpus has 3"):
        read_asked(tmp_path, 3)


def test_a_sample_is_another_search_and_the_same_judging() -> None:
    protocol = parse_protocol("pooled-turn(sample=5, dedup=.95, relevance=study-a)")
    assert str(protocol) == "pooled-turn(relevance=study-a,sample=5,dedup=0.95)"
    assert str(protocol.search) == "pooled-turn(sample=5,dedup=0.95)"

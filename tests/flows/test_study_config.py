"""What the profile of a study asks for, and what is said of settings that do not fit; truth: protocols.md, part A."""

import pytest

from flows.run_config import load_config
from flows.searches import searches_of
from flows.settings import profile_names
from flows.study_config import load_study
from tasks.records import BenchError


def test_a_study_is_no_profile_of_one_data_set() -> None:
    assert profile_names(studies=True) == ["study-a", "study-b"]
    with pytest.raises(BenchError, match="reproduces a study on several data sets"):
        load_config("study-a")


def test_runs_are_those_of_study_a_and_one_beyond() -> None:
    runs = {run.dataset: run for run in load_study("study-a").runs}
    assert list(runs) == ["longmemeval-s", "nfcorpus", "locomo"]
    assert [run.stream.steps for run in runs.values()] == [5000, 3000, 5000]
    assert [len(run.stream.published_ids) for run in runs.values()] == [500, 323, 0]
    assert {run.stream_seeds for run in runs.values()} == {100}
    assert [run.report.main_block for run in runs.values()] == ["all", "main", "main"]
    assert {run.report.main_measure for run in runs.values()} == {"nDCG(dcg='exp-log2')@10"}


def test_main_first_stage_is_that_of_the_suppression_runners() -> None:
    """Protocol A.2: okapi-floor, ranks from 0, dense first among equals, lists filled with documents that score 0."""
    for run in load_study("study-a").runs:
        stage = searches_of(run)[0].lists[0].stage
        assert (stage.tokenizer, stage.idf, stage.k, stage.rank_origin) == ("split", "okapi-floor", 30, 0)
        assert (stage.ties.value, stage.fill) == ("released", True)


def test_samples_hold_no_state() -> None:
    """Protocol A.10: baselines on 200 questions; depth and tokenizers on 100, BM25 first among equals."""
    run = load_study("study-a").runs[0]
    searches = {str(search.protocol): search for search in searches_of(run)}
    assert {"pooled-turn", "pooled-turn(sample=200)", "pooled-turn(sample=100)"} <= set(searches)
    assert not any(v.rif for name, s in searches.items() if "sample" in name for v in s.variants)
    depths = searches["pooled-turn(sample=100)"]
    assert {lists.stage.ties.value for lists in depths.lists} == {"released-bm25-first"}
    assert sorted({v.adaptive.k_deep for v in depths.variants if v.adaptive}) == [60, 100, 200]


def test_a_setting_is_of_all_data_sets_or_of_one() -> None:
    settings = ["stream.seed=7", "options.nfcorpus.stream.steps=11", 'datasets=["nfcorpus", "locomo"]']
    nfcorpus, locomo = load_study("study-a", settings).runs
    assert (nfcorpus.stream.seed, nfcorpus.stream.steps) == (7, 11)
    assert (locomo.stream.seed, locomo.stream.steps) == (7, 5000)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (['datasets=["nfcorpus", "msmarco"]'], "expected some of longmemeval-s, nfcorpus, locomo"),
        (["datasets=[]"], "expected some of longmemeval-s"),
        (["options.msmarco.stream.steps=1"], "options of msmarco; expected those of longmemeval-s"),
        (['variants=["bm25"]'], "variants follow from the study and cannot be set"),
        (
            ["candidates.depth=7"],
            "study-a, longmemeval-s: unknown key candidates.depth; valid here: bm25_weight, combine, fill_zero_scores",
        ),
        (["stream_seeds=-1"], "stream_seeds = -1"),
    ],
)
def test_a_wrong_setting_is_said_with_what_is_valid(settings: list[str], said: str) -> None:
    with pytest.raises(BenchError) as caught:
        load_study("study-a", settings)
    assert said in str(caught.value)


def test_without_the_cross_table_study_b_reranks_no_turns() -> None:
    (locomo,) = load_study("study-b", ['datasets=["locomo"]', "cross=false"]).runs
    assert locomo.other_protocols == ("conversation-session",)
    assert locomo.searches == {}
    (whole,) = load_study("study-b", ['datasets=["locomo"]']).runs
    assert whole.other_protocols == ("conversation-session", "conversation-turn")
    with pytest.raises(BenchError, match="cross = 3; expected true or false"):
        load_study("study-b", ["cross=3"])

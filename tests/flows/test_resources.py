"""What a cold run is said to cost."""

from dataclasses import replace

import pytest

from flows import resources
from flows.resources import MODELS_MB, Rates, needed_mb, workload
from flows.run_config import load_config
from flows.study_config import load_study

PLAIN = {"locomo": "locomo", "longmemeval": "longmemeval-s", "nfcorpus": "nfcorpus"}
"""Profile and data set."""


def test_a_study_costs_more_than_its_data_sets_alone() -> None:
    rates = Rates(embedding=1_000.0, reranking=500.0, source="made up")
    plain = {name: workload(load_config(profile)) for profile, name in PLAIN.items()}
    for run in load_study("study-a").runs:
        own, alone = workload(run), plain[run.dataset]
        assert not own.is_least
        assert rates.seconds(own) > rates.seconds(alone)
        assert needed_mb(run) > MODELS_MB + alone.disk_mb


def test_cost_of_a_study_against_hand_computed() -> None:
    long = load_study("study-a").runs[0]
    assert long.dataset == "longmemeval-s"
    # The run 20261201T023318Z-study-a-3add76: 26,256,213 + 19,947,666 word pieces, and 24.2 minutes of the rest.
    seconds = Rates(3_500.0, 3_600.0, "made up").seconds(workload(long))
    assert seconds / 60 == pytest.approx(125.03 + 92.35 + 24.2, abs=0.05)


def test_cost_of_a_study_that_nobody_measured_is_a_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "OF_STUDIES", {})
    run = load_study("study-a").runs[0]
    assert workload(run) == replace(resources.WORKLOADS[run.dataset], is_least=True)
    assert not workload(load_config("longmemeval")).is_least

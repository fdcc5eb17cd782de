"""prefect.yaml, loaded strictly: Prefect itself ignores a key it does not know."""

import importlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from cronsim import CronSim
from prefect.cli.deploy._models import PrefectYamlModel
from pydantic import BaseModel

from flows.run_config import load_config
from flows.settings import profile_names
from flows.study_config import load_study

PREFECT_YAML = Path(__file__).resolve().parents[2] / "prefect.yaml"
RAW: dict[str, Any] = yaml.safe_load(PREFECT_YAML.read_text())
DEPLOYMENTS: list[dict[str, Any]] = RAW["deployments"]


def lost_keys(raw: Any, parsed: Any, place: str = "") -> list[str]:
    """Return the keys of `raw` that the parsed model does not have."""
    if isinstance(raw, dict) and isinstance(parsed, BaseModel):
        aliases = {field.alias or name: name for name, field in type(parsed).model_fields.items()}
        known = {key: getattr(parsed, aliases[key]) for key in raw if key in aliases}
        lost = [f"{place}.{key}" for key in raw if key not in known]
        return lost + [name for key, value in known.items() for name in lost_keys(raw[key], value, f"{place}.{key}")]
    if isinstance(raw, list) and isinstance(parsed, list):
        return [
            name
            for index, pair in enumerate(zip(raw, parsed, strict=True))
            for name in lost_keys(*pair, f"{place}[{index}]")
        ]
    return []


def test_no_key_is_silently_ignored() -> None:
    assert lost_keys(RAW, PrefectYamlModel.model_validate(RAW)) == []


def test_a_misspelt_key_would_be_found() -> None:
    wrong = {**RAW, "deployments": [{**DEPLOYMENTS[1], "concurrency_options": {"limit": 1}}]}
    assert lost_keys(wrong, PrefectYamlModel.model_validate(wrong)) == [".deployments[0].concurrency_options"]


def test_the_deployments_are_there() -> None:
    assert [deployment["name"] for deployment in DEPLOYMENTS] == [
        "sample", "nightly-regression", "study-a", "study-b", "sweep",
    ]  # fmt: skip
    assert "schedules" in DEPLOYMENTS[1]


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=lambda deployment: deployment["name"])
def test_entrypoint_and_parameters_fit_the_flow(deployment: dict[str, Any]) -> None:
    module, _, name = deployment["entrypoint"].rpartition(".")
    flow = getattr(importlib.import_module(module), name)
    flow.validate_parameters(deployment["parameters"])
    parameters = deployment["parameters"]
    for profile in parameters.get("profiles", [parameters.get("profile", "sample")]):
        load = load_study if profile in profile_names(studies=True) else load_config
        assert load(profile).profile == profile


def test_schedules_fire_at_distinct_minutes() -> None:
    crons = [schedule["cron"] for deployment in DEPLOYMENTS for schedule in deployment.get("schedules", [])]
    minutes = [next(CronSim(cron, datetime(2026, 1, 1, tzinfo=UTC))).strftime("%H:%M") for cron in crons]
    assert minutes
    assert len(set(minutes)) == len(minutes)


def test_a_run_in_progress_makes_the_next_one_give_way() -> None:
    assert DEPLOYMENTS[1]["concurrency_limit"] == {"limit": 1, "collision_strategy": "CANCEL_NEW"}

# Two commands for a newcomer: `make run` and `make test`. Needs Python 3.11+, make and a package index.

PYTHON ?= python3
# Other machines: PIP_ARGS="--extra-index-url https://download.pytorch.org/whl/cpu" takes the CPU build of torch.
PIP_ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

# Everything Prefect writes stays inside the checkout; its embedded server is slow to start on a cold machine.
export PREFECT_HOME := $(CURDIR)/.prefect
export PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS := 120
export PREFECT_SERVER_ANALYTICS_ENABLED := false
export DO_NOT_TRACK := 1

.PHONY: help run test test-slow lint types lock clean

help:  ## Show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

run: $(INSTALLED)  ## Install, fetch the two default models, run the sample profile, print the headline table
	$(BIN)/mnemobench run --profile sample

test: $(INSTALLED)  ## Lint, types, and the fast tests (at most 15 minutes on 2 cores)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

test-slow: $(INSTALLED)  ## Signals and kills, real models, full files from the mirror (at most 45 minutes)
	$(BIN)/pytest -m slow

lock: $(INSTALLED)  ## Write requirements.lock from what is installed
	$(BIN)/pip freeze --exclude-editable | sed 's/+cpu$$//' > requirements.lock

clean:  ## Remove the environment and what tools cache; results stay
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .prefect

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "mnemobench needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet $(PIP_ARGS) --requirement requirements.lock
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

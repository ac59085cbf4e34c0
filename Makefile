# On a fresh Debian: python3 (3.11 or newer), python3-venv and make are enough.

PYTHON ?= python3
VENV ?= .venv
# Directory of released ERP-Bench tasks that `make demo` plays too, where there is one.
RELEASED ?= $(wildcard ../shared/data/erpbench)
BIN := $(VENV)/bin
# Installs are remembered by these files, and done again when pyproject.toml changes.
CORE := $(VENV)/.installed-core
DEV := $(VENV)/.installed-dev
DOCS := $(VENV)/.installed-docs
TRAIN := $(VENV)/.installed-train
# Processes that share the tests: "logical" is one a core; 0 runs them in one.
WORKERS ?= logical
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
# Build of PyTorch for the tests that train agents.
TORCH ?= torch==2.13.0
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DELETE_ON_ERROR:
.PHONY: help demo test test-slow test-train lint format docs bench clean

help: ## Show this help
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(CORE) ## Play tasks with scripted policies and print a table; RELEASED=DIR adds released ERP-Bench tasks
	$(BIN)/opsgym demo $(if $(RELEASED),--released $(RELEASED))

test: $(DEV) ## Run the tests and the examples in the docstrings
	$(PYTEST)

test-slow: $(DEV) ## Run the slow tests
	$(PYTEST) -m slow

test-train: $(TRAIN) ## Run the tests that train agents, and a small version of the study of curricula
	$(BIN)/python -m pytest -m train
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/curriculum_study.py --quick --out $(VENV)/study-quick

lint: $(DEV) ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(DEV) ## Put the code into its one format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(DOCS) ## Build the documentation into docs/_build/html; warnings are errors
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: $(DEV) ## Measure speed, beside a reference timed in the same run
	$(BIN)/python benchmarks/erp_bench.py
	$(BIN)/python benchmarks/erp_generation.py
	$(BIN)/python benchmarks/ace_bench.py
	$(BIN)/python benchmarks/enterprise_ops.py
	$(BIN)/python benchmarks/enterprise_bench.py
	$(BIN)/python benchmarks/or_agent_bench.py
	$(BIN)/python benchmarks/sandbox.py
	$(BIN)/python benchmarks/evaluate.py --tasks 20 --repeat 3
	$(BIN)/python benchmarks/wrappers.py
	$(BIN)/python benchmarks/curricula.py --seeds 2
	$(BIN)/python benchmarks/serve.py
	$(BIN)/python benchmarks/serve_mcp.py --sessions 16 --calls 60

clean: ## Remove everything that was made here
	rm -rf $(VENV) build dist docs/_build .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "OpsGym needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

$(CORE): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(DEV): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(CORE)

$(TRAIN): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet '$(TORCH)'
	$(BIN)/python -m pip install --quiet --editable '.[dev,ray,train,trl]'
	@touch $@ $(CORE) $(DEV)

$(DOCS): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@ $(CORE)

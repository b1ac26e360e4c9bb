# What a person types in a clone; `make help` lists it. Everything here may be run twice.
#
# .venv holds the package and its tests. The embedded server's environment and model (3 GB) lie in
# Jupyter's data folder, shared by all clones, unless TIR_EMBEDDED_DIR names another place.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Touched when the package and its test tools are installed; goes with .venv.
INSTALLED := $(VENV)/installed

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo test test-slow lint clean check-python

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(INSTALLED) ## make .venv and the embedded server's environment (5 minutes, once)
	@echo "make setup: the embedded server (5 minutes and 3 GB the first time, 9 GB where pip brings torch's CUDA build)"
	@$(BIN)/python -m jupyterlab_tir.serving.command --embedded --setup-only

demo: setup ## start the embedded server and solve examples/quickstart.md (2 minutes)
	@echo "make demo: starting the embedded server (half a minute to 2 minutes)"
	@$(BIN)/tir serve --embedded --detach
	@echo "make demo: solving the problems of examples/quickstart.md"
	@$(BIN)/tir solve -f examples/quickstart.md; code=$$?; \
	echo "make demo: the server is left running; end it with: $(BIN)/tir serve --stop"; \
	if [ $$code -eq 1 ]; then echo "make demo: the small model answered not every problem; that is a result too"; code=0; fi; \
	exit $$code

lint: $(INSTALLED) ## ruff and mypy (10 seconds)
	@echo "make lint: ruff check, ruff format --check, mypy"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

test: setup lint ## lint and all tests but the slow ones (a few minutes)
	@echo "make test: pytest, with the embedded vLLM server where a test needs it"
	@$(BIN)/python -m pytest -m "not slow"

test-slow: setup ## the tests that take long
	@echo "make test-slow: pytest -m slow"
	@$(BIN)/python -m pytest -m slow

clean: ## remove .venv and build; the embedded server's environment stays
	rm -rf $(VENV) build

check-python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "make: no $(PYTHON) here; install Python 3.11 or newer (Debian: python3) or name one with PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: $$($(PYTHON) --version) is too old; install Python 3.11 or newer (Debian: python3.11) and name it with PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "make: $(PYTHON) cannot make virtual environments; install its venv module (Debian: python3-venv)" >&2; exit 1; }

$(INSTALLED): pyproject.toml | check-python
	@echo "make setup: installing the package and its test tools into $(VENV) (1 to 2 minutes)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group test
	@touch $@

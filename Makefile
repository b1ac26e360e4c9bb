# What a person types in a clone; `make help` lists it. Everything here may be run twice.
#
# .venv holds the package and its tests. The embedded server's environment and model (3 GB) lie in
# Jupyter's data folder, shared by all clones, unless TIR_EMBEDDED_DIR names another place.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Touched when the package and its test tools are installed; goes with .venv.
INSTALLED := $(VENV)/installed
# The front end's packages, and the extension that is built with them. Both need Node.js; solving
# problems in the terminal does not.
PACKAGES := node_modules/installed
LAB_SOURCES := $(shell find labextension/src labextension/style labextension/schema -type f) package.json tsconfig.json
LAB_BUILT := jupyterlab_tir/labextension/package.json
# The same view as a widget, for pages without the extension: built with it, beside the module that
# sends it.
WIDGET_BUILT := kernel_ext/jupyterlab_tir_kernel/view.js
# Runs are stopped over this ipykernel too: see CONTRIBUTING.md.
OLDER_IPYKERNEL := build/ipykernel-7.3/installed
LAB_LINK := $(VENV)/share/jupyter/labextensions/jupyterlab-tir
# The oldest JupyterLab, kernel and widgets that pyproject.toml allows, in an environment of their own.
OLDEST := build/oldest
OLDEST_INSTALLED := $(OLDEST)/installed
OLDEST_LINK := $(OLDEST)/share/jupyter/labextensions/jupyterlab-tir
OLDEST_PACKAGES := 'jupyterlab==4.0.*' 'ipykernel==7.0.*' 'ipywidgets==8.1.0' 'anywidget==0.9.13'
# A build finds its tools in .venv; nothing needs to be activated.
JLPM := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/jlpm
TIR_TEST_CHROMIUM ?= /usr/bin/chromium
export TIR_TEST_CHROMIUM
# Trying things out goes on with what the machine offers, and says what that is; every other use
# refuses less than `full` unless its user accepts it.
BEST := TIR_SANDBOX=$${TIR_SANDBOX:-best}

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo lab build-lab test test-lab test-browser test-slow test-oldest bench-widget lint clean check-python check-node check-chromium

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(INSTALLED) ## make .venv and the embedded server's environment (5 minutes, once)
	@echo "make setup: the embedded server (5 minutes and 3 GB the first time, 9 GB where pip brings torch's CUDA build)"
	@$(BIN)/python -m jupyterlab_tir.serving.command --embedded --setup-only

demo: setup ## start the embedded server and solve examples/quickstart.md (2 minutes)
	@echo "make demo: starting the embedded server (half a minute to 2 minutes)"
	@$(BIN)/tir serve --embedded --detach
	@echo "make demo: solving the problems of examples/quickstart.md; code that the model writes runs at the best isolation that this machine offers, which is named below each tally"
	@$(BEST) $(BIN)/tir solve -f examples/quickstart.md; code=$$?; \
	echo "make demo: the server is left running; end it with: $(BIN)/tir serve --stop"; \
	if [ $$code -eq 1 ]; then echo "make demo: the small model answered not every problem; that is a result too"; code=0; fi; \
	exit $$code

lab: setup build-lab ## start the embedded server and open examples/quickstart.ipynb in JupyterLab
	@echo "make lab: starting the embedded server (half a minute to 2 minutes)"
	@$(BIN)/tir serve --embedded --detach
	@echo "make lab: starting JupyterLab; its address is below, Ctrl+C ends it; the embedded server is left running, end it with: $(BIN)/tir serve --stop"
	@echo "make lab: code that the model writes runs at the best isolation that this machine offers, which each result names"
	@root=; [ "$$(id -u)" -ne 0 ] || root=--allow-root; \
	browser=; [ "$$(uname)" = Darwin ] || [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || browser=--no-browser; \
	$(BEST) $(BIN)/jupyter lab $$root $$browser --LabApp.default_url=/lab/tree/examples/quickstart.ipynb $(LAB_FLAGS)

build-lab: $(LAB_BUILT) $(WIDGET_BUILT) ## build the JupyterLab extension and the widget, link the first into .venv (2 minutes, once)
	@mkdir -p $(dir $(LAB_LINK))
	@ln -sfn "$(CURDIR)/jupyterlab_tir/labextension" $(LAB_LINK)

lint: $(INSTALLED) $(PACKAGES) ## ruff, mypy, prettier, eslint, tsc (30 seconds)
	@echo "make lint: ruff check, ruff format --check, mypy"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@echo "make lint: prettier --check, eslint, tsc"
	@$(JLPM) lint

test: setup lint test-lab test-browser ## lint and all tests but the slow ones (a few minutes)
	@echo "make test: pytest, two files at a time"
	@$(BIN)/python -m pytest -m "not slow and not alone" --numprocesses 2 --dist loadfile
	@echo "make test: pytest, the tests that run alone, with the embedded vLLM server where one needs it"
	@$(BIN)/python -m pytest -m "alone and not slow"

test-lab: $(PACKAGES) ## the front end's unit tests (5 seconds)
	@echo "make test-lab: vitest"
	@$(JLPM) test

test-browser: build-lab check-chromium $(OLDER_IPYKERNEL) ## the extension in JupyterLab in Chromium (1 minute); pictures in build/screenshots
	@echo "make test-browser: JupyterLab in Chromium"
	@$(JLPM) test:browser

test-slow: setup build-lab check-chromium $(OLDER_IPYKERNEL) ## the tests that take long
	@echo "make test-slow: JupyterLab in Chromium with the embedded vLLM server"
	@TIR_TEST_SLOW=1 $(JLPM) test:browser .slow.test
	@echo "make test-slow: pytest -m slow"
	@$(BIN)/python -m pytest -m slow
	@$(MAKE) --no-print-directory test-oldest

test-oldest: build-lab check-chromium $(OLDEST_INSTALLED) ## the browser tests in the oldest JupyterLab that is supported (3 minutes)
	@mkdir -p $(dir $(OLDEST_LINK))
	@ln -sfn "$(CURDIR)/jupyterlab_tir/labextension" $(OLDEST_LINK)
	@echo "make test-oldest: $$($(OLDEST)/bin/python -m jupyterlab --version) is the JupyterLab of these tests"
	@TIR_TEST_PYTHON="$(CURDIR)/$(OLDEST)/bin/python" $(JLPM) test:browser panel.test savedResult.test liveRun.test widget.test

bench-widget: build-lab check-chromium ## 64 streams in Chromium for 20 s: frames, bytes, CPU (1 minute); JSON on the last line
	@echo "make bench-widget: 64 streams in JupyterLab in Chromium, replies from the scripted backend"
	@$(JLPM) bench:widget

clean: ## remove .venv, node_modules and what was built; the embedded server's environment stays
	rm -rf $(VENV) build node_modules jupyterlab_tir/labextension $(WIDGET_BUILT) $(WIDGET_BUILT:.js=.css)

check-python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "make: no $(PYTHON) here; install Python 3.11 or newer (Debian: python3) or name one with PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: $$($(PYTHON) --version) is too old; install Python 3.11 or newer (Debian: python3.11) and name it with PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "make: $(PYTHON) cannot make virtual environments; install its venv module (Debian: python3-venv)" >&2; exit 1; }

check-node:
	@command -v node >/dev/null || { \
	  echo "make: no Node.js here, which builds and tests the JupyterLab extension; install Node.js 20.19 or newer" >&2; exit 1; }
	@node -e 'const [a, b] = process.versions.node.split("."); process.exit(+a > 20 || (+a === 20 && +b >= 19) ? 0 : 1)' || { \
	  echo "make: Node.js $$(node --version) is too old to build the JupyterLab extension; install Node.js 20.19 or newer" >&2; exit 1; }

check-chromium:
	@command -v "$(TIR_TEST_CHROMIUM)" >/dev/null || { \
	  echo "make: no Chromium at $(TIR_TEST_CHROMIUM), which the browser tests drive; install it (Debian: chromium) or name one with TIR_TEST_CHROMIUM=…" >&2; exit 1; }

$(PACKAGES): package.json yarn.lock .yarnrc.yml | $(INSTALLED) check-node
	@echo "make: installing the front end's packages into node_modules (1 minute)"
	@said=$$($(JLPM) install --immutable 2>&1) || { echo "$$said" >&2; exit 1; }
	@touch $@

$(LAB_BUILT): $(LAB_SOURCES) $(PACKAGES)
	@echo "make build-lab: building the JupyterLab extension and the widget (10 seconds)"
	@$(JLPM) build
	@touch $@

$(WIDGET_BUILT): $(LAB_BUILT)
	@test -f $@ || $(JLPM) build:widget
	@touch $@

$(OLDER_IPYKERNEL): | $(INSTALLED)
	@echo "make: installing ipykernel 7.3 into $(dir $@) (seconds)"
	@rm -rf $(dir $@)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(dir $@) 'ipykernel==7.3.*'
	@touch $@

$(OLDEST_INSTALLED): pyproject.toml Makefile | check-python
	@echo "make: installing the oldest JupyterLab that is supported into $(OLDEST) (1 to 2 minutes)"
	@rm -rf $(OLDEST)
	@$(PYTHON) -m venv $(OLDEST)
	@$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --editable . $(OLDEST_PACKAGES)
	@touch $@

$(INSTALLED): pyproject.toml | check-python
	@echo "make setup: installing the package and its test tools into $(VENV) (1 to 2 minutes)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group test
	@touch $@

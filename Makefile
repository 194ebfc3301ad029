# Every target sets itself up: `make demo` or `make test` in a fresh clone is enough.
# Another Python: `make test PYTHON=python3.12` (tests that need torch are then skipped).

TORCH_FOR := 3.11
ifndef PYTHON
PYTHON := $(shell for python in python$(TORCH_FOR) python3; do \
	$$python -c '' 2>/dev/null && echo $$python && break; done)
endif
TAG := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
BIN := .venv/$(TAG)/bin
EXTRAS := $(if $(filter $(TORCH_FOR),$(TAG)),dev torch,dev)
empty :=
comma := ,

.DEFAULT_GOAL := test
# Hundreds of tests start dlfix in a process of its own, which need not compile it each time.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: setup demo test coverage lint docs schema picture catalog kills bench differential release-check install-check audit replay sweep fuzz fuzz-guided vscode clean print-bin

$(BIN)/python:
	$(PYTHON) -m venv .venv/$(TAG)

.venv/$(TAG)/for-demo: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/$(TAG)/for-tests: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[$(subst $(empty) $(empty),$(comma),$(EXTRAS))]'
	@touch $@ .venv/$(TAG)/for-demo

setup: .venv/$(TAG)/for-tests

# The findings in examples/birds, and the diff that fixes them. Writes nothing.
# Both commands exit with 1, because there are findings.
demo: .venv/$(TAG)/for-demo
	@echo; echo '$$ dlfix check examples/birds'
	@$(BIN)/dlfix check examples/birds || test $$? -eq 1
	@echo; echo '$$ dlfix apply --diff examples/birds'
	@$(BIN)/dlfix apply --diff examples/birds || test $$? -eq 1
	@echo; echo 'No file was changed: $(BIN)/dlfix apply examples/birds writes the changes, and dlfix undo restores the files.'

# Options of pytest's in ARGS: `make test ARGS="--golden-only lazy_resources"`. JOBS=0 runs all tests in one process.
JOBS := logical
test: setup
	$(BIN)/python -m pytest -n $(JOBS) --maxprocesses 8 --dist worksteal $(ARGS)

# How much of the code the tests run, branches included. Measuring takes three times as long as running: not a part of .ci/run.
# Generated programs run in processes of their own, of which nothing would be measured.
APART := tests/differential tests/sweep tests/test_kills.py
coverage: setup
	$(BIN)/python -m pytest -n $(JOBS) --maxprocesses 8 --dist worksteal --cov --cov-report=term:skip-covered \
		$(addprefix --ignore=,$(APART)) $(ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# config.schema.json, and the table of settings in docs/usage.md.
schema: setup
	$(BIN)/python docs/schema.py

# The picture of README.md, from the real output of the example.
picture: setup
	$(BIN)/python docs/picture.py

# Compare the catalogue with real objects: which can be pickled, and with which error.
catalog: setup
	$(BIN)/python -m pip install --quiet 'pip>=25.1'  # knows dependency groups
	$(BIN)/python -m pip install --quiet --group catalog
	$(BIN)/python -m pytest tests/catalog --full-catalog

# Applies and undos killed at random moments, thousands of times: `make kills KILLS=3000`.
KILLS := 3000
kills: setup
	DLFIX_KILLS=$(KILLS) $(BIN)/python -m pytest -q tests/test_kills.py

# The table of docs/benchmarks.md: ARGS="--write docs/benchmarks.md", or some of its sections: ARGS="each growth". With
# TREES="~/code/a ~/code/b" the time of a check of these, compared with other tools: ROUNDS=5; ARGS=--together.
bench: setup
	$(BIN)/python benchmarks/$(if $(TREES),cold_run.py $(TREES),table.py) --rounds $(or $(ROUNDS),3) $(ARGS)

# Generated programs, each run before and after its fixes: `make differential N=2000 SEED=1`.
# A program that a fix breaks is reduced and written to OUT.
N := 2000
OUT := differential-failures
differential: setup
	$(BIN)/python -m tests.differential $(N) $(if $(SEED),--seed $(SEED)) --out $(OUT)

# Wheel and sdist: the same bytes twice, and at work in empty environments.
release-check: setup
	$(BIN)/python -m pytest -q tests/release
	$(MAKE) install-check

# The wheel installed into empty environments of Python 3.10 to 3.13, as far as these are there, or of those in VERSIONS,
# the sdist into one, and used.
install-check: setup
	$(BIN)/python -m tests.release.check $(VERSIONS)

# Known vulnerabilities of what dlfix needs to run; fails, too, where nothing can be looked up.
audit: setup
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/python -m tests.release.audit

# Repositories in which people met a worker error: CASES lists them, TREES/ID holds each one's code.
replay: setup
	$(BIN)/python benchmarks/replay.py --cases $(CASES) --trees $(TREES) $(ARGS)

# check, apply, apply again and undo over copies of trees: TREES="~/code/a ~/code/b", the standard library and
# all that is installed by default (hours). Exits with 1 if anything went wrong.
sweep: setup
	$(BIN)/python -m tests.sweep.sweep $(TREES)

# Random programs: `make fuzz COUNT=5000 SEED=7`.
fuzz: setup
	DLFIX_FUZZ=$(or $(COUNT),1000) DLFIX_FUZZ_SEED=$(or $(SEED),0) $(BIN)/python -m pytest tests/sweep/test_fuzz.py

# The same led by coverage, for as long as wanted: `make fuzz-guided SECONDS=3600`. Linux only.
SECONDS := 600
fuzz-guided: setup
	$(BIN)/python -m pip install --quiet atheris
	$(BIN)/python -m tests.sweep.guided -max_total_time=$(SECONDS)

# The VS Code extension, built and tested with a headless client; skipped without npm or its packages.
vscode: setup
	@if ! command -v npm >/dev/null; then echo 'editors/vscode: skipped, npm is not installed'; \
	elif ! (cd editors/vscode && npm install --no-audit --no-fund --silent); then \
		echo 'editors/vscode: skipped, npm cannot install its packages'; \
	else cd editors/vscode && DLFIX_PYTHON="$(abspath $(BIN))/python" npm test; fi

clean:
	rm -rf .venv site build dist .coverage

print-bin:
	@echo $(BIN)

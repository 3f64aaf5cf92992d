# SPDX-License-Identifier: MIT
# Everything a developer runs. Each target installs what it needs first (tools/setup.sh, once).
BIN := .venv/bin
STAMP := .venv/stamp
C_SOURCES = $(shell git ls-files '*.c' '*.cc' '*.h' ':!wrapper/generated')

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all test-apps test-distro test-wheel coverage bench fuzz lint format generate check-generated docs site wheel wheels packages vscode clean

help:
	@echo "make demo | test | test-all | test-apps | test-distro DISTRO=trixie|bullseye | test-wheel | coverage | bench | fuzz [SEED=N] [CASES=N] | lint | format | generate | check-generated | docs | site | wheel | wheels | packages | vscode | clean"

setup: $(STAMP)

$(STAMP): pyproject.toml tools/setup.sh
	tools/setup.sh
	@touch $@

demo: $(STAMP)
	tools/demo.sh

# Each worker imports all tests: compiling them takes twice as long as reading their bytecode.
test test-all: export PYTHONDONTWRITEBYTECODE =

# Many tests wait for others' ends: eight at a time keep two processors busy. Each runs on one MPI, with
# two cases (tests/short.py); test-all runs it on every one, with all cases.
test: $(STAMP)
	$(BIN)/pytest -n 8 --dist worksteal --short --durations=25 $(PYTEST_ARGS)

test-all: $(STAMP)
	$(BIN)/pytest -n 8 --dist worksteal $(PYTEST_ARGS)

# Real programs, with the wrapper and without; half an hour, and half a gigabyte of Debian packages.
test-apps: $(STAMP)
	tools/setup_apps.sh
	$(BIN)/pytest tests/apps $(PYTEST_ARGS)

# The debugger's tests in another Debian; as root. Needs nothing of .venv.
test-distro:
	tools/test_distro.sh "$(DISTRO)" $(PYTEST_ARGS)

# The wheel of `make wheels` in a Debian without a compiler, and how long its runs take; as root.
test-wheel:
	tools/test_wheel.sh

# How much of mpipp/ the tests execute, by folder, after as many tests as `make test` has.
coverage: $(STAMP)
	$(BIN)/python tools/measure_coverage.py --short $(PYTEST_ARGS)

bench: $(STAMP)
	$(BIN)/python -m benchmarks

# Damaged registries of one MPI build, looked at in every way; a seed repeats one case.
fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz $(if $(SEED),--seed $(SEED)) $(if $(CASES),--cases $(CASES)) $(FUZZ_ARGS)

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	clang-format --dry-run -Werror $(C_SOURCES)
	git ls-files -z | xargs -0 $(BIN)/codespell
	$(BIN)/python -m tools.lint_prose
	$(BIN)/python -m tools.lint_wrapper

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	clang-format -i $(C_SOURCES)

# What users install, in dist/: the package with the wrapper's sources.
wheel: $(STAMP)
	$(BIN)/python -m hatchling build -t wheel

# The same with compiled wrappers, for x86-64 and aarch64: users of these need no compiler.
wheels: $(STAMP)
	$(BIN)/python -m tools.prebuild

# All files of a release: the wheels, the source, recipes, a bill of materials, and hashes.
packages: $(STAMP)
	rm -rf dist
	$(BIN)/python -m tools.prebuild
	$(BIN)/python -m tools.packages

# The extension for Visual Studio Code, tested with Node and packaged: dist/mpipp-VERSION.vsix.
vscode:
	tools/package_vscode.sh

generate: $(STAMP)
	$(BIN)/python -m wrapper.generator.generate

check-generated: $(STAMP)
	$(BIN)/python -m wrapper.generator.generate --check
	$(BIN)/python -m tools.checks_doc --check
	tools/generate_commands_doc.sh --check
	$(BIN)/python -m tools.shell_manual --check
	$(BIN)/python -m tools.completion --check

docs: generate
	$(BIN)/python -m tools.checks_doc
	tools/generate_commands_doc.sh
	$(BIN)/python -m tools.shell_manual
	$(BIN)/python -m tools.completion

# The pages of docs/ as a web site: build/site/index.html.
site: $(STAMP)
	$(BIN)/python -m sphinx -b html -W -n -q docs build/site

clean:
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
	find mpipp wrapper tests tools -type d -empty -delete

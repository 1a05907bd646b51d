# Two commands do everything on a fresh machine: `make audit` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: audit test check bench clean

audit: $(VENV)/.installed  ## audit every built-in filter, known-bad specimens included
	$(BIN)/filterproof audit

test: $(VENV)/.installed  ## the whole test suite, doctests included
	$(BIN)/python -m pytest -n auto -q

check: $(VENV)/.installed  ## ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed  ## ratios, measured in one run
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

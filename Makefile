# Two commands do everything on a fresh machine: `make audit` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# the tests wait for children a quarter of their time
WORKERS = $(shell $(PYTHON) -c 'import os; print(3 * os.cpu_count() // 2)')

.PHONY: audit test check prove power gate vectors verified-checker verified.js lemmas mutants room-mutants bench commands docs wheel sbom lock clean

audit: $(VENV)/.bare  ## audit every built-in filter, known-bad specimens included
	$(BIN)/filterproof audit $(AUDIT)

test: $(VENV)/.installed  ## the whole test suite, doctests included
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q

prove: $(VENV)/.installed  ## the code of every sound filter, tied to its theorem, and docs/internals/THEOREMS.md
	$(BIN)/python -m filterproof_proofs.ties $(TIES)
	$(BIN)/filterproof prove compensator compensator-recycling compensator-capped \
	  compensator-upper-bound --outputs 2

check: $(VENV)/.installed  ## ruff, mypy --strict, and a look for dead code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/vulture

power: $(VENV)/.installed  ## the detection matrix: how fast the search breaks each wrong filter
	$(BIN)/python -m corpus.zoo

gate: $(VENV)/.installed  ## every sound filter against the last release (or BASE): never looser
	$(BIN)/python -m tests.gate $(if $(BASE),--base $(BASE))

vectors: $(VENV)/.bare  ## write the test vectors again, after a filter was added or changed
	$(BIN)/filterproof vectors vectors

CHECKER := proofs/filterproof_proofs/verified.js

verified.js: $(CHECKER)  ## the same checker for a browser: reports and the wheel carry it

$(CHECKER): $(wildcard proofs/coq/*.v proofs/coq/*.ml) | $(VENV)/.bare
	$(BIN)/python -m filterproof_proofs.verified --javascript $@

verified-checker: $(VENV)/.bare  ## the certificate checker that is proved in Coq, as a program
	$(BIN)/python -m filterproof_proofs.verified

lemmas: $(VENV)/.bare  ## every lemma changed by machine: docs/internals/LEMMAS.md again (minutes)
	$(BIN)/python -m filterproof_proofs.smt.mutants > docs/internals/LEMMAS.new
	mv docs/internals/LEMMAS.new docs/internals/LEMMAS.md

mutants: $(VENV)/.bare  ## the compensator's file changed by machine: docs/internals/PROVE-MUTANTS.md again
	$(BIN)/python -m filterproof_proofs.potential.mutants > docs/internals/PROVE-MUTANTS.new
	mv docs/internals/PROVE-MUTANTS.new docs/internals/PROVE-MUTANTS.md

room-mutants: $(VENV)/.installed  ## runtime/, targets/ and processes/ changed by machine: docs/internals/MUTANTS.md again (hours)
	for one in processes targets runtime; do $(BIN)/python -m tests.mutation $$one >/dev/null || true; done
	$(BIN)/python -m tests.mutation > docs/internals/MUTANTS.new; said=$$?; mv docs/internals/MUTANTS.new docs/internals/MUTANTS.md; exit $$said

commands: $(VENV)/.bare  ## docs/COMMANDS.md again, after a command or an option has changed
	$(BIN)/python -m docs.website.commands > docs/COMMANDS.new
	mv docs/COMMANDS.new docs/COMMANDS.md

docs: $(VENV)/.installed  ## the pages as a site with search and the API: build/site/index.html
	$(BIN)/python docs/website

WHEEL := .venv-wheel

wheel: $(VENV)/.installed $(CHECKER)  ## sdist and wheel; what is in the wheel works without the sources
	rm -rf dist $(WHEEL)
	$(BIN)/python -m build --outdir dist . >/dev/null
	$(PYTHON) -m venv --without-pip $(WHEEL)
	$(BIN)/python -m pip --python $(WHEEL) install --quiet --disable-pip-version-check --no-compile dist/*.whl
	cd $(WHEEL) && bin/filterproof --version
	cd $(WHEEL) && bin/filterproof audit compensator --examples 20 --report report.html
	cd $(WHEEL) && { bin/filterproof audit naive --seconds 2 --certificates . ; test $$? = 1; }
	cd $(WHEEL) && bin/filterproof check naive.certificate.json
	cd $(WHEEL) && bin/filterproof init mine && cd mine && ../bin/filterproof audit --examples 20

sbom: wheel  ## a bill of materials of what the wheel installs, beside it: dist/*.cdx.json
	$(PIP) cyclonedx-bom
	$(BIN)/cyclonedx-py environment $(WHEEL) --output-reproducible --output-file dist/filterproof.cdx.json

lock: $(VENV)/.installed  ## the versions that CI installs, as they are here now
	{ echo "# What CI installs, exactly: written by \`make lock\`, used by .ci/run."; \
	  $(BIN)/python -m pip freeze --exclude-editable; } > .ci/constraints.txt

bench: $(VENV)/.installed  ## ratios, measured in one run
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) $(WHEEL) dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

$(VENV)/.bare: pyproject.toml  # what an audit of the built-in filters needs
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	touch $@

$(VENV)/.installed: $(VENV)/.bare  # what the tests need
	$(PIP) --editable '.[dev]'
	touch $@

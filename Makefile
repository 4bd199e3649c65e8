# Everything this repository does. Each target sets up what it needs and does only what is stale.
# Needs Python 3.11 to 3.13 and, the first time, a network connection; PYTHON=… chooses another Python, PORT=… another port.

PORT ?= 8000
SUPPORTED = import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11 python; do \
	$$name -c '$(SUPPORTED)' 2>/dev/null && echo $$name && break; done)
BIN = .venv/bin
RUN = $(BIN)/python

.PHONY: help serve book lab test lint strip bench redraw screenshots clean
.DELETE_ON_ERROR:

help:
	@echo "make serve        build the book and serve it on this machine"
	@echo "make book         build the book into _build/html"
	@echo "make lab          open JupyterLab, at the chapter on associativity"
	@echo "make test         run every test: library, notebooks, widgets, site"
	@echo "make lint         check the style of the code and that notebooks hold no outputs"
	@echo "make strip        remove stored outputs from the notebooks"
	@echo "make bench        measure the forms of attention against each other"
	@echo "make redraw       measure in a browser how long each explorer takes to redraw, and how large its code is"
	@echo "make screenshots  take the README's picture from the built book"
	@echo "make clean        remove everything that was built, but not .venv"

serve: book
	@$(RUN) book/_tools/serve.py --port $(PORT)

book: .venv/installed
	@$(RUN) book/_tools/build.py

# The root is the repository, not notebooks/, so that a chapter's links to the pages in book/ open.
lab: .venv/installed
	@echo "Starting JupyterLab at the chapter on associativity (Ctrl+C stops it)"
	@$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) \
		--ServerApp.root_dir=. --LabApp.default_url=/lab/tree/notebooks/02_associativity.ipynb

test: .venv/installed-dev book
	@$(RUN) book/_tools/browser.py
	@$(RUN) -m pytest

lint: .venv/installed-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/vulture
	@$(RUN) book/_tools/strip.py --check
	@$(RUN) book/_tools/check_js.py

strip: .venv/installed
	@$(RUN) book/_tools/strip.py

bench: .venv/installed
	@$(RUN) -m linattn.benchmark
	@$(RUN) -m linattn.benchmark --threads 2

redraw: .venv/installed-dev book
	@$(RUN) book/_tools/redraw.py

screenshots: .venv/installed-dev book
	@$(RUN) book/_tools/screenshots.py

clean:
	rm -rf _build node_modules .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

# The environment: made once, brought up to date when the pins change.
.venv/made:
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed and none was found here; install one, or name it: make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c '$(SUPPORTED)' || { echo "Python 3.11, 3.12 or 3.13 is needed; $(PYTHON) is $$($(PYTHON) --version 2>&1)"; exit 1; }
	@test -x $(RUN) || { echo "Making .venv with $$($(PYTHON) --version)"; $(PYTHON) -m venv .venv; } || \
		{ rm -rf .venv; echo "$(PYTHON) cannot make a virtual environment: install its venv package (Debian, Ubuntu: apt-get install python3-venv)"; exit 1; }
	@touch $@

# Not quiet: it takes minutes, and a line for each package says that it goes on.
INSTALL = $(RUN) -m pip install --disable-pip-version-check -r
NO_NETWORK = { echo "The packages could not be installed. The first time, this needs a network connection to the Python package index; pip's message is above."; exit 1; }

.venv/installed: requirements.txt pyproject.toml | .venv/made
	@echo "Installing the packages of requirements.txt (some minutes; PyTorch is large, see README for the CPU-only build)"
	@$(INSTALL) requirements.txt || $(NO_NETWORK)
	@touch $@

.venv/installed-dev: requirements-dev.txt .venv/installed
	@echo "Installing the packages the tests need"
	@$(INSTALL) requirements-dev.txt || $(NO_NETWORK)
	@touch $@

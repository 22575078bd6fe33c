# Two commands for a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
NATIVE := $(wildcard src/dilemma/native/*.?pp src/dilemma/native/*.cmake src/dilemma/native/CMakeLists.txt)

.PHONY: help demo test lint types check wheel pure sanitize docs clean

help:
	@echo "make demo   install into $(VENV) and improve a greedy on generated problems"
	@echo "make test   install what tests need and run the whole suite"
	@echo "make lint   ruff;   make types   mypy --strict"
	@echo "make docs   the documentation as HTML, in docs/_build"
	@echo "make wheel  the suite against a built wheel;   make pure   the same without a compiler"
	@echo "make sanitize  fuzz the native modules under AddressSanitizer and UBSan"

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Installed again only when the build's own inputs change.
.stamp-install: pyproject.toml CMakeLists.txt $(NATIVE) | $(VENV)/bin/python
	$(PY) -m pip install --quiet --upgrade "pip>=25.1"
	$(PY) -m pip install --quiet --editable ".[sklearn,plot,data]"
	@touch $@

.stamp-dev: .stamp-install
	$(PY) -m pip install --quiet --group dev
	@touch $@

demo: .stamp-install
	$(PY) -m dilemma demo --out demo

test: .stamp-dev
	$(PY) -m pytest --cov --cov-report=term:skip-covered

lint: .stamp-dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: .stamp-dev
	$(PY) -m mypy

check: test lint types

# A wheel in a clean environment, with and without the native kernels; the native boundary under sanitizers.
wheel pure sanitize: .stamp-dev
	$(PY) -m nox -s $@

.stamp-docs: .stamp-install
	$(PY) -m pip install --quiet --group docs
	@touch $@

docs: .stamp-docs
	$(PY) -m sphinx --quiet --fail-on-warning --keep-going --builder html docs docs/_build/html
	@echo "documentation: $(CURDIR)/docs/_build/html/index.html"

clean:
	rm -rf $(VENV) build dist docs/_build .stamp-* .pytest_cache .mypy_cache .ruff_cache

# `make` alone lists what there is. The first target that needs Python makes .venv; later calls find it ready.

VENV := .venv
BIN := $(VENV)/bin
# What fuzzes has an environment of its own: it changes the code that it is shown.
FUZZ := .venv-fuzz
# One environment, which grows with what is asked of it: what demos need first, then what runs and tests all of kformat.
EXTRAS := connect,arrow,test
SPARK_SIZE := 1.1 GB
# What installs; CI has something faster.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Arguments for pytest or the benchmarks, e.g.  make test ARGS="-k index -x"  or  make bench ARGS="--rounds 1"
ARGS ?=
# A release of Kafka for `make samples` and `make kafka-diff`.
KAFKA ?=
# Tests in one process more than there are processors, because some wait for Spark or a broker; a file's in one.
PROCESSES := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
PYTEST := sh tools/in-memory $(BIN)/python -m pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder

# Tests start hundreds of processes: where nothing compiled were kept, each would compile what it imports anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo spark-demo quick test test-all check fuzz generate samples kafka-diff judges bench nightly clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/ready-core ## list, dump, search, check and rebuild segments that real brokers wrote: under a minute
	@$(BIN)/python -m tools.demo

spark-demo: $(VENV)/ready-spark ## list, query, stream, check, mend and convert the same segments in Spark
	@$(BIN)/python -m tools.spark_demo

quick: $(VENV)/ready-quick ## half a minute of tests, some of every folder (tests/quick.txt): what a change needs first
	$(PYTEST) -n auto @tests/quick.txt $(ARGS)

test: $(VENV)/ready ## all that a machine can run without `make judges`, Spark's fast tests included
	$(PYTEST) -m "not slow and not judge and not broker and not long" $(ARGS)

test-all: $(VENV)/ready ## judges, brokers and Spark's long tests, too, as CI does; what is missing is named and skipped
	$(PYTEST) -m "not slow" $(ARGS)

check: $(VENV)/ready-dev ## lint, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fuzz: $(FUZZ)/ready ## fuzz parsers, folders and declarations for a minute, or ARGS="--seconds N [TARGET...]"
	$(FUZZ)/bin/python -m tests.fuzz $(ARGS)

generate: $(VENV)/ready ## rewrite everything in the tree that is made from something else (CI compares)
	$(BIN)/python -m tools.generate

samples: $(VENV)/ready ## record samples/ anew with real brokers, or with KAFKA=4.4.0; needs a JDK and Maven
	$(BIN)/python samples/make.py $(KAFKA)
ifeq ($(KAFKA),)
	$(BIN)/python samples/replicas.py
	$(BIN)/python samples/tiered.py
	$(BIN)/python samples/internal.py
endif

kafka-diff: $(VENV)/ready ## print what a release of Kafka changed on the disk: make kafka-diff KAFKA=4.4.0
	$(BIN)/python -m tools.kafka_release $(KAFKA)

judges: $(VENV)/ready ## fetch Kafka's own classes, Kaitai's compiler and Spark's Kafka source, which tests ask as judges
	$(BIN)/python -m tests.judges.fetch judges

bench: $(VENV)/ready-bench ## measure kformat beside other readers
	$(BIN)/python -m bench $(ARGS)

nightly: $(VENV)/ready ## the long forms of the tests; the report goes to docs/nightly.md
	$(BIN)/python -m tools.nightly

clean: ## remove .venv and what tests and builds leave behind (fetched judges stay)
	rm -rf $(VENV) $(FUZZ) .fuzz build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis spark-warehouse
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@python=$$(PYTHON="$(PYTHON)" sh tools/find-python) && \
	echo "making $(VENV) with $$($$python --version)" && \
	$$python -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# What each needs, the next ones have, too: a new pyproject.toml makes each install again what it needs, and no more.
$(VENV)/ready-core: pyproject.toml | $(BIN)/python
	@echo "installing kformat and its core dependencies into $(VENV)"
	@$(INSTALL) -e .
	@touch $@

$(VENV)/ready-quick: pyproject.toml | $(BIN)/python
	@echo "installing kformat and what its quick tests need into $(VENV) (0.5 GB, without Spark)"
	@$(INSTALL) -e '.[quick]'
	@touch $(VENV)/ready-core $@

$(VENV)/ready-spark: pyproject.toml | $(BIN)/python
	@echo "installing kformat and Spark into $(VENV) ($(SPARK_SIZE): minutes the first time)"
	@$(INSTALL) -e '.[spark]'
	@touch $(VENV)/ready-core $@

$(VENV)/ready: pyproject.toml | $(BIN)/python
	@echo "installing kformat and what its tests need into $(VENV) ($(SPARK_SIZE) of them Spark: minutes the first time)"
	@$(INSTALL) -e '.[$(EXTRAS)]'
	@touch $(VENV)/ready-core $(VENV)/ready-quick $(VENV)/ready-spark $@

$(FUZZ)/ready: pyproject.toml | $(BIN)/python
	@echo "installing kformat and atheris into $(FUZZ)"
	@$(BIN)/python -m venv $(FUZZ)
	@$(FUZZ)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[fast,fuzz]'
	@touch $@

$(VENV)/ready-%: $(VENV)/ready
	@$(INSTALL) -e '.[$(EXTRAS),$*]'
	@touch $@

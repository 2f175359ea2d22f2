# make demo    the whole evaluation on the embedded demo, with all cores
# make test    the same set-up, then linters and every test that is fast: 5 minutes on two cores
# make test-all  slow tests besides, and those that run the real programs for minutes
# make resume  go on after a run was killed (ARGS="--configfile my.yaml" as in that run)
# make neural  Whisper and neural voices besides (450 MB): docs/guide/neural.md
# make docs    the documentation as a site that needs no network: .site/index.html
# make test-rest (what make test leaves out), make test-skipped (what the last one skipped, after its programs were installed)
# make test-times (which tests are slow: tests/times.tsv; ARGS=tests/unit/plan for these alone)
# make benchmark, make lock, make clean
# make zoo     all shipped anonymisers on VOICEPRIVACY_SPEECH, a LibriSpeech tree: a table and .zoo/zoo.png
# make board   ten systems under four attackers on the same tree, for workflow/resources/leaderboard
# make test-nightly (two hours): conda, LaTeX, attackers and utility of real speech, tutorials, edits, large graphs, fuzzing, runs that are killed, without disk or memory; make fuzz (SECONDS=7200, READERS="plda.npz")
# make house (how large each part is), make reach (how much must be loaded to read one thing; ARGS=--write keeps either), make same COMMIT=... (whether that version computes the same)
# make release: wheel and sdist of what is committed below dist/, and the demo of the installed wheel in an empty folder
# make coverage, make mutation (MODULES="privacy/scores/zebra"), make audit: what docs/internals/quality.md reports
PYTHON ?= python3
CORES ?= all
BIN = .venv/bin
ARGS ?=
MODULES ?=
SECONDS ?= 7200
READERS ?=
PYTEST = $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder

# Snakemake keeps sources in the home directory; where that cannot be written, here
ifndef XDG_CACHE_HOME
ifneq ($(shell [ -w "$$HOME" ] && echo yes),yes)
export XDG_CACHE_HOME := $(CURDIR)/.snakemake/cache
endif
endif

help:
	@sed -n '/^# /!q; s/^# //p' Makefile

.PHONY: help demo neural resume test test-all test-rest test-skipped test-times test-nightly house reach same release lint docs benchmark coverage mutation audit fuzz zoo board lock clean
.DELETE_ON_ERROR:
.NOTPARALLEL: # two installations into one folder

demo: .venv/installed $(BIN)/voiceprivacy
	@$(BIN)/voiceprivacy run --cores $(CORES)

resume: .venv/installed $(BIN)/voiceprivacy
	$(BIN)/voiceprivacy run --cores $(CORES) $(ARGS)

test: .venv/installed-test .venv/installed-docs $(BIN)/voiceprivacy lint
	$(PYTEST) --numprocesses 2 -m "(not slow or everyday) and not long and not nightly"

test-all: test test-rest

# A third process, because the tests of a cluster mostly wait
test-rest: .venv/installed-test .venv/installed-docs $(BIN)/voiceprivacy .venv/installed-optional
	$(PYTEST) --numprocesses 3 -m "(slow and not everyday or long) and not nightly" --durations 20

# tests/conftest.py keeps their names; without a name pytest would run everything
test-skipped: .venv/installed-optional
	[ ! -s .pytest_cache/skipped ] || $(PYTEST) --numprocesses 2 @.pytest_cache/skipped

test-times: .venv/installed-test .venv/installed-docs $(BIN)/voiceprivacy .venv/installed-optional
	$(BIN)/python tests/support/times.py $(ARGS)

lint: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy

house:
	@$(PYTHON) tests/support/house.py $(ARGS)

reach:
	@$(PYTHON) tests/support/reach.py $(ARGS)

same: .venv/installed-test
	$(BIN)/python tests/support/same.py --commit $(COMMIT) $(ARGS)

release: .venv/installed-test
	@[ -z "$$(git status --porcelain)" ] || { echo "release: commit or remove first what git status shows"; exit 2; }
	rm -rf dist
	$(BIN)/uv build --quiet --out-dir dist
	$(BIN)/python -m venv dist/venv
	dist/venv/bin/pip install --quiet "$$(echo dist/*.whl)[run]"
	dist/venv/bin/pip check
	dist/venv/bin/voiceprivacy fetch-models campplus
	mkdir dist/empty && cd dist/empty && ../venv/bin/voiceprivacy demo
	@echo "dist has the wheel and the sdist; dist/empty is the demo of the wheel"

docs: .venv/installed-docs
	@NO_MKDOCS_2_WARNING=1 .venv/docs/bin/mkdocs build --strict --quiet
	@echo "The site is .site/index.html"

benchmark: .venv/installed-test
	$(BIN)/python tests/benchmark/benchmark_mcadams.py
	OMP_NUM_THREADS=1 $(BIN)/python tests/benchmark/benchmark_metrics.py
	$(BIN)/python tests/benchmark/benchmark_embeddings.py
	$(BIN)/python tests/benchmark/benchmark_peers.py
	$(BIN)/python tests/benchmark/benchmark_runs.py

coverage: .venv/installed-test
	$(PYTEST) --numprocesses 2 -m "not long and not nightly" tests/unit --cov --cov-report=
	$(PYTEST) tests/workflow/test_mailed_page.py --cov --cov-append --cov-report=html
	$(BIN)/python tests/support/coverage_by_room.py

mutation: .venv/installed-quality
	OMP_NUM_THREADS=1 $(BIN)/python tests/mutation/measure_mutation.py $(MODULES)

audit: .venv/installed-quality
	@for pins in envs/requirements*.txt; do echo "$$pins"; \
	    $(BIN)/pip-audit --strict --disable-pip --no-deps --progress-spinner off --requirement $$pins || failed=1; done; \
	    $(BIN)/cyclonedx-py environment --output-format JSON --output-file sbom.json .venv && echo "sbom.json (CycloneDX) lists what is installed"; \
	    [ -z "$$failed" ] || { echo "audit: see above; where the advisory service is out of reach nothing was audited"; exit 1; }

RUN_FILES = $(addprefix envs/requirements,.txt -world.txt)
RUN_LOCKS = torch $(RUN_FILES)
TORCH_FILES = envs/requirements-torch-cpu.txt envs/requirements-torch-cuda.txt
MODEL_FILES = envs/requirements-models.txt workflow/resources/pinned_models.tsv
INSTALL = @sh envs/make_venv.sh "$(PYTHON)" .venv
FETCH = @$(BIN)/python scripts/voiceprivacy/models/fetching.py

.venv/installed: $(RUN_FILES) $(TORCH_FILES) $(MODEL_FILES)
	$(INSTALL) $(RUN_LOCKS)
	$(FETCH) resemblyzer campplus
	@touch $@

# What runs need as well, so that a new machine calls pip once.
.venv/installed-test: $(RUN_FILES) $(TORCH_FILES) $(MODEL_FILES) envs/requirements-test.txt
	$(INSTALL) $(RUN_LOCKS) envs/requirements-test.txt
	$(FETCH) resemblyzer campplus
	@touch .venv/installed $@

# ... and `import voiceprivacy` in .venv/bin/python finds this checkout, after the package of a workflow that runs
$(BIN)/voiceprivacy: envs/voiceprivacy.sh | .venv/installed
	@for folder in .venv/lib/python3*/site-packages; do ln -sfn ../../../../scripts/voiceprivacy "$$folder/voiceprivacy"; done
	@install -m 755 envs/voiceprivacy.sh $@

neural: .venv/installed-neural

.venv/installed-neural: .venv/installed envs/requirements-neural.txt
	@echo "Whisper and two kinds of voices: 300 MB to download, 450 MB on the disk"
	$(INSTALL) envs/requirements-neural.txt
	$(FETCH) base joe kokoro
	@touch $@

.venv/installed-optional: .venv/installed envs/requirements-parquet.txt
	$(INSTALL) envs/requirements-parquet.txt
	$(FETCH) dvector
	@touch $@

.venv/installed-quality: .venv/installed-test envs/requirements-quality.txt
	$(INSTALL) envs/requirements-quality.txt
	@touch $@

.venv/installed-docs: envs/requirements-docs.txt
	@mkdir -p .venv
	@VOICEPRIVACY_DISK_MB=250 sh envs/make_venv.sh "$(PYTHON)" .venv/docs envs/requirements-docs.txt
	@touch $@

fuzz: .venv/installed-quality
	OMP_NUM_THREADS=1 $(BIN)/python tests/nightly/fuzz.py --seconds $(SECONDS) --readers $(READERS)

zoo: .venv/installed $(BIN)/voiceprivacy
	rm -rf .zoo/attacked .zoo/learnt
	PYTHONPATH=scripts $(BIN)/python tests/nightly/zoo.py --speech "$$VOICEPRIVACY_SPEECH" --pieces .zoo
	cd .zoo && ../$(BIN)/voiceprivacy run --cores $(CORES) --configfile ../config/zoo.yaml \
	    results/verdict.json results/metrics/utility/test_other.tsv results/report/tables/speed.tsv
	PYTHONPATH=scripts $(BIN)/python tests/nightly/zoo.py --results .zoo/results --picture .zoo/zoo.png

board: .venv/installed-optional .venv/installed-neural $(BIN)/voiceprivacy
	mkdir -p .board
	cd .board && ../$(BIN)/voiceprivacy run --cores $(CORES) --configfile ../config/board.yaml
	cd .board && ../$(BIN)/voiceprivacy export-result --repository ../workflow/resources/leaderboard \
	    --laboratory "Authors of voiceprivacy" --revision voiceprivacy-0.2 --public

test-nightly: .venv/installed-quality .venv/installed-docs .venv/installed-optional .venv/installed-neural $(BIN)/voiceprivacy
	$(PYTEST) --numprocesses 2 -m nightly --verbose --durations 20
	$(BIN)/python tests/nightly/measure_faults.py --killed 20 --full 10 --starved 10
	OMP_NUM_THREADS=1 $(BIN)/python tests/nightly/fuzz.py --seconds 1200

lock: .venv/installed-test
	$(BIN)/python envs/lock.py $(BIN)/uv $(BIN)/pip

clean:
	rm -rf .venv .site dist .zoo .board .snakemake .pytest_cache .ruff_cache .mypy_cache .hypothesis .mutation .coverage htmlcov
	find results -mindepth 1 ! -name .gitkeep -delete
	find scripts tests workflow -name __pycache__ -type d -prune -exec rm -rf {} +

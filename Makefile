# Everything a newcomer, a developer and CI need; `make help` lists it.
.DEFAULT_GOAL := help
SHELL := /bin/sh
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes
# Tests are compiled once, not by every process of every run.
unexport PYTHONDONTWRITEBYTECODE

help: ## Lists the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: .venv/.installed ## Creates a virtual environment in .venv with all dependencies

.venv/.installed: requirements-dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@# uv installs in a fifth of the time; where it can't, as without a wheel for this machine, pip does.
	@sed -n '/^uv==/,/[^\\]$$/p' requirements-dev.lock > .venv/uv.txt
	$(PIP) -r .venv/uv.txt && $(BIN)/uv pip install --quiet --require-hashes --python $(BIN)/python -r requirements-dev.lock \
		|| $(PIP) -r requirements-dev.lock
	@# Makes the web fonts, which a list of the static files includes.
	$(BIN)/python manage.py collectstatic --dry-run --noinput --verbosity 0
	touch $@

run: setup ## Serves the site with demo data on http://localhost:8000 until Ctrl-C
	$(BIN)/python manage.py first_run
	$(BIN)/python manage.py serve

test: setup ## The suite on the embedded default (SQLite), without what takes long and the audits; on PostgreSQL, what can differ there
	$(BIN)/python -m pytest -n auto --dist worksteal

long: setup ## Served sites whose processes are killed, and uploads larger than memory may grow
	$(BIN)/python -m pytest -m long -n auto --dist loadfile

long-in-full: setup ## The same with more writes, kills and rounds, and the tests of chance with more examples, for half an hour or more
	IN_FULL=1 CRASH_WRITES=2001 CRASH_KILLS=40 HOSTS_ROUNDS=3 BACKUPS=12 \
		$(BIN)/python -m pytest -m "long or hypothesis or chance" -n auto --dist loadfile

walk: setup ## Sends every hostile value to every address of the admin, as three people, for an hour; `make test` takes samples
	$(BIN)/python -m pytest tests/gateway/test_admin_walk.py -m walk -n 2 -rP

audit: setup ## Checks the look of pages, on a desktop and a phone, light and dark, and their accessibility with axe
	$(BIN)/python -m pytest tests/browser -m audit -n auto --dist load

check: setup lint test long audit ## What CI runs, on the embedded default

lint: setup ## Checks style, types, architecture and Django's system checks
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run

format: setup ## Formats the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup ## Compares the API with Wagtail's own APIs and a minimal WSGI application
	$(BIN)/python -m benchmarks

bench-peers: setup ## The same, with Payload, which npm installs in var/peers; without npm it says so, and exits with 2
	$(BIN)/python -m benchmarks --peers $(OPTIONS)

second-opinion: setup .venv-oracle/.installed ## Compares repeating dates with those of an independent calendar library
	mkdir -p var
	PYTHONPATH=site $(BIN)/python -m tests.events.our_dates var/our_dates.json
	PYTHONPATH=site $(BIN)/python -m tests.events.our_feeds var/our_feeds.json
	.venv-oracle/bin/python tests/events/second_opinion.py var/our_dates.json var/our_feeds.json

.venv-oracle/.installed: tests/events/second_opinion.txt
	test -x .venv-oracle/bin/python || $(BIN)/python -m venv .venv-oracle
	.venv-oracle/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	touch $@

mutants: setup ## Counts which small faults in PACKAGE (such as commerce/payments/services) the tests in TESTS notice
	$(BIN)/python -m tests.mutants $(PACKAGE) $(TESTS) $(OPTIONS)

fuzz: setup .venv-fuzz/.installed ## Sends 200 generated requests to each operation of the API, and checks its responses; OPTIONS are passed on to schemathesis
	$(BIN)/python -m tests.fuzz $(OPTIONS)

.venv-fuzz/.installed: tests/fuzz/requirements.txt
	test -x .venv-fuzz/bin/python || $(BIN)/python -m venv .venv-fuzz
	.venv-fuzz/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	touch $@

screenshots: setup ## Takes pictures of the demo site's pages, on a phone and a desktop, light and dark, in FOLDER (/tmp/screenshots)
	$(BIN)/python -m tests.browser.screenshots $(or $(FOLDER),/tmp/screenshots)

COMPILE = $(BIN)/uv pip compile pyproject.toml --no-emit-index-url --generate-hashes --universal \
	--python-version 3.11 --upgrade --quiet --custom-compile-command "make lock"

lock: setup ## Resolves the dependencies of pyproject.toml again: of development, and in the same versions those of production
	$(COMPILE) --extra dev -o requirements-dev.lock
	$(COMPILE) --constraint requirements-dev.lock -o requirements.lock

newest: setup ## Runs the suite with the newest versions of Django, Wagtail, the drivers, the server and all else that pyproject.toml allows
	test -x .venv-newest/bin/python || $(PYTHON) -m venv .venv-newest
	$(BIN)/uv pip install --quiet --upgrade --python .venv-newest/bin/python --extra dev -r pyproject.toml
	.venv-newest/bin/python manage.py collectstatic --dry-run --noinput --verbosity 0
	.venv-newest/bin/python -m pytest -n auto --dist worksteal $(OPTIONS)

audit-dependencies: setup ## Looks for known vulnerabilities of the packages of both locks; says so if it cannot ask anybody
	$(BIN)/python deploy/audit_dependencies.py requirements.lock requirements-dev.lock

sbom: setup ## Writes the packages of production with their licences, as CycloneDX JSON, to dist/sbom.json
	mkdir -p dist
	$(BIN)/python deploy/sbom.py requirements.lock > dist/sbom.json

clean: ## Removes the environment and the local data
	rm -rf .venv .venv-newest .venv-oracle .venv-fuzz var

.PHONY: help setup run test long long-in-full walk audit check lint format bench bench-peers second-opinion fuzz mutants \
	screenshots lock newest audit-dependencies sbom clean

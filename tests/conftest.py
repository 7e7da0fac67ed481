"""Fixtures shared by the whole suite, and its initial database."""

import fcntl
import gc
import hashlib
import math
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import django
import hypothesis
import pytest
from django.apps import apps
from django.conf import settings as django_settings
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connection, connections
from django.test import Client, client
from wagtail.admin.menu import admin_menu
from wagtail.images.models import Filter

from cms_api.auth.services import budgets, tokens
from cms_api.content.demo import drawing
from cms_api.core import apart, registry, versions
from cms_api.core.module import Module
from cms_api.core.slow_requests import SlowRequests
from cms_api.flags.services import switch_feature
from cms_api.gateway.roles import create_roles
from cms_api.gateway.wsgi import Application, make_application
from cms_api.http import page_cache
from cms_api.media.services import capacity, intake
from tests.modules import install

from . import ordering, people, pictures, second_tries, selection, snapshots, transactions
from .apart import started_python
from .builders import make_token
from .client import Api
from .figures import IN_FULL
from .laws import exercised
from .laws.operations import PLANTED
from .snapshots import Snapshot

pytest_sessionfinish = exercised.pytest_sessionfinish
pytest_terminal_summary = exercised.pytest_terminal_summary

hypothesis.settings.register_profile(
    "everyday", max_examples=40, deadline=None, derandomize=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile("in full", max_examples=100, deadline=None, print_blob=True)
hypothesis.settings.load_profile("in full" if IN_FULL else "everyday")

ROOT = Path(__file__).resolve().parents[1]


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(second_tries)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    exercised.pytest_testnodedown(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Start more workers than there are processors, because many tests wait for a server, a browser or a moment."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return math.ceil((os.cpu_count() or 1) * 1.5)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select and order the tests. Only browser tests are retried, once: under load a page may be slower than its test."""
    for item in items:
        if item.name.startswith("test_axe"):
            item.add_marker(pytest.mark.audit)
    selection.apply(config, items)
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))
    share: dict[str, int] = getattr(config, "workerinput", {})
    if share:
        ordering.browsers_first(items, share["workercount"])


def pytest_collection_finish() -> None:
    """Prepare what all tests of this process share.

    Pages keep the rows that they learn of first, which must not be those of a test that installs other modules. Garbage is looked
    for rarely, and not among the modules and tests: it takes a tenth of the time.
    """
    for model in apps.get_models():
        for field in model._meta.get_fields():
            getattr(field, "stream_block", None)
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def pytest_unconfigure() -> None:
    connections.close_all()
    if Path(django_settings.VAR_DIR).name.startswith("site-tests-"):
        shutil.rmtree(django_settings.VAR_DIR, ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_blocker: Any, django_db_modify_db_settings: None) -> bool:
    """Whether the database exists already: on SQLite it is a copy of a file that the first run migrates.

    PostgreSQL copies a template database itself. Migrations that the copy lacks are still run.
    """
    with django_db_blocker.unblock():
        name = f"site_tests_{_state_of_migrations()}"
        if connection.vendor == "postgresql":
            with _alone(name):
                _ensure_template_database(name)
            connection.settings_dict["TEST"]["TEMPLATE"] = name
            return False
        copy_database(Path(connection.creation._get_test_db_name()))
        return True


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[Snapshot]:
    """The database with the groups of the roles, and a snapshot of this state, which is restored after every test that commits.

    It is dropped at the end, so connections of threads and browser servers are closed first.
    """
    with django_db_blocker.unblock():
        create_roles()
        migrated = snapshots.take("as_migrated")
    snapshots.restore_after_each_test(migrated)
    yield migrated
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            cursor.execute(f"SELECT pg_terminate_backend(pid) {others}")


def _state_of_migrations() -> str:
    """A digest of all migrations and of Django's version."""
    digest = hashlib.sha256(django.get_version().encode())
    for application in apps.get_app_configs():
        for file in sorted(Path(application.path, "migrations").glob("*.py")):
            digest.update(f"{application.label}/{file.name}".encode() + file.read_bytes())
    return digest.hexdigest()[:12]


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """Lock out other processes: they wait for the template that the first one makes."""
    with (Path(tempfile.gettempdir()) / f"{name}.{os.getuid()}.lock").open("w") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        yield


def _template_path(name: str) -> Path:
    return Path(tempfile.gettempdir()) / f"{name}.{os.getuid()}.sqlite3"


def database_of_this_run() -> Path:
    """The file that the databases of a run on SQLite are copied from."""
    return _template_path(f"site_tests_{_state_of_migrations()}")


def _template_file(name: str) -> Path:
    template = _template_path(name)
    if not template.exists():
        unfinished = template.with_suffix(".unfinished")
        unfinished.unlink(missing_ok=True)
        if begin := os.environ.get("TESTS_BEGIN_WITH"):
            # A database that lacks only some migrations, as a copy of the tree with another module does.
            shutil.copyfile(begin, unfinished)
        _migrate(f"sqlite:///{unfinished}")
        with closing(sqlite3.connect(unfinished)) as file:
            # Moves the write-ahead log into the file.
            file.execute("PRAGMA journal_mode=DELETE")
        unfinished.rename(template)
    return template


def copy_database(path: Path) -> None:
    """Copy the migrated embedded database to a path."""
    name = f"site_tests_{_state_of_migrations()}"
    with _alone(name):
        shutil.copyfile(_template_file(name), path)


def _ensure_template_database(name: str) -> None:
    unfinished = f"{name}_unfinished"
    with connection._nodb_cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        if cursor.fetchone():
            return
        cursor.execute(f"DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)")
        cursor.execute(f"CREATE DATABASE {unfinished}")
        given = connection.settings_dict
        user = given["USER"] + (f":{given['PASSWORD']}" if given["PASSWORD"] else "")
        _migrate(f"postgresql://{user}@{given['HOST']}:{given['PORT'] or 5432}/{unfinished}")
        cursor.execute(f"ALTER DATABASE {unfinished} RENAME TO {name}")


def _migrate(url: str) -> None:
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "config.settings.test"}
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--skip-checks", "--verbosity", "0"], cwd=ROOT, env=environment, check=True
    )


@pytest.fixture(scope="session", autouse=True)
def _remembered_pictures() -> Iterator[None]:
    remembered = pictures.Remembered()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "draw", remembered.draw)
        patch.setattr(intake, "_process", remembered.process)
        patch.setattr(Filter, "run", lambda spec, *what, **named: remembered.render(spec, *what, **named))
        # Tests of races send requests from more threads than a web process has.
        patch.setattr(capacity, "uploads", SlowRequests(64, threading.BoundedSemaphore(64)))
        yield


@pytest.fixture(scope="session", autouse=True)
def _started_python() -> Iterator[None]:
    """Read in forks of one process what is read apart."""
    with started_python() as started, pytest.MonkeyPatch.context() as patch:
        patch.setattr(apart, "subprocess", started)
        yield


@pytest.fixture(scope="session", autouse=True)
def _one_context_of_each_template() -> Iterator[None]:
    """Keep the context of each template's first rendering: a page includes the same icon or field a hundred times."""

    def keep(store: dict[str, Any], *, template: Any, context: Any, **named: Any) -> None:
        kept = store.setdefault("names", set())
        if template.name is None or template.name not in kept:
            kept.add(template.name)
            everything(store, template=template, context=context, **named)

    everything = client.store_rendered_templates
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "store_rendered_templates", keep)
        yield


@pytest.fixture(autouse=True)
def _nothing_slow_in_transactions() -> Iterator[None]:
    """Fail a test in which a transaction waits for an import, a connection, a name or another program."""
    transactions.watch()
    transactions.found.clear()
    yield
    assert not transactions.found, "In a transaction:\n" + "\n".join(transactions.found)


@pytest.fixture(autouse=True)
def _fresh_process() -> Iterator[None]:
    """Clear the caches of the process: versions, pages and tokens."""
    versions.forget()
    page_cache.clear()
    tokens._stamped.clear()
    yield
    versions.forget()


@pytest.fixture(autouse=True)
def own_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unspent budgets of this test alone, in the real store: tests use the same addresses, and mail to each is limited."""
    renew_budgets(monkeypatch)


_store = budgets.store


def renew_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, no budget is spent, as when their windows have ended."""
    store, space = _store(), os.urandom(8).hex()

    class Apart:
        def spend(self, key: str, window: int = budgets.WINDOW_SECONDS) -> tuple[int, float]:
            return store.spend(f"{space}:{key}", window)

        def give_back(self, key: str) -> None:
            store.give_back(f"{space}:{key}")

        def expire(self) -> None:
            store.expire()

    monkeypatch.setattr(budgets, "store", Apart)


@pytest.fixture
def application() -> Iterator[Application]:
    """The application, whose requests keep the connection of the test."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    yield make_application()
    request_started.connect(close_old_connections)
    request_finished.connect(close_old_connections)


@pytest.fixture
def postgresql() -> str:
    """The server on which a test may create databases of its own, if the tests run on PostgreSQL."""
    url = os.environ.get("DATABASE_URL", "")
    return url.rpartition("/")[0] if url.startswith("postgres") else ""


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Module:
    """The planted module, installed; its feature is off."""
    install(monkeypatch, *(module for module in registry.modules() if module.feature != PLANTED.feature), PLANTED)
    return PLANTED


@pytest.fixture
def needy(db: None, monkeypatch: pytest.MonkeyPatch) -> Module:
    """The only module that needs accounts; its feature is off."""
    module = Module(name="needy", title="Needy", description="Of the tests.", feature="real_estate", uses=("accounts",))
    others = [replace(each, uses=()) for each in registry.modules() if each.feature != module.feature]
    install(monkeypatch, *others, module)
    return module


@pytest.fixture
def accounts_on(needy: Module) -> None:
    switch_feature(name=needy.feature, on=True)


@pytest.fixture
def api_on(db: None) -> None:
    switch_feature(name="api", on=True)


@pytest.fixture
def api(api_on: None) -> Api:
    """A client with every ability for content, media, forms, subscribers and webhooks."""
    both = [f"{module}:{verb}" for module in ("content", "media", "forms", "marketing") for verb in ("read", "write")]
    return Api(make_token(*both, "webhooks:manage"))


@pytest.fixture
def anonymous(api_on: None) -> Api:
    return Api()


@pytest.fixture
def sign_in(db: None) -> Callable[[Any], Client]:
    """Sign a person in, and return the test client."""

    def enter(person: Any) -> Client:
        client = Client()
        client.force_login(person)
        return client

    return enter


@pytest.fixture
def without_menu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of the admin have no menu, but for its home: it is the same on every page, and takes as long as all else on many."""
    render = admin_menu.render_component
    monkeypatch.setattr(admin_menu, "render_component", lambda request: render(request) if request.path == "/admin/" else [])


@pytest.fixture
def admin_client(sign_in: Callable[[Any], Client]) -> Client:
    return sign_in(people.alice())

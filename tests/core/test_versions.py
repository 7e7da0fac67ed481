"""Versions: data cached under a version is valid until any process changes it."""

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from cms_api.core import versions
from cms_api.core.models import Version
from tests.client import together

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


class Loads:
    """Counts how often something was loaded."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> int:
        self.times += 1
        return self.times


def test_it_works() -> None:
    load = Loads()
    versions.bump("tests.one")
    assert [versions.load_once("tests.one", load) for _ in range(3)] == [1, 1, 1]
    versions.bump("tests.one")
    assert versions.load_once("tests.one", load) == 2


def test_what_was_never_moved_has_a_version_too() -> None:
    assert versions.version("tests.never") == 0
    assert versions.load_once("tests.never", lambda: "x", slot="tests.never.slot") == "x"


def test_several_things_hang_on_one_version() -> None:
    one, other = Loads(), Loads()
    versions.bump("tests.two")
    for _ in range(2):
        versions.load_once("tests.two", one, slot="tests.two.a")
        versions.load_once("tests.two", other, slot="tests.two.b")
    assert (one.times, other.times) == (1, 1)
    versions.bump("tests.two")
    versions.load_once("tests.two", one, slot="tests.two.a")
    assert (one.times, other.times) == (2, 1)


def test_other_versions_stay() -> None:
    versions.bump("tests.a", "tests.b")
    a, b = versions.version("tests.a"), versions.version("tests.b")
    versions.bump("tests.a")
    assert versions.version("tests.a") != a
    assert versions.version("tests.b") == b


def test_another_process_is_heard_once_the_snapshot_is_forgotten() -> None:
    load = Loads()
    versions.bump("tests.one")
    versions.load_once("tests.one", load)
    Version.objects.filter(name="tests.one").update(value=42)
    assert versions.load_once("tests.one", load) == 1
    versions.forget()
    assert versions.load_once("tests.one", load) == 2


def test_a_request_reads_all_of_them_once(django_assert_num_queries: object) -> None:
    versions.bump("tests.a", "tests.b")
    versions.forget()
    with django_assert_num_queries(1):  # type: ignore[operator]
        for _ in range(3):
            versions.version("tests.a")
            versions.version("tests.b")
            versions.fingerprint(["tests.a", "tests.b", "tests.c"])


def test_what_was_rolled_back_does_not_come_again() -> None:
    load = Loads()
    versions.bump("tests.one")
    versions.load_once("tests.one", load)

    for _ in range(2):
        with transaction.atomic():
            versions.bump("tests.one")
            versions.load_once("tests.one", load)
            transaction.set_rollback(True)
        versions.forget()
    assert versions.load_once("tests.one", load) == 4
    versions.bump("tests.one")
    assert versions.load_once("tests.one", load) == 5


def test_a_fingerprint_changes_with_each_of_its_names() -> None:
    seen = {versions.fingerprint(["tests.a", "tests.b"])}
    for name in ("tests.a", "tests.b", "tests.a"):
        versions.bump(name)
        seen.add(versions.fingerprint(["tests.a", "tests.b"]))
    assert len(seen) == 4
    same = versions.fingerprint(["tests.a", "tests.b"])
    versions.bump("tests.c")
    assert versions.fingerprint(["tests.a", "tests.b"]) == same


def test_a_name_twice_is_moved_once() -> None:
    versions.bump("tests.a", "tests.a")
    assert Version.objects.filter(name="tests.a").count() == 1


@pytest.mark.django_db(transaction=True)
def test_writers_of_the_same_versions_do_not_wait_for_each_other_for_ever() -> None:
    """Whatever order they name them in."""

    def write(number: int) -> None:
        names = ["tests.a", "tests.b", "tests.c"]
        for _ in range(10):
            with transaction.atomic():
                versions.bump(*(names if number % 2 else reversed(names)))

    together(write, 6)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM core_version WHERE name LIKE 'tests.%%'")
        assert cursor.fetchone() == (3,)


def test_a_rolled_back_change_is_not_remembered() -> None:
    load = Loads()
    versions.bump("tests.one")
    before = versions.version("tests.one")
    with transaction.atomic():
        versions.bump("tests.one")
        versions.load_once("tests.one", load)
        transaction.set_rollback(True)
    assert versions.version("tests.one") == before
    assert versions.load_once("tests.one", load) == 2


def test_versions_read_in_a_savepoint_end_with_it() -> None:
    versions.bump("tests.one")
    before = versions.version("tests.one")
    with transaction.atomic():
        with transaction.atomic():
            versions.bump("tests.one")
            versions.forget()
            assert versions.version("tests.one") != before
            transaction.set_rollback(True)
        assert versions.version("tests.one") == before


def test_a_change_takes_no_statement_to_be_seen() -> None:
    with transaction.atomic():
        versions.version("tests.one")
        versions.bump("tests.one")
        versions.bump("tests.two")
        with CaptureQueriesContext(connection) as queries:
            assert versions.version("tests.one")
            assert versions.version("tests.two")
    assert not queries.captured_queries

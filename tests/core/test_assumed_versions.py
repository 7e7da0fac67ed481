"""Assumed versions: what reads rows confirms them, and what was found by outdated ones is discarded."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cms_api.core import versions
from cms_api.core.models import Version
from cms_api.core.reading import compiled
from cms_api.core.versions import Outdated, assumed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _steady() -> None:
    """Versions that were the same twice."""
    versions.bump("tests.one")
    read_twice()


def read_twice() -> None:
    for _ in range(2):
        versions.forget()
        versions.snapshot()
    versions.forget()


def change_elsewhere(name: str = "tests.one") -> None:
    """Change a version as another process does."""
    Version.objects.update_or_create(name=name, defaults={"value": 1 << 40})


def names(*wanted: str) -> list[str]:
    """The names of stored versions, read by a compiled statement."""
    rows = Version.objects.filter(name__in=wanted).order_by("name").values_list("name")
    return [name for (name,) in compiled(("names", wanted), lambda: rows).rows(0, 10)]


def snapshot_again() -> dict[str, int]:
    versions.forget()
    return versions.snapshot()


@contextmanager
def statements(count: int) -> Iterator[None]:
    with CaptureQueriesContext(connection) as queries:
        yield
    assert len(queries) == count, queries.captured_queries


def test_it_works() -> None:
    """The versions are read with the rows."""
    with statements(1), assumed():
        assert versions.version("tests.one")
        assert versions.are_assumed()
        assert names("tests.one") == ["tests.one"]
        assert not versions.are_assumed()
        assert versions.version("tests.one")


@pytest.mark.parametrize("other", ["tests.one", "tests.new"])
def test_rows_are_discarded_if_a_version_has_changed(other: str) -> None:
    change_elsewhere(other)
    with pytest.raises(Outdated), assumed():
        pytest.fail(f"The rows were returned: {names('tests.one')}.")
    assert not versions.are_assumed()
    assert versions.version(other) == 1 << 40


def test_a_version_that_is_gone_is_a_change() -> None:
    versions.bump("tests.two")
    read_twice()
    Version.objects.filter(name="tests.two").delete()
    with pytest.raises(Outdated), assumed():
        names("tests.one")


def test_a_second_statement_confirms_nothing() -> None:
    """Rows of one answer are read one after the other, as ever."""
    with assumed():
        names("tests.one")
        change_elsewhere()
        assert names("tests.one") == ["tests.one"]


def test_without_rows_they_are_confirmed_at_the_end() -> None:
    with statements(2), assumed():
        assert names("tests.none") == []
    versions.forget()
    with pytest.raises(Outdated), assumed():
        change_elsewhere(*names("tests.none"))


def test_without_statements_they_are_confirmed_at_the_end() -> None:
    with statements(1), assumed():
        assert versions.version("tests.one")
    versions.forget()
    change_elsewhere()
    with pytest.raises(Outdated), assumed():
        assert versions.version("tests.one") != 1 << 40
    with statements(0):
        assert versions.version("tests.one") == 1 << 40


def test_an_error_is_raised_if_the_versions_are_confirmed() -> None:
    with pytest.raises(KeyError), assumed():
        raise KeyError
    versions.forget()
    change_elsewhere()
    with pytest.raises(Outdated), assumed():
        raise KeyError


def test_a_snapshot_that_is_discarded_is_confirmed_by_the_next() -> None:
    with assumed():
        assert snapshot_again()
    versions.forget()
    change_elsewhere()
    with pytest.raises(Outdated), assumed():
        pytest.fail(f"A snapshot was returned: {snapshot_again()}.")


def test_nothing_is_written_before_they_are_confirmed() -> None:
    change_elsewhere()
    with pytest.raises(Outdated), assumed():
        versions.bump("tests.one")
    assert Version.objects.get(name="tests.one").value == 1 << 40


def test_a_change_of_ones_own_is_not_assumed() -> None:
    with assumed():
        versions.bump("tests.one")
    versions.forget()
    with pytest.raises(Outdated), assumed():
        names("tests.one")


def test_nothing_is_assumed_while_versions_change() -> None:
    change_elsewhere()
    with suppress(Outdated), assumed():
        names("tests.one")
    versions.forget()
    with statements(2), assumed():
        assert not versions.are_assumed()
        versions.version("tests.one")
        names("tests.one")
    versions.forget()
    with statements(1), assumed():
        versions.version("tests.one")
        names("tests.one")


def test_a_snapshot_is_kept() -> None:
    versions.snapshot()
    with assumed():
        assert not versions.are_assumed()


def test_what_is_cached_by_outdated_versions_is_not_used_again() -> None:
    """A value that is loaded after the change is stored under the former version, which never comes back."""
    change_elsewhere()
    with suppress(Outdated), assumed():
        assert versions.cached("tests.one", lambda: "by outdated versions", slot="tests.assumed")
    assert versions.cached("tests.one", lambda: "by current ones", slot="tests.assumed") == "by current ones"

"""Bounded totals of pages, remembered totals of lists, and that both agree with an independent count."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from cms_api.content.models import ContentItem, Term
from cms_api.core import versions
from cms_api.http import found
from cms_api.http.found import SearchPaginator, find, remember, remember_counts
from cms_api.http.listing import Listing
from tests.builders import blog_post, make_item, make_term

pytestmark = pytest.mark.django_db

VERSION = "tests.found"


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten are counted and listed."""
    monkeypatch.setattr(found, "MAX_LISTED_RECORDS", 10)


def terms(number: int) -> Any:
    for each in range(number):
        make_term(blog_post(), name=f"Term {each:03}", position=each)
    return Term.objects.order_by("position", "id")


def items(number: int) -> Any:
    """Items, of which every second has the word `even`, every third `third`, and the first two `rare`."""
    for each in range(number):
        words = ["Item", "even" * (each % 2 == 0), "third" * (each % 3 == 0), "rare" * (each < 2)]
        make_item(blog_post(), title=" ".join(filter(None, words)))
    return ContentItem.objects.order_by("id")


def test_it_works(django_assert_num_queries: Any) -> None:
    paginator = SearchPaginator(terms(3), 2)
    with django_assert_num_queries(2):
        page = paginator.get_page(2)
        assert [term.name for term in page.object_list] == ["Term 002"]
        assert (paginator.count, paginator.has_more, paginator.num_pages) == (3, False, 2)


@pytest.mark.parametrize("number", [1, 10, 11, 100])
def test_a_total_is_exact_up_to_the_limit(django_assert_num_queries: Any, number: int) -> None:
    paginator = SearchPaginator(terms(number), 4)
    # The total, and the rows of the page.
    with django_assert_num_queries(2):
        last = paginator.get_page(99)
        shown = list(last.object_list)
    assert (paginator.count, paginator.has_more) == (min(number, 10), number > 10)
    assert [term.position for term in shown] == list(range(number))[:10][(last.number - 1) * 4 :]


@pytest.mark.parametrize("text", ["item", "even", "third", "rare", "even third", "EVE", "nothing", "-", " "])
@pytest.mark.parametrize("number", [2, 24])
def test_words_are_found_however_frequent_they_are(text: str, number: int) -> None:
    rows = items(number)
    wanted = text.lower().split() if text.strip("- ") else []
    expected = [
        row.pk for row in rows if all(any(each.startswith(word) for each in row.title.lower().split()) for word in wanted)
    ]
    expected = [] if text == "-" else expected
    result = find(rows, text)
    assert list(result.queryset.values_list("pk", flat=True)) == expected
    assert (result.number, result.is_exact) == (min(len(expected), 11), len(expected) <= 10)


@pytest.mark.parametrize(
    ("text", "start", "number"),
    [("rare", 26, 0), ("rare", 0, 2), ("even third", 0, 5), ("even", 26, 2), ("item", 0, 11), ("third", 0, 10)],
)
@pytest.mark.both_databases
def test_a_search_takes_two_statements(django_assert_num_queries: Any, text: str, start: int, number: int) -> None:
    rows = items(30)
    rows = rows.filter(pk__gte=rows[start].pk)
    with django_assert_num_queries(2):
        assert find(rows, text).number == number


def test_a_total_is_counted_once_for_each_version(django_assert_num_queries: Any) -> None:
    rows = terms(3)

    def total(key: str = "all") -> int:
        return remember_counts(Listing(rows, list), VERSION, key).count()

    assert total() == 3
    with django_assert_num_queries(0):
        assert total() == 3
    with django_assert_num_queries(1):
        assert total("another filter") == 3
    make_term(blog_post(), name="Another")
    assert total() == 3
    versions.bump(VERSION)
    assert total() == 4


@pytest.mark.both_databases
def test_a_result_that_ends_is_counted_again() -> None:
    counted: list[int] = []

    def count() -> int:
        counted.append(1)
        return len(counted)

    soon, past = timezone.now() + timedelta(hours=1), timezone.now()
    assert [remember(VERSION, "lasting", count, until=lambda: soon) for _ in range(2)] == [1, 1]
    assert [remember(VERSION, "ended", count, until=lambda: past) for _ in range(2)] == [2, 3]


@pytest.mark.both_databases
def test_a_result_of_several_versions_is_counted_again_when_one_changes() -> None:
    def count(also: tuple[str, ...], value: int) -> int:
        return remember(VERSION, "several", lambda: value, also=also)

    assert [count((), 1), count(("items.1",), 2), count(("items.1", "items.2"), 3)] == [1, 2, 3]
    versions.bump("items.2")
    assert [count((), 4), count(("items.1",), 5), count(("items.1", "items.2"), 6)] == [1, 2, 6]
    versions.bump("items.1")
    assert [count((), 7), count(("items.1",), 8), count(("items.1", "items.2"), 9)] == [1, 8, 9]


@pytest.mark.both_databases
def test_few_filters_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(found, "MAX_REMEMBERED_FILTERS", 2)
    assert [remember(VERSION, key, lambda key=key: key) for key in "abcab"] == list("abcab")
    assert remember(VERSION, "b", lambda: "new") == "b"
    assert remember(VERSION, "c", lambda: "new") == "new"


def test_a_rolled_back_total_is_not_kept() -> None:
    rows = terms(1)
    versions.bump(VERSION)
    versions.forget()
    savepoint = connection.savepoint()
    versions.bump(VERSION)
    make_term(blog_post(), name="Another")
    assert remember_counts(Listing(rows, list), VERSION, "all").count() == 2
    connection.savepoint_rollback(savepoint)
    versions.forget()
    assert remember_counts(Listing(rows, list), VERSION, "all").count() == 1

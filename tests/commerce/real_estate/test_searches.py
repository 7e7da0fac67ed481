"""Saved searches: their limits, and the emails with what is new, which end by their link."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from cms_api.mail.models import OutgoingMail
from commerce.real_estate.models import SavedSearch
from commerce.real_estate.selectors.searches import UNSUBSCRIBE_LINK, saved_searches
from commerce.real_estate.services import delete_search, save_search
from commerce.real_estate.services.searches import send_saved_searches
from commerce.real_estate.types.searches import SearchFilter

from .builders import import_records, make_feed, make_property, record


@pytest.fixture
def person() -> Any:
    return get_user_model().objects.create_user("dana", "dana@example.com", "a password", first_name="Dana")


@pytest.fixture(autouse=True)
def morning(clock: Callable[[str], None]) -> None:
    clock("2026-03-02 08:00")


def save(person: Any, **values: Any) -> SavedSearch:
    return save_search(user=person, values={"name": "Houses", "filter": SearchFilter(city="Brattleboro"), **values})


def mails() -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(template="saved_search_results").order_by("pk"))


@pytest.mark.both_databases
def test_it_works(person: Any, clock: Callable[[str], None]) -> None:
    feed = make_feed()
    make_property(feed, 1)
    search = save(person)
    clock("2026-03-02 12:00")
    row = make_property(feed, 2, ListPrice=489_000)
    make_property(feed, 3, City="Putney")
    send_saved_searches()
    assert mails() == []
    clock("2026-03-03 08:00")
    send_saved_searches()
    (mail,) = mails()
    assert (mail.to, mail.subject) == ("dana@example.com", "1 new listing for “Houses”")
    assert f"{row.title}: $489,000" in mail.text
    assert UNSUBSCRIBE_LINK.url(search) in mail.text
    clock("2026-03-04 08:00")
    send_saved_searches()
    assert len(mails()) == 1


def test_what_became_active_is_new(person: Any, clock: Callable[[str], None]) -> None:
    feed = make_feed()
    make_property(feed, 1, StandardStatus="Pending")
    make_property(feed, 2)
    save(person)
    clock("2026-03-02 12:00")
    import_records(feed, record(1), record(2, ListPrice=1))
    clock("2026-03-03 08:00")
    send_saved_searches()
    assert [mail.subject for mail in mails()] == ["1 new listing for “Houses”"]


@pytest.mark.both_databases
def test_many_results(person: Any, clock: Callable[[str], None]) -> None:
    save(person)
    clock("2026-03-02 12:00")
    import_records(make_feed(), *(record(number) for number in range(30)))
    clock("2026-03-03 08:00")
    send_saved_searches()
    (mail,) = mails()
    assert mail.subject.startswith("30 new listings")
    assert len(re.findall("/real-estate/listings/", mail.text)) == 20


def test_weekly_and_never(person: Any, clock: Callable[[str], None]) -> None:
    save(person, frequency="weekly")
    never = save(person, frequency="never")
    clock("2026-03-02 12:00")
    make_property()
    clock("2026-03-08 08:00")
    send_saved_searches()
    assert mails() == []
    clock("2026-03-09 08:00")
    send_saved_searches()
    assert len(mails()) == 1
    # Older listings are not mailed once the emails begin.
    save_search(user=person, search=never, values={"frequency": "daily"})
    clock("2026-03-10 08:00")
    send_saved_searches()
    assert len(mails()) == 1


def test_accounts_that_may_not_sign_in_get_nothing(person: Any, clock: Callable[[str], None]) -> None:
    save(person)
    clock("2026-03-02 12:00")
    make_property()
    get_user_model().objects.update(is_active=False)
    clock("2026-03-03 08:00")
    send_saved_searches()
    assert mails() == []


def test_at_most_twenty(person: Any) -> None:
    searches = [save(person) for _ in range(20)]
    with pytest.raises(Invalid, match="up to 20"):
        save(person)
    save_search(user=person, search=searches[0], values={"name": "Renamed"})
    delete_search(search=searches[1])
    save(person)
    assert saved_searches(person).count() == 20


@pytest.mark.both_databases
def test_searches_of_others_cannot_be_changed(person: Any) -> None:
    other = get_user_model().objects.create_user("ruth", "ruth@example.com")
    with pytest.raises(NotFound):
        save_search(user=other, search=save(person), values={"name": "Mine"})


@pytest.mark.parametrize("changes", [{"name": ""}, {"name": "x" * 101}, {"frequency": "hourly"}, {"filter": {"city": "x"}}])
def test_refusals(person: Any, changes: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as refusal:
        save(person, **changes)
    assert list(refusal.value.errors) == list(changes)


def test_the_link_asks_first(person: Any) -> None:
    search, client = save(person), Client(enforce_csrf_checks=True)
    path = UNSUBSCRIBE_LINK.path(search)
    answer = client.get(path)
    assert (answer.status_code, "Houses" in answer.content.decode()) == (200, True)
    assert SavedSearch.objects.get().frequency == "daily"
    assert client.post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
    found = SavedSearch.objects.get()
    assert (found.frequency, found.due_at) == ("never", None)
    assert client.get(f"{path[:-2]}x/").status_code == 404

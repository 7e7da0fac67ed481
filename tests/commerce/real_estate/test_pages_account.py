"""Saved searches on the site: saving one, signing in for it, the account's list, and ending the emails."""

from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from cms_api.accounts.services import create_member
from commerce.real_estate.models import SavedSearch
from commerce.real_estate.selectors.searches import UNSUBSCRIBE_LINK
from commerce.real_estate.services import save_search
from commerce.real_estate.types.listings import MAX_SEARCHES
from commerce.real_estate.types.searches import SearchFilter
from tests.people import PASSWORD

pytestmark = pytest.mark.django_db

LIST = "/accounts/searches/"
NEW = "/accounts/searches/new/?area=Keene%2C+NH&max_price=300000"


@pytest.fixture
def person() -> Any:
    return create_member(email="noor@example.com", password=PASSWORD, name="Noor")


@pytest.fixture
def member(client: Client, person: Any) -> Client:
    client.force_login(person)
    return client


def saved(user: Any, **values: Any) -> SavedSearch:
    return save_search(user=user, values={"name": "Houses", "filter": SearchFilter(city="Keene"), **values})


def html(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, (path, answer.status_code)
    return unescape(answer.content.decode())


@pytest.mark.both_databases
def test_it_works(member: Client, person: Any) -> None:
    page = html(member, NEW)
    assert "All listings in Keene, NH, up to $300,000" in page
    answer = member.post(NEW, {"name": "Cheap in Keene", "frequency": "weekly"})
    assert (answer.status_code, answer.headers["Location"]) == (302, LIST)
    search = SavedSearch.objects.get()
    assert (search.user, search.frequency) == (person, "weekly")
    assert search.query == {"city": "Keene", "state": "NH", "max_price": 300_000}
    page = html(member, LIST)
    for words in (
        "Your search has been saved.",
        "Cheap in Keene",
        'href="/real-estate?area=Keene%2C+NH&max_price=300000"',
        "Weekly emails",
    ):
        assert words in page.replace("Keene,+NH", "Keene%2C+NH"), words


def test_guests_sign_in_and_come_back(client: Client, person: Any) -> None:
    page = html(client, NEW)
    link = f"{reverse('account_login')}?next=%2Faccounts%2Fsearches%2Fnew%2F%3Farea%3DKeene%252C%2BNH%26max_price%3D300000"
    assert link in page
    answer = client.post(link, {"login": "noor@example.com", "password": PASSWORD})
    assert (answer.status_code, answer.headers["Location"]) == (302, NEW)
    assert not SavedSearch.objects.exists()
    client.logout()
    assert client.post(NEW, {"name": "x", "frequency": "daily"}).status_code == 403


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"name": "", "frequency": "daily"}, "Enter a name."),
        ({"name": "x" * 101, "frequency": "daily"}, "at most 100"),
        ({"name": "x\0", "frequency": "daily"}, "Null characters"),
        ({"name": "x", "frequency": "hourly"}, "Select how often."),
        ({}, "Please fix 2 fields"),
    ],
)
def test_refused(member: Client, values: dict[str, str], words: str) -> None:
    answer = member.post(NEW, values)
    assert (answer.status_code, words in unescape(answer.content.decode())) == (422, True)


def test_too_many(member: Client, person: Any) -> None:
    for _ in range(MAX_SEARCHES):
        saved(person)
    answer = member.post(NEW, {"name": "x", "frequency": "daily"})
    assert answer.status_code == 422
    assert "Delete one first." in answer.content.decode()


def test_renaming_and_deleting(member: Client, person: Any) -> None:
    search = saved(person)
    path = f"{LIST}{search.pk}/"
    assert 'value="Houses"' in html(member, path)
    member.post(path, {"name": "Homes", "frequency": "never"})
    search.refresh_from_db()
    assert (search.name, search.frequency, search.due_at, search.query) == ("Homes", "never", None, {"city": "Keene"})
    assert "Delete “Homes”?" in html(member, f"{path}delete/")
    assert SavedSearch.objects.exists()
    assert member.post(f"{path}delete/").headers["Location"] == LIST
    assert not SavedSearch.objects.exists()
    assert "You haven't saved a search yet." in html(member, LIST)


@pytest.mark.both_databases
def test_searches_of_others(member: Client) -> None:
    other = create_member(email="dana@example.com", password=PASSWORD, name="Dana")
    search = saved(other, name="Of Dana")
    assert "Of Dana" not in html(member, LIST)
    for path in (f"{LIST}{search.pk}/", f"{LIST}{search.pk}/delete/"):
        html(member, path, 404)
        assert member.post(path, {"name": "x", "frequency": "never"}).status_code == 404
    assert SavedSearch.objects.get().name == "Of Dana"


def test_signed_out(client: Client, person: Any) -> None:
    for path in (LIST, f"{LIST}{saved(person).pk}/"):
        assert client.get(path).headers["Location"].startswith(reverse("account_login"))


def test_forged_posts(person: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person)
    search = saved(person)
    assert client.post(f"{LIST}{search.pk}/delete/").status_code == 403
    assert SavedSearch.objects.exists()


def test_unsubscribing_needs_a_post(client: Client, person: Any) -> None:
    search = saved(person)
    path = UNSUBSCRIBE_LINK.path(search)
    assert "We'll stop emailing new results" in html(client, path)
    search.refresh_from_db()
    assert search.frequency == "daily"
    assert "You're unsubscribed" in unescape(client.post(path).content.decode())
    search.refresh_from_db()
    assert search.frequency == "never"


def test_the_account_page_links_to_them(member: Client) -> None:
    assert f'href="{LIST}"' in html(member, reverse("account_home"))


@pytest.mark.both_databases
def test_the_number_of_statements_is_constant(member: Client, person: Any, django_assert_max_num_queries: Any) -> None:
    for number in range(10):
        saved(person, name=f"Search {number}")
    html(member, LIST)
    # Six, and two that other tests may have left to be read again, such as the site.
    with django_assert_max_num_queries(8):
        html(member, LIST)

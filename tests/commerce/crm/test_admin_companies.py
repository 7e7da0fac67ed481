"""Companies in the admin."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from wagtail.models import ModelLogEntry

from cms_api.text.search import matching
from commerce.crm.models import Company, Contact

from .records import make_company, make_contact

pytestmark = pytest.mark.django_db

LIST = "/admin/crm/companies/"


def test_it_works(admin_client: Client) -> None:
    sent = {"name": " Reyes  Ceramics ", "website": "reyes.example.com", "notes": "Kiln"}
    answer = admin_client.post(f"{LIST}new/", sent)
    company = Company.objects.get()
    assert answer.headers["Location"] == f"{LIST}inspect/{company.pk}/"
    assert (company.name, company.website) == ("Reyes Ceramics", "https://reyes.example.com")
    contact = make_contact("dana@example.com", company="REYES ceramics, Inc.")
    assert contact.company == company
    page = admin_client.get(f"{LIST}inspect/{company.pk}/").content.decode()
    assert "dana@example.com" in page
    assert "https://reyes.example.com" in page
    assert admin_client.get(f"{LIST}edit/{company.pk}/").status_code == 200
    assert admin_client.post(f"{LIST}edit/{company.pk}/", {**sent, "name": "Kilns"}).status_code == 302
    assert list(matching(Contact.objects.all(), "kilns")) == [contact]
    assert admin_client.get(f"{LIST}history/{company.pk}/").status_code == 200
    assert "1 contact stays" in admin_client.get(f"{LIST}delete/{company.pk}/").content.decode()
    assert admin_client.post(f"{LIST}delete/{company.pk}/").status_code == 302
    assert Contact.objects.get().company is None
    actions = ModelLogEntry.objects.filter(content_type__model="company").values_list("action", flat=True)
    assert sorted(actions) == ["wagtail.create", "wagtail.delete", "wagtail.edit"]


def test_the_name_of_another_company_is_refused_in_words(admin_client: Client) -> None:
    make_company("Reyes Ceramics, Inc.")
    other = make_company("Nordlicht")
    for path in ("new/", f"edit/{other.pk}/"):
        answer = admin_client.post(LIST + path, {"name": "REYES ceramics ltd", "website": "", "notes": ""})
        assert answer.status_code == 200
        assert "A company “Reyes Ceramics, Inc.” already exists." in answer.context["form"].errors["name"][0]
    assert sorted(Company.objects.values_list("name", flat=True)) == ["Nordlicht", "Reyes Ceramics, Inc."]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", "!!!"),
        ("name", "a\0b"),
        ("website", "javascript:alert(1)"),
    ],
)
def test_hostile_input_is_refused_at_its_field(admin_client: Client, name: str, value: str) -> None:
    answer = admin_client.post(f"{LIST}new/", {"name": "Good", "website": "", "notes": "", name: value})
    assert answer.status_code == 200
    assert list(answer.context["form"].errors) == [name]
    assert not Company.objects.exists()


@pytest.mark.both_databases
def test_listed_with_their_contacts_in_a_constant_number_of_statements(admin_client: Client) -> None:
    found = []
    for number in (1, 4):
        for each in range(number):
            make_contact(company=f"Company {number}-{each}")
        make_contact(company="Company 1-0")
        admin_client.get(LIST)
        with CaptureQueriesContext(connection) as captured:
            rows = admin_client.get(LIST).context["object_list"]
        found.append(len(captured))
    assert found[0] == found[1], found
    assert {row.name: row.people for row in rows}["Company 1-0"] == 3


@pytest.mark.both_databases
def test_search_and_order(admin_client: Client) -> None:
    for name in ("Café Noir", "Reyes Ceramics", "Nordlicht GmbH"):
        make_company(name)
    make_contact(company="Nordlicht GmbH")

    def names(query: str) -> list[str]:
        return [row.name for row in admin_client.get(f"{LIST}results/{query}").context["object_list"]]

    assert names("?q=CAFE") == ["Café Noir"]
    assert names("?q=nordlicht+ag") == ["Nordlicht GmbH"]
    assert names("") == ["Café Noir", "Nordlicht GmbH", "Reyes Ceramics"]
    assert names("?ordering=-people")[0] == "Nordlicht GmbH"
    for odd in ("?q=%00", f"?q={'x' * 5000}", "?ordering=x", "?q=%25_"):
        assert admin_client.get(LIST + odd).status_code == 200


def test_the_contacts_of_a_company_are_paged(admin_client: Client) -> None:
    for _ in range(55):
        make_contact(company="Big")
    company = Company.objects.get()
    assert len(admin_client.get(f"{LIST}inspect/{company.pk}/").context["contacts"]) == 50
    assert len(admin_client.get(f"{LIST}inspect/{company.pk}/?p=2").context["contacts"]) == 5

"""Companies as people write them, beside those who capture contacts for them."""

import pytest

from cms_api.core.errors import Invalid
from commerce.common.selectors import filter_by_tag
from commerce.crm.models import Company, Contact
from commerce.crm.services.companies import delete_company, resolve_companies, save_company

from .records import make_contact

pytestmark = pytest.mark.both_databases


def test_it_works() -> None:
    company = save_company(values={"name": "Reyes Ceramics, Inc.", "website": "https://example.com/", "notes": "Blue."})
    assert resolve_companies(["REYES ceramics", "Réyes Ceramics GmbH"]) == dict.fromkeys(
        ["REYES ceramics", "Réyes Ceramics GmbH"], company
    )
    assert make_contact(company="reyes ceramics").company == company
    company.refresh_from_db()
    assert (company.name, company.website, company.notes) == ("Reyes Ceramics, Inc.", "https://example.com/", "Blue.")


def test_the_spelling_that_comes_first_stays() -> None:
    companies = resolve_companies(["vale WORKS", "Vale Works Ltd", "---"])
    assert {company.name for company in companies.values()} == {"vale WORKS"}
    assert "---" not in companies


def test_a_name_that_is_taken() -> None:
    company = save_company(values={"name": "Reyes"})
    other = save_company(values={"name": "Vale"})
    for values, saved in (({"name": "REYES Ltd"}, None), ({"name": "Reyes, Inc."}, other)):
        with pytest.raises(Invalid) as refusal:
            save_company(values=values, company=saved)
        assert refusal.value.errors == {"name": ["The name has already been taken."]}
    assert save_company(values={"name": "REYES GmbH"}, company=company).key == "reyes"
    for name in ("", "!!!"):
        with pytest.raises(Invalid):
            save_company(values={"name": name})


def test_a_deleted_company_leaves_its_contacts() -> None:
    contact = make_contact(company="Reyes")
    delete_company(company=Company.objects.get())
    contact.refresh_from_db()
    assert (contact.company, Company.objects.count()) == (None, 0)


def test_contacts_with_a_tag() -> None:
    both = make_contact(tags=["ÉTÉ", "Weddings"])
    other = make_contact(tags=["été"])
    make_contact(tags=["étés", "wedding"])
    make_contact()
    assert set(filter_by_tag(Contact.objects.all(), "Été")) == {both, other}
    assert list(filter_by_tag(Contact.objects.all(), "weddings")) == [both]
    assert list(filter_by_tag(Contact.objects.filter(pk=other.pk), "WEDDINGS")) == []
    for nothing in ("", "%", "'", '"', "été\0"):
        assert list(filter_by_tag(Contact.objects.all(), nothing)) == []

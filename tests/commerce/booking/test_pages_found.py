"""Services in the sitemap, the footer, the site's search and the page row; their pictures; and the appointments of an account."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from cms_api.accounts.services import create_member
from cms_api.flags.services import switch_feature
from cms_api.media.services.library import delete_media
from commerce.booking.selectors.appointments import MANAGE_LINK
from commerce.booking.services import cancel_appointment, delete_service, save_service
from commerce.booking.services.media_usage import MEDIA_USAGE
from tests.builders import make_image, make_page
from tests.people import PASSWORD

from .builders import at, make_appointment, make_service, make_staff

pytestmark = pytest.mark.usefixtures("booking")


def html(path: str, **query: Any) -> str:
    return Client().get(path, query).content.decode()


def url(service: Any) -> str:
    return f"/booking/services/{service.slug}"


@pytest.mark.both_databases
def test_the_search_of_the_site_finds_services() -> None:
    massage = make_service("Nettle massage", description="With warm pebbles.")
    make_staff(massage)
    make_service("Nettle bath")
    for words in ("nettle", "pebbles"):
        page = html("/search", q=words)
        assert url(massage) in page
        assert "Nettle bath" not in page
    save_service(service=massage, values={"name": "Reflexology"})
    assert url(massage) not in html("/search", q="nettle")


def test_the_sitemap_and_the_footer() -> None:
    shown, hidden = make_service(), make_service(is_visible=False)
    make_staff(shown, hidden)
    sitemap = html("/sitemap.xml")
    assert "/booking<" in sitemap
    assert f"{url(shown)}<" in sitemap
    assert f"{url(hidden)}<" not in sitemap
    assert 'href="/booking"' in html("/search")
    switch_feature(name="booking", on=False)
    assert "/booking" not in html("/sitemap.xml")
    assert "/booking" not in html("/search")


def row(**values: object) -> dict[str, object]:
    return {"type": "booking", "value": {"heading": "", "service": "", "link": True, **values}}


def main(page: Any) -> str:
    return html(page.url).partition("<main")[2].partition("</main")[0]


def test_the_row() -> None:
    page = make_page(row())
    assert "row--items" not in main(page)
    massage, bath = make_service("Massage"), make_service("Bath")
    make_staff(massage, bath)
    for words in ("Massage", "Bath", "Book an appointment", 'href="/booking"'):
        assert words in main(page)
    one = main(make_page(row(service=str(bath.pk), heading="Unwind", link=False)))
    assert "Unwind" in one
    assert url(bath) in one
    assert "Massage" not in one
    assert 'href="/booking"' not in one
    delete_service(service=bath)
    assert "Bath" not in main(page)
    assert "row--items" not in main(make_page(row(service="999999")))
    switch_feature(name="booking", on=False)
    assert "Massage" not in main(page)


def test_a_deleted_picture_disappears_from_services_and_staff() -> None:
    image, other = make_image("a.png"), make_image("b.png")
    service = make_service(image=image.pk)
    staff, second = make_staff(service, image=image.pk), make_staff(service, image=other.pk)
    before = html("/booking"), html(url(service))
    assert before[1].count("person__picture") == 2
    assert "service-head__picture" in before[1]
    delete_media(media=image)
    for record in (service, staff, second):
        record.refresh_from_db()
    assert (service.image, staff.image, second.image_id) == (None, None, other.pk)
    assert html("/booking") != before[0]
    assert html(url(service)).count("person__picture") == 1


BOOKINGS = "/accounts/bookings/"


@pytest.fixture
def mia(db: None) -> Any:
    return create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")


@pytest.fixture
def visitor(mia: Any) -> Client:
    visitor = Client()
    visitor.force_login(mia)
    return visitor


def test_the_appointments_of_an_account(mia: Any, visitor: Client) -> None:
    service = make_service("Massage")
    make_staff(service)
    assert "You haven't booked anything yet." in visitor.get(BOOKINGS).content.decode()
    own = make_appointment(service, starts_at=at(days=2), email="MIA@example.com")
    bought = make_appointment(service, starts_at=at(days=3), email="other@example.com", user=mia)
    foreign = make_appointment(service, starts_at=at(days=4), email="dana@example.com")
    cancel_appointment(appointment=own)
    answer = visitor.get(BOOKINGS)
    page = answer.content.decode()
    for words in ("Massage", "$50.00", "Cancelled", "Confirmed", MANAGE_LINK.path(own), MANAGE_LINK.path(bought)):
        assert words in page
    assert MANAGE_LINK.path(foreign) not in page
    assert "no-store" in answer.headers["Cache-Control"]
    assert BOOKINGS in visitor.get("/accounts/").content.decode()
    for number in ("0", "-1", "x", "9" * 30, "\0"):
        assert visitor.get(BOOKINGS, {"page": number}).status_code == 200


def test_visitors_sign_in_first() -> None:
    assert Client().get(BOOKINGS).headers["Location"].startswith("/accounts/login/")


@pytest.mark.both_databases
def test_an_accounts_appointments_take_a_constant_number_of_statements(visitor: Client) -> None:
    def statements() -> int:
        make_appointment(email="mia@example.com")
        visitor.get(BOOKINGS)
        with CaptureQueriesContext(connection) as caught:
            assert visitor.get(BOOKINGS).status_code == 200
        return len(caught)

    assert statements() == statements()


def test_usage_leads_to_where_a_picture_is_changed() -> None:
    pytest.importorskip("commerce.booking.admin.services", reason="The admin has no pages of services and staff yet.")
    image = make_image("a.png")
    service = make_service("Massage", image=image.pk)
    staff = make_staff(service, name="Robin", image=image.pk)
    assert [(each.label, each.use, each.address) for each in MEDIA_USAGE.references(image)] == [
        ("Massage", "Picture", reverse("booking_services:edit", args=[service.pk])),
        ("Robin", "Picture", reverse("booking_staff:edit", args=[staff.pk])),
    ]

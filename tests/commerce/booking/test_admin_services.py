"""Services in the admin: the form with questions, hostile values, copies, the list, and people who are kept out."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from commerce.booking.models import Service
from tests import people
from tests.builders import make_image

from .builders import make_appointment, make_service, make_staff

pytestmark = pytest.mark.usefixtures("booking")

SERVICES = "/admin/booking/services/"
NUMBERS = {
    "duration_minutes": "60",
    "capacity": "1",
    "buffer_before_minutes": "0",
    "buffer_after_minutes": "15",
    "step_minutes": "",
    "notice_minutes": "120",
    "days_ahead": "60",
    "cancel_notice_hours": "24",
}


def question_rows(*questions: dict[str, str]) -> dict[str, str]:
    """The fields that the builder of questions sends."""
    found = {"questions_editor-count": str(len(questions))}
    for number, values in enumerate(questions):
        prefix = f"questions_editor-{number}"
        kind = values.get("type", "text")
        found |= {f"{prefix}-deleted": "", f"{prefix}-order": str(number), f"{prefix}-type": kind, f"{prefix}-id": ""}
        fields = {"label": "Your knee?", "key": "", "help_text": "", **values}
        found |= {f"{prefix}-value-{name}": value for name, value in fields.items() if name != "type"}
    return found


def posted(*questions: dict[str, str], **changes: str) -> dict[str, str]:
    """The fields of a service's form."""
    texts = {"name": "Massage", "slug": "", "description": "", "price": "50", "deposit": "20", "image_chosen": ""}
    more = {"location": "Room 2", "video_url": "", "is_visible": "on", "position": "0"}
    return {**texts, **more, **NUMBERS, **question_rows(*questions), **changes}


def test_it_works(admin_client: Client) -> None:
    image = make_image()
    values = posted({"required": "on"}, image_chosen=str(image.pk), requires_approval="on", capacity="8")
    assert admin_client.post(f"{SERVICES}new/", values).status_code == 302
    service = Service.objects.get()
    assert (service.name, service.slug, service.price_cents, service.deposit_cents) == ("Massage", "massage", 5000, 2000)
    assert (service.capacity, service.buffer_after_minutes, service.step_minutes) == (8, 15, None)
    assert (service.image_id, service.requires_approval, service.is_visible) == (image.pk, True, True)
    assert [(field.key, field.label, field.required) for field in service.schema] == [("your_knee", "Your knee?", True)]
    edit = f"{SERVICES}edit/{service.pk}/"
    page = admin_client.get(edit).content.decode()
    for words in ('value="50.00"', "Price (USD)", "&quot;your_knee&quot;", "the first one&#x27;s minutes after plus"):
        assert words in page
    admin_client.post(edit, posted(price="", deposit="", is_visible=""))
    service.refresh_from_db()
    assert (service.price_cents, service.deposit_cents, service.questions, service.image) == (0, 0, [], None)
    assert service.is_visible is False


def test_a_service_that_makes_no_sense_is_refused(admin_client: Client) -> None:
    for field, value in [
        ("name", "a\0b"),
        ("slug", "Not A Slug"),
        ("price", "9" * 30),
        ("deposit", "51"),
        ("image_chosen", "99999"),
        ("notice_minutes", "x"),
        ("video_url", "javascript:alert(1)"),
    ]:
        answer = admin_client.post(f"{SERVICES}new/", posted(**{field: value}))
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == {field}
        assert not Service.objects.exists()


def test_questions_that_make_no_sense_are_refused(admin_client: Client) -> None:
    for questions in [
        [{"label": ""}],
        [{"key": "same"}, {"key": "same"}],
        [{}] * 31,
    ]:
        answer = admin_client.post(f"{SERVICES}new/", posted(*questions))
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == {"questions_editor"}
        assert not Service.objects.exists()


def test_kinds_that_cannot_be_asked_for_are_not_offered(admin_client: Client) -> None:
    for kind in ["file", "hidden", "none", "\0"]:
        admin_client.post(f"{SERVICES}new/", posted({"type": kind}))
        assert not Service.objects.exclude(questions=[]).exists()


def test_a_copy_begins_as_the_original(admin_client: Client) -> None:
    service = make_service("Massage", duration_minutes=45, deposit_cents=1000)
    page = admin_client.get(f"{SERVICES}copy/{service.pk}/").content.decode()
    for words in ("Massage (copy)", 'value="45"', 'value="10.00"'):
        assert words in page


def test_the_list_and_its_file(admin_client: Client) -> None:
    massage, yoga = make_service("Massage"), make_service("Yoga", capacity=8, price_cents=0, is_visible=False)
    make_staff(massage)
    page = admin_client.get(SERVICES).content.decode()
    for words in ("60 min", "$50.00", "Free", "Nobody", f"/admin/booking/staff/?services={massage.pk}"):
        assert words in page
    assert list(admin_client.get(SERVICES, {"q": "mass"}).context["object_list"]) == [massage]
    assert list(admin_client.get(SERVICES, {"is_visible": "False"}).context["object_list"]) == [yoga]
    lines = admin_client.get(SERVICES, {"export": "csv"}).getvalue().decode().splitlines()
    assert lines[1:] == ["Massage,60,50.00,0.00,1,1", "Yoga,60,0.00,0.00,8,0"]


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    def statements() -> int:
        make_staff(make_service())
        admin_client.get(SERVICES)
        with CaptureQueriesContext(connection) as caught:
            assert admin_client.get(SERVICES).status_code == 200
        return len(caught)

    few = statements()
    make_service()
    assert statements() <= few


def test_a_booked_service_is_not_deleted(admin_client: Client) -> None:
    booked, unused = make_appointment().service, make_service()
    answer = admin_client.post(f"{SERVICES}delete/{booked.pk}/", follow=True)
    assert "This service has appointments." in answer.content.decode()
    admin_client.post(f"{SERVICES}delete/{unused.pk}/")
    assert list(Service.objects.all()) == [booked]


def test_editors_are_kept_out(sign_in: Callable[[Any], Client]) -> None:
    service = make_service("Massage")
    editor = sign_in(people.bob())
    for path in (SERVICES, f"{SERVICES}new/", f"{SERVICES}edit/{service.pk}/", f"{SERVICES}copy/{service.pk}/"):
        assert editor.get(path).status_code in {302, 403}
    editor.post(f"{SERVICES}new/", posted())
    editor.post(f"{SERVICES}edit/{service.pk}/", posted(name="Mine"))
    editor.post(f"{SERVICES}delete/{service.pk}/")
    assert list(Service.objects.values_list("name", flat=True)) == ["Massage"]
    assert sign_in(people.mallory_manager()).get(SERVICES).status_code == 200

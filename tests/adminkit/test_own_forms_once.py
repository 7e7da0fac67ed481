"""Forms that a page of the admin has of its own are carried out once, although a double click sends them twice."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from cms_api.mail.models import OutgoingMail
from commerce.crm.models import Activity, Contact
from commerce.invoicing.models import Client as Customer
from commerce.projects.models import ProjectFile, ProjectUpdate
from tests.commerce.crm.records import make_contact
from tests.commerce.marketing.sequences import make_sequence
from tests.commerce.projects.builders import make_project, upload
from tests.features import switch_all_on
from tests.submitting import shown_keys

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

AGAIN = "This form was already submitted. Nothing was done a second time."


@pytest.fixture(autouse=True)
def _everything(db: None) -> None:
    switch_all_on()


def key_of(client: Client, page: str, address: str = "") -> str:
    """The key of the form on a page that is sent to an address, or to the page itself."""
    shown = unescape(client.get(page).content.decode())
    start = rf'<form[^>]*action="{re.escape(address)}' if address else '<form method="POST"'
    (form,) = re.findall(f"{start}.*?</form>", shown, re.DOTALL)
    (key,) = shown_keys(form)
    return key


def said(answer: Any) -> str:
    return unescape(answer.content.decode())


def test_updates_and_files_of_a_project(admin_client: Client) -> None:
    project = make_project()
    page = f"/admin/projects/inspect/{project.pk}/"
    for name, values in (("update", {"note": "Done.", "is_public": "on"}), ("file", {"is_public": ""})):
        address = f"/admin/projects/add-{name}/{project.pk}/"
        sent = {**values, "once": key_of(admin_client, page, address)}
        for _ in range(2):
            files = {"file": upload("Plan.pdf")} if name == "file" else {}
            answer = admin_client.post(address, {**sent, **files}, follow=True)
        assert AGAIN in said(answer)
    assert (ProjectUpdate.objects.count(), ProjectFile.objects.count(), OutgoingMail.objects.count()) == (1, 1, 1)


def test_notes_of_a_contact(admin_client: Client) -> None:
    contact = make_contact("dana@example.com")
    page, address = f"/admin/crm/contacts/inspect/{contact.pk}/", f"/admin/crm/contacts/inspect/{contact.pk}/note/"
    key = key_of(admin_client, page, address)
    assert admin_client.post(address, {"text": "", "once": key}).status_code == 200
    for _ in range(2):
        answer = admin_client.post(address, {"text": "Likes tea.", "once": key}, follow=True)
    assert AGAIN in said(answer)
    assert Activity.objects.filter(contact=contact, kind="note").count() == 1


def test_a_merge(admin_client: Client) -> None:
    first, second = make_contact("a@example.com"), make_contact("b@example.com")
    address = f"/admin/crm/contacts/merge/?id={first.pk}&id={second.pk}"
    sent = {"kept": first.pk, "once": key_of(admin_client, address)}
    answers = [admin_client.post(address, sent, follow=True) for _ in range(2)]
    assert "2 contacts merged" in said(answers[0])
    assert AGAIN in said(answers[1])
    assert Contact.objects.count() == 1


def test_a_test_of_a_sequence(admin_client: Client) -> None:
    step = make_sequence().steps.first()
    page, address = f"/admin/marketing/sequences/steps/{step.pk}/", f"/admin/marketing/sequences/steps/{step.pk}/test/"
    sent = {"once": key_of(admin_client, page, address)}
    for _ in range(2):
        answer = admin_client.post(address, sent, follow=True)
    assert AGAIN in said(answer)
    assert OutgoingMail.objects.count() == 1


def test_a_new_record_in_a_chooser(admin_client: Client) -> None:
    shown = admin_client.get("/admin/invoices/clients/choose/").json()["html"]
    (address,) = re.findall(r'action="([^"]+once=[\w-]+)"', shown)
    sent = {"name": "Nordlicht", "email": "lena@example.com"}
    refused = admin_client.post(unescape(address), {**sent, "name": ""})
    first, second = (admin_client.post(unescape(address), sent).json() for _ in range(2))
    assert [refused.json()["step"], first["step"], second["step"]] == ["reshow_creation_form", "chosen", "reshow_creation_form"]
    assert "This form was already submitted." in str(second)
    assert Customer.objects.count() == 1


def test_an_import_of_reviews(admin_client: Client) -> None:
    assert key_of(admin_client, "/admin/reviews/import/")

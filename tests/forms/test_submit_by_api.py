"""POST /forms/{id}/submissions: the whole pipeline, without a look for spam."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cms_api.core import registry
from cms_api.flags.services import switch_feature
from cms_api.forms.models import Form, Submission
from cms_api.forms.types import Received
from tests.builders import field, make_form
from tests.client import Api
from tests.modules import install

from .conftest import mails

pytestmark = pytest.mark.django_db

GOOD = {"name": "Dana", "email": "dana@example.com"}


def send(api: Api, form: Form, data: Any, **headers: str) -> Any:
    return api.post(f"/forms/{form.pk}/submissions", {"data": data}, **headers)


@pytest.mark.both_databases
def test_it_works(api: Api, subscribed: Callable[[], list[Any]], business: str) -> None:
    form = make_form()
    answer = send(api, form, {**GOOD, "message": " Hello \r\nthere ", "other": "dropped"})
    assert answer.status_code == 201
    record = answer.json()["data"]
    submission = Submission.objects.get()
    assert record == api.data(f"/forms/{form.pk}/submissions/{submission.pk}")
    assert record == {
        "id": submission.pk,
        "form_id": form.pk,
        "data": {**GOOD, "message": "Hello \nthere"},
        "is_spam": False,
        "source": "api",
        "contact_id": None,
        "created_at": record["created_at"],
    }
    assert subscribed() == [record]
    (mail,) = mails()
    assert (mail.recipient, mail.reply_to) == (business, "dana@example.com")
    assert form.name in mail.subject
    assert "Dana" in mail.text
    assert f"/admin/forms/submissions/inspect/{submission.pk}/" in mail.html


def test_a_form_that_keeps_nothing_answers_202(api: Api, subscribed: Callable[[], list[Any]], business: str) -> None:
    form = make_form(store_submissions=False)
    answer = send(api, form, GOOD)
    assert (answer.status_code, answer.json()) == (202, {"data": {"form_id": form.pk, "stored": False}})
    assert not Submission.objects.exists()
    (payload,) = subscribed()
    assert payload["id"] is None
    assert payload["data"] == {**GOOD, "message": None}
    (mail,) = mails()
    assert "View the submission" not in mail.text
    assert "Dana" in mail.html


@pytest.mark.parametrize("keeps", [True, False])
def test_what_is_refused_leads_to_nothing(api: Api, subscribed: Callable[[], list[Any]], business: str, keeps: bool) -> None:
    form = make_form(store_submissions=keeps)
    refused = send(api, form, {"email": "nobody", "message": 7})
    assert refused.status_code == 422
    assert refused.json() == {
        "message": "The name field is required. (and 2 more errors)",
        "errors": {
            "data.name": ["The name field is required."],
            "data.email": ["The email field must be a valid email address."],
            "data.message": ["The message field must be a string."],
        },
    }
    assert (Submission.objects.count(), subscribed(), mails()) == (0, [], [])


def test_file_fields_are_ignored(api: Api) -> None:
    form = make_form(field("plan", "file", required=True), field("name", "text"))
    answer = send(api, form, {"plan": "C:\\plan.pdf", "name": "Dana"})
    assert answer.status_code == 201
    assert answer.json()["data"]["data"] == {"plan": None, "name": "Dana"}


def test_hidden_fields_have_their_value_unless_one_is_sent(api: Api) -> None:
    form = make_form(field("campaign", "hidden", default="website"), field("other", "hidden"))
    assert send(api, form, {}).json()["data"]["data"] == {"campaign": "website", "other": None}
    assert send(api, form, {"campaign": " "}).json()["data"]["data"]["campaign"] == "website"
    assert send(api, form, {"campaign": "spring"}).json()["data"]["data"]["campaign"] == "spring"


def test_nobody_asks_whether_it_is_spam(api: Api, subscribed: Callable[[], list[Any]]) -> None:
    form = make_form()
    links = "http://a.example " * 50
    for _ in range(20):
        assert send(api, form, {**GOOD, "message": links, "hp_url": "http://spam.example"}).status_code == 201
    assert not Submission.objects.filter(is_spam=True).exists()
    assert len(subscribed()) == 20


def test_a_disabled_form_takes_none(api: Api) -> None:
    form = make_form(enabled=False)
    refused = send(api, form, GOOD)
    assert refused.status_code == 422
    assert set(refused.json()["errors"]) == {"form"}
    assert not Submission.objects.exists()


def test_recipients_are_told_in_the_place_of_the_business(api: Api, business: str) -> None:
    form = make_form(recipients=["one@example.org", "two@example.org"])
    send(api, form, GOOD)
    assert [mail.recipient for mail in mails()] == ["one@example.org", "two@example.org"]


def test_without_anybody_to_tell_there_is_no_mail(api: Api, settings: Any) -> None:
    for nobody in ("", "not an address"):
        settings.BUSINESS_EMAIL = nobody
        assert send(api, make_form(), GOOD).status_code == 201
    assert mails() == []


def test_what_is_sent_cannot_change_the_mail(api: Api, business: str) -> None:
    """Nor can it stop it: an address that no mail can be answered to is left out."""
    form = make_form(field("name", "text"), field("email", "email"), field("message", "textarea"))
    sent = {
        "name": "{{ site }} <b>x</b>",
        "email": '"a b"@example.com',
        "message": "<script>alert(1)</script>\r\nBcc: x@example.com",
    }
    assert send(api, form, sent).status_code in {201, 422}
    assert send(api, form, {**sent, "email": None}).status_code == 201
    mail = mails()[-1]
    assert mail.reply_to == ""
    assert "<script>" not in mail.html
    assert "{{ site }} &lt;b&gt;x&lt;/b&gt;" in mail.html
    assert "Bcc" not in mail.headers


@pytest.mark.both_databases
def test_a_repeat_with_the_same_key_has_no_second_effect(api: Api, subscribed: Callable[[], list[Any]], business: str) -> None:
    for form, status in ((make_form(), 201), (make_form(store_submissions=False), 202)):
        first = send(api, form, GOOD, idempotency_key="one")
        again = send(api, form, GOOD, idempotency_key="one")
        assert (first.status_code, again.status_code) == (status, status)
        assert again.content == first.content
        assert again.headers["Idempotency-Replayed"] == "true"
        assert send(api, form, {**GOOD, "name": "Other"}, idempotency_key="one").status_code == 422
    assert Submission.objects.count() == 1
    assert len(subscribed()) == len(mails()) == 2


@pytest.mark.both_databases
def test_everything_is_undone_together(
    api: Api, subscribed: Callable[[], list[Any]], business: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("The outbox failed.")

    monkeypatch.setattr("cms_api.forms.services.submissions.emit", fail)
    api.http.raise_request_exception = False
    assert send(api, make_form(), GOOD).status_code == 500
    assert (Submission.objects.count(), mails()) == (0, [])


CAPTURED: list[Received] = []


def capture(received: Received) -> int | None:
    """Stands for the CRM."""
    CAPTURED.append(received)
    return 41 if received.email else None


@pytest.mark.parametrize("keeps", [True, False])
def test_whoever_captures_is_given_it_and_names_the_contact(
    api: Api, subscribed: Callable[[], list[Any]], planted: Any, monkeypatch: pytest.MonkeyPatch, keeps: bool
) -> None:
    CAPTURED.clear()
    crm = replace(planted, listens={"forms.submission_received": "tests.forms.test_submit_by_api.capture"})
    others = [module for module in registry.modules() if module.name != "planted"]
    install(monkeypatch, *others, crm)
    form = make_form(store_submissions=keeps)
    send(api, form, GOOD)
    assert CAPTURED == []
    switch_feature(name="crm", on=True)
    send(api, form, GOOD)
    (received,) = CAPTURED
    submission = Submission.objects.order_by("-id").first()
    assert (received.form_id, received.submission_id, received.email) == (
        form.pk,
        submission.pk if submission else None,
        "dana@example.com",
    )
    assert [payload["contact_id"] for payload in subscribed()] == [None, 41]
    if submission:
        assert submission.contact_id == 41

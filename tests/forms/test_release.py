"""Release from quarantine: the rest of the pipeline runs once, however many releases there are."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.forms.models import Form, Submission
from cms_api.forms.services import submissions
from cms_api.forms.services.submissions import mark_as_spam, release
from cms_api.forms.types import Source
from tests import people
from tests.builders import make_form
from tests.client import Api, together

from .conftest import mails

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("business")]

DATA = {"name": "Dana", "email": "dana@example.com", "message": None}
THREADS = 8


def quarantined(form: Form) -> Submission:
    return Submission.objects.create(
        form=form, data=DATA, is_spam=True, spam_reason="Links.", source=Source.SITE, created_at=timezone.now()
    )


@pytest.mark.both_databases
def test_it_works(api: Api, subscribed: Callable[[], list[Any]]) -> None:
    form = make_form()
    found = quarantined(form)
    assert release(submission=found)
    record = api.data(f"/forms/{form.pk}/submissions/{found.pk}")
    assert (record["is_spam"], record["data"]) == (False, DATA)
    assert subscribed() == [record]
    (mail,) = mails()
    assert (mail.recipient, mail.reply_to) == ("office@example.org", "dana@example.com")


def test_a_form_that_keeps_nothing_keeps_nothing_afterwards(subscribed: Callable[[], list[Any]]) -> None:
    found = quarantined(make_form(store_submissions=False))
    assert release(submission=found)
    assert not Submission.objects.exists()
    (payload,) = subscribed()
    assert (payload["id"], payload["data"], payload["is_spam"]) == (None, DATA, False)
    assert len(mails()) == 1


def test_whether_it_is_kept_is_for_the_form_to_say_when_it_is_released() -> None:
    form = make_form()
    found = quarantined(form)
    Form.objects.update(store_submissions=False)
    release(submission=found)
    assert not Submission.objects.exists()


@pytest.mark.both_databases
def test_it_happens_once_however_often_it_goes_back(subscribed: Callable[[], list[Any]]) -> None:
    found = quarantined(make_form())
    for _ in range(3):
        release(submission=found)
        assert mark_as_spam(submission=found)
        assert not mark_as_spam(submission=found)
    assert len(subscribed()) == len(mails()) == 1
    assert Submission.objects.get().spam_reason == submissions.BY_HAND


def test_what_was_told_before_it_was_marked_is_not_told_again(api: Api, subscribed: Callable[[], list[Any]]) -> None:
    form = make_form()
    api.post(f"/forms/{form.pk}/submissions", {"data": DATA})
    found = Submission.objects.get()
    mark_as_spam(submission=found)
    assert api.data(f"/forms/{form.pk}/submissions") == []
    assert not release(submission=found)
    assert len(api.data(f"/forms/{form.pk}/submissions")) == 1
    assert len(subscribed()) == len(mails()) == 1


def test_one_that_is_no_spam_or_gone_is_left_alone(subscribed: Callable[[], list[Any]]) -> None:
    found = quarantined(make_form())
    release(submission=found)
    assert not release(submission=found)
    Submission.objects.all().delete()
    assert not release(submission=found)
    assert len(subscribed()) == 1


def test_a_pipeline_that_fails_leaves_it_in_quarantine(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("The outbox failed.")

    monkeypatch.setattr(submissions, "emit", fail)
    found = quarantined(make_form())
    with pytest.raises(RuntimeError):
        release(submission=found)
    found.refresh_from_db()
    assert (found.is_spam, found.handled_at, mails()) == (True, None, [])


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("keeps", [True, False])
def test_many_release_it_at_once(subscribed: Callable[[], list[Any]], keeps: bool) -> None:
    found = [quarantined(make_form(store_submissions=keeps)) for _ in range(5)]
    for each in found:
        released = together(lambda _, each=each: release(submission=each), THREADS)
        assert released.count(True) == 1
    assert len(subscribed()) == len(mails()) == 5


@pytest.mark.django_db(transaction=True)
def test_without_the_claim_it_would_happen_more_than_once(
    subscribed: Callable[[], list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The positive control of the test above: each looks first, and then does it."""
    found = quarantined(make_form())

    def look_and_do(_: int) -> bool:
        seen = Submission.objects.select_related("form").get(pk=found.pk)
        wait.wait(10)
        if seen.handled_at is None:
            with submissions.transaction.atomic():
                Submission.objects.filter(pk=found.pk).update(is_spam=False, handled_at=timezone.now())
                submissions._process(seen)
            return True
        return False

    import threading

    wait = threading.Barrier(THREADS)
    assert together(look_and_do, THREADS).count(True) > 1
    assert len(subscribed()) > 1


def test_buttons_of_the_admin(sign_in: Callable[[Any], Client], subscribed: Callable[[], list[Any]]) -> None:
    client = sign_in(people.mallory_manager())
    found = quarantined(make_form())
    path = f"/admin/forms/submissions/inspect/{found.pk}/"
    assert f"/admin/forms/submissions/release/{found.pk}/" in client.get(path).content.decode()
    assert client.get(f"/admin/forms/submissions/release/{found.pk}/").headers["Location"] == path
    assert subscribed() == []
    for _ in range(2):
        assert client.post(f"/admin/forms/submissions/release/{found.pk}/").headers["Location"] == path
    assert len(subscribed()) == 1
    client.post(f"/admin/forms/submissions/mark-as-spam/{found.pk}/")
    assert "Marked as spam manually." in client.get(path).content.decode()
    history = client.get(f"/admin/forms/submissions/history/{found.pk}/").content.decode()
    assert "Released from quarantine" in history
    assert "Marked as spam" in history
    gone = quarantined(make_form(store_submissions=False))
    assert client.post(f"/admin/forms/submissions/release/{gone.pk}/").headers["Location"] == "/admin/forms/submissions/"

"""Forms that are carried out once: the pages that add records, and the buttons of records."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client, RequestFactory
from django.urls import include, path, reverse

from cms_api.adminkit.once import Submission, new_key
from cms_api.adminkit.transitions import Transition
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.core.errors import Invalid
from cms_api.media.models import Category
from cms_api.media.services.categories import save_category
from commerce.common.admin.amounts import RecordActionForm
from config.urls import urlpatterns as site
from tests.features import switch_all_on
from tests.modules import viewsets
from tests.submitting import shown_key, shown_keys

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__), pytest.mark.usefixtures("without_menu")]


def lengthen(record: Category, user: Any, values: Any) -> None:
    """A change that a second click would make again."""
    if record.name == "Full":
        raise Invalid({"name": "It is full."})
    save_category(name=f"{record.name}!", slug=record.slug, category=record, user=user)


LENGTHEN = Transition("lengthen", "Lengthen", lengthen, "Longer.")
ASKED = Transition("asked", "Ask", lengthen, "Longer.", confirm="Sure?")
FORM = Transition("form", "Fill in", lengthen, "Longer.", form=RecordActionForm, on_page=True)


class OnceViewSet(RecordViewSet):
    model = Category
    menu_label = "Planted records"
    name = "once"
    pages = ("add", "copy", "edit", "inspect")
    transitions: Sequence[Transition] = (LENGTHEN, ASKED, FORM)

    def records(self) -> Any:
        return Category.objects.all()

    def copy_record(self, record: Category) -> Category:
        return Category(name=record.name)

    def create(self, values: dict[str, Any], user: Any) -> Category:
        if Category.objects.filter(name="Full").exists():
            raise Invalid({"name": "It is full."})
        return save_category(name=f"Boats {Category.objects.count()}", user=user)


PLANTED = OnceViewSet()
urlpatterns = [path("once/", include((PLANTED.get_urlpatterns(), "once"))), *site]


def said(answer: Any) -> str:
    return [str(message).strip() for message in get_messages(answer.wsgi_request)][-1]


def test_a_key_is_used_up_once() -> None:
    def sent(key: str) -> Submission:
        return Submission(RequestFactory().post("/", {"once": key}))

    key = new_key()
    assert key != new_key()
    assert sent(key).use_up()
    assert (sent(key).use_up(), sent(key).find_record_url()) == (False, "")
    sent(key).remember("/made/")
    assert sent(key).find_record_url() == "/made/"
    sent(key).allow_again()
    assert sent(key).use_up()


@pytest.mark.parametrize("key", ["", "x" * 65, "a\0b", "ä", "a b"])
def test_what_is_no_key_uses_up_nothing(key: str) -> None:
    for _ in range(2):
        submission = Submission(RequestFactory().post("/", {"once": key}))
        assert submission.use_up()
        submission.remember("/made/")
        assert not submission.find_record_url()
        submission.allow_again()


def test_a_form_that_is_sent_twice_adds_one_record(admin_client: Client) -> None:
    values = {"once": shown_key(admin_client, "/once/new/")}
    first, second = (admin_client.post("/once/new/", values) for _ in range(2))
    assert first.url == second.url == PLANTED.url(Category.objects.get())
    assert said(second) == "This form was already submitted. Nothing was added a second time."


def test_a_second_click_while_the_first_is_at_work_adds_nothing(admin_client: Client) -> None:
    key = shown_key(admin_client, "/once/new/")
    assert Submission(RequestFactory().post("/", {"once": key})).use_up()
    answer = admin_client.post("/once/new/", {"once": key})
    assert (answer.url, said(answer)) == ("/once/", "This form was already submitted. Check the list before you enter it again.")
    assert not Category.objects.exists()


@pytest.mark.parametrize("page", ["new", "copy"])
def test_a_page_that_was_refused_can_be_sent_again(page: str, admin_client: Client) -> None:
    record = save_category(name="Full")
    url = "/once/new/" if page == "new" else f"/once/copy/{record.pk}/"
    sent = {"once": shown_key(admin_client, url)}
    assert "It is full." in admin_client.post(url, sent).content.decode()
    Category.objects.update(name="Boats")
    assert admin_client.post(url, sent).status_code == 302
    assert Category.objects.count() == 2


@pytest.mark.parametrize("name", ["lengthen", "asked", "form"])
def test_a_button_that_is_pressed_twice_works_once(name: str, admin_client: Client) -> None:
    record = save_category(name="Boats")
    url = f"/once/{name}/{record.pk}/"
    shown = PLANTED.url(record) if name == "lengthen" else url
    (key,) = shown_keys(admin_client.get(shown).content.decode())
    first, second = (admin_client.post(url, {"once": key}) for _ in range(2))
    assert (first.status_code, second.status_code) == (302, 302)
    assert said(second) == "This form was already submitted. Nothing was done a second time."
    record.refresh_from_db()
    assert record.name == "Boats!"


@pytest.mark.parametrize("name", ["lengthen", "form"])
def test_what_was_refused_can_be_sent_again(name: str, admin_client: Client) -> None:
    record = save_category(name="Full")
    sent = {"once": new_key()}
    admin_client.post(f"/once/{name}/{record.pk}/", sent)
    Category.objects.update(name="Boats")
    admin_client.post(f"/once/{name}/{record.pk}/", sent)
    record.refresh_from_db()
    assert record.name == "Boats!"


def test_a_page_with_errors_keeps_its_key(admin_client: Client) -> None:
    record, key = save_category(name="Full"), new_key()
    page = admin_client.post(f"/once/form/{record.pk}/", {"once": key})
    assert (page.status_code, shown_keys(page.content.decode())) == (422, [key])


def add_pages() -> Iterator[str]:
    """The addresses of all pages of the kit that add a record."""
    for viewset in viewsets():
        if isinstance(viewset, RecordViewSet) and "add" in viewset.pages:
            yield reverse(viewset.get_url_name("add"))


def test_every_page_that_adds_a_record_has_a_key(admin_client: Client, without_menu: None) -> None:
    switch_all_on()
    pages = list(add_pages())
    assert "/admin/booking/appointments/new/" in pages
    answers = {url: admin_client.get(url) for url in pages}
    forms = {url: shown_keys(each.content.decode()) for url, each in answers.items() if "form" in (each.context or {})}
    assert len(forms) > 30
    assert not [url for url, keys in forms.items() if len(keys) != 1]


#: Templates with forms that change nothing a second time, or that have another key.
REPEATABLE = {
    *("donations_admin/statements.html", "events_admin/dates.html", "home_admin/give_back.html", "imports_admin/prepare.html"),
    *("mail_admin/log_results.html", "marketing_admin/enrolments.html", "media_admin/confirm_delete.html"),
    *("restaurant_admin/kitchen.html", "support_admin/hours.html", "ticketing_admin/door.html", "ticketing_admin/door_part.html"),
    # A sample may be sent again, and its outcome is the answer.
    "webhooks/inspect.html",
}


def test_every_form_of_the_admin_has_a_key_or_may_be_sent_twice() -> None:
    texts = {str(path.relative_to(TEMPLATES)): path.read_text() for path in TEMPLATES.rglob("*.html")}
    own = {name: text for name, text in texts.items() if "_admin/" in name or name.startswith(("adminkit/", "webhooks/"))}
    forms = {name for name, text in own.items() if re.search('method="post"', text, re.IGNORECASE)}
    without = {name for name in forms if not re.search(r'name="once"|\{% once_input %\}', own[name])}
    assert len(forms) > 15
    assert without == REPEATABLE

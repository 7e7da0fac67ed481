"""Private pages of Wagtail: visitors find the way in, and see nothing of the page before."""

from html import unescape
from typing import Any

import pytest
from django.test import Client
from wagtail.models import PageViewRestriction

from tests.builders import make_page

from .signing_in import log_in

pytestmark = pytest.mark.django_db


def private_page(**restriction: Any) -> str:
    page = make_page(title="Plans for spring", search_description="A secret so far.")
    PageViewRestriction.objects.create(page=page, **restriction)
    return str(page.url)


@pytest.mark.both_databases
def test_members_are_led_to_the_form_that_takes_their_address(visitor: Client, member: Any) -> None:
    path = private_page(restriction_type=PageViewRestriction.LOGIN)
    form = visitor.get(path, follow=True)
    assert f'href="/accounts/login/?next={path.replace("/", "%2F")}"' in unescape(form.content.decode())
    log_in(visitor, email=member.email)
    assert "Plans for spring" in visitor.get(path).content.decode()


def test_without_accounts_there_is_no_such_way() -> None:
    path = private_page(restriction_type=PageViewRestriction.LOGIN)
    form = Client().get(path, follow=True).content.decode()
    assert 'name="username"' in form
    assert "/accounts/" not in form


def test_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    path = private_page(restriction_type=PageViewRestriction.PASSWORD, password="sesame")
    visitor = Client()
    form = visitor.get(path)
    shown = form.content.decode()
    assert 'name="viewport"' in shown
    assert "Plans for spring" not in shown
    assert "A secret so far." not in shown
    action = form.context["action_url"]
    wrong = visitor.post(action, {"password": "open", "return_url": path}).content.decode()
    assert "The password you have entered is not correct." in wrong
    assert "Plans for spring" not in wrong
    answer = visitor.post(action, {"password": "sesame", "return_url": path}, follow=True)
    assert "Plans for spring" in answer.content.decode()

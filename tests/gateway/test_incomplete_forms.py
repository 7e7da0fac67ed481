"""Forms of the admin that lack the fields which hold their rows together get a clear refusal, and no traceback in the log."""

import logging
from collections.abc import Iterator

import pytest
from django.core.signals import got_request_exception
from django.test import Client

from tests.features import switch_all_on

from .walk import addresses

pytestmark = pytest.mark.django_db

#: Parts of the routes of pages with forms.
FORMS = ("new/", "add/", "edit/", "create/", "settings/", "theme/")


def test_it_works(admin_client: Client, without_menu: None, caplog: pytest.LogCaptureFixture) -> None:
    """Every form, with nothing but its first fields."""
    switch_all_on()
    admin_client.raise_request_exception = False
    failed: list[str] = []
    refused: set[str] = set()

    def fail(request: object = None, **_: object) -> None:
        failed.append(str(request))

    got_request_exception.connect(fail)
    for path in (each.path() for each in addresses() if any(part in each.route for part in FORMS)):
        caplog.clear()
        answer = admin_client.post(path, {"title": "x", "name": "x", "slug": "x"})
        refused |= {path} if answer.status_code == 400 else set()
        failed += [f"{path}: {record.getMessage()}" for record in caplog.records if record.exc_info]
    got_request_exception.disconnect(fail)
    assert failed == []
    assert len(refused) > 10


@pytest.fixture
def refusals(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.LogCaptureFixture]:
    """The lines about refused forms, whatever earlier tests have done: setting up an application replaces handlers."""
    logger = logging.getLogger("cms_api.gateway.admin_requests")
    caplog.set_level(logging.WARNING, logger=logger.name)
    monkeypatch.setattr(logger, "disabled", False)
    logger.propagate = False
    logger.addHandler(caplog.handler)
    yield caplog
    logger.removeHandler(caplog.handler)
    logger.propagate = True


def test_the_refusal_names_what_is_missing(admin_client: Client, refusals: pytest.LogCaptureFixture) -> None:
    answer = admin_client.post("/admin/snippets/home/sharedrow/add/", {"name": "x"})
    assert answer.status_code == 400
    assert "it lacks the field <code>rows-count</code>" in answer.content.decode()
    assert [record.exc_info for record in refusals.records] == [None]
    assert ["refused, as the form lacks 'rows-count'" in record.getMessage() for record in refusals.records] == [True]


@pytest.mark.parametrize("sent", [{"rows-count": "x"}, {"rows-count": "1", "rows-0-order": "x", "rows-0-type": "text"}], ids=str)
def test_wrong_values_leave_a_line(admin_client: Client, refusals: pytest.LogCaptureFixture, sent: dict[str, str]) -> None:
    assert admin_client.post("/admin/snippets/home/sharedrow/add/", {"name": "x", **sent}).status_code == 400
    assert [record.exc_info for record in refusals.records] == [None]

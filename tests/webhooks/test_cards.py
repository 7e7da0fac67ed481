"""Webhooks on the admin's home."""

import pytest

from cms_api.webhooks.admin.cards import failing
from cms_api.webhooks.services import endpoints
from tests import people
from tests.builders import make_endpoint

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works(api_on: None) -> None:
    request = people.request_by(people.alice())
    disabled, stopped, shaky, fine = (make_endpoint("form.submitted") for _ in range(4))
    endpoints.disable_endpoint(endpoint=disabled, reason="The receiver answered 410 Gone.")
    endpoints.disable_endpoint(endpoint=stopped, reason=endpoints.BY_A_PERSON)
    shaky.failure_count = 3
    shaky.save()
    first, second = failing(request)
    assert (first.count, first.urgent, first.url) == (1, True, f"/admin/webhooks/inspect/{disabled.pk}/")
    assert "410 Gone" in first.text
    assert (second.count, second.urgent, second.url) == (1, False, f"/admin/webhooks/inspect/{shaky.pk}/")
    assert fine.failure_count == 0


def test_several_lead_to_the_listing(api_on: None) -> None:
    for _ in range(2):
        endpoints.disable_endpoint(endpoint=make_endpoint("form.submitted"), reason="Failed.")
    (card,) = failing(people.request_by(people.alice()))
    assert (card.count, card.url) == (2, "/admin/webhooks/")

"""The keys of records that links lead to."""

import pytest

from cms_api.flags.services import switch_feature
from tests.events.guests import make_event, make_reply

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture(autouse=True)
def _events_on(db: None) -> None:
    switch_feature(name="events", on=True)


def test_new_records_have_no_old_links() -> None:
    assert make_reply(make_event()).old_links_until is None

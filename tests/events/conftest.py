"""Fixtures of the tests of events."""

import pytest

from cms_api.flags.services import switch_feature


@pytest.fixture
def events_on(db: None) -> None:
    switch_feature(name="events", on=True)

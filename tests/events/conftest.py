"""Fixtures of the tests of events."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings

from cms_api.flags.services import switch_feature

LAYOUT = """{% extends "content/content-detail.html" %}{% load rsvp_tags %}
{% block detail %}{{ block.super }}<div class="wrap">{% rsvp_panel item %}</div>{% endblock %}"""


@pytest.fixture
def events_on(db: None) -> None:
    switch_feature(name="events", on=True)


@pytest.fixture
def panel(events_on: None, settings: Any, tmp_path: Path) -> None:
    """Events are on, and their page has the form for replies; a page of its own where the site's has no place for it."""
    (chosen,) = django_settings.TEMPLATES
    page = Path(chosen["DIRS"][0], "content", "event-detail.html")
    if page.exists() and "rsvp_panel" in page.read_text():
        return
    folder = tmp_path / "templates" / "content"
    folder.mkdir(parents=True)
    (folder / page.name).write_text(LAYOUT)
    settings.TEMPLATES = [{**chosen, "DIRS": [folder.parent, *chosen["DIRS"]]}]

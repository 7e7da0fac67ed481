"""The built-in type of events, for tests."""

from cms_api.content.models import ContentType
from cms_api.content.selectors import all_types
from events.services.builtin import create


def events_type() -> ContentType:
    """The built-in type; its feature is as it was."""
    create()
    return all_types()["events"]

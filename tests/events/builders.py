"""The built-in type of events, for tests."""

from cms_api.content.models import ContentItem, ContentType
from cms_api.content.selectors import all_types
from events.services.builtin import create


def events_type() -> ContentType:
    """The built-in type; its feature is as it was."""
    create()
    return all_types()["events"]


def uid(event: ContentItem, number: int | None = None, *, host: str = "testserver") -> str:
    """The UID of the date with a number, by default the first one of an event."""
    return f"item-{event.type.external_number(number or event.pk, event.created_at)}@{host}"

"""Panels of forms: tabs that open where an error is, and names that fill in slugs."""

from collections.abc import Iterator
from typing import Any

from django.utils.functional import cached_property
from wagtail.admin.panels import TabbedInterface, TitleFieldPanel
from wagtail.blocks import BlockField


class Tabs(TabbedInterface):
    """Tabs of which the first with an error is open when the form was refused; Wagtail counts the errors at each tab."""

    class BoundPanel(TabbedInterface.BoundPanel):
        @cached_property
        def visible_children_with_identifiers(self) -> list[tuple[Any, str]]:
            found: list[tuple[Any, str]] = super().visible_children_with_identifiers
            for child, _ in found:
                if any(field.errors and isinstance(field.field, BlockField) for field in _fields(child)):
                    # These errors appear after Wagtail has counted.
                    child.heading = f"{child.heading} (errors)"
            return found

        @property
        def attrs(self) -> dict[str, Any]:
            tabs = self.visible_children_with_identifiers
            wrong = next((identifier for child, identifier in tabs if any(field.errors for field in _fields(child))), "")
            opened = {"data-w-tabs-active-panel-id-value": f"tab-{wrong}"} if wrong else {}
            return {**super().attrs, **opened}


def _fields(panel: Any) -> Iterator[Any]:
    """Yield the fields of a panel and of those inside it."""
    if getattr(panel, "bound_field", None) is not None:
        yield panel.bound_field
    for child in getattr(panel, "children", ()):
        yield from _fields(child)


class NamePanel(TitleFieldPanel):
    """The name of a record, which fills in its slug while somebody types it; the slug of a stored record stays."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"classname": "", "placeholder": False, **kwargs})

    class BoundPanel(TitleFieldPanel.BoundPanel):
        def get_attrs(self) -> dict[str, Any]:
            # Wagtail's script fails where there is nothing to fill in.
            return super().get_attrs() if self.get_should_apply() else {}

        def get_should_apply(self) -> bool:
            return self.instance is None or self.instance.pk is None

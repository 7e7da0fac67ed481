"""Columns of lists."""

from collections.abc import Callable
from copy import copy
from datetime import datetime
from typing import Any, Self

from django.middleware.csrf import get_token
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from wagtail.admin.ui.tables import ButtonsColumnMixin, Column, TitleColumn

from cms_api.flags.selectors import site_formats


def local_date(moment: datetime | None) -> str:
    """A moment as people read it, in their own time zone; empty where there is none."""
    return site_formats().datetime(timezone.localtime(moment)) if moment else ""


def person(user: Any) -> str:
    """A user's full name, else their user name; empty where there is none."""
    return user.get_full_name() or user.get_username() if user else ""


class BoundColumn:
    """A column that asks the list it stands in: each request has a copy of it, bound to its view."""

    view: Any

    def bind(self, view: Any) -> Self:
        column = copy(self)
        column.view = view
        return column


class RecordColumn(BoundColumn, ButtonsColumnMixin, TitleColumn):
    """The column that names a record, leads to its page, and has the menu of what may be done with it."""

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **{"accessor": str, **options})

    def get_link_url(self, instance: Any, parent_context: Any) -> str | None:
        url: str | None = self.view.get_record_url(instance)
        return url

    def get_title_id(self, instance: Any, parent_context: Any) -> str:
        """Where bulk actions look for what a checkbox is of."""
        return f"{self.view.model._meta.model_name}_{instance.pk}_title"

    def get_buttons(self, instance: Any, parent_context: Any) -> list[Any]:
        found: list[Any] = self.view.get_list_buttons(instance)
        return found


class NotedColumn(Column):
    """A value with a note below it: `note` is a function of the record."""

    cell_template_name = "adminkit/noted_cell.html"

    def __init__(self, name: str, *, note: Callable[[Any], str] = lambda record: "", **options: Any) -> None:
        super().__init__(name, **options)
        self.note = note

    def get_cell_context_data(self, instance: Any, parent_context: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_cell_context_data(instance, parent_context)
        return context | {"note": self.note(instance)}


class MomentColumn(NotedColumn):
    """A date and time, by which the list can be sorted; `empty` where there is none."""

    def __init__(self, name: str, *, empty: str = "", **options: Any) -> None:
        super().__init__(name, **{"sort_key": name, **options})
        self.empty = empty

    def get_value(self, instance: Any) -> str:
        return local_date(super().get_value(instance)) or self.empty


class StatusColumn(NotedColumn):
    """A status, as a tag: green for the records of which `primary` is true.

    `tone` is a function of the record, for other colours: `positive`, `info`, `warning`, `critical`, or empty for grey.
    """

    cell_template_name = "adminkit/status_cell.html"

    def __init__(
        self,
        name: str,
        *,
        primary: Callable[[Any], bool] = lambda record: False,
        tone: Callable[[Any], str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name, **{"accessor": f"get_{name}_display", **options})
        self.tone = tone or (lambda record: "positive" if primary(record) else "")

    def get_cell_context_data(self, instance: Any, parent_context: Any) -> dict[str, Any]:
        return super().get_cell_context_data(instance, parent_context) | {"tone": self.tone(instance)}


class SwitchColumn(StatusColumn):
    """Whether something is on, as a status."""

    def __init__(self, name: str, *, on: str = "Enabled", off: str = "Disabled", **options: Any) -> None:
        def is_on(record: Any) -> bool:
            return bool(getattr(record, name))

        def status(record: Any) -> str:
            return on if is_on(record) else off

        super().__init__(name, primary=is_on, **{"label": "State", "accessor": status, **options})


class CountColumn(Column):
    """A number of other records, which leads to them: `url` is a function of the record. Zero is shown as `empty`, if given."""

    def __init__(self, name: str, *, url: Callable[[Any], str], empty: str | None = None, **options: Any) -> None:
        super().__init__(name, **{"sort_key": name, **options})
        self.url, self.empty = url, empty

    def get_value(self, instance: Any) -> SafeString | str:
        count = super().get_value(instance)
        if not count and self.empty is not None:
            return self.empty
        return format_html('<a href="{}">{}</a>', self.url(instance), count)


class TransitionsColumn(BoundColumn, Column):
    """The buttons of the transitions that a record offers; `shown` says of which records."""

    cell_template_name = "adminkit/transitions_cell.html"

    def __init__(self, name: str, *, shown: Callable[[Any], bool] = lambda record: True, **options: Any) -> None:
        super().__init__(name, **options)
        self.shown = shown

    def get_cell_context_data(self, instance: Any, parent_context: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_cell_context_data(instance, parent_context)
        transitions = self.view.get_transitions(instance) if self.shown(instance) else []
        return context | {"transitions": transitions, "back": self.view.address, "csrf_token": get_token(self.view.request)}

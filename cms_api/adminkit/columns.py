"""Columns of lists."""

from collections.abc import Callable
from copy import copy
from datetime import datetime
from typing import Any, Self

from django.middleware.csrf import get_token
from django.utils import timezone
from django.utils.formats import date_format
from wagtail.admin.ui.tables import ButtonsColumnMixin, Column, TitleColumn


def local_date(moment: datetime | None) -> str:
    """A moment as people read it, in their own time zone; empty where there is none."""
    return date_format(timezone.localtime(moment), "j M Y, H:i") if moment else ""


class BoundColumn:
    """A column that asks the list it stands in: each request has a copy of it, bound to its view."""

    view: Any

    def bound(self, view: Any) -> Self:
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
        return f"{instance._meta.model_name}_{instance.pk}_title"

    def get_buttons(self, instance: Any, parent_context: Any) -> list[Any]:
        found: list[Any] = self.view.get_list_buttons(instance)
        return found


class MomentColumn(Column):
    """A date and time, by which the list can be sorted."""

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **{"sort_key": name, **options})

    def get_value(self, instance: Any) -> str:
        return local_date(super().get_value(instance))


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

"""The list of a viewset's records: searched, filtered, sorted, downloaded as CSV."""

import csv
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, ClassVar

from django.db.models import F, OrderBy, QuerySet
from django.urls import reverse
from django.utils.functional import cached_property
from wagtail.admin.ui.tables import BaseColumn, BulkActionsCheckboxColumn
from wagtail.admin.views import generic
from wagtail.admin.views.mixins import Echo
from wagtail.admin.widgets.button import BaseButton, Button
from wagtail.coreutils import multigetattr

from cms_api.http.wire import instant
from cms_api.text.spreadsheets import safe_cell

from .columns import BoundColumn

#: Records that are read at once for a file.
CHUNK_RECORDS = 500


class ListView(generic.IndexView):
    viewset: ClassVar[Any] = None
    FORMATS = ("csv",)
    show_other_searches = True

    @cached_property
    def csv_columns(self) -> list[tuple[str, str | Callable[[Any], Any]]]:
        return list(self.viewset.csv_columns(self.request))

    @cached_property
    def list_export(self) -> list[str]:
        """Says that there is a file; `stream_csv` says what is in it."""
        return [heading for heading, _ in self.csv_columns]

    def get_filename(self) -> str:
        name: str = self.viewset.csv_name(self.request)
        return name

    @cached_property
    def is_searchable(self) -> bool:
        return bool(self.viewset.search or self.search_fields)

    @cached_property
    def columns(self) -> list[BaseColumn]:
        columns = [each.bind(self) if isinstance(each, BoundColumn) else each for each in self.viewset.list_display]
        if self.viewset.bulk_actions:
            columns.insert(0, BulkActionsCheckboxColumn("bulk_actions", obj_type=self.model._meta.model_name))
        return columns

    def get_page_title(self) -> str:
        title: str = self.viewset.menu_label or super().get_page_title()
        return title

    def get_base_queryset(self) -> QuerySet[Any]:
        found: QuerySet[Any] = self.viewset.records_of(self.request.user)
        return found

    def search_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.viewset.search or "\0" in (self.search_query or ""):
            found: QuerySet[Any] = self.viewset.search_records(queryset, self.search_query or "")
            return found
        return super().search_queryset(queryset)

    def order_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = self.ordering.removeprefix("-") if isinstance(self.ordering, str) else ""
        if name not in self.viewset.nulls_last:
            return super().order_queryset(queryset)
        direction = OrderBy(F(name), descending=self.ordering.startswith("-"), nulls_last=True)
        return queryset.order_by(direction, "-pk")

    # Actions.

    @property
    def item_type(self) -> str:
        """The records that the strip of bulk actions counts."""
        return self.model._meta.verbose_name.upper()

    @property
    def select_all_label(self) -> str:
        return f"Select all {self.model._meta.verbose_name_plural} in listing"

    @property
    def address(self) -> str:
        """The list as it is filtered, also where its results are fetched by themselves."""
        return f"{reverse(self.index_url_name)}?{self.request.GET.urlencode()}"

    def get_record_url(self, record: Any) -> str | None:
        return self.get_inspect_url(record) or self.get_edit_url(record)

    def get_edit_url(self, instance: Any) -> str | None:
        url: str | None = super().get_edit_url(instance) if self.viewset.may_edit(instance) else None
        return url

    def get_delete_url(self, instance: Any) -> str | None:
        url: str | None = super().get_delete_url(instance) if self.viewset.may_delete(instance) else None
        return url

    def get_transitions(self, record: Any) -> list[Any]:
        """Those that the record offers, with their addresses."""
        offered = (each for each in self.viewset.transitions if each.in_rows and each.offered(record) and not each.form)
        return [each.bind(self.viewset, record) for each in offered if self.user_has_permission(each.permission)]

    @cached_property
    def add_item_label(self) -> str:
        label: str = self.viewset.add_label or super().add_item_label
        return label

    @cached_property
    def header_buttons(self) -> list[BaseButton]:
        return [*super().header_buttons, *self.viewset.list_buttons(self.request.user)]

    @cached_property
    def header_more_buttons(self) -> list[BaseButton]:
        found = list(self.viewset.list_more_buttons(self.request.user))
        if self.csv_columns:
            found.append(Button("Download CSV", url=self.get_export_url("csv"), icon_name="download", priority=90))
        return found

    def get_list_more_buttons(self, instance: Any) -> list[BaseButton]:
        found = list(self.viewset.record_buttons(instance, self.request.user))
        addresses = (
            ("Open", self.get_inspect_url(instance), "view", 5),
            ("Edit", self.get_edit_url(instance), "edit", 10),
            ("Copy", self.get_copy_url(instance), "copy", 20),
            ("Delete", self.get_delete_url(instance), "bin", 90),
        )
        return found + [Button(label, url=url, icon_name=icon, priority=at) for label, url, icon, at in addresses if url]

    def get_context_data(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(*args, **kwargs)
        return context | self.viewset.list_context(self.get_queryset(), self.request)

    # The file.

    def stream_csv(self, queryset: QuerySet[Any]) -> Iterator[bytes]:
        """Written while it is sent; no cell is run by a spreadsheet."""
        writer = csv.writer(Echo())
        yield writer.writerow(map(safe_cell, self.list_export))
        read = [_reader(column) for _, column in self.csv_columns]
        for record in queryset.iterator(chunk_size=CHUNK_RECORDS):
            yield writer.writerow([safe_cell(each(record)) for each in read])


def _reader(column: str | Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return what reads a cell; moments are written as the API writes them."""

    def read(record: Any) -> Any:
        value = column(record) if callable(column) else multigetattr(record, column)
        return instant(value) if isinstance(value, datetime) else value

    return read

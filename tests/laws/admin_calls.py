"""The services that the admin calls with a record, and values with which they can be called."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from django import forms
from django.db.models import Model
from django.utils import timezone

from cms_api.adminkit.viewset import ListingViewSet, RecordViewSet
from cms_api.core import registry
from tests.features import switch_all_on
from tests.modules import viewsets

#: Forms whose values nobody can guess.
LEFT_OUT = {
    *("TermViewSet edit", "SalesViewSet edit"),
    *("FeedViewSet upload", "OrderViewSet refund", "OrderViewSet ship", "InvoiceViewSet credit", "TicketViewSet merge"),
}


class Call(NamedTuple):
    name: str
    run: Callable[[], Any]


def listing_viewsets() -> list[ListingViewSet]:
    return [viewset for viewset in viewsets() if isinstance(viewset, ListingViewSet)]


def calls(viewset: ListingViewSet, record: Any, user: Any) -> Iterator[Call]:
    """The calls of services that the list and the pages of a record may make."""
    if isinstance(viewset, RecordViewSet):
        if "edit" in viewset.pages:
            yield Call("edit", partial(viewset.update, record, shown_values(viewset, record), user))
        if "delete" in viewset.pages:
            yield Call("delete", partial(viewset.delete, record, user))
        for transition in viewset.transitions:
            if transition.offered(record):
                form = transition.form(record=record) if transition.form else forms.Form()
                yield Call(transition.name, partial(transition.run, record, user, typed_values(form)))
    for bulk in viewset.bulk_actions:
        values = typed_values(bulk.form())
        if bulk.each:
            yield Call(f"bulk {bulk.name}", partial(bulk.each, record, user, values))
        if bulk.run:
            yield Call(f"bulk {bulk.name}", partial(bulk.run, [record], user, values))


def shown_values(viewset: RecordViewSet, record: Model) -> dict[str, Any]:
    """The values with which the form of a record is shown."""
    form = viewset.get_edit_handler().get_form_class()(instance=record, for_user=None)
    values = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    for name, field in form.fields.items():
        if isinstance(field, forms.ModelMultipleChoiceField):
            values[name] = list(values[name] or ())
        elif isinstance(field, forms.ModelChoiceField):
            values[name] = field.queryset.filter(pk=values[name]).first()
    return values


def typed_values(form: forms.Form) -> dict[str, Any]:
    return {name: _typed(field) for name, field in form.fields.items()}


def _typed(field: forms.Field) -> Any:
    if isinstance(field, forms.ModelChoiceField):
        return field.queryset.first()
    if isinstance(field, forms.ChoiceField):
        return next((value for value, _ in field.choices if value), "")
    if isinstance(field, forms.DateField):
        return timezone.localdate()
    if isinstance(field, forms.DateTimeField):
        return timezone.now()
    return 1 if isinstance(field, forms.IntegerField | forms.DecimalField) else "Words"


def load_demo() -> None:
    """Switch every feature on, and load every module's demo."""
    switch_all_on()
    for module in registry.modules():
        if module.records.demo:
            registry.load(module.records.demo)(1, lambda count: None)

"""The pages of one record: added, edited, inspected, deleted, and its history. They write through the viewset's services."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.text import capfirst
from wagtail.admin import messages
from wagtail.admin.ui.components import MediaContainer
from wagtail.admin.views import generic
from wagtail.admin.views.generic import history, usage
from wagtail.admin.widgets.button import BaseButton, Button, HeaderButton
from wagtail.models import ModelLogEntry

from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound

from .columns import local_date
from .ids import is_id
from .once import ONCE, SubmittedAgain, new_key, submitted_once

#: Lines of its history that a record's page shows; the rest is behind a button.
HISTORY_ENTRIES = 10


class OfRecord:
    """A page about one of the viewset's records; an unknown one is 404."""

    viewset: ClassVar[Any] = None
    object: Any
    request: HttpRequest
    kwargs: dict[str, Any]
    user_has_permission: Callable[[str], bool]
    pk_url_kwarg = "pk"

    def get_object(self, queryset: Any = None) -> Any:
        found, pk = getattr(self, "object", None), self.kwargs[self.pk_url_kwarg]
        if found is None and self.viewset.pk_path_converter == "int" and not is_id(str(pk)):
            raise Http404
        return found or get_object_or_404(self.viewset.records_of(self.request.user), pk=pk)

    def own_buttons(self) -> list[BaseButton]:
        """Return the record's buttons, except the one of the page that is shown."""
        offered = (
            ("copy", "copy", 70, self.user_has_permission("add")),
            ("usage", "link", 75, self.user_has_permission("change")),
            ("history", "history", 80, True),
            ("delete", "bin", 90, self.viewset.may_delete(self.object) and self.user_has_permission("delete")),
        )
        found = list(self.viewset.record_buttons(self.object, self.request.user))
        for page, icon, priority, may in offered:
            if may and page in self.viewset.pages:
                url = reverse(self.viewset.get_url_name(page), args=[self.object.pk])
                found.append(Button(page.capitalize(), url=url, icon_name=icon, priority=priority))
        return found


class Saving:
    """Saves through a service, whose refusal is shown in the form; nothing is written then."""

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            with transaction.atomic():
                return super().form_valid(form)  # type: ignore[misc]
        except Invalid as refusal:
            return self.show_refusal(form, refusal)

    def show_refusal(self, form: Any, refusal: Invalid) -> Any:
        """Return the response to a form that a service refused."""
        form.refuse(refusal)
        self.produced_error_code = "validation_error"
        self.produced_error_message = self.get_error_message()  # type: ignore[attr-defined]
        return self.form_invalid(form)  # type: ignore[attr-defined]


class AddView(Saving, generic.CreateView):
    """Adds a record, once for each form that was shown. A form that is refused, or fails, can be sent again."""

    viewset: ClassVar[Any] = None
    #: The methods of the viewset without which the page cannot work.
    calls: ClassVar[Sequence[str]] = ("create",)

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)
        form.fields[ONCE] = forms.CharField(widget=forms.HiddenInput, required=False, initial=new_key)
        return form

    def form_valid(self, form: Any) -> HttpResponse:
        form.cleaned_data.pop(ONCE, None)
        try:
            with submitted_once(self.request) as submission:
                response = super().form_valid(form)
                if hasattr(self, "produced_error_code"):
                    # A service has refused it, perhaps in a part that is no field of the form.
                    submission.allow_again()
                else:
                    submission.remember(self.viewset.url(self.object))
                return response
        except SubmittedAgain as again:
            return self.submitted_again(again.made)

    def submitted_again(self, made: str) -> HttpResponse:
        """Answer a form that was sent before; `made` is the URL of its record, empty while that is not there."""
        rest = "Nothing was added a second time." if made else "Check the list before you enter it again."
        messages.warning(self.request, f"This form was already submitted. {rest}")
        return HttpResponseRedirect(made or reverse(self.index_url_name))

    def save_instance(self) -> Any:
        self.form.instance = self.viewset.create(self.form.values(), self.request.user)
        return self.form.instance

    def get_success_url(self) -> str:
        url: str = self.viewset.url(self.object)
        return url

    def get_success_buttons(self) -> list[Any]:
        return super().get_success_buttons() if self.edit_url_name else []


class CopyView(AddView):
    """A new record that begins as another one."""

    calls = ("copy_record", "create")

    def get_initial_form_instance(self) -> Any:
        return self.viewset.copy_record(get_object_or_404(self.viewset.records_of(self.request.user), pk=self.kwargs["pk"]))


class EditView(OfRecord, Saving, generic.EditView):
    calls: ClassVar[Sequence[str]] = ("update",)

    def save_instance(self) -> Any:
        self.form.instance = self.viewset.update(self.object, self.form.values(), self.request.user)
        return self.form.instance

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.object = self.get_object()
        if not self.viewset.may_edit(self.object):
            return HttpResponseRedirect(self.viewset.url(self.object))
        return super().get(request, *args, **kwargs)

    def get_success_url(self) -> str:
        url: str = self.viewset.url(self.object)
        return url

    @cached_property
    def header_more_buttons(self) -> list[BaseButton]:
        found = self.own_buttons()
        if "inspect" in self.viewset.pages:
            found.append(Button("Open", url=self.viewset.url(self.object), icon_name="view", priority=5))
        return found

    def get_side_panels(self) -> MediaContainer:
        """None: Wagtail's shows a status of drafts and locks, which these records do not have."""
        return MediaContainer([])


class Deleting:
    """First base of a page that deletes by a service, whose refusal is said. One that is gone by then leads to the list, too."""

    object: Any
    request: HttpRequest
    viewset: ClassVar[Any]
    get_success_url: Callable[[], str]

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            response: HttpResponse = super().form_valid(form)  # type: ignore[misc]
            return response
        except Invalid as refusal:
            messages.error(self.request, refusal.message)
            return HttpResponseRedirect(self.get_own_url())
        except NotFound:
            # A second click, or somebody else.
            messages.warning(self.request, f"“{self.object}” was already deleted.")
            return HttpResponseRedirect(self.get_success_url())

    def get_own_url(self) -> str:
        """Return the URL of the record's own page."""
        url: str = self.viewset.url(self.object)
        return url


class DeleteView(Deleting, OfRecord, generic.DeleteView):
    calls: ClassVar[Sequence[str]] = ("delete",)

    @property
    def confirmation_message(self) -> str:
        asked = f"Are you sure you want to delete this {self.object._meta.verbose_name}?"
        return f"{asked} {self.viewset.get_delete_consequence(self.object)}".strip()

    def delete_action(self) -> None:
        self.viewset.delete(self.object, self.request.user)


class InspectView(OfRecord, generic.InspectView):
    """A record's facts, its transitions, and its latest history."""

    template_name = "adminkit/inspect.html"

    def get_page_title(self) -> str:
        title: str = capfirst(self.model._meta.verbose_name)
        return title

    def get_page_subtitle(self) -> str:
        name: str = self.viewset.get_name(self.object)
        return name

    def get_fields(self) -> list[str]:
        """None of Wagtail's: the viewset says what is shown."""
        return []

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        listing = {"url": reverse(self.index_url_name), "label": capfirst(self.model._meta.verbose_name_plural)}
        return [*self.breadcrumbs_items, listing, {"url": "", "label": self.get_page_subtitle()}]

    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        edit_url = self.get_edit_url() if self.viewset.may_edit(self.object) else None
        return [HeaderButton("Edit", url=edit_url, icon_name="edit")] if edit_url else []

    @cached_property
    def header_more_buttons(self) -> list[BaseButton]:
        return self.own_buttons()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        viewset, record = self.viewset, self.object
        context = {
            "facts": self._facts(),
            "transitions": [each.bind(viewset, record) for each in viewset.transitions if self._offers(each)],
            "may_change": self.user_has_permission("change"),
            "history": self._history() if "history" in viewset.pages else [],
            "here": viewset.url(record),
        }
        return super().get_context_data(**kwargs, **context, **viewset.inspect_context(record, self.request))

    def _facts(self) -> dict[str, Any]:
        found = ((label, value) for label, value in self.viewset.facts(self.object).items() if value is not None)
        return {label: local_date(value) if isinstance(value, datetime) else value for label, value in found}

    def _offers(self, transition: Any) -> bool:
        return bool(self.user_has_permission(transition.permission) and transition.offered(self.object))

    def _history(self) -> list[tuple[Any, str]]:
        entries = ModelLogEntry.objects.for_instance(self.object).select_related("user").order_by("-timestamp", "-id")
        return [(entry, local_date(entry.timestamp)) for entry in entries[:HISTORY_ENTRIES]]


class HistoryView(OfRecord, history.HistoryView):
    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        return [HeaderButton("Open", url=self.viewset.url(self.object), icon_name="view")]


class UsageView(OfRecord, usage.UsageView):
    pass

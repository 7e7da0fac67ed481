"""Bulk actions: they hand many of the listed records to a service at once."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.functional import cached_property
from wagtail.admin import messages
from wagtail.admin.auth import permission_denied
from wagtail.admin.views.bulk_action import BulkAction
from wagtail.permissions import policy_registry

from cms_api.adminkit.ids import ids_in
from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from cms_api.flags.selectors import is_on

from .once import BulkOnce

#: Maximum number of records of one action: more would keep everybody else waiting.
MAX_RECORDS = 10_000
#: How many of them the confirmation page names.
NAMED_RECORDS = 20
#: Records that are read at once.
_BATCH = 500
#: Seconds after which an action that takes the records one by one answers; proxies give up after a minute, and people earlier.
ACTION_SECONDS = 20


@dataclass(frozen=True)
class Bulk:
    """A bulk action of a viewset's list: what `Transition` is for one record, for many.

    It calls one of two services. `run(records, user, values)` takes all records in one transaction and returns how many changed;
    its refusal is shown in the form, and nothing changes. `each(record, user, values)` takes one record, in a transaction of its
    own, and returns False where there was nothing to change; its refusals are reported with the names of the records.
    """

    #: A part of the address, unique among the actions of the model; one of Wagtail's names replaces Wagtail's action.
    name: str
    #: The label of the button: a verb.
    label: str
    #: The participle of the message afterwards, such as “deleted”.
    done: str
    #: The consequence, in sentences.
    consequence: str
    run: Callable[[list[Any], User, Mapping[str, Any]], int] | None = None
    each: Callable[[Any, User, Mapping[str, Any]], bool | None] | None = None
    #: The action with a place for the records, if they do not just follow the label: "Mark {} as spam".
    phrase: str = ""
    permission: str = "change"
    #: Whether it is shown as something that cannot simply be undone.
    serious: bool = False
    #: Asked for on the confirmation page; its values are those of `run` and `each`.
    form: type[forms.Form] = forms.Form
    #: A view of its own, for an action that does not ask and call a service.
    view: type["ListingAction"] | None = None

    def bound_to(self, viewset: Any, place: int) -> type["ListingAction"]:
        """Return the action's view at a place on a viewset's list. Wagtail reads the class, not an instance."""
        records, phrase = viewset.model._meta.verbose_name_plural, self.phrase or f"{self.label} {{}}"
        attributes = {
            "models": [viewset.model],
            "viewset": viewset,
            "bulk": self,
            "action_priority": place,
            "action_type": self.name,
            "display_name": self.label,
            "aria_label": phrase.format(f"selected {records}"),
            "heading": phrase.format(records),
            "classes": {"serious"} if self.serious else set(),
            "form_class": self.form,
            # The feature of the viewset's module is its gate.
            "__module__": type(viewset).__module__,
        }
        base = self.view or viewset.bulk_action_class
        return type(base.__name__, (base,), attributes)


class ListingAction(BulkOnce, BulkAction):
    """The view of a bulk action: it asks for confirmation, with a form if it has one, and hands the records to a service.

    A viewset may have a subclass as its `bulk_action_class`, which names the records in another way.
    """

    #: The viewset whose list it stands on.
    viewset: ClassVar[Any] = None
    bulk: ClassVar[Bulk]
    #: Where it leads afterwards.
    next_url: str

    template_name = "adminkit/confirm_bulk.html"
    heading = ""
    #: Names of records that a service refused, with the reason.
    refused: Sequence[tuple[str, str]] = ()
    #: The number of records for which there was no time.
    left = 0

    def __init__(self, request: HttpRequest, model: Any) -> None:
        super().__init__(request, model)
        if self.next_url == request.path:
            # Nobody came from a list: to go back here would go round in circles.
            self.next_url = self.viewset.menu_url

    def list_records(self) -> QuerySet[Any]:
        """Return every record of the list that the user came from, whose parameters are in the URL."""
        found: QuerySet[Any] = self.viewset.list_records(self.request.GET, self.request)
        return found

    def records(self) -> QuerySet[Any]:
        """Return the records among which the chosen ones are looked for."""
        found: QuerySet[Any] = self.viewset.records_of(self.request.user)
        return found

    def get_name(self, record: Any) -> str:
        """Return the name of a record for the confirmation page."""
        return str(record)

    def act(self, records: list[Any], values: Mapping[str, Any]) -> int:
        """Call the service; return how many records changed. May raise Invalid."""
        if self.bulk.run:
            # Services for many records take a few statements for a thousand of them.
            with transaction.atomic():
                return self.bulk.run(records, self.request.user, values)
        return self._each(records, values)

    def _each(self, records: list[Any], values: Mapping[str, Any]) -> int:
        """Call the service with one record after the other; return how many changed.

        Not in one transaction: a thousand items take half a minute, during which everybody else's writes would wait, and an
        interruption would lose all of it. Records stay changed once they are, none is left half changed, and the same action
        continues with the rest. In the order of their ids, so that two of these do not wait for each other.
        """
        assert self.bulk.each
        end, changed, refused = time.monotonic() + ACTION_SECONDS, 0, []
        for place, record in enumerate(sorted(records, key=lambda each: each.pk)):
            if time.monotonic() > end:
                self.left = len(records) - place
                break
            try:
                with transaction.atomic():
                    changed += self.bulk.each(record, self.request.user, values) is not False
            except Invalid as refusal:
                refused.append((self.get_name(record), refusal.message))
            except NotFound:
                # Somebody else has deleted it.
                continue
        self.refused = refused
        return changed

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        module = registry.module_of(type(self).__module__)
        if module is not None and not is_on(module.feature):
            raise Http404
        if not policy_registry.get_by_type(self.model).user_has_permission(request.user, self.bulk.permission):
            return permission_denied(request)
        if len(self.ids) > MAX_RECORDS:
            messages.error(
                request, f"You can select at most {self.format_count(MAX_RECORDS)} at once. Narrow the list with filters."
            )
            return HttpResponseRedirect(self.next_url)
        return super().dispatch(request, *args, **kwargs)

    @cached_property
    def ids(self) -> list[int]:
        """The ids of the chosen records; one more than allowed if all are chosen and they are too many."""
        if "all" in self.request.GET.getlist("id"):
            return list(self.list_records().order_by().values_list("pk", flat=True)[: MAX_RECORDS + 1])
        return ids_in(self.request, "id")

    def get_actionable_objects(self) -> tuple[list[Any], dict[str, Any]]:
        found: list[Any] = []
        for start in range(0, len(self.ids), _BATCH):
            found += self.records().filter(pk__in=self.ids[start : start + _BATCH])
        policy, user = policy_registry.get_by_type(self.model), self.request.user
        allowed: list[Any] = []
        denied: list[Any] = []
        for record in found:
            may = policy.user_has_permission_for_instance(user, self.bulk.permission, record)
            (allowed if may else denied).append(record)
        return allowed, {
            "denied": [self.get_name(record) for record in denied[:NAMED_RECORDS]],
            "more_denied": len(denied[NAMED_RECORDS:]),
        }

    def form_valid(self, form: Any) -> HttpResponse:
        """Act and say what came of it. Wagtail's own would do all in one transaction, and call hooks that nothing registers."""
        records, _ = self.get_actionable_objects()
        try:
            changed = self.act(records, form.cleaned_data)
        except Invalid as refusal:
            for path, sentences in refusal.errors.items():
                form.add_error(path if path in form.fields else None, sentences)
            response: HttpResponse = self.form_invalid(form)
            return response
        unchanged = len(records) - changed - len(self.refused) - self.left
        if changed or unchanged or not self.refused:
            said = f"{self.format_count(changed)} {self.bulk.done}."
            messages.success(self.request, said + (f" {unchanged:,} unchanged." if unchanged else ""))
        if self.refused:
            messages.error(self.request, self.get_refusal_message())
        if self.left:
            messages.warning(self.request, f"There was no time for {self.left:,} more. Select them again to continue.")
        return HttpResponseRedirect(self.next_url)

    def get_refusal_message(self) -> str:
        reasons = [f"{name}: {reason}" for name, reason in self.refused[:NAMED_RECORDS]]
        more = len(self.refused) - len(reasons)
        reasons += [f"and {more:,} more"] if more else []
        return f"{self.format_count(len(self.refused))} could not be {self.bulk.done}. " + " ".join(reasons)

    def format_count(self, number: int) -> str:
        """ "1 contact", "2,000 contacts"."""
        meta = self.model._meta
        return f"{number:,} {meta.verbose_name if number == 1 else meta.verbose_name_plural}"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        items = context["items"]
        more: dict[str, Any] = {
            "action": self,
            "icon": self.viewset.icon,
            "counted": self.format_count(len(items)),
            "named": [self.get_name(each["item"]) for each in items[:NAMED_RECORDS]],
            "unnamed": len(items[NAMED_RECORDS:]),
        }
        return context | more

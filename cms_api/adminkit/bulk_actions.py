"""Bulk actions: they hand many of the listed records to a service at once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

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
from cms_api.core.errors import Invalid, NotFound
from cms_api.flags.selectors import is_on

#: Maximum number of records of one action: more would keep everybody else waiting.
AT_MOST = 10_000
#: How many of them the confirmation page names.
NAMED = 20
#: Records that are read at once.
_BATCH = 500


class ListingAction(BulkAction):
    """A bulk action that asks for confirmation, with a form if it has one, and hands the records to a service.

    Besides the attributes below, a subclass has those of Wagtail: `display_name`, `action_type` and, for a form, `form_class`.
    The viewset that names it in its `bulk_actions` registers it.
    """

    #: The viewset whose list it stands on.
    viewset: ClassVar[Any] = None
    #: Where it leads afterwards.
    next_url: str

    template_name = "adminkit/confirm_bulk.html"
    icon = ""
    #: The accessible name of the button; derived from `display_name` if empty.
    aria_label = ""
    permission = "change"
    heading = ""
    #: The consequence, in sentences.
    consequence = ""
    #: The participle of the message afterwards, such as “deleted”.
    done = ""
    #: Names of records that a service refused, with the reason.
    refused: Sequence[tuple[str, str]] = ()

    @classmethod
    def bound_to(cls, viewset: Any, place: int) -> type["ListingAction"]:
        """Return the action as it stands at a place on a viewset's list. Wagtail reads the class, not an instance."""
        attributes = {
            "models": [viewset.model],
            "viewset": viewset,
            "action_priority": place,
            "aria_label": cls.aria_label or f"{cls.display_name} selected {viewset.model._meta.verbose_name_plural}",
            "__module__": cls.__module__,
        }
        return type(cls.__name__, (cls,), attributes)

    def __init__(self, request: HttpRequest, model: Any) -> None:
        super().__init__(request, model)
        if self.next_url == request.path:
            # Nobody came from a list: to go back here would go round in circles.
            self.next_url = self.viewset.menu_url

    def listed(self) -> QuerySet[Any]:
        """Return every record of the list that the user came from, whose parameters are in the URL."""
        found: QuerySet[Any] = self.viewset.listed(self.request.GET, self.request)
        return found

    def records(self) -> QuerySet[Any]:
        """Return the records among which the chosen ones are looked for."""
        found: QuerySet[Any] = self.viewset.records_of(self.request.user)
        return found

    def named(self, record: Any) -> str:
        """Return the name of a record for the confirmation page."""
        return str(record)

    def act(self, records: list[Any], given: Mapping[str, Any]) -> int:
        """Call the service with the values of the form; return how many records changed. May raise Invalid."""
        raise NotImplementedError

    def each(self, records: list[Any], service: Callable[[Any], bool | None]) -> int:
        """Call a service with one record after the other; return how many changed: all for which it does not return False.

        A refusal of one record leaves the others changed, and is reported with its name. In the order of their ids, so that
        two of these do not wait for each other.
        """
        changed, refused = 0, []
        for record in sorted(records, key=lambda each: each.pk):
            try:
                with transaction.atomic():
                    changed += service(record) is not False
            except Invalid as refusal:
                refused.append((self.named(record), refusal.message))
            except NotFound:
                # Somebody else has deleted it.
                continue
        self.refused = refused
        return changed

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        module = registry.module_of(type(self).__module__)
        if module is not None and not is_on(module.feature):
            raise Http404
        if not policy_registry.get_by_type(self.model).user_has_permission(request.user, self.permission):
            return permission_denied(request)
        if len(self.ids) > AT_MOST:
            messages.error(request, f"You can select at most {self.counted(AT_MOST)} at once. Narrow the list with filters.")
            return HttpResponseRedirect(self.next_url)
        return super().dispatch(request, *args, **kwargs)

    @cached_property
    def ids(self) -> list[int]:
        """The ids of the chosen records; one more than allowed if all are chosen and they are too many."""
        if "all" in self.request.GET.getlist("id"):
            return list(self.listed().order_by().values_list("pk", flat=True)[: AT_MOST + 1])
        return ids_in(self.request, "id")

    def get_actionable_objects(self) -> tuple[list[Any], dict[str, Any]]:
        found: list[Any] = []
        for start in range(0, len(self.ids), _BATCH):
            found += self.records().filter(pk__in=self.ids[start : start + _BATCH])
        policy, user = policy_registry.get_by_type(self.model), self.request.user
        allowed: list[Any] = []
        denied: list[Any] = []
        for record in found:
            may = policy.user_has_permission_for_instance(user, self.permission, record)
            (allowed if may else denied).append(record)
        return allowed, {"denied": [self.named(record) for record in denied[:NAMED]], "more_denied": len(denied[NAMED:])}

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            response = super().form_valid(form)
            if self.refused:
                messages.error(self.request, self.get_refusal_message())
            return response
        except Invalid as refusal:
            for path, sentences in refusal.errors.items():
                form.add_error(path if path in form.fields else None, sentences)
            return self.form_invalid(form)

    def execute_action(self, objects: list[Any], **kwargs: Any) -> tuple[int, int]:
        return self.act(objects, self.cleaned_form.cleaned_data), 0

    def get_success_message(self, num_parent_objects: int, num_child_objects: int) -> str | None:
        rest = len(self.actionable_objects) - num_parent_objects - len(self.refused)
        if self.refused and not num_parent_objects and not rest:
            return None
        return f"{self.counted(num_parent_objects)} {self.done}." + (f" {rest:,} unchanged." if rest else "")

    def get_refusal_message(self) -> str:
        reasons = [f"{name}: {reason}" for name, reason in self.refused[:NAMED]]
        more = len(self.refused) - len(reasons)
        reasons += [f"and {more:,} more"] if more else []
        return f"{self.counted(len(self.refused))} could not be {self.done}. " + " ".join(reasons)

    def counted(self, number: int) -> str:
        """ "1 contact", "2,000 contacts"."""
        meta = self.model._meta
        return f"{number:,} {meta.verbose_name if number == 1 else meta.verbose_name_plural}"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        items = context["items"]
        more: dict[str, Any] = {
            "action": self,
            "counted": self.counted(len(items)),
            "named": [self.named(each["item"]) for each in items[:NAMED]],
            "unnamed": len(items[NAMED:]),
        }
        return context | more

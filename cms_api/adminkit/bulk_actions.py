"""What is done with many records of a listing at once, through a service, and among those that were listed."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import cached_property
from wagtail.admin import messages
from wagtail.admin.auth import permission_denied
from wagtail.admin.views.bulk_action import BulkAction
from wagtail.permissions import policy_registry

from cms_api.adminkit.ids import ids_in
from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.flags.selectors import is_on

#: Records of one action at most: more would keep everybody else waiting.
AT_MOST = 10_000
#: Of these, how many are named before it is done.
NAMED = 20
#: Records that are read at once.
_BATCH = 500


class ListingAction(BulkAction):
    """A bulk action that asks once more, with a form if it has one, and hands the records to a service.

    Besides what it says here, a subclass has what Wagtail wants: `display_name`, `action_type`, `aria_label` and, where
    something is asked for, `form_class`. The viewset that names it in its `bulk_actions` registers it.
    """

    #: The viewset whose list it stands on.
    viewset: ClassVar[Any] = None

    template_name = "adminkit/confirm_bulk.html"
    icon = ""
    permission = "change"
    heading = ""
    #: What comes of it, in sentences.
    consequence = ""
    #: What is said of the records afterwards, such as “deleted”.
    done = ""

    def listed(self) -> QuerySet[Any]:
        """Every record of the list that the person came from, whose parameters the address carries on."""
        found: QuerySet[Any] = self.viewset.listed(self.request.GET, self.request)
        return found

    def records(self) -> QuerySet[Any]:
        """The records among which the chosen ones are looked for."""
        found: QuerySet[Any] = self.viewset.records()
        return found

    def named(self, record: Any) -> str:
        """What a record is called where it is named."""
        return str(record)

    def act(self, records: list[Any], given: Mapping[str, Any]) -> int:
        """Calls the service with what the form was given; how many records are not what they were. May raise Invalid."""
        raise NotImplementedError

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        module = registry.module_of(type(self).__module__)
        if module is not None and not is_on(module.feature):
            raise Http404
        if not policy_registry.get_by_type(self.model).user_has_permission(request.user, self.permission):
            return permission_denied(request)
        if len(self.ids) > AT_MOST:
            messages.error(request, f"That would be more than {self.counted(AT_MOST)} at once. Narrow the list with its filters.")
            return redirect(self.next_url)
        return super().dispatch(request, *args, **kwargs)

    @cached_property
    def ids(self) -> list[int]:
        """Of the records that are chosen; of one more than may be, where all are and there are too many."""
        if "all" in self.request.GET.getlist("id"):
            return list(self.listed().order_by().values_list("pk", flat=True)[: AT_MOST + 1])
        return ids_in(self.request, "id")

    def get_actionable_objects(self) -> tuple[list[Any], dict[str, Any]]:
        found: list[Any] = []
        for start in range(0, len(self.ids), _BATCH):
            found += self.records().filter(pk__in=self.ids[start : start + _BATCH])
        return found, {}

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            return super().form_valid(form)
        except Invalid as refusal:
            for path, sentences in refusal.errors.items():
                form.add_error(path if path in form.fields else None, sentences)
            return self.form_invalid(form)

    def execute_action(self, objects: list[Any], **kwargs: Any) -> tuple[int, int]:
        return self.act(objects, self.cleaned_form.cleaned_data), 0

    def get_success_message(self, num_parent_objects: int, num_child_objects: int) -> str:
        rest = len(self.actionable_objects) - num_parent_objects
        return f"{self.counted(num_parent_objects)} {self.done}." + (f" For {rest:,} nothing changed." if rest else "")

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

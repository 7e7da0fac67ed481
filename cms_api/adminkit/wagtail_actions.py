"""Wagtail's own bulk actions: for people who work with the records, whose names they show, and carried out once."""

from typing import Any

from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from wagtail import hooks
from wagtail.admin.auth import permission_denied
from wagtail.admin.views.pages import bulk_actions as pages
from wagtail.permissions import policy_registry
from wagtail.snippets.bulk_actions import DeleteBulkAction

from .once import BulkOnce

#: Permissions of those who work with a record; no model has all of them.
WORK = ("add", "change", "delete", "choose", "publish", "lock", "unlock", "bulk_delete")


class OfWorkers(BulkOnce):
    """First base of Wagtail's actions: they would name every record whose id is sent, to whoever may open the admin."""

    model: type[Model]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not policy_registry.get_by_type(self.model).user_has_any_permission(request.user, WORK):
            return permission_denied(request)
        return super().dispatch(request, *args, **kwargs)

    def get_queryset(self, model: Any, object_ids: Any) -> list[Any]:
        """Return the chosen records with which this person works. Raises Http404 if there are none, as if none existed."""
        found = super().get_queryset(model, object_ids)  # type: ignore[misc]
        works_with = policy_registry.get_by_type(model).instances_user_has_any_permission_for(self.request.user, WORK)
        theirs = set(works_with.filter(pk__in=[record.pk for record in found]).order_by().values_list("pk", flat=True))
        shown = [record for record in found if record.pk in theirs]
        if not shown:
            raise Http404
        return shown


def replace_action(action: type, *bases: type, **attributes: Any) -> None:
    """Replace one of Wagtail's actions by one that has these bases before it; the `__module__` says who has it."""
    replaced = type(action.__name__, (OfWorkers, *bases, action), {"__module__": __name__, **attributes})
    # After Wagtail's own, and before those of viewsets, which replace some of these.
    hooks.register("register_bulk_action", replaced, order=50)


def replace_actions() -> None:
    """Replace the actions on pages and snippets; those on images, documents and users are replaced by their modules."""
    on_pages = (pages.DeleteBulkAction, pages.MoveBulkAction, pages.PublishBulkAction, pages.UnpublishBulkAction)
    for action in (*on_pages, DeleteBulkAction):
        replace_action(action)

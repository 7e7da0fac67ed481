"""Settings → Users: Wagtail's pages about users, for staff only. Site accounts have a list of their own."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_list_or_404, redirect
from wagtail import hooks
from wagtail.users.forms import UserCreationForm, UserEditForm
from wagtail.users.views import users as wagtail
from wagtail.users.views.bulk_actions import AssignRoleBulkAction, DeleteBulkAction, SetActiveStateBulkAction

from ..selectors import is_member, staff
from ..services.hashing import HashBeforeSaving


class StaffCreationForm(HashBeforeSaving, UserCreationForm):
    pass


class StaffForm(HashBeforeSaving, UserEditForm):
    pass


class StaffListView(wagtail.IndexView):
    def get_base_queryset(self) -> QuerySet[Any]:
        return super().get_base_queryset().filter(pk__in=staff().values("pk"))


class OfStaff:
    """First base of the pages of one user: leads to the page of a site account, which must not be offered roles."""

    object: Any

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        account = self.object if hasattr(self, "object") else self.get_object()  # type: ignore[attr-defined]
        if is_member(account):
            return redirect("site_accounts:inspect", account.pk)
        return super().dispatch(request, *args, **kwargs)  # type: ignore[misc]


class StaffEditView(OfStaff, wagtail.EditView):
    pass


class StaffDeleteView(OfStaff, wagtail.DeleteView):
    pass


class StaffViewSet(wagtail.UserViewSet):
    index_view_class = StaffListView
    edit_view_class = StaffEditView
    delete_view_class = StaffDeleteView

    def get_form_class(self, for_update: bool = False) -> type:
        return StaffForm if for_update else StaffCreationForm


class StaffAction:
    """First base of the list's bulk actions: "all" and ids reach staff only."""

    @classmethod
    def get_queryset(cls, model: Any, object_ids: Any) -> list[Any]:
        return get_list_or_404(staff(), pk__in=object_ids)

    def get_all_objects_in_listing_query(self, parent_id: Any) -> QuerySet[Any]:
        return super().get_all_objects_in_listing_query(parent_id).filter(pk__in=staff().values("pk"))  # type: ignore[misc]


for _action in (AssignRoleBulkAction, DeleteBulkAction, SetActiveStateBulkAction):
    # After Wagtail's own, which it replaces.
    hooks.register("register_bulk_action", type(_action.__name__, (StaffAction, _action), {"__module__": __name__}), order=100)

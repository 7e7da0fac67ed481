"""Settings → Users: Wagtail's pages about users, for staff only. Site accounts have a list of their own."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_list_or_404, redirect
from wagtail.users.forms import UserCreationForm, UserEditForm
from wagtail.users.views import users as wagtail
from wagtail.users.views.bulk_actions import AssignRoleBulkAction, DeleteBulkAction, SetActiveStateBulkAction

from cms_api.adminkit.wagtail_actions import replace_action

from ..selectors import is_member, staff
from ..services.hashing import HashBeforeSaving


class StaffCreationForm(HashBeforeSaving, UserCreationForm):
    pass


class StaffForm(HashBeforeSaving, UserEditForm):
    pass


def is_admin(user: Any) -> bool:
    return user.is_active and user.is_superuser


class StaffListView(wagtail.IndexView):
    def get_base_queryset(self) -> QuerySet[Any]:
        return super().get_base_queryset().filter(pk__in=staff().values("pk"))


class ByStaff:
    """First base of forms about users: only an admin gives roles, makes somebody an admin, or takes that back."""

    request: HttpRequest

    def get_form(self, *args: Any, **kwargs: Any) -> Any:
        form = super().get_form(*args, **kwargs)  # type: ignore[misc]
        if not is_admin(self.request.user):
            for name in {"is_superuser", "groups"} & form.fields.keys():
                form.fields[name].disabled = True
        return form


class OfStaff:
    """First base of the pages of one user: leads to the page of a site account, which must not be offered roles.

    Only admins see those of admins.
    """

    object: Any

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        account = self.object if hasattr(self, "object") else self.get_object()  # type: ignore[attr-defined]
        if is_member(account) and request.user.has_perms(["auth.change_user"]):
            return redirect("site_accounts:inspect", account.pk)
        if account.is_superuser and not is_admin(request.user):
            raise PermissionDenied
        return super().dispatch(request, *args, **kwargs)  # type: ignore[misc]


class StaffCreateView(ByStaff, wagtail.CreateView):
    pass


class StaffEditView(OfStaff, ByStaff, wagtail.EditView):
    pass


class StaffDeleteView(OfStaff, wagtail.DeleteView):
    pass


class StaffViewSet(wagtail.UserViewSet):
    index_view_class = StaffListView
    add_view_class = StaffCreateView
    edit_view_class = StaffEditView
    delete_view_class = StaffDeleteView

    def get_form_class(self, for_update: bool = False) -> type:
        return StaffForm if for_update else StaffCreationForm


class StaffAction:
    """A base of the list's bulk actions: "all" and ids reach staff only, and admins only for admins."""

    request: HttpRequest

    def check_perm(self, obj: Any) -> bool:
        return super().check_perm(obj) and (is_admin(self.request.user) or not obj.is_superuser)  # type: ignore[misc]

    @classmethod
    def get_queryset(cls, model: Any, object_ids: Any) -> list[Any]:
        return get_list_or_404(staff(), pk__in=object_ids)

    def get_all_objects_in_listing_query(self, parent_id: Any) -> QuerySet[Any]:
        return super().get_all_objects_in_listing_query(parent_id).filter(pk__in=staff().values("pk"))  # type: ignore[misc]


class RoleAction(StaffAction):
    """The first base of the action that gives a role, which only admins do."""

    def check_perm(self, obj: Any) -> bool:
        return super().check_perm(obj) and is_admin(self.request.user)


replace_action(AssignRoleBulkAction, RoleAction, __module__=__name__)
for _action in (DeleteBulkAction, SetActiveStateBulkAction):
    replace_action(_action, StaffAction, __module__=__name__)

"""Permissions of imports."""

from typing import Any

from django.contrib.auth import get_user_model
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import cached_property
from wagtail.admin.views.generic import PermissionCheckedMixin, WagtailAdminTemplateMixin
from wagtail.permission_policies.base import BasePermissionPolicy
from wagtail.permissions import register_permission_policy

from cms_api.core.module import Import

from ..models import ImportRun
from ..selectors import kinds_of, kinds_on, runs_of


class ImportPolicy(BasePermissionPolicy):
    """Grants everything on the imports of the kinds a user may import, and hides all others."""

    def user_has_permission(self, user: Any, action: str) -> bool:
        return bool(kinds_of(user))

    def user_has_permission_for_instance(self, user: Any, action: str, instance: ImportRun) -> bool:
        return instance.kind in kinds_of(user)

    def users_with_any_permission(self, actions: Any) -> Any:
        users = get_user_model()._default_manager.filter(is_active=True)
        return users.filter(pk__in=[user.pk for user in users if kinds_of(user)])

    def instances_user_has_any_permission_for(self, user: Any, actions: Any) -> Any:
        return runs_of(user)


register_permission_policy(ImportRun, ImportPolicy(ImportRun))


class ImportPage(PermissionCheckedMixin, WagtailAdminTemplateMixin):
    """Base of import pages: available while something can be imported, to users who may import it."""

    model = ImportRun
    permission_required = "add"
    header_icon = "upload"
    request: HttpRequest
    kwargs: dict[str, Any]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not kinds_on():
            raise Http404
        return super().dispatch(request, *args, **kwargs)

    def kind(self, name: str) -> Import:
        found = kinds_of(self.request.user).get(name)
        if found is None:
            raise Http404
        return found

    @cached_property
    def run(self) -> ImportRun:
        found: ImportRun = get_object_or_404(runs_of(self.request.user), pk=self.kwargs["pk"])
        return found

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        above = {"url": reverse("imports:index"), "label": "Imports"}
        return [*self.breadcrumbs_items, above, {"url": "", "label": self.get_page_subtitle() or self.get_page_title()}]

"""Permissions of imports."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth import get_user_model
from django.http import Http404, HttpRequest, HttpResponse
from wagtail.permission_policies.base import BasePermissionPolicy
from wagtail.permissions import register_permission_policy

from ..models import ImportRun
from ..selectors import kinds_of, kinds_on, runs_of

View = Callable[..., HttpResponse]


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


def while_importable(view: View) -> View:
    """Make a page 404 while no kind of records can be imported."""

    @wraps(view)
    def open_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not kinds_on():
            raise Http404
        return view(request, *args, **kwargs)

    return open_view

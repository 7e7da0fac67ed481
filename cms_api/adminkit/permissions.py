"""The permissions of what only admins see."""

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from wagtail.permission_policies import BasePermissionPolicy


class AdminsOnly(BasePermissionPolicy):
    """Denies everything to users who are not superusers, whatever permissions their groups have."""

    def user_has_permission(self, user: Any, action: str) -> bool:
        return bool(user.is_active and user.is_superuser)

    def users_with_any_permission(self, actions: Any) -> QuerySet[AbstractBaseUser]:
        return get_user_model().objects.filter(is_active=True, is_superuser=True)

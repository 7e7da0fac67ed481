"""Authentication backends: editors sign in to the admin by username, members sign in on the site by address."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User
from django.http import HttpRequest

from .. import selectors


class NameBackend(ModelBackend):
    """Refuses members: the admin's form does not check for confirmed addresses."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **others: Any
    ) -> User | None:
        user = super().authenticate(request, username, password, **others)
        return None if user and selectors.is_member(user) else user


class AddressBackend(AuthenticationBackend):
    """allauth's backend limited to addresses: the original would also try a username as an address."""

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> AbstractBaseUser | None:
        if "email" not in credentials:
            return None
        return super().authenticate(request, email=credentials["email"], password=credentials.get("password"))

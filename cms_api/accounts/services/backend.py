"""Signing in by address: only where an address is asked for, so that the admin's own sign-in stays as it is."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest


class AddressBackend(AuthenticationBackend):
    """allauth's backend would also try a name as an address; this one takes nothing but an address."""

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> AbstractBaseUser | None:
        if "email" not in credentials:
            return None
        return super().authenticate(request, email=credentials["email"], password=credentials.get("password"))

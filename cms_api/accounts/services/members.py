"""Makes members, whose address is confirmed because somebody who runs the site says so, and names them."""

from contextlib import suppress
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from cms_api.core.errors import Invalid, taken

from .. import selectors
from ..types import read_member_address, read_member_name


def create_member(*, email: str, password: str, name: str = "") -> User:
    """An account that may sign in on the site at once; an existing one gets the password, and the name where one is given.

    Raises Invalid (`email`, `password`, `name`), also where the address is an editor's.
    """
    address, name = read_member_address(email), read_member_name(name)
    _check_password(password)
    changes: dict[str, Any] = {"username": address, "email": address, "password": make_password(password), "is_active": True}
    if name:
        changes["first_name"] = name
    for _ in range(2):
        # Where the address has just become somebody's, it is looked up once more.
        with suppress(IntegrityError):
            return _write(address, changes)
    raise Invalid({"email": taken("email")})


def _check_password(password: str) -> None:
    """How good it is, whoever runs the site judges; what people choose for themselves is checked where they do."""
    if not password:
        raise Invalid({"password": "The password must not be empty."})
    if "\0" in password or password.encode("utf-8", "replace").decode() != password:
        raise Invalid({"password": "The password contains characters that are not allowed."})


@transaction.atomic
def _write(address: str, changes: dict[str, Any]) -> User:
    user = selectors.find_account(address)
    if user and selectors.is_editor(user):
        raise Invalid({"email": taken("email") + " It is an editor's."})
    if user is None:
        user = get_user_model().objects.create(**changes)
    else:
        get_user_model().objects.filter(pk=user.pk).update(**changes)
        user.refresh_from_db()
    addresses = EmailAddress.objects.filter(user=user)
    addresses.exclude(email=address).update(primary=False)
    addresses.update_or_create(user=user, email=address, defaults={"verified": True, "primary": True})
    return user


def rename_member(*, user: User, name: str) -> None:
    """Raises Invalid."""
    given = read_member_name(name)
    get_user_model().objects.filter(pk=user.pk).update(first_name=given, last_name="")

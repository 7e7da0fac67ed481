"""Passwords are hashed before a transaction begins: hashing takes a third of a second, in which others wait to write."""

import pytest
from django.contrib.auth import authenticate, get_user_model
from django.contrib.auth.hashers import check_password, make_password
from django.db import transaction
from django.test import Client

pytestmark = pytest.mark.django_db

PASSWORD, OTHER = "correct battery staple", "another battery staple"
FIELDS = {"username": "eve", "email": "eve@example.com", "first_name": "Eve", "last_name": "Moss"}


def passwords(password: str) -> dict[str, str]:
    return FIELDS | {"password1": password, "password2": password}


def test_it_works() -> None:
    encoded = make_password(PASSWORD)
    with transaction.atomic():
        with pytest.raises(RuntimeError, match="Hashing a password takes long"):
            make_password(PASSWORD)
        with pytest.raises(RuntimeError, match="Hashing a password takes long"):
            check_password(PASSWORD, encoded)
    assert check_password(PASSWORD, encoded)


@pytest.mark.both_databases
def test_staff_add_and_change_a_user(admin_client: Client) -> None:
    assert admin_client.post("/admin/users/new/", passwords(PASSWORD)).status_code == 302
    eve = get_user_model().objects.get(email="eve@example.com")
    assert eve.check_password(PASSWORD)
    path = f"/admin/users/edit/{eve.pk}/"
    assert admin_client.post(path, passwords(OTHER) | {"is_active": "on"}).status_code == 302
    eve.refresh_from_db()
    assert eve.check_password(OTHER)
    assert admin_client.post(path, passwords("") | {"is_active": "on", "first_name": "Eva"}).status_code == 302
    eve.refresh_from_db()
    assert (eve.first_name, eve.check_password(OTHER)) == ("Eva", True)
    assert authenticate(username=eve.username, password=OTHER) == eve


def test_a_refused_user_has_no_new_password(admin_client: Client) -> None:
    assert admin_client.post("/admin/users/new/", passwords(PASSWORD)).status_code == 302
    eve = get_user_model().objects.get(email="eve@example.com")
    refused = passwords(OTHER) | {"is_active": "on", "email": "nowhere"}
    assert admin_client.post(f"/admin/users/edit/{eve.pk}/", refused).status_code == 200
    eve.refresh_from_db()
    assert eve.check_password(PASSWORD)

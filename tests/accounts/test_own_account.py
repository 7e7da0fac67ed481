"""The page of the admin on which people of the staff change their own name, address, password and picture."""

from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image
from wagtail.users.models import UserProfile

from tests import people

pytestmark = pytest.mark.django_db

PATH = "/admin/account/"
NAME = {"name_email-first_name": "Alice", "name_email-last_name": "Ames", "name_email-email": "alice@example.com"}
THEME = {"theme-theme": "system", "theme-contrast": "system", "theme-density": "default"}
NEW = {"password-new_password1": "another battery staple", "password-new_password2": "another battery staple"}


def send(client: Client, **changes: Any) -> Any:
    return client.post(PATH, NAME | THEME | {name.replace("__", "-"): value for name, value in changes.items()})


def change_password(client: Client, old: str) -> Any:
    return client.post(PATH, NAME | THEME | NEW | {"password-old_password": old})


def alice() -> Any:
    return get_user_model().objects.get(username="alice@example.com")


@pytest.mark.both_databases
def test_name_and_password_are_changed(admin_client: Client) -> None:
    assert send(admin_client, name_email__first_name="Alicia").status_code == 302
    assert alice().first_name == "Alicia"
    assert change_password(admin_client, people.PASSWORD).status_code == 302
    assert alice().check_password(NEW["password-new_password1"])
    assert admin_client.get(PATH).status_code == 200


def test_wrong_passwords_run_out(admin_client: Client) -> None:
    answers = [change_password(admin_client, f"wrong {number}") for number in range(11)]
    assert ["entered incorrectly" in answer.content.decode() for answer in answers] == [True] * 10 + [False]
    assert "Too many wrong passwords" in answers[-1].content.decode()
    assert "Too many wrong passwords" in change_password(admin_client, people.PASSWORD).content.decode()
    assert alice().check_password(people.PASSWORD)


@pytest.mark.both_databases
def test_another_address_needs_the_password(admin_client: Client) -> None:
    refused = send(admin_client, name_email__email="mallory@example.com")
    assert "entered incorrectly" in refused.content.decode()
    assert alice().email == "alice@example.com"
    asked = {"name_email__email": "ames@example.com", "name_email__current_password": people.PASSWORD}
    assert send(admin_client, **asked).status_code == 302
    assert alice().email == "ames@example.com"


def test_the_address_of_another_account_is_refused(admin_client: Client) -> None:
    people.bob()
    asked = {"name_email__email": "Bob@example.com", "name_email__current_password": people.PASSWORD}
    assert "Another account has this email address." in send(admin_client, **asked).content.decode()
    assert alice().email == "alice@example.com"


@pytest.mark.both_databases
def test_a_picture_is_made_small(admin_client: Client) -> None:
    written = BytesIO()
    Image.new("RGB", (1200, 900), "teal").save(written, "PNG")
    picture = SimpleUploadedFile("portrait.png", written.getvalue(), "image/png")
    assert send(admin_client, avatar__avatar=picture).status_code == 302
    with UserProfile.objects.get().avatar.open() as stored, Image.open(stored) as opened:
        assert (opened.size, opened.format) == ((480, 360), "WEBP")


def test_a_file_that_is_no_picture_is_refused(admin_client: Client) -> None:
    refused = send(admin_client, avatar__avatar=SimpleUploadedFile("portrait.png", b"\x89PNG\r\n\x1a\n" + b"x" * 100))
    assert refused.status_code == 200
    assert not UserProfile.objects.get().avatar


def test_visitors_are_asked_to_sign_in() -> None:
    assert Client().get(PATH).headers["Location"].startswith("/admin/login/")

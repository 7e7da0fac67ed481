"""How passwords are hashed: as Django does, never while others wait for a transaction to end."""

from typing import Any

from django.contrib.auth.hashers import PBKDF2PasswordHasher

from cms_api.core.locks import refuse_in_transaction


class PasswordHasher(PBKDF2PasswordHasher):
    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        refuse_in_transaction("Hashing a password")
        encoded: str = super().encode(password, salt, iterations)
        return encoded


class HashBeforeSaving:
    """First base of Wagtail's forms about users: the hash is made once all fields are right, before the view's transaction."""

    instance: Any
    cleaned_data: dict[str, Any]

    def is_valid(self) -> bool:
        is_right: bool = super().is_valid()  # type: ignore[misc]
        if is_right and self.cleaned_data.get("password1"):
            self.instance.set_password(self.cleaned_data["password1"])
            # Wagtail's form would hash it again when it is saved.
            self.cleaned_data["password1"] = ""
        return is_right

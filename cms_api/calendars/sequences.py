"""The SEQUENCE of records in calendars (RFC 5546): programs ignore a file whose SEQUENCE is lower than one they have seen."""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import F


class SequenceField(models.PositiveIntegerField):
    """A SEQUENCE that is stored. Only by this class does `restore` find it."""

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.PositiveIntegerField", list(args), kwargs


def raise_sequences(by: int) -> None:
    """Add a number to every stored SEQUENCE."""
    for field in sequence_fields():
        field.model._base_manager.update(**{field.name: F(field.name) + by})


def sequence_fields() -> Iterator[SequenceField]:
    for model in apps.get_models():
        yield from (field for field in model._meta.local_concrete_fields if isinstance(field, SequenceField))

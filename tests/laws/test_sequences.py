"""Every stored SEQUENCE of calendars is a `SequenceField`, which a restored backup raises."""

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import Field

from cms_api.calendars.sequences import SequenceField, sequence_fields


def plain_sequences(found: Iterable[type[models.Model]]) -> set[str]:
    fields = [field for model in found for field in model._meta.local_concrete_fields]
    return {str(field) for field in fields if is_sequence(field) and not isinstance(field, SequenceField)}


def is_sequence(field: "Field[Any, Any]") -> bool:
    return "sequence" in field.name and not field.is_relation


def test_it_works() -> None:
    assert plain_sequences(apps.get_models()) == set()
    known = {"booking.Appointment.sequence", "events.CalendarEntry.sequence", "events.CalendarInvite.sequence"}
    assert known <= {str(field) for field in sequence_fields()}


def test_a_planted_one_is_found() -> None:
    class Planted(models.Model):
        sequence = models.PositiveIntegerField()
        file_sequence = models.BigIntegerField()
        raised_sequence = SequenceField()

        class Meta:
            app_label = "laws"
            apps = type(apps)()

        def __str__(self) -> str:
            return ""

    assert plain_sequences([Planted]) == {"laws.Planted.sequence", "laws.Planted.file_sequence"}

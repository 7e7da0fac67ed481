"""Series of numbers that people know records by, such as those of invoices, and the gap that a restored site leaves in each."""

from django.apps import apps
from django.db import models
from django.db.models import F

from . import registry


class NumberSeries(models.Model):
    """The last number of each series. By this class, `restore` finds the table."""

    series = models.CharField(max_length=20, primary_key=True)
    last = models.PositiveBigIntegerField()

    class Meta:
        abstract = True
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.series} {self.last}"


def leave_gap(by: int) -> dict[str, int]:
    """Leave so many numbers of each series unused, also of those that have not begun; return the next ones.

    Must be called in a transaction.
    """
    declared = {series: first for module in registry.modules() for series, first in module.records.numbers.items()}
    found: dict[str, int] = {}
    for model in apps.get_models():
        if issubclass(model, NumberSeries):
            model._base_manager.bulk_create(
                [model(series=series, last=first - 1) for series, first in declared.items()], ignore_conflicts=True
            )
            model._base_manager.update(last=F("last") + by)
            found |= {series: last + 1 for series, last in model._base_manager.values_list("series", "last")}
    return found

"""Columns shared by the models of several modules. Unknown text is empty, never null."""

from django.db import models

from cms_api.flags.selectors import site_country
from cms_api.text.addresses import address_lines

from .types import MAX_LINE, MAX_NAME, full_name


class Person(models.Model):
    first_name = models.CharField(max_length=MAX_NAME, blank=True, default="")
    last_name = models.CharField(max_length=MAX_NAME, blank=True, default="")

    class Meta:
        abstract = True

    @property
    def name(self) -> str:
        return full_name(self.first_name, self.last_name)


class Address(models.Model):
    street = models.CharField(max_length=MAX_LINE, blank=True, default="")
    street2 = models.CharField("street, second line", max_length=MAX_LINE, blank=True, default="")
    city = models.CharField(max_length=MAX_NAME, blank=True, default="")
    state = models.CharField("state or region", max_length=MAX_NAME, blank=True, default="")
    postal_code = models.CharField(max_length=30, blank=True, default="")
    country = models.CharField(max_length=MAX_NAME, blank=True, default="")

    class Meta:
        abstract = True

    @property
    def address_lines(self) -> list[str]:
        return address_lines(vars(self), home=site_country())

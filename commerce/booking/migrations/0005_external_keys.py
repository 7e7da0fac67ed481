"""Gives new appointments the keys that are in their UIDs; the UIDs of those that exist keep their ids."""

from django.db import migrations

from cms_api.http.external_keys import add_external_keys


class Migration(migrations.Migration):
    dependencies = [("booking", "0004_holder")]

    operations = [*add_external_keys("appointment")]

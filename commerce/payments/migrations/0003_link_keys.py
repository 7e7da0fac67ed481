"""Gives records random keys, which links sign in place of primary keys."""

from django.db import migrations

from cms_api.http.link_keys import add_link_keys


class Migration(migrations.Migration):
    dependencies = [("payments", "0002_saved_methods")]

    operations = [*add_link_keys("payments", "payment")]

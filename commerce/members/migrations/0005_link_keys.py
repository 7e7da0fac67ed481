"""Gives records random keys, which links sign in place of primary keys."""

from django.db import migrations

from cms_api.http.link_keys import add_link_keys


class Migration(migrations.Migration):
    dependencies = [("members", "0004_paid_until")]

    operations = [*add_link_keys("members", "member")]

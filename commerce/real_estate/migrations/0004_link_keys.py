"""Gives records random keys, which links sign in place of primary keys."""

from django.db import migrations

from cms_api.http.link_keys import add_link_keys


class Migration(migrations.Migration):
    dependencies = [("real_estate", "0003_search_counts")]

    operations = [*add_link_keys("real_estate", "savedsearch")]

"""Gives new payments and refunds the keys by which providers know them; those that exist are still known by their ids."""

from django.db import migrations

from cms_api.http.external_keys import add_external_keys


class Migration(migrations.Migration):
    dependencies = [("payments", "0004_waiting_messages_and_unconfirmed_attempts")]

    operations = [*add_external_keys("payment", "refund")]

from django.db import migrations

from cms_api.http.external_keys import add_external_keys


class Migration(migrations.Migration):
    dependencies = [("donations", "0001_initial")]

    operations = [*add_external_keys("recurringdonation")]

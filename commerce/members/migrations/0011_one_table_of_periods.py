"""Removes the tables of carried days and taken periods, whose rows are paid periods."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("members", "0010_periods_of_earlier_payments")]

    operations = [migrations.DeleteModel("CarriedDays"), migrations.DeleteModel("TakenPeriod")]

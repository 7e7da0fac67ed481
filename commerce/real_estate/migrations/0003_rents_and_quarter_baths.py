from django.db import migrations, models


def show_listings_on_the_market(apps, schema_editor):
    """Show what is on the market at a place with another listing: only former ones are hidden from now on."""
    hidden = apps.get_model("real_estate", "Property").objects.filter(hidden_reason="relisted")
    hidden.filter(status__in=["active", "pending"]).update(is_shown=True, is_on_market=True, hidden_reason="")


def read_all_again(apps, schema_editor):
    """Have the next import read every listing, as more of what a feed says is respected."""
    apps.get_model("real_estate", "Feed").objects.filter(kind="reso").update(watermark=None)


class Migration(migrations.Migration):

    dependencies = [
        ('real_estate', '0002_oauth_and_counts'),
    ]

    operations = [
        migrations.AddField(
            model_name='property',
            name='price_period',
            field=models.CharField(blank=True, choices=[('day', 'Day'), ('week', 'Week'), ('month', 'Month'), ('year', 'Year')], default='', max_length=5),
        ),
        migrations.AlterField(
            model_name='property',
            name='baths',
            field=models.DecimalField(decimal_places=2, max_digits=5, null=True),
        ),
        migrations.RunPython(show_listings_on_the_market, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(read_all_again, migrations.RunPython.noop, elidable=True),
    ]

from django.db import migrations, models


class Migration(migrations.Migration):
    """From here on, migrations treat rows as plain JSON columns, without their blocks. The tables do not change."""

    dependencies = [
        ('home', '0005_newsletter_row'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(model_name='homepage', name='rows', field=models.JSONField(blank=True)),
                migrations.AlterField(model_name='landingpage', name='rows', field=models.JSONField()),
                migrations.AlterField(model_name='recordtemplate', name='rows', field=models.JSONField(blank=True)),
                migrations.AlterField(model_name='sharedrow', name='rows', field=models.JSONField(verbose_name='row')),
                migrations.AlterField(model_name='standardpage', name='rows', field=models.JSONField(blank=True)),
            ],
        ),
    ]

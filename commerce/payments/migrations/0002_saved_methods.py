import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('payments', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='payment',
            name='saves_method',
            field=models.BooleanField(db_default=False, editable=False),
        ),
        migrations.CreateModel(
            name='SavedMethod',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(max_length=20)),
                ('reference', models.CharField(max_length=255)),
                ('customer', models.CharField(blank=True, default='', max_length=255)),
                ('label', models.CharField(blank=True, default='', max_length=100)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(models.F('provider'), models.F('reference'), name='saved_method_once')],
            },
        ),
        migrations.AddField(
            model_name='payment',
            name='saved_method',
            field=models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='payments.savedmethod'),
        ),
    ]

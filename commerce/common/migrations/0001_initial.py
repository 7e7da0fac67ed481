import django.core.validators
import django.db.models.functions.text
from decimal import Decimal
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('core', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Counter',
            fields=[
                ('series', models.CharField(max_length=20, primary_key=True, serialize=False)),
                ('last', models.PositiveBigIntegerField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='TaxRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('country', models.CharField(max_length=2)),
                ('region', models.CharField(blank=True, default='', max_length=100, verbose_name='state or region')),
                ('tax_class', models.CharField(choices=[('standard', 'Standard'), ('reduced', 'Reduced'), ('super_reduced', 'Super-reduced'), ('exempt', 'Not taxed')], default='standard', max_length=20)),
                ('label', models.CharField(help_text='Shown on receipts, for example VAT.', max_length=40)),
                ('percent', models.DecimalField(decimal_places=4, max_digits=7, validators=[django.core.validators.MinValueValidator(Decimal('0')), django.core.validators.MaxValueValidator(Decimal('100'))], verbose_name='rate in percent')),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'ordering': ['country', 'region', 'tax_class', 'id'],
                'constraints': [models.UniqueConstraint(models.F('country'), django.db.models.functions.text.Lower('region'), models.F('tax_class'), name='tax_rule_once'), models.CheckConstraint(condition=models.Q(('percent__gte', 0), ('percent__lte', 100)), name='tax_rule_percent')],
            },
        ),
    ]

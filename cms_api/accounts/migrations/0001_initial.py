import django.contrib.auth.models
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '__first__'),
        ('core', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='SiteAccount',
            fields=[
            ],
            options={
                'verbose_name': 'site account',
                'proxy': True,
                'default_permissions': (),
            },
            bases=('auth.user',),
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='SignIn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('name', models.CharField(blank=True, max_length=150)),
                ('succeeded', models.BooleanField()),
                ('network', models.CharField(blank=True, max_length=50)),
                ('browser', models.CharField(blank=True, max_length=200)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'verbose_name': 'sign-in',
                'ordering': ['-at', '-id'],
                'default_permissions': (),
                'indexes': [models.Index(models.F('at'), models.F('id'), name='sign_in_by_time')],
            },
        ),
    ]

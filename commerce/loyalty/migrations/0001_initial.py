import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '__first__'),
        ('core', '0001_initial'),
        ('members', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='PointsEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='points_entries', to='members.member')),
                ('points', models.BigIntegerField()),
                ('reason', models.CharField(max_length=30)),
                ('reference', models.CharField(blank=True, default='', max_length=100)),
                ('note', models.CharField(blank=True, default='', max_length=300)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'points entries',
                'ordering': ['-created_at', '-id'],
                'indexes': [models.Index(models.F('member'), models.F('created_at'), models.F('id'), name='points_of_member'), models.Index(models.F('created_at'), models.F('id'), name='points_by_creation'), models.Index(models.F('reason'), models.F('created_at'), models.F('id'), name='points_by_reason')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('reference', ''), _negated=True), fields=('member', 'reason', 'reference'), name='points_once'), models.CheckConstraint(condition=models.Q(('points', 0), _negated=True), name='points_not_nothing')],
            },
        ),
        migrations.CreateModel(
            name='PointsBalance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('member', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='points_balance', to='members.member')),
                ('points', models.BigIntegerField(default=0)),
                ('updated_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-points', 'id'],
                'indexes': [models.Index(models.F('points'), models.F('id'), name='balance_by_points'), models.Index(models.F('updated_at'), models.F('id'), name='balance_by_change')],
                'constraints': [models.CheckConstraint(condition=models.Q(('points__gte', 0)), name='balance_not_negative')],
            },
        ),
    ]

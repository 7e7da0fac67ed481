import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '__first__'),
        ('content', '0001_initial'),
        ('core', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Comment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='content.contentitem')),
                ('author_name', models.CharField(max_length=100, verbose_name='name')),
                ('email', models.EmailField(max_length=254)),
                ('body', models.TextField(max_length=5000, verbose_name='comment')),
                ('status', models.CharField(choices=[('pending', 'Waiting'), ('approved', 'Approved'), ('spam', 'Spam')], default='pending', max_length=10)),
                ('reason', models.CharField(blank=True, default='', max_length=200, verbose_name='spam reason')),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(editable=False, null=True)),
                ('decided_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('waits', models.GeneratedField(db_persist=True, expression=models.Case(models.When(status='pending', then=models.Value(1)), default=models.Value(0)), output_field=models.SmallIntegerField())),
            ],
            options={
                'ordering': ['-waits', '-created_at', '-id'],
                'default_permissions': ('view', 'change', 'delete'),
                'indexes': [models.Index(models.F('item'), models.OrderBy(models.F('created_at'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'approved')), name='comment_shown'), models.Index(models.OrderBy(models.F('waits'), descending=True), models.OrderBy(models.F('created_at'), descending=True), models.OrderBy(models.F('id'), descending=True), name='comment_waiting'), models.Index(models.F('decided_at'), condition=models.Q(('status', 'spam')), name='comment_spam')],
            },
        ),
    ]

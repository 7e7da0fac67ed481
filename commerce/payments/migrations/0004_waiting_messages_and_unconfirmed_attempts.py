from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('payments', '0003_link_keys'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='refund',
            name='refund_once',
        ),
        migrations.AddField(
            model_name='payment',
            name='is_unconfirmed',
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name='providerevent',
            name='charge',
            field=models.CharField(blank=True, db_default='', default='', max_length=255),
        ),
        migrations.AddIndex(
            model_name='payment',
            index=models.Index(models.F('checked_at'), models.F('id'), condition=models.Q(('is_unconfirmed', True)), name='payment_unconfirmed'),
        ),
        migrations.AddIndex(
            model_name='providerevent',
            index=models.Index(models.F('charge'), condition=models.Q(('charge', ''), _negated=True), name='provider_event_waits'),
        ),
        migrations.AddConstraint(
            model_name='refund',
            constraint=models.UniqueConstraint(models.F('payment'), models.F('reference'), condition=models.Q(('reference__isnull', False)), name='refund_once'),
        ),
    ]

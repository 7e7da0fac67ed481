"""The end of the term with the status, so that listings that have ended are counted by an index alone."""

from django.db import migrations, models

from cms_api.core.indexes import AddIndexConcurrently, RemoveIndexConcurrently


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('directory', '0001_initial'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='listing',
            index=models.Index(models.F('expires_at'), models.F('id'), models.F('status'), condition=models.Q(('expires_at__isnull', False)), name='listing_by_term'),
        ),
        RemoveIndexConcurrently(model_name='listing', name='listing_by_end'),
    ]

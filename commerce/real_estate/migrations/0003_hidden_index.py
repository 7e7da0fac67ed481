"""An index of the few listings that may not be shown, to count the others without reading them."""

from django.db import migrations, models

from cms_api.core.indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('real_estate', '0002_search_indexes'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='property',
            index=models.Index(models.F('id'), condition=models.Q(('is_shown', False)), name='property_hidden'),
        ),
    ]

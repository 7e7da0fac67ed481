"""Indexes with the columns of several filters, so that searches are counted and sorted without reading listings that do not match."""

from django.db import migrations, models

from cms_api.core.indexes import AddIndexConcurrently, RemoveIndexConcurrently


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
        AddIndexConcurrently(
            model_name='property',
            index=models.Index(models.F('city_key'), models.F('listed_on'), models.F('id'), models.F('state_key'), models.F('property_type_key'), models.F('status'), models.F('list_price'), models.F('beds'), models.F('baths'), condition=models.Q(('is_on_market', True)), name='property_market_by_city'),
        ),
        AddIndexConcurrently(
            model_name='property',
            index=models.Index(models.F('state_key'), models.F('listed_on'), models.F('id'), models.F('property_type_key'), models.F('status'), models.F('list_price'), models.F('beds'), models.F('baths'), condition=models.Q(('is_on_market', True)), name='property_market_by_state'),
        ),
        AddIndexConcurrently(
            model_name='property',
            index=models.Index(models.F('postal_code'), models.F('listed_on'), models.F('id'), models.F('property_type_key'), models.F('status'), models.F('list_price'), models.F('beds'), models.F('baths'), condition=models.Q(('is_on_market', True)), name='property_market_by_postal'),
        ),
        AddIndexConcurrently(
            model_name='property',
            index=models.Index(models.F('property_type_key'), models.F('listed_on'), models.F('id'), models.F('status'), models.F('list_price'), models.F('beds'), models.F('baths'), condition=models.Q(('is_on_market', True)), name='property_market_by_type'),
        ),
        RemoveIndexConcurrently(model_name='property', name='property_market_city'),
        RemoveIndexConcurrently(model_name='property', name='property_market_state'),
        RemoveIndexConcurrently(model_name='property', name='property_market_postal'),
        RemoveIndexConcurrently(model_name='property', name='property_market_type'),
    ]

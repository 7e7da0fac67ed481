"""Indexes for the searches of public pages, and for lists of every status."""

from django.db import migrations, models

from cms_api.core.indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('real_estate', '0001_initial'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='property',
            index=models.Index(models.F('city_key'), models.F('modified_at'), models.F('id'), condition=models.Q(('is_shown', True)), name='property_city_modified'),
        ),
        AddIndexConcurrently(
            model_name='property',
            index=models.Index(models.F('state_key'), models.F('modified_at'), models.F('id'), condition=models.Q(('is_shown', True)), name='property_state_modified'),
        ),
        AddIndexConcurrently(
            model_name='property',
            index=models.Index(models.F('postal_code'), models.F('modified_at'), models.F('id'), condition=models.Q(('is_shown', True)), name='property_postal_modified'),
        ),
        AddIndexConcurrently(
            model_name='property',
            index=models.Index(models.F('property_type_key'), models.F('modified_at'), models.F('id'), condition=models.Q(('is_shown', True)), name='property_type_modified'),
        ),
        AddIndexConcurrently(
            model_name='property',
            index=models.Index(models.F('city_key'), models.F('listed_on'), models.F('id'), condition=models.Q(('is_on_market', True)), name='property_market_city'),
        ),
        AddIndexConcurrently(
            model_name='property',
            index=models.Index(models.F('state_key'), models.F('listed_on'), models.F('id'), condition=models.Q(('is_on_market', True)), name='property_market_state'),
        ),
        AddIndexConcurrently(
            model_name='property',
            index=models.Index(models.F('postal_code'), models.F('listed_on'), models.F('id'), condition=models.Q(('is_on_market', True)), name='property_market_postal'),
        ),
        AddIndexConcurrently(
            model_name='property',
            index=models.Index(models.F('property_type_key'), models.F('listed_on'), models.F('id'), condition=models.Q(('is_on_market', True)), name='property_market_type'),
        ),
        AddIndexConcurrently(
            model_name='property',
            index=models.Index(models.F('listed_on'), models.F('id'), models.F('status'), models.F('list_price'), models.F('beds'), models.F('baths'), models.F('latitude'), models.F('longitude'), condition=models.Q(('is_on_market', True)), name='property_market_search'),
        ),
    ]

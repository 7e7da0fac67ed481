"""All features at once, in two statements: switching one after the other takes ten for each."""

from django.db import transaction

from cms_api.core import registry, versions
from cms_api.flags.models import Setting
from cms_api.flags.selectors import VERSION, feature_key


@transaction.atomic
def switch_all_on() -> None:
    """Switch on the features of all installed modules."""
    switched = [Setting(key=feature_key(name), value=True) for name in registry.features()]
    Setting.objects.bulk_create(switched, update_conflicts=True, unique_fields=["key"], update_fields=["value"])
    versions.bump(VERSION)

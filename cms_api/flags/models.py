"""One table of dotted keys and JSON values; a feature is the key `features.<name>.enabled`."""

from django.db import models


class Setting(models.Model):
    key = models.CharField(max_length=150, unique=True)
    value = models.JSONField()
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        permissions = [("manage_features", "Can switch features and change settings")]
        default_permissions = ()

    def __str__(self) -> str:
        return self.key

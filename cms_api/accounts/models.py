"""Site accounts, which are users of the site who cannot enter the admin, and the sign-ins of all users."""

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.utils import timezone

from .types import MAX_BROWSER


class SiteAccount(User):
    """An account of the site; `selectors.site_accounts` says which users are."""

    class Meta:
        proxy = True
        verbose_name = "site account"
        default_permissions = ()

    def __str__(self) -> str:
        return self.get_full_name() or self.email


class SignIn(models.Model):
    """An attempt to sign in, in the admin or on the site. It outlives its account, whose name it has."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    #: The account's user name; empty if the name that was entered is nobody's.
    name = models.CharField(max_length=150, blank=True)
    succeeded = models.BooleanField()
    #: Such as `203.0.113.0/24`; empty if it is not known.
    network = models.CharField(max_length=50, blank=True)
    browser = models.CharField(max_length=MAX_BROWSER, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = "sign-in"
        default_permissions = ()
        ordering = ["-at", "-id"]
        indexes = [models.Index("at", "id", name="sign_in_by_time")]

    def __str__(self) -> str:
        return self.name or "Unknown name"

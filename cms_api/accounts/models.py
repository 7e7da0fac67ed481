"""Site accounts: users of the site who cannot enter the admin. They are stored with the staff's."""

from django.contrib.auth.models import User


class SiteAccount(User):
    """An account of the site; `selectors.site_accounts` says which users are."""

    class Meta:
        proxy = True
        verbose_name = "site account"
        default_permissions = ()

    def __str__(self) -> str:
        return self.get_full_name() or self.email

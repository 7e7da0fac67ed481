from django.apps import AppConfig
from wagtail.users.apps import WagtailUsersAppConfig


class AccountsConfig(AppConfig):
    name = "cms_api.accounts"
    label = "accounts"
    verbose_name = "Site accounts"
    default = True


class UsersConfig(WagtailUsersAppConfig):
    """Wagtail's users, whose list shows staff only."""

    default = False
    user_viewset = "cms_api.accounts.admin.users.StaffViewSet"

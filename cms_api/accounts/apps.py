from typing import Any

from django.apps import AppConfig
from wagtail.users.apps import WagtailUsersAppConfig


class AccountsConfig(AppConfig):
    name = "cms_api.accounts"
    label = "accounts"
    verbose_name = "Site accounts"
    default = True

    def ready(self) -> None:
        """Follow sign-ins and passwords, of which Django tells by signals, whichever form they come from."""
        from django.contrib.auth.signals import user_logged_in, user_login_failed
        from django.db.models.signals import pre_save
        from wagtail.models import CollectionViewRestriction, PageViewRestriction

        from .services import sessions, shared_passwords, sign_ins

        def record_success(request: Any, user: Any, **_: Any) -> None:
            sessions.begin_session(request, user)
            sign_ins.record_success(request, user)

        def record_failure(credentials: Any, request: Any = None, **_: Any) -> None:
            sign_ins.record_failure(request, credentials)

        user_logged_in.connect(record_success, weak=False, dispatch_uid="accounts.succeeded")
        user_login_failed.connect(record_failure, weak=False, dispatch_uid="accounts.failed")
        for model in (PageViewRestriction, CollectionViewRestriction):
            pre_save.connect(shared_passwords.end_access, sender=model, dispatch_uid="accounts.shared_passwords")


class UsersConfig(WagtailUsersAppConfig):
    """Wagtail's users, whose list shows staff only."""

    default = False
    user_viewset = "cms_api.accounts.admin.users.StaffViewSet"

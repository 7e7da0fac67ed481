"""URLs of the account pages, all under `/accounts/`.

Besides, the URLs at which Wagtail asks for passwords, with the limits of the account pages.
"""

from collections.abc import Callable

from allauth.account import views as allauth
from django.http.response import HttpResponseBase
from django.urls import URLPattern, include, path
from django.views.decorators.cache import cache_control, never_cache

from . import views
from .admin import own_account, passwords, signing_in
from .services.limiting import limit_view

View = Callable[..., HttpResponseBase]

_unkept = cache_control(private=True, no_store=True)


def _page(route: str, view: View, name: str) -> URLPattern:
    return path(route, _unkept(view), name=name)


#: By allauth's URL names. `account_email` is left out: allauth's middleware would redirect unknown `/accounts/` URLs to it.
pages = [
    _page("", views.account, "account_home"),
    _page("login/", limit_view(views.LoginView.as_view(), "login"), "account_login"),
    _page("logout/", allauth.logout, "account_logout"),
    _page("inactive/", allauth.account_inactive, "account_inactive"),
    _page("signup/", limit_view(allauth.signup, "signup"), "account_signup"),
    _page("confirm-email/", allauth.email_verification_sent, "account_email_verification_sent"),
    _page("confirm-email/<secret:key>/", views.confirm_email, "account_confirm_email"),
    _page("email/", limit_view(views.AddressView.as_view(), "manage_email"), "account_address"),
    _page("password/change/", limit_view(allauth.password_change, "change_password"), "account_change_password"),
    _page("password/reset/", views.ResetView.as_view(), "account_reset_password"),
    _page("password/reset/done/", allauth.password_reset_done, "account_reset_password_done"),
    _page(
        "password/reset/key/<account:uidb36>-<secret:key>/",
        limit_view(allauth.password_reset_from_key, "reset_password_from_key"),
        "account_reset_password_from_key",
    ),
    _page("password/reset/key/done/", allauth.password_reset_from_key_done, "account_reset_password_from_key_done"),
]
urlpatterns = [path("accounts/", include(pages))]

#: Come before Wagtail's own, whose URLs and names they have.
wagtail_patterns = [
    path("admin/login/", never_cache(signing_in.AdminLoginView.as_view()), name="wagtailadmin_login"),
    path("admin/password_reset/", never_cache(signing_in.AdminResetView.as_view()), name="wagtailadmin_password_reset"),
    path(
        "admin/password_reset/confirm/<secret:uidb64>/<secret:token>/",
        signing_in.PasswordResetConfirmView.as_view(),
        name="wagtailadmin_password_reset_confirm",
    ),
    path("admin/account/", own_account.account, name="wagtailadmin_account"),
    path("_util/login/", never_cache(signing_in.PrivatePageLoginView.as_view()), name="wagtailcore_login"),
    path(
        "_util/authenticate_with_password/<any_id:restriction>/<any_id:page_id>/",
        passwords.page,
        name="wagtailcore_authenticate_with_password",
    ),
    path(
        "documents/authenticate_with_password/<any_id:restriction>/",
        passwords.collection,
        name="wagtaildocs_authenticate_with_password",
    ),
]

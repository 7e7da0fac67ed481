"""URLs of the account pages, all under `/accounts/`.

Besides, the URLs at which Wagtail asks for a name and a password, with the limits of the account pages.
"""

from collections.abc import Callable

from allauth.account import views as allauth
from django.http.response import HttpResponseBase
from django.urls import URLPattern, include, path, re_path
from django.views.decorators.cache import cache_control, never_cache

from . import views
from .admin import signing_in

View = Callable[..., HttpResponseBase]

_unkept = cache_control(private=True, no_store=True)


def _page(route: str, view: View, name: str) -> URLPattern:
    return path(route, _unkept(view), name=name)


def _linked_page(expression: str, view: View, name: str) -> URLPattern:
    return re_path(expression, _unkept(view), name=name)


#: By allauth's URL names. `account_email` is left out: allauth's middleware would redirect unknown `/accounts/` URLs to it.
pages = [
    _page("", views.account, "account_home"),
    _page("login/", allauth.login, "account_login"),
    _page("logout/", allauth.logout, "account_logout"),
    _page("inactive/", allauth.account_inactive, "account_inactive"),
    _page("signup/", allauth.signup, "account_signup"),
    _page("confirm-email/", allauth.email_verification_sent, "account_email_verification_sent"),
    _linked_page(r"^confirm-email/(?P<key>[-:\w]+)/$", allauth.confirm_email, "account_confirm_email"),
    _page("email/", views.AddressView.as_view(), "account_address"),
    _page("password/change/", allauth.password_change, "account_change_password"),
    _page("password/reset/", allauth.password_reset, "account_reset_password"),
    _page("password/reset/done/", allauth.password_reset_done, "account_reset_password_done"),
    _linked_page(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        allauth.password_reset_from_key,
        "account_reset_password_from_key",
    ),
    _page("password/reset/key/done/", allauth.password_reset_from_key_done, "account_reset_password_from_key_done"),
]
urlpatterns = [path("accounts/", include(pages))]

#: Come before Wagtail's own, whose URLs and names they have.
wagtail_patterns = [
    path("admin/login/", never_cache(signing_in.AdminLoginView.as_view()), name="wagtailadmin_login"),
    path("admin/password_reset/", never_cache(signing_in.AdminResetView.as_view()), name="wagtailadmin_password_reset"),
    path("_util/login/", never_cache(signing_in.PrivatePageLoginView.as_view()), name="wagtailcore_login"),
]

"""The pages of site accounts, all under `/accounts/`; there is none while no feature that is on needs them."""

from allauth.account import views as allauth
from django.urls import path, re_path

from . import views

urlpatterns = [
    path("accounts/", views.account, name="account_home"),
    path("accounts/login/", allauth.login, name="account_login"),
    path("accounts/logout/", allauth.logout, name="account_logout"),
    path("accounts/inactive/", allauth.account_inactive, name="account_inactive"),
    path("accounts/signup/", allauth.signup, name="account_signup"),
    path("accounts/confirm-email/", allauth.email_verification_sent, name="account_email_verification_sent"),
    re_path(r"^accounts/confirm-email/(?P<key>[-:\w]+)/$", allauth.confirm_email, name="account_confirm_email"),
    path("accounts/email/", views.AddressView.as_view(), name="account_email"),
    path("accounts/password/change/", allauth.password_change, name="account_change_password"),
    path("accounts/password/reset/", allauth.password_reset, name="account_reset_password"),
    path("accounts/password/reset/done/", allauth.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^accounts/password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        allauth.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "accounts/password/reset/key/done/",
        allauth.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
]

"""The public pages of plans and of the visitor's own membership."""

from collections.abc import Callable

from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.views.decorators.cache import cache_control

from . import views


def _own(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
    """Return the route of a personal page, which is never cached."""
    return path(f"accounts/membership/{route}", cache_control(private=True, no_store=True)(view), name=name)


urlpatterns = [
    path("membership", views.plans, name="plans"),
    _own("", views.membership, "membership"),
    _own("pay/", views.pay, "pay_membership"),
    _own("cancel/", views.cancel_membership, "cancel_membership"),
    path("membership/pay/<secret:token>", views.pay_by_link, name="membership_pay_link"),
]

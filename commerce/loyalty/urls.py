"""The page on which members see their points."""

from django.urls import path
from django.views.decorators.cache import cache_control

from cms_api.flags.urls import while_on

from . import views
from .types import FEATURE

urlpatterns = while_on(
    FEATURE, [path("accounts/points/", cache_control(private=True, no_store=True)(views.points), name="points")]
)

"""The page with the member's points."""

from django.urls import path
from django.views.decorators.cache import cache_control

from . import views

urlpatterns = [path("accounts/points/", cache_control(private=True, no_store=True)(views.points), name="points")]

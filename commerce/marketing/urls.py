"""The sign-up page and the pages linked from emails, with or without a trailing slash."""

from django.urls import path

from . import views

urlpatterns = [
    path("subscribe", views.subscribe, name="subscribe"),
    path("subscribe/confirm/<secret:token>", views.confirm_subscription, name="subscribe_confirm"),
    path("unsubscribe/<secret:token>", views.unsubscribe_page, name="unsubscribe"),
    path("subscriptions/<secret:token>", views.subscriptions, name="subscriptions"),
]

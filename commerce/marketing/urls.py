"""The sign-up page and the pages linked from emails, with or without a trailing slash."""

from django.urls import path

from . import views

urlpatterns = [
    path("subscribe", views.subscribe, name="subscribe"),
    path("subscribe/", views.subscribe),
    path("subscribe/confirm/<str:token>", views.confirm_subscription, name="subscribe_confirm"),
    path("subscribe/confirm/<str:token>/", views.confirm_subscription),
    path("unsubscribe/<str:token>", views.unsubscribe_page, name="unsubscribe"),
    path("unsubscribe/<str:token>/", views.unsubscribe_page),
    path("subscriptions/<str:token>", views.subscriptions, name="subscriptions"),
    path("subscriptions/<str:token>/", views.subscriptions),
]

"""The pages that lead to paying and back, and the address for messages of providers."""

from django.urls import path

from . import views

urlpatterns = [
    path("payments/events/<slug:provider>", views.events, name="payments_events"),
    path("payments/<secret:token>/pay", views.pay, name="payments_pay"),
    path("payments/<secret:token>/confirm", views.confirm, name="payments_confirm"),
    path("payments/<secret:token>/return", views.come_back, name="payments_return"),
]

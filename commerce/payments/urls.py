"""The pages that lead to paying and back, and the address for messages of providers."""

from django.urls import path

from . import views

urlpatterns = [
    path("payments/events/<slug:provider>", views.events, name="payments_events"),
    path("payments/events/<slug:provider>/", views.events),
    path("payments/<str:token>/pay", views.pay, name="payments_pay"),
    path("payments/<str:token>/pay/", views.pay),
    path("payments/<str:token>/confirm", views.confirm, name="payments_confirm"),
    path("payments/<str:token>/confirm/", views.confirm),
    path("payments/<str:token>/return", views.come_back, name="payments_return"),
    path("payments/<str:token>/return/", views.come_back),
]

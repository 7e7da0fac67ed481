"""The public page of each form, with or without a trailing slash."""

from django.urls import path

from . import views

urlpatterns = [
    path("forms/<slug:slug>", views.form_page, name="form_page"),
]

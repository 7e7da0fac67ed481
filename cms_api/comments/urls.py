"""The page with the comment form, with or without a trailing slash."""

from django.urls import path

from . import views

urlpatterns = [
    path("comments/<id:item_id>", views.comment_page, name="comment_page"),
]

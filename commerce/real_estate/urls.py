"""The public pages of property listings."""

from django.urls import path

from .views import unsubscribing

urlpatterns = [
    path("real-estate/searches/unsubscribe/<str:token>/", unsubscribing.unsubscribe, name="saved_search_unsubscribe"),
]

"""The public pages of property listings, and the saved searches of accounts."""

from django.urls import path

from .views import account, inquiries, listings, search, unsubscribing

urlpatterns = [
    path("real-estate", search.search, name="real_estate"),
    path("real-estate/listings/<slug:slug>", listings.listing, name="property_listing"),
    path("real-estate/listings/<slug:slug>/inquire", inquiries.inquire, name="property_inquire"),
    path("real-estate/searches/unsubscribe/<secret:token>/", unsubscribing.unsubscribe, name="saved_search_unsubscribe"),
    path("accounts/searches/", account.searches, name="saved_searches"),
    path("accounts/searches/new/", account.new, name="saved_search_new"),
    path("accounts/searches/<id:search>/", account.edit, name="saved_search_edit"),
    path("accounts/searches/<id:search>/delete/", account.delete, name="saved_search_delete"),
]

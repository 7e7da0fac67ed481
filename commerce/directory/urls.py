"""The pages of the directory, and those of owners in their account."""

from django.urls import path

from .views import account, claims, contact, listings

urlpatterns = [
    path("directory", listings.directory, name="directory"),
    path("directory/category/<slug:slug>", listings.category, name="directory_category"),
    path("directory/submit", account.submit, name="directory_submit"),
    path("directory/<slug:slug>", listings.listing, name="directory_listing"),
    path("directory/<slug:slug>/contact", contact.contact, name="directory_contact"),
    path("directory/<slug:slug>/claim", claims.claim, name="directory_claim"),
    path("accounts/listings/", account.listings, name="directory_account"),
    path("accounts/listings/<id:listing>/", account.listing, name="directory_account_listing"),
    path("accounts/listings/<id:listing>/archive/", account.archive, name="directory_account_archive"),
    path("accounts/listings/<id:listing>/buy/<id:plan>/", account.buy, name="directory_account_buy"),
]

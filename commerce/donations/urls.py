"""The public pages of donations."""

from django.urls import path

from .views.pages import missing

urlpatterns = [
    path("donate", missing, name="donate"),
    path("donate/<slug:campaign>", missing, name="donate_to_campaign"),
    path("donate/<slug:campaign>/<slug:fundraiser>", missing, name="donate_to_fundraiser"),
    path("donations/thanks/<str:token>/", missing, name="donation_thanks"),
    path("donations/manage/<str:token>/", missing, name="donation_manage"),
    path("donations/fundraisers/<str:token>/", missing, name="fundraiser_edit"),
]

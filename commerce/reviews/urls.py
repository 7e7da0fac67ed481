"""The public pages of reviews."""

from django.urls import path

from .views import pages, writing

urlpatterns = [
    path("reviews", pages.show_reviews, name="reviews"),
    path("reviews/new", writing.write, name="review_new"),
    path("reviews/thanks", writing.thanks, name="review_thanks"),
    path("reviews/about/<slug:kind>/<id:pk>", pages.show_reviews_of, name="reviews_of"),
    path("reviews/invitations/<secret:token>", writing.write_invited, name="review_invitation"),
    path("reviews/unsubscribe/<secret:token>", writing.decline, name="review_decline"),
]

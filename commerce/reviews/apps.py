from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    name = "commerce.reviews"
    label = "reviews"
    verbose_name = "Reviews"

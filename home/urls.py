"""URLs of the site besides its pages: the style sheet of the picked colours."""

from django.urls import path

from .views.theme import stylesheet

urlpatterns = [path("look.css", stylesheet, name="theme_css")]

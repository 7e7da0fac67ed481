"""URLs of the site besides its pages: the style sheet of the picked colours, and drawings in them."""

from django.urls import path

from .views.drawings import drawing, icon
from .views.theme import stylesheet

urlpatterns = [
    path("look.css", stylesheet, name="theme_css"),
    path("site/slots/<slug:kind>.svg", drawing, name="slot_drawing"),
    path("site/icon.svg", icon, name="site_icon"),
]

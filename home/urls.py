"""URLs of the site besides its pages: the style sheet of the picked colours, and drawings in them."""

from django.urls import path

from .models.blocks import record_rows
from .views.drawings import drawing, icon
from .views.theme import stylesheet

urlpatterns = [
    path("look.css", stylesheet, name="theme_css"),
    path("site/slots/<slug:kind>.svg", drawing, name="slot_drawing"),
    path("site/icon.svg", icon, name="site_icon"),
]

# Previews of rows are addressed by a counter of blocks, which must be the same in every web process: all blocks are created with
# the URLs, before any request.
record_rows()

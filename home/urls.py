"""What the site serves beside its pages: the colours that editors picked."""

from django.urls import path

from .views.look import stylesheet

urlpatterns = [path("look.css", stylesheet, name="look_css")]

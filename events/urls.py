"""Public pages of content types that have dates, in the place of those of the content module, and of the events themselves."""

urlpatterns: list = []

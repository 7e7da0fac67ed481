"""The public pages of the help desk. The signed links in emails name two of these paths: see `selectors.links`."""

from django.urls import path

from .views import account, ask, ratings, tickets

_TICKET = "support/tickets/<str:token>/"

urlpatterns = [
    path("support", ask.ask, name="support"),
    path("support/", ask.ask),
    path("support/thanks", ask.thanks, name="support_thanks"),
    path(_TICKET, tickets.show, name="support_ticket"),
    path(f"{_TICKET}solved", tickets.solve, name="support_solved"),
    path(f"{_TICKET}files/<id:file>", tickets.download_file, name="support_file"),
    path("support/rate/<str:token>/", ratings.rate, name="support_rate"),
    path("accounts/support/", account.account_tickets, name="support_account"),
]

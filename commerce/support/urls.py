"""The public pages of the help desk. The links in emails lead to two of them: see `selectors.links`."""

from django.urls import path

from .views import account, ask, ratings, tickets

_TICKET = "support/tickets/<secret:token>/"

urlpatterns = [
    path("support", ask.ask, name="support"),
    path("support/thanks", ask.thanks, name="support_thanks"),
    path(_TICKET, tickets.show, name="support_ticket"),
    path(f"{_TICKET}solved", tickets.solve, name="support_solved"),
    path(f"{_TICKET}files/<id:file>", tickets.download_file, name="support_file"),
    path("support/rate/<secret:token>/", ratings.rate, name="support_rate"),
    path("accounts/support/", account.account_tickets, name="support_account"),
]

"""The public pages of donations."""

from django.urls import path

from .types.donations import START_PATH
from .views import account, fundraisers, give, manage, pages, statements, thanks

_THANKS, _MANAGE = "donations/thanks/<secret:token>/", "donations/manage/<secret:token>/"

urlpatterns = [
    path("donate", pages.show_causes, name="donate"),
    path("donate/<slug:campaign>", pages.show_campaign, name="donate_to_campaign"),
    path(f"donate/<slug:campaign>/{START_PATH}", fundraisers.start, name="fundraiser_start"),
    path("donate/<slug:campaign>/<slug:fundraiser>", pages.show_fundraiser, name="donate_to_fundraiser"),
    path("donations/give", give.give, name="give"),
    path("donations/give/<slug:campaign>", give.give, name="give_to_campaign"),
    path("donations/give/<slug:campaign>/<slug:fundraiser>", give.give, name="give_to_fundraiser"),
    path(_THANKS, thanks.show, name="donation_thanks"),
    path(f"{_THANKS}pay", thanks.pay, name="donation_pay"),
    path(f"{_THANKS}receipt.pdf", thanks.receipt, name="donation_receipt"),
    path(f"{_THANKS}statements/<id:year>", statements.email_of_donation, name="donation_statement"),
    path(_MANAGE, manage.show, name="donation_manage"),
    path(f"{_MANAGE}pay", manage.pay, name="recurring_pay"),
    path(f"{_MANAGE}amount", manage.change_amount, name="recurring_amount"),
    path("donations/changes/<secret:change>/", manage.apply_change, name="recurring_change"),
    path(f"{_MANAGE}cancel", manage.cancel, name="recurring_cancel"),
    path(f"{_MANAGE}statements/<id:year>", statements.email_of_recurring, name="recurring_statement"),
    path(f"{_MANAGE}statements/<id:year>.pdf", statements.pdf_of_recurring, name="recurring_statement_pdf"),
    path("donations/fundraisers/<secret:token>/", fundraisers.edit, name="fundraiser_edit"),
    path("accounts/donations/", account.account_donations, name="donations_account"),
    path("accounts/donations/<id:year>.pdf", statements.pdf_of_account, name="donations_account_statement"),
]

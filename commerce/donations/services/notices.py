"""Emails about donations, and their entries in the timelines of contacts."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from cms_api.mail.selectors import will_be_replaced
from cms_api.mail.services import queue, queue_to_business
from cms_api.mail.types import Attachment, Visitor
from commerce.common.selectors import format_money
from commerce.common.services.documents import Document, attach
from commerce.common.types.money import Money
from commerce.crm.services import record_activity, record_customer
from commerce.crm.types import ActivityKind, NewActivity

from ..models import Donation, Fundraiser, RecurringDonation
from ..resources import mails
from ..resources.documents import receipt
from ..selectors.changes import AmountChange, amounts_of, change_url
from ..selectors.donations import DONATION_LINK, MANAGE_LINK, donation_url, recurring_url
from ..types.donations import CHANGE_DAYS, Amounts

SOURCE = "donation"
_ADDRESS = ("street", "street2", "city", "state", "postal_code", "country")


def record_received(donation: Donation) -> None:
    """Create or fill in the donor's contact while the CRM is on, and record the donation in its timeline."""
    known = {name: getattr(donation, name) for name in ("email", "first_name", "last_name", "phone", *_ADDRESS)}
    summary = f"Donated {format_money(donation.total)}"
    purpose = mails.purpose(donation)
    activity = NewActivity(
        ActivityKind.DONATION, f"{summary} for {purpose}" if purpose else summary, link=donation_url(donation.pk)
    )
    record_customer(**known, source=SOURCE, activity=activity)


def record_cancelled(recurring: RecurringDonation) -> None:
    summary = f"{recurring.get_frequency_display()} donation cancelled"
    activity = NewActivity(ActivityKind.DONATION, summary, link=recurring_url(recurring.pk))
    record_activity(email=recurring.email, activity=activity)


def send_receipt(donation: Donation) -> None:
    """Thank the donor, with the receipt as PDF."""
    pdf = attach(str(donation.number), receipt(donation))
    recurring = donation.recurring
    more = {
        "number": str(donation.number),
        "amount": format_money(donation.total),
        "purpose": mails.purpose(donation),
        "tribute": mails.tribute(donation),
        "summary": mails.summary(donation),
        "url": MANAGE_LINK.url(recurring) if recurring else DONATION_LINK.url(donation),
    }
    _send("donation_received" if recurring is None else "donation_renewed", donation, more, attachments=[pdf])


def notify_of_tribute(donation: Donation) -> None:
    """Tell the person whom the donor named of a tribute, once: not at each renewal. The amount is not mentioned.

    A donation shows nothing about this address: it may be a stranger's.
    """
    if not donation.tribute_email or donation.is_renewal:
        return
    donor = "Somebody" if donation.is_anonymous else donation.name
    context = {
        "donor": donor,
        "tribute": mails.tribute(donation),
        "purpose": mails.purpose(donation),
        "message": donation.tribute_message,
    }
    queue(template="donation_tribute", to=[donation.tribute_email], context=context, entered_by=Visitor())


def notify_staff(donation: Donation) -> None:
    """Tell the business of a donation that a person has made; renewals come by themselves."""
    if donation.is_renewal:
        return
    context = {
        "donor": donation.name,
        "amount": format_money(donation.total),
        "frequency": donation.get_frequency_display(),
        "purpose": mails.purpose(donation),
        "message": donation.message,
        "admin_url": settings.BASE_URL + donation_url(donation.pk),
    }
    queue_to_business(template="donation_notice", context=context, reply_to=donation.email)


def send_declined(donation: Donation) -> None:
    """Tell the donor that the card was declined, with the link to pay with another one."""
    _send_about_card("donation_declined", donation)


def send_paused(donation: Donation) -> None:
    """Tell the donor that the card was declined for the last time."""
    _send_about_card("donation_paused", donation)


def _send_about_card(template: str, donation: Donation) -> None:
    recurring: Any = donation.recurring
    card = str(recurring.method) if recurring.method else ""
    more = {"amount": format_money(donation.total), "card": card, "url": MANAGE_LINK.url(recurring)}
    _send(template, donation, more)


def ask_to_confirm(recurring: RecurringDonation, asked: Amounts) -> None:
    """Mail the donor a link that confirms a raise."""
    change = AmountChange(recurring, amounts_of(recurring), asked)
    # It reports no state: it may not replace the mail of a change that counts already.
    _send_change("donation_raise_asked", change, new=asked, former=change.former, about=f"recurring-raise:{recurring.pk}")


def send_changed(recurring: RecurringDonation, former: Amounts) -> None:
    """Tell the donor that the amount has changed, with a link that undoes it."""
    now = amounts_of(recurring)
    change = AmountChange(recurring, now, former)
    _send_change("donation_changed", change, new=now, former=former, about=_about_amount(recurring))


def is_change_unsent(recurring: RecurringDonation) -> bool:
    """Return whether the donor has not been sent the latest change, and the mail of the next one replaces that of it."""
    return will_be_replaced(_about_amount(recurring), recurring.email)


def _about_amount(recurring: RecurringDonation) -> str:
    return f"recurring:{recurring.pk}"


def _send_change(template: str, change: AmountChange, *, new: Amounts, former: Amounts, about: str) -> None:
    recurring = change.recurring
    context = {
        "name": mails.salutation(recurring),
        "donation": mails.rhythm(recurring, new),
        "former": mails.rhythm(recurring, former),
        "days": str(CHANGE_DAYS),
        "url": change_url(change),
    }
    queue(template=template, to=[recurring.email], context=context, about=about)


def send_cancelled(recurring: RecurringDonation) -> None:
    _send("donation_cancelled", recurring, {"donation": mails.rhythm(recurring)})


def send_refunded(donation: Donation, amount: Money) -> None:
    _send("donation_refunded", donation, {"amount": format_money(amount), "number": str(donation.number)})


def send_statement(donor: Donation, year: int, document: Document) -> None:
    """Email the statement of a year to the donor of one of its donations."""
    _send("donation_statement", donor, {"year": str(year)}, attachments=[attach(f"donations-{year}", document)])


def send_published(fundraiser: Fundraiser, *, url: str, edit_url: str) -> None:
    """Tell the organizer that the page of a fundraiser is public."""
    context = {"name": fundraiser.organizer, "fundraiser": fundraiser.name, "url": url, "edit_url": edit_url}
    organizer = Visitor(fundraiser.user)
    queue(template="fundraiser_published", to=[fundraiser.email], context=context, entered_by=organizer)


def request_approval(fundraiser: Fundraiser, *, admin_url: str) -> None:
    """Tell the business that a fundraiser waits for somebody to approve it."""
    context = {
        "organizer": fundraiser.organizer,
        "fundraiser": fundraiser.name,
        "campaign": fundraiser.campaign.name,
        "admin_url": admin_url,
    }
    queue_to_business(template="fundraiser_submitted", context=context, reply_to=fundraiser.email)


def _send(
    template: str, donor: Donation | RecurringDonation, more: Mapping[str, Any], *, attachments: Sequence[Attachment] = ()
) -> None:
    queue(template=template, to=[donor.email], context={"name": mails.salutation(donor), **more}, attachments=attachments)

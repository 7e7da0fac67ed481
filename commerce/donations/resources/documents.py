"""Receipts, and statements of a year, as PDF."""

from collections.abc import Sequence
from datetime import datetime, time
from typing import Any

from cms_api.flags.selectors import get_setting, site_formats, site_timezone
from commerce.common.selectors import format_money
from commerce.common.services.documents import Document, Pdf, make_document, typeset
from commerce.common.types.money import Money

from ..models import Donation
from . import mails


def receipt_pdf(donation: Donation) -> Pdf:
    return typeset(receipt(donation))


def receipt(donation: Donation) -> Document:
    """Return the receipt of a paid donation."""
    assert donation.paid_at is not None
    facts = [
        ("Date", mails.paid_on(donation)),
        ("Purpose", mails.purpose(donation)),
        ("Tribute", mails.tribute(donation)),
        ("Frequency", donation.get_frequency_display()),
    ]
    data = {
        "title": "Donation receipt",
        "number": str(donation.number),
        "headline": f"{format_money(donation.total)} received on {mails.paid_on(donation)}",
        "facts": [[label, text] for label, text in facts if text],
        "client": [donation.name, *donation.address_lines],
        "sums": [
            *({"label": label, "amount": text, "is_total": label == "Total"} for label, text in mails.sums_of(donation)),
            *_build_refunded(donation),
        ],
        "notes": str(get_setting("donations.receipt_text") or ""),
    }
    return make_document("donation_receipt", data, at=donation.paid_at)


def _build_refunded(donation: Donation) -> list[dict[str, Any]]:
    if not donation.refunded_cents:
        return []
    amount = format_money(Money(donation.refunded_cents, donation.currency))
    return [{"label": "Refunded", "amount": amount, "is_total": False}]


def statement_pdf(donations: Sequence[Donation], year: int) -> Pdf:
    return typeset(statement_document(donations, year))


def statement_document(donations: Sequence[Donation], year: int) -> Document:
    """Return the statement of a donor's donations of a year, by date; there is at least one. Refunds are marked."""
    donor = donations[-1]
    currencies = sorted({each.currency for each in donations})
    data = {
        "title": "Donation statement",
        "number": str(year),
        "client": [donor.name, *donor.address_lines],
        "facts": [["Year", str(year)], ["Email", donor.email]],
        "entries": [
            {
                "day": site_formats().short_date(each.paid_at.astimezone(site_timezone()).date()),
                "number": str(each.number),
                "purpose": mails.purpose(each),
                "amount": format_money(each.total),
                "refunded": format_money(Money(each.refunded_cents, each.currency)) if each.refunded_cents else "",
            }
            for each in donations
            if each.paid_at
        ],
        "sums": [_total(donations, currency) for currency in currencies],
        "notes": str(get_setting("donations.receipt_text") or ""),
    }
    last = datetime.combine(datetime(year, 12, 31), time(12), tzinfo=site_timezone())
    return make_document("donation_statement", data, at=last)


def _total(donations: Sequence[Donation], currency: str) -> dict[str, Any]:
    kept = sum(each.total_cents - each.refunded_cents for each in donations if each.currency == currency)
    return {"label": f"Total ({currency.upper()})", "amount": format_money(Money(kept, currency)), "is_total": True}

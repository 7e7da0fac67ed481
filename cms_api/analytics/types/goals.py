"""Goals: what visitors do that a site is there for, counted from the webhook events of modules. No database access."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal by its name in reports. `kind` is the webhook event that fires when it is reached."""

    name: str
    label: str
    kind: str
    #: The kind of payable that its records are; empty if nobody pays for them.
    payable: str = ""
    #: Whether a record counts; renewals, for example, are no visitor's deed.
    counts: Callable[[Any], bool] = lambda record: True

    def value(self, record: Any) -> tuple[int, str]:
        """Return the value of a record in minor units, and its currency; nothing for records without an amount."""
        if not self.payable:
            return 0, ""
        return int(record.total_cents), str(record.currency)


GOALS = (
    Goal("form", "Form submitted", "form.submitted", counts=lambda submission: submission.source != "api"),
    Goal("subscription", "Newsletter subscription", "subscriber.created"),
    Goal("order", "Order paid", "order.paid", payable="order"),
    Goal("booking", "Appointment booked", "booking.created", payable="appointment"),
    Goal("ticket", "Event tickets bought", "ticket_order.paid", payable="ticket_order"),
    Goal("donation", "Donation", "donation.received", payable="donation", counts=lambda donation: not donation.is_renewal),
)
LABELS = {goal.name: goal.label for goal in GOALS}

"""Event tickets in the admin."""

from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions
from commerce.common.admin.cells import logged_amount
from commerce.sales.admin import register_sale_actions

from ..resources.documents import space_out
from ..resources.mails import start_words
from .attendees import AttendeeViewSet
from .orders import OrderViewSet
from .promos import PromoCodeViewSet
from .sales import SalesViewSet
from .waiting import WaitingViewSet


class TicketsGroup(ModelViewSetGroup):
    menu_label = "Tickets"
    menu_icon = "tag"
    items = (SalesViewSet, OrderViewSet, AttendeeViewSet, WaitingViewSet, PromoCodeViewSet)


TICKETS = TicketsGroup()


register_sale_actions("ticketing")
register_log_actions(
    {
        "ticketing.save_sales": ("Save ticket sales", "Saved the ticket sales"),
        "ticketing.delete_sales": ("Delete ticket sales", "Deleted the ticket sales"),
        "ticketing.message": (
            "Message attendees",
            lambda data: f"Emailed “{data['subject']}” to the attendees of {start_words(data['start'])}",
        ),
        "ticketing.place_order": ("Place order", "Placed"),
        "ticketing.change_order": ("Change order", "Changed at the checkout"),
        "ticketing.pay_order": (
            "Pay",
            lambda data: f"Paid {logged_amount(data)}" if data["cents"] else "Tickets issued for free",
        ),
        "ticketing.cancel_order": ("Cancel", "Cancelled"),
        "ticketing.lapse": ("End reservation", "Cancelled: the order was not paid in time"),
        "ticketing.resend_tickets": ("Send tickets", "The tickets were sent again"),
        "ticketing.void": ("Void", lambda data: f"Voided {', '.join(map(space_out, data['codes']))}"),
        "ticketing.renew_code": ("Renew code", lambda data: f"A ticket has a new code: {space_out(data['code'])}"),
        "ticketing.transfer": ("Transfer", lambda data: f"A ticket was transferred; its code is now {space_out(data['code'])}"),
        "ticketing.rename_attendee": ("Correct name", lambda data: f"Corrected the name on {space_out(data['code'])}"),
        "ticketing.undo_check_in": ("Undo check-in", lambda data: f"Undid the check-in of {space_out(data['code'])}"),
    }
)

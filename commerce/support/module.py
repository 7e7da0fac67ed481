"""The support module: help desk tickets and their messages."""

from cms_api.core.module import Event, Module

TICKET = "commerce.support.resources.SupportTicketDetailResource"

MODULE = Module(
    name="support",
    title="Ticket system",
    description="Help desk tickets and their conversations.",
    feature="support",
    group="Commerce",
    events=(
        Event("ticket.created", "A support ticket is opened. Spam is excluded.", document=TICKET),
        Event(
            "ticket.closed",
            "A support ticket is closed. Spam is excluded.",
            document=TICKET,
            sample={
                "status": "closed",
                "assignee": {"id": 3, "name": "Robin Vale"},
                "csat_rating": 5,
                "message_count": 2,
                "first_response_at": "2026-03-02T09:05:00+00:00",
                "resolved_at": "2026-03-02T09:05:00+00:00",
                "closed_at": "2026-03-05T16:00:00+00:00",
                "last_message_at": "2026-03-02T09:05:00+00:00",
                "updated_at": "2026-03-05T16:00:00+00:00",
                "messages": [
                    {
                        "id": 711,
                        "author_name": "Dana Reyes",
                        "author_type": "customer",
                        "body": "One of the two mugs arrived with a broken handle.",
                        "is_internal": False,
                        "created_at": "2026-03-01T18:30:00+00:00",
                    },
                    {
                        "id": 712,
                        "author_name": "Support team",
                        "author_type": "staff",
                        "body": "We're sorry! A replacement is on its way.",
                        "is_internal": False,
                        "created_at": "2026-03-02T09:05:00+00:00",
                    },
                ],
            },
        ),
    ),
)

"""The support module: the help desk, its tickets and what is said in them."""

from cms_api.core.module import Event, Module

TICKET = "commerce.support.resources.SupportTicketDetailResource"

MODULE = Module(
    name="support",
    title="Ticket system",
    description="The help desk: support tickets and their threads.",
    feature="support",
    group="Commerce",
    events=(
        Event("ticket.created", "A support ticket is opened, and it is not spam.", document=TICKET),
        Event(
            "ticket.closed",
            "A support ticket is closed, and it is not spam.",
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
                        "body": "One of the two mugs has lost its handle on the way.",
                        "is_internal": False,
                        "created_at": "2026-03-01T18:30:00+00:00",
                    },
                    {
                        "id": 712,
                        "author_name": "Support team",
                        "author_type": "staff",
                        "body": "We are sorry! Another one is on its way to you.",
                        "is_internal": False,
                        "created_at": "2026-03-02T09:05:00+00:00",
                    },
                ],
            },
        ),
    ),
)

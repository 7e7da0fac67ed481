"""The support module: help desk tickets and their messages."""

from cms_api.core.module import AccountPage, Admin, Api, Event, Job, Module, Pages, Records, Route, SettingKey

from .mails import MAILS

_API = "commerce.support.api."
_ONE = "support/tickets/<id:ticket>"
_WRITES = {"POST": "support:write"}

_DOCUMENT = "commerce.support.resources.tickets.SupportTicketDetailResource"
_RESOURCE = "commerce.support.resources.tickets.ticket_detail"
_SETTINGS = (
    SettingKey(
        "support.csat",
        bool,
        False,
        "Requesters are asked for a rating when their ticket is resolved for the first time.",
        title="Ask for ratings",
    ),
    SettingKey(
        "support.quote_history",
        bool,
        True,
        "Answers by email repeat the last messages.",
        title="Quote earlier messages",
    ),
    SettingKey(
        "support.ignore_thanks",
        bool,
        False,
        "Short thanks within a day do not reopen a resolved ticket.",
        title="Thanks do not reopen tickets",
    ),
    SettingKey(
        "support.nudge_days",
        int,
        3,
        "Requesters who have not answered are reminded after so many days. 0 for never.",
        title="Days until a reminder",
    ),
    SettingKey(
        "support.close_days",
        int,
        7,
        "Resolved tickets, and those of requesters who did not answer the reminder, are closed after so many days. 0 for never.",
        title="Days until a ticket is closed",
    ),
    SettingKey(
        "support.tickets_per_hour",
        int,
        20,
        "Emails of one sender that open tickets in an hour; further ones are marked as spam.",
        title="New tickets per sender and hour",
    ),
    SettingKey(
        "support.mailing_lists",
        str,
        "",
        "Groups that forward emails to the help desk: their addresses or List-Ids. Emails of people through them open tickets.",
        title="Mailing lists",
        is_list=True,
        check="commerce.support.types.lists.list_mistake",
    ),
    SettingKey(
        "support.closed_on_holidays",
        bool,
        False,
        "Response times do not run on public holidays.",
        title="Closed on public holidays",
    ),
    SettingKey(
        "support.holiday_country",
        str,
        "",
        "Two letters, such as DE. Defaults to the site's country.",
        title="Country of the holidays",
    ),
    SettingKey(
        "support.holiday_region",
        str,
        "",
        "For holidays of a state or region, such as BY.",
        title="Region of the holidays",
    ),
)

MODULE = Module(
    name="support",
    title="Ticket system",
    description="Help desk tickets and their conversations.",
    feature="support",
    uses=("accounts",),
    api=Api(
        group="Commerce",
        abilities={"support:read": "Read support tickets", "support:write": "Reply to, assign and close support tickets"},
        nouns={"support/tickets": "support_tickets"},
        routes=(
            Route("support/tickets", f"{_API}Tickets", {"GET": "support:read"}),
            Route(_ONE, f"{_API}OneTicket", {"GET": "support:read"}),
            Route(f"{_ONE}/replies", f"{_API}Replies", _WRITES),
            Route(f"{_ONE}/status", f"{_API}Status", _WRITES),
            Route(f"{_ONE}/assign", f"{_API}Assign", _WRITES),
        ),
        events=(
            Event("ticket.created", "A support ticket is opened. Spam is excluded.", document=_DOCUMENT, resource=_RESOURCE),
            Event(
                "ticket.closed",
                "A support ticket is closed. Spam is excluded.",
                document=_DOCUMENT,
                resource=_RESOURCE,
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
    ),
    pages=Pages(
        urls="commerce.support.urls.urlpatterns",
        account_pages=(AccountPage("Support", "View your support requests", "/accounts/support/"),),
        sitemap="commerce.support.feeds.sections",
        footer_links="commerce.support.feeds.footer_links",
    ),
    admin=Admin(
        viewsets=("commerce.support.admin.HELP_DESK",),
        menu_group="service",
        menu_order=10,
        cards={"commerce.support.admin.cards.tickets": "support.change_ticket"},
        roles=("manager",),
    ),
    records=Records(numbers={"SUP": 1001}, demo="commerce.support.demo.load"),
    settings=_SETTINGS,
    mails=MAILS,
    jobs=(
        Job("nudge_requesters", "commerce.support.services.housekeeping.nudge_requesters", every=900, reaches_people=True),
        Job("close_tickets", "commerce.support.services.housekeeping.close_tickets", every=900),
        Job("read_support_mailbox", "commerce.support.services.mailbox.read_mailbox", every=60),
        Job(
            "drop_support_mail",
            "commerce.support.services.housekeeping.drop_old_mail",
            every=24 * 3600,
            always=True,
            deletes_strays=True,
        ),
    ),
)

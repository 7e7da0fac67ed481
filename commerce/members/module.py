"""The members module: memberships and their plans."""

from cms_api.core.module import AccountPage, Always, Event, Job, Mail, Module, SettingKey, Signal

MEMBER = "commerce.members.resources.MemberResource"
RECORD = "commerce.members.resources.member"

_MAIL = {"name": "The member's name", "membership": "The address of the member's membership page"}
_SAMPLE = {"name": "Dana Reyes", "membership": "https://example.org/accounts/membership/"}

MODULE = Module(
    name="members",
    title="Members",
    description="Members of the site and their plans.",
    feature="members",
    group="Contacts",
    uses=("accounts", "payments"),
    payables={"plan": "commerce.members.services.payments.PLANS"},
    pages="commerce.members.urls.urlpatterns",
    footer_links="commerce.members.feeds.footer_links",
    account_pages=(AccountPage("Membership", "Manage membership", "/accounts/membership/"),),
    events=(
        Event("member.created", "Someone becomes a member, or rejoins after cancelling.", document=MEMBER, resource=RECORD),
        Event(
            "member.cancelled",
            "A membership is cancelled or deleted.",
            document=MEMBER,
            resource=RECORD,
            sample={
                "status": "cancelled",
                "cancelled_at": "2026-09-14T07:45:00+00:00",
                "updated_at": "2026-09-14T07:45:00+00:00",
            },
        ),
    ),
    settings=(
        SettingKey(
            "members.how_to_pay",
            str,
            "We'll contact you about the payment.",
            "Shown to members whose plan waits for its payment while they can't pay online, for example your bank account.",
            title="How to pay for a plan",
        ),
    ),
    cards=("commerce.members.admin.cards.awaiting_payment",),
    mails=(
        Mail(
            "member_welcome",
            "Welcomes a new member.",
            subject="Welcome to {{ site }}",
            placeholders=_MAIL,
            sample=_SAMPLE,
        ),
        Mail(
            "member_cancelled",
            "Confirms that a membership was cancelled.",
            subject="Your {{ site }} membership is cancelled",
            placeholders=_MAIL,
            sample=_SAMPLE,
        ),
        Mail(
            "member_plan_paid",
            "Confirms a payment for a plan.",
            subject="Your payment to {{ site }}",
            placeholders={
                **_MAIL,
                "plan": "The name of the plan",
                "amount": "The amount paid",
                "until": "A sentence that says until when it is paid; empty for a plan that is paid once",
            },
            sample={**_SAMPLE, "plan": "Friend", "amount": "$12.50", "until": "It is paid until April 1, 2026."},
        ),
        Mail(
            "member_plan_ending",
            "Reminds a member to renew a plan: a week before it ends, and on its last day.",
            subject="Your plan at {{ site }} ends on {{ until }}",
            placeholders={
                **_MAIL,
                "plan": "The name of the plan",
                "until": "The last day that is paid for",
                "price": "The price of the plan",
                "pay": "The address at which it can be paid without signing in",
            },
            sample={
                **_SAMPLE,
                "plan": "Friend",
                "until": "April 1, 2026",
                "price": "$12.50 a month",
                "pay": "https://example.org/membership/pay/12:x",
            },
            required=("pay",),
        ),
        Mail(
            "member_plan_ended",
            "Tells a member that a plan has ended because it was not renewed.",
            subject="Your plan at {{ site }} has ended",
            placeholders={**_MAIL, "plan": "The name of the plan"},
            sample={**_SAMPLE, "plan": "Friend"},
        ),
    ),
    jobs=(Job("check_renewals", "commerce.members.services.renewals.check_renewals", every=3600, reaches_people=True),),
    signals=(
        Signal("members.joined", "Somebody becomes a member for the first time; rejoining does not count.", "member: Member"),
    ),
    listens={"accounts.account_saved": Always("commerce.members.services.memberships.follow_account")},
    sitemap="commerce.members.feeds.sections",
    viewsets=("commerce.members.admin.MEMBERS",),
    menu_group="contacts",
    menu_order=20,
    roles=("manager",),
    demo="commerce.members.demo.load",
)

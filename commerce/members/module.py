"""The members module: memberships and their plans."""

from cms_api.core.module import AccountPage, Admin, Always, Api, Event, Job, Module, Pages, Records, SettingKey, Signal

from .mails import MAILS

MEMBER = "commerce.members.resources.MemberResource"

RECORD = "commerce.members.resources.member"

MODULE = Module(
    name="members",
    title="Members",
    description="Members of the site and their plans.",
    feature="members",
    uses=("accounts", "payments"),
    api=Api(
        group="Contacts",
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
    ),
    pages=Pages(
        urls="commerce.members.urls.urlpatterns",
        account_pages=(AccountPage("Membership", "Manage membership", "/accounts/membership/"),),
        sitemap="commerce.members.feeds.sections",
        footer_links="commerce.members.feeds.footer_links",
    ),
    admin=Admin(
        viewsets=("commerce.members.admin.MEMBERS",),
        menu_group="contacts",
        menu_order=20,
        cards={"commerce.members.admin.cards.awaiting_payment": "members.change_member"},
        roles=("manager",),
    ),
    records=Records(
        payables={"plan": "commerce.members.services.payments.PLANS"},
        demo="commerce.members.demo.load",
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
    mails=MAILS,
    signals=(
        Signal("members.joined", "Somebody becomes a member for the first time; rejoining does not count.", "member: Member"),
    ),
    listens={"accounts.account_saved": Always("commerce.members.services.memberships.follow_account")},
    jobs=(Job("check_renewals", "commerce.members.services.renewals.check_renewals", every=3600, reaches_people=True),),
)

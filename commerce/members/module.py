"""The members module: who has joined, and on which plan."""

from cms_api.core.module import AccountPage, Always, Event, Mail, Module, Signal

MEMBER = "commerce.members.resources.MemberResource"
RECORD = "commerce.members.resources.member"

_MAIL = {"name": "The member's name", "membership": "Where they see and change their membership"}
_SAMPLE = {"name": "Dana Reyes", "membership": "https://example.org/accounts/membership/"}

MODULE = Module(
    name="members",
    title="Members",
    description="People with an account on the site, and their plans.",
    feature="members",
    group="Contacts",
    needs_accounts=True,
    pages="commerce.members.urls.urlpatterns",
    account_pages=(AccountPage("Membership", "See or change your membership", "/accounts/membership/"),),
    events=(
        Event("member.created", "A member signs up, or comes back after cancelling.", document=MEMBER, resource=RECORD),
        Event(
            "member.cancelled",
            "A member cancels, or the membership of one is deleted.",
            document=MEMBER,
            resource=RECORD,
            sample={
                "status": "cancelled",
                "cancelled_at": "2026-09-14T07:45:00+00:00",
                "updated_at": "2026-09-14T07:45:00+00:00",
            },
        ),
    ),
    mails=(
        Mail(
            "member_welcome",
            "Welcomes somebody who has become a member.",
            subject="{{ site }}: you are a member",
            placeholders=_MAIL,
            sample=_SAMPLE,
        ),
        Mail(
            "member_cancelled",
            "Tells a member that the membership is cancelled.",
            subject="{{ site }}: your membership is cancelled",
            placeholders=_MAIL,
            sample=_SAMPLE,
        ),
    ),
    signals=(
        Signal("members.joined", "Somebody becomes a member for the first time; rejoining does not count.", "member: Member"),
    ),
    listens={"accounts.account_saved": Always("commerce.members.services.memberships.follow_account")},
    sitemap="commerce.members.feeds.sections",
    viewsets=("commerce.members.admin.MEMBERS",),
    roles=("manager",),
    demo="commerce.members.demo.load",
)

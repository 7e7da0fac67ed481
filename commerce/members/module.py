"""The members module: who has joined, and on which plan."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="members",
    title="Members",
    description="People with an account on the site, and their plans.",
    feature="members",
    group="Contacts",
    events=(
        Event("member.created", "A member signs up.", document="commerce.members.resources.MemberResource"),
        Event(
            "member.cancelled",
            "A member cancels.",
            document="commerce.members.resources.MemberResource",
            sample={
                "status": "cancelled",
                "cancelled_at": "2026-09-14T07:45:00+00:00",
                "updated_at": "2026-09-14T07:45:00+00:00",
            },
        ),
    ),
)

"""The emails of the members module: subjects, placeholders and samples."""

from cms_api.core.module import Mail

_MAIL = {"name": "The member's name", "membership": "The address of the member's membership page"}

_SAMPLE = {"name": "Dana Reyes", "membership": "https://example.org/accounts/membership/"}

MAILS = (
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
)

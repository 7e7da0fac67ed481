"""The emails of the members module: subjects, placeholders and samples."""

from cms_api.core.module import Mail, Placeholder

_PLAN = Placeholder("The name of the plan", "Friend")

_MAIL = {
    "name": Placeholder("The member's name", "Dana Reyes"),
    "membership": Placeholder("The address of the member's membership page", "https://example.org/accounts/membership/"),
}

MAILS = (
    Mail("member_welcome", "Welcomes a new member.", subject="Welcome to {{ site }}", placeholders=_MAIL),
    Mail(
        "member_cancelled",
        "Confirms that a membership was cancelled.",
        subject="Your {{ site }} membership is cancelled",
        placeholders=_MAIL,
    ),
    Mail(
        "member_plan_paid",
        "Confirms a payment for a plan.",
        subject="Your payment to {{ site }}",
        placeholders={
            **_MAIL,
            "plan": _PLAN,
            "amount": Placeholder("The amount paid", "$12.50"),
            "until": Placeholder(
                "A sentence that says until when it is paid; empty for a plan that is paid once",
                "It is paid until April 1, 2026.",
            ),
        },
    ),
    Mail(
        "member_plan_ending",
        "Reminds a member to renew a plan: a week before it ends, and on its last day.",
        subject="Your plan at {{ site }} ends on {{ until }}",
        placeholders={
            **_MAIL,
            "plan": _PLAN,
            "until": Placeholder("The last day that is paid for", "April 1, 2026"),
            "price": Placeholder("The price of the plan", "$12.50 a month"),
            "pay": Placeholder(
                "The address at which it can be paid without signing in", "https://example.org/membership/pay/12:x"
            ),
        },
        required=("pay",),
    ),
    Mail(
        "member_plan_ended",
        "Tells a member that a plan has ended because it was not renewed.",
        subject="Your plan at {{ site }} has ended",
        placeholders={**_MAIL, "plan": _PLAN},
    ),
)

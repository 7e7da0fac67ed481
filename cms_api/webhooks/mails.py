"""The emails of the webhooks module: subjects, placeholders and samples."""

from cms_api.core.module import Mail, Placeholder

MAILS = (
    Mail(
        "webhook_disabled",
        "Notifies admins that a webhook was disabled because its receiver failed.",
        subject="A webhook of {{ site }} was disabled",
        placeholders={
            "url": Placeholder("The webhook's host, such as https://example.com", "https://example.com"),
            "reason": Placeholder("The reason it was disabled", "The receiver answered 410 Gone."),
            "webhooks_url": Placeholder("The address of the webhooks page in the admin", "https://example.org/admin/webhooks/"),
        },
        to_staff=True,
    ),
)

"""The emails of the webhooks module: subjects, placeholders and samples."""

from cms_api.core.module import Mail

MAILS = (
    Mail(
        "webhook_disabled",
        "Notifies admins that a webhook was disabled because its receiver failed.",
        subject="A webhook of {{ site }} was disabled",
        placeholders={
            "url": "The webhook's host, such as https://example.com",
            "reason": "The reason it was disabled",
            "webhooks_url": "The address of the webhooks page in the admin",
        },
        sample={
            "url": "https://example.com",
            "reason": "The receiver answered 410 Gone.",
            "webhooks_url": "https://example.org/admin/webhooks/",
        },
        to_staff=True,
    ),
)

"""Removes one-time links and codes from the log of mails, and stores them apart in mails that are still to be sent."""

import re

from django.db import migrations, models

HIDDEN = "(not shown)"
LINK = re.compile(r"https?://[^\s\"'<>]*/(?:accounts/(?:confirm-email|password/reset/key)|subscribe/confirm|donations/changes)/[^\s\"'<>]+")
CODE = re.compile(r"\b[0-9]{6}\b")
PATTERNS = {
    "account_welcome": LINK,
    "account_confirm": LINK,
    "account_reset": LINK,
    "account_invitation": LINK,
    "subscription_confirm": LINK,
    "subscription_exists": LINK,
    "donation_raise_asked": LINK,
    "donation_changed": LINK,
    "listing_claim_code": CODE,
}
NAMES = ("subject", "text", "html")
BATCH = 200


def hide(apps, schema_editor):
    mails = apps.get_model("mail", "OutgoingMail").objects.using(schema_editor.connection.alias)
    last = 0
    while rows := list(mails.filter(template__in=PATTERNS, pk__gt=last).order_by("pk")[:BATCH]):
        last = rows[-1].pk
        changed = []
        for row in rows:
            words = {name: getattr(row, name) for name in NAMES}
            shown = {name: PATTERNS[row.template].sub(HIDDEN, text) for name, text in words.items()}
            if shown != words:
                row.has_secrets, row.secret_content = True, words if row.state == "waiting" else None
                for name, text in shown.items():
                    setattr(row, name, text)
                changed.append(row)
        mails.bulk_update(changed, [*NAMES, "has_secrets", "secret_content"])


class Migration(migrations.Migration):
    dependencies = [("mail", "0004_limit_mail_to_strangers")]

    operations = [
        migrations.AddField("outgoingmail", "has_secrets", models.BooleanField(db_default=False, default=False, editable=False)),
        migrations.AddField("outgoingmail", "secret_content", models.JSONField(editable=False, null=True)),
        migrations.RunPython(hide, migrations.RunPython.noop),
    ]

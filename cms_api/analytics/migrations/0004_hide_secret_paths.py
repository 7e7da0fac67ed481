"""Hides the secrets of links in what was counted before secret pages were known: their paths become those of their routes."""

import re
from collections import defaultdict

from django.db import migrations
from django.db.models import Q

from cms_api.http.secret_urls import SecretRoutes, hide_tokens

ROUTES = (
    "/accounts/confirm-email/<secret:key>/",
    "/accounts/password/reset/key/<account:uidb36>-<secret:key>/",
    "/booking/manage/<secret:token>/",
    "/booking/manage/<secret:token>/cancel",
    "/booking/manage/<secret:token>/pay",
    "/booking/manage/<secret:token>/reschedule",
    "/donations/fundraisers/<secret:token>/",
    "/donations/manage/<secret:token>/",
    "/donations/manage/<secret:token>/amount",
    "/donations/manage/<secret:token>/cancel",
    "/donations/manage/<secret:token>/pay",
    "/donations/thanks/<secret:token>/",
    "/donations/thanks/<secret:token>/pay",
    "/events/rsvp/<secret:token>/cancel",
    "/events/tickets/checkout/<secret:token>",
    "/events/tickets/checkout/<secret:token>/change",
    "/events/tickets/offers/<secret:token>",
    "/events/tickets/orders/<secret:token>",
    "/events/tickets/orders/<secret:token>/pay",
    "/events/tickets/t/<secret:token>",
    "/events/tickets/t/<secret:token>/transfer",
    "/events/tickets/waiting/<secret:token>/leave",
    "/invoices/<secret:token>/",
    "/invoices/<secret:token>/decision/",
    "/invoices/<secret:token>/pay/",
    "/membership/pay/<secret:token>",
    "/menu/orders/<secret:token>/",
    "/menu/orders/<secret:token>/pay",
    "/payments/<secret:token>/confirm",
    "/payments/<secret:token>/pay",
    "/payments/<secret:token>/return",
    "/real-estate/searches/unsubscribe/<secret:token>/",
    "/reviews/invitations/<secret:token>",
    "/reviews/unsubscribe/<secret:token>",
    "/shop/orders/<secret:token>",
    "/shop/orders/<secret:token>/pay",
    "/subscribe/confirm/<secret:token>",
    "/subscriptions/<secret:token>",
    "/support/rate/<secret:token>/",
    "/support/tickets/<secret:token>/",
    "/tracking/<secret:token>/",
    "/unsubscribe/<secret:token>",
)
SECRETS = SecretRoutes(ROUTES)
#: Any secret has one of these. A page of another module at such an address, while this one was off, has a readable slug.
IS_TOKEN = re.compile(r":[\w-]{20,}|[0-9a-z]{20,}", re.IGNORECASE)
BATCH = 500
SUMS = ("pageviews", "visitors", "sessions", "bounces", "seconds", "engaged", "conversions", "value_cents", "bounced_visitors")


def hide(text):
    return SECRETS.hide(text) if text.startswith("/") and IS_TOKEN.search(text) else hide_tokens(text)


def may_be_secret(*names):
    """Rows that `hide` may change: a signature has a colon, and all other secrets are those of accounts."""
    found = Q()
    for name in names:
        found |= Q(**{f"{name}__contains": ":"}) | Q(**{f"{name}__startswith": "/accounts/"})
    return found


def hide_in_events(apps, schema_editor):
    events = apps.get_model("analytics", "Event").objects.using(schema_editor.connection.alias)
    last = None
    while True:
        rows = events.filter(may_be_secret("path", "words")).only("uid", "path", "words").order_by("uid")
        rows = list((rows.filter(uid__gt=last) if last is not None else rows)[:BATCH])
        if not rows:
            return
        last = rows[-1].uid
        changed = []
        for row in rows:
            hidden = hide(row.path), hide_tokens(row.words)
            if hidden != (row.path, row.words):
                row.path, row.words = hidden
                changed.append(row)
        events.bulk_update(changed, ["path", "words"])


def hide_in_sums(apps, schema_editor):
    """Add the sums of hidden paths to those of their route: what a visit adds is later taken away under the same name."""
    model = apps.get_model("analytics", "RollUp")
    rows = model.objects.using(schema_editor.connection.alias)
    sums, gone = defaultdict(lambda: dict.fromkeys(SUMS, 0)), []
    for row in rows.filter(may_be_secret("path", "value")).iterator(chunk_size=BATCH):
        key = row.day, row.dimension, hide(row.path), hide(row.value)
        if key != (row.day, row.dimension, row.path, row.value):
            gone.append(row.pk)
            for name in SUMS:
                sums[key][name] += getattr(row, name)
    for start in range(0, len(gone), BATCH):
        rows.filter(pk__in=gone[start : start + BATCH]).delete()
    for (day, dimension, path, value), added in sums.items():
        row = rows.filter(day=day, dimension=dimension, path=path, value=value).first()
        row = row or model(day=day, dimension=dimension, path=path, value=value)
        for name in SUMS:
            setattr(row, name, getattr(row, name) + added[name])
        row.save(using=schema_editor.connection.alias)


def drop_titles(apps, schema_editor):
    titles = apps.get_model("analytics", "PageTitle").objects.using(schema_editor.connection.alias)
    rows = titles.filter(may_be_secret("path")).values_list("pk", "path")
    gone = [pk for pk, path in rows if hide(path) != path]
    for start in range(0, len(gone), BATCH):
        titles.filter(pk__in=gone[start : start + BATCH]).delete()


class Migration(migrations.Migration):
    dependencies = [("analytics", "0003_bounced_visitors")]

    operations = [
        migrations.RunPython(hide_in_events, migrations.RunPython.noop),
        migrations.RunPython(hide_in_sums, migrations.RunPython.noop),
        migrations.RunPython(drop_titles, migrations.RunPython.noop),
    ]

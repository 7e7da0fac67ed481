"""Reads of mail declarations, mail texts and the log."""

from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.template.loader import get_template
from wagtail.permissions import policy_registry

from cms_api.core import registry
from cms_api.core.module import EVERY_MAIL, Mail, Module
from cms_api.flags.selectors import get_setting, is_on

from .models import MailTemplate, OutgoingMail
from .types import MAX_PERSON, MailState, Words, find_misplaced

QUEUE = "send_mail"
#: The condition of mails that staff can send again, or at once.
RESENDABLE = Q(state=MailState.FAILED) | Q(state=MailState.WAITING, is_limited=True)

#: The condition of mails that cannot be sent again: their one-time links and codes are gone.
WITHOUT_SECRETS = Q(has_secrets=True, secret_content__isnull=True) & ~Q(state=MailState.WAITING)


def is_resendable(mail: OutgoingMail) -> bool:
    return mail.state == MailState.FAILED or (mail.state == MailState.WAITING and mail.is_limited)


def mails_to(address: str) -> QuerySet[OutgoingMail]:
    """Return the emails to an address that are still in the log, newest first, without their text."""
    return OutgoingMail.objects.filter(recipient=address).defer("text", "html", "secret_content", "headers").order_by("-id")


def replaceable_mails(about: str, addresses: Collection[str]) -> QuerySet[OutgoingMail]:
    """Return the mails about a record that the next one replaces: they wait for a budget, and no worker sends them (`lost`)."""
    waiting = OutgoingMail.objects.filter(about=about, recipient__in=addresses, state=MailState.WAITING)
    return waiting.exclude(about="").filter(is_limited=True, lost=0)


def will_be_replaced(about: str, address: str) -> bool:
    """Return whether the next mail about a record to an address replaces one that has not been sent."""
    return replaceable_mails(about, [address.strip().lower()]).exists()


def is_own_message(message_id: str) -> bool:
    """Return whether a Message-ID, with its brackets, is that of an email which this site has sent, or will."""
    return OutgoingMail.objects.filter(message_id=message_id).exists()


def may_read_log(user: Any) -> bool:
    return bool(policy_registry.get_by_type(OutgoingMail).user_has_permission(user, "view"))


def common_values() -> dict[str, str]:
    """Return the site's name in a form that is safe in any header, whatever was entered, and its URL."""
    name = "".join(each for each in " ".join(get_setting("site.name").split()) if each.isprintable())
    return {"site": name[:MAX_PERSON], "site_url": settings.BASE_URL}


def mails_on() -> dict[str, tuple[Module, Mail]]:
    """Return the mails of modules whose features are on, by name, each with the module that sends it."""
    return {name: (module, mail) for name, (module, mail) in registry.mails().items() if is_on(module.feature)}


def title(name: str) -> str:
    """Return a mail's readable name, even if no module sends it any more."""
    return name.replace("_", " ").capitalize()


def placeholders(name: str) -> dict[str, str]:
    """Return the placeholders of a mail and their descriptions."""
    return {**{each: declared.description for each, declared in registry.mail(name).placeholders.items()}, **EVERY_MAIL}


def sample(name: str) -> dict[str, Any]:
    return {**{each: declared.sample for each, declared in registry.mail(name).placeholders.items()}, **common_values()}


def default_words(name: str) -> Words:
    """Return the default text of a mail."""
    return Words(registry.mail(name).subject, _source(f"mail/{name}.txt"), _source(f"mail/{name}.html"))


def _source(path: str) -> str:
    """Return the source of a template without rendering it."""
    template: Any = get_template(path)
    return str(template.template.source).strip()


def is_unsafe(changed: MailTemplate) -> bool:
    """Return whether an editor's version is never sent: it would give a one-time link or code away."""
    return bool(find_misplaced(changed.words, registry.mail(changed.name).secrets))


def words(name: str) -> Words:
    """Return the text of a mail: an editor's version, unless it is unsafe, else the default."""
    changed = MailTemplate.objects.filter(name=name).first()
    return default_words(name) if changed is None or is_unsafe(changed) else changed.words

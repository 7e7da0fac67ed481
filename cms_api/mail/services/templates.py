"""Writes of mail texts: validation, editors' changes, and the reset to the defaults."""

from typing import Any

from django.db import transaction
from wagtail.log_actions import log

from cms_api.core import registry
from cms_api.core.errors import ErrorCollector, required_message
from cms_api.core.module import Block
from cms_api.text.html import clean_html
from cms_api.text.placeholders import mistakes, names_in

from .. import selectors
from ..models import MailTemplate
from ..types import MAX_SUBJECT, Words, find_misplaced, one_line, plain


def check_words(*, name: str, words: Words) -> Words:
    """Return the text as it is stored, with clean HTML. Raises Invalid, with a sentence for each mistake."""
    collector = ErrorCollector()
    found = {"text": plain(words.text).strip(), "subject": "", "html": ""}
    with collector.under():
        found["subject"] = one_line(words.subject, "subject")
    with collector.under("html"):
        found["html"] = clean_html(plain(words.html)).strip()
    misplaced = find_misplaced(Words(**found), registry.mail(name).secrets)
    for path, known in {
        "subject": in_subject(name),
        "text": selectors.placeholders(name),
        "html": selectors.placeholders(name),
    }.items():
        if not found[path] and path not in collector.errors:
            collector.add(path, required_message(path))
        for sentence in [*mistakes(found[path], known), *misplaced.get(path, ())]:
            collector.add(path, sentence)
        missing = set(registry.mail(name).required) - names_in(found[path]) if path != "subject" else ()
        for each in sorted(missing):
            collector.add(path, f"The text must contain {{{{ {each} }}}}.")
    if len(found["subject"]) > MAX_SUBJECT:
        collector.add("subject", f"The subject must not be longer than {MAX_SUBJECT} characters.")
    collector.raise_if_any()
    return Words(**found)


def in_subject(name: str) -> dict[str, str]:
    """Return the placeholders allowed in the subject: one with several lines would make a mail that cannot be sent."""
    samples = {each: declared.sample for each, declared in registry.mail(name).placeholders.items()}
    long = {each for each, value in samples.items() if isinstance(value, Block) or "\n" in value}
    return {each: about for each, about in selectors.placeholders(name).items() if each not in long}


@transaction.atomic
def change_words(*, name: str, words: Words, user: Any = None) -> MailTemplate:
    """Change the text of a mail from now on; queued mails keep theirs. Raises Invalid."""
    checked = check_words(name=name, words=words)
    values = {"subject": checked.subject, "text": checked.text, "html": checked.html, "changed_by": user}
    changed, _ = MailTemplate.objects.update_or_create(name=name, defaults=values)
    log(instance=changed, action="mail.change_words", user=user)
    return changed


@transaction.atomic
def reset_words(*, name: str, user: Any = None) -> None:
    """Reset the text of a mail to the default."""
    changed = MailTemplate.objects.filter(name=name).first()
    if changed is not None:
        log(instance=changed, action="mail.reset_words", user=user)
        changed.delete()

"""Reads of mails and of the words they are made of."""

from typing import Any

from django.conf import settings
from django.template.loader import get_template

from cms_api.core import registry
from cms_api.core.module import EVERY_MAIL, Mail, Module
from cms_api.flags.selectors import get_setting, is_on

from .models import MailTemplate
from .types import MAX_PERSON, Words


def common_values() -> dict[str, str]:
    """The site's name as it can stand in any header, whatever a person has put into it."""
    name = "".join(each for each in " ".join(get_setting("site.name").split()) if each.isprintable())
    return {"site": name[:MAX_PERSON], "site_url": settings.BASE_URL}


def mails_on() -> dict[str, tuple[Module, Mail]]:
    """The mails of modules whose features are on, by name, and the module that sends each."""
    return {name: (module, mail) for name, (module, mail) in registry.mails().items() if is_on(module.feature)}


def title(name: str) -> str:
    """A mail's name as people read it, also of one that no module sends any more."""
    return name.replace("_", " ").capitalize()


def placeholders(name: str) -> dict[str, str]:
    """What may stand in a mail, and what each says."""
    return {**registry.mail(name).placeholders, **EVERY_MAIL}


def sample(name: str) -> dict[str, Any]:
    return {**registry.mail(name).sample, **common_values()}


def default_words(name: str) -> Words:
    """The words that the product comes with."""
    return Words(registry.mail(name).subject, _source(f"mail/{name}.txt"), _source(f"mail/{name}.html"))


def _source(path: str) -> str:
    """The text of a file among the templates; it is not run as one."""
    template: Any = get_template(path)
    return str(template.template.source).strip()


def words(name: str) -> Words:
    """The words of a mail: an editor's, else the product's."""
    changed = MailTemplate.objects.filter(name=name).first()
    return Words(changed.subject, changed.text, changed.html) if changed else default_words(name)

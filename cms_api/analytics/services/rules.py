"""The settings by which messages are counted, read together: a message asks for them several times."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cms_api.core import registry, versions
from cms_api.flags.selectors import VERSION, get_setting, get_words, is_on
from cms_api.http.secret_urls import SecretRoutes, routes_of

from ..types.exclusions import Networks, hosts_of, networks_of, paths_of
from ..types.spam import SPAM_HOSTS


@dataclass(frozen=True, slots=True)
class Rules:
    excluded_networks: Networks
    #: Matches the paths that are excluded.
    excluded_paths: re.Pattern[str]
    spam_hosts: frozenset[str]
    kept_parameters: frozenset[str]
    #: The routes of the modules that are on, whose addresses are not stored. At all other addresses, tokens and keys are hidden.
    secrets: SecretRoutes
    #: The header with the country, in lower case; empty if there is none.
    country_header: str


def rules() -> Rules:
    """Return the rules, from the memory of this process until a setting changes."""
    return versions.load_once(VERSION, _load, slot="analytics.rules")


def _load() -> Rules:
    header = str(get_setting("analytics.country_header")).strip()
    return Rules(
        excluded_networks=networks_of(get_words("analytics.excluded_addresses")),
        excluded_paths=paths_of(get_words("analytics.excluded_paths")),
        spam_hosts=SPAM_HOSTS | hosts_of(get_words("analytics.spam_referrers")),
        kept_parameters=frozenset(get_words("analytics.kept_parameters")),
        secrets=SecretRoutes(routes_of(_pages_of_modules())),
        country_header=header.lower().replace("_", "-"),
    )


def _pages_of_modules() -> Iterator[Any]:
    for module in registry.modules():
        if is_on(module.feature):
            for dotted in filter(None, (module.pages.urls, module.pages.ungated_urls)):
                yield from registry.load(dotted)

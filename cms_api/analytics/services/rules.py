"""The settings by which messages are counted, read together: a message asks for them several times."""

import re
from dataclasses import dataclass

from cms_api.core import versions
from cms_api.flags.selectors import VERSION, get_setting, get_words

from ..types.exclusions import Networks, hosts_of, networks_of, paths_of
from ..types.spam import SPAM_HOSTS


@dataclass(frozen=True, slots=True)
class Rules:
    excluded_networks: Networks
    #: Matches the paths that are excluded.
    excluded_paths: re.Pattern[str]
    spam_hosts: frozenset[str]
    kept_parameters: frozenset[str]
    #: The header with the country, in lower case; empty if there is none.
    country_header: str


def rules() -> Rules:
    """Return the rules, from the memory of this process until a setting changes."""
    return versions.cached(VERSION, _load, slot="analytics.rules")


def _load() -> Rules:
    header = str(get_setting("analytics.country_header")).strip()
    return Rules(
        excluded_networks=networks_of(get_words("analytics.excluded_addresses")),
        excluded_paths=paths_of(get_words("analytics.excluded_paths")),
        spam_hosts=SPAM_HOSTS | hosts_of(get_words("analytics.spam_referrers")),
        kept_parameters=frozenset(get_words("analytics.kept_parameters")),
        country_header=header.lower().replace("_", "-"),
    )

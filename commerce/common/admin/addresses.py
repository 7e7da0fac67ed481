"""The countries that forms of addresses offer."""

from cms_api.text.addresses import countries, country_code


def country_choices(stored: str = "") -> list[tuple[str, str]]:
    """Return no country and all countries, by their codes; a stored one that is unknown stays a choice."""
    code = country_code(stored) or stored
    offered = countries()
    kept = {} if not code or code in offered else {code: code}
    return [("", "No country"), *kept.items(), *offered.items()]

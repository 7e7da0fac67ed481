"""Postal addresses in forms."""

from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel

from cms_api.text.addresses import countries, country_code


def address_panel(*, help_text: str = "") -> MultiFieldPanel:
    """Return the panel of the columns of `models.Address`."""
    fields = [
        FieldPanel("street"),
        FieldPanel("street2"),
        FieldRowPanel([FieldPanel("postal_code"), FieldPanel("city")]),
        FieldRowPanel([FieldPanel("state"), FieldPanel("country")]),
    ]
    return MultiFieldPanel(fields, heading="Address", icon="home", help_text=help_text)


def country_choices(stored: str = "") -> list[tuple[str, str]]:
    """Return no country and all countries, by their codes; a stored one that is unknown stays a choice."""
    code = country_code(stored) or stored
    offered = countries()
    kept = {} if not code or code in offered else {code: code}
    return [("", "No country"), *kept.items(), *offered.items()]

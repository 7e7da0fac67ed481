"""The button that ends the links to a record, which every list of records with links has."""

from typing import Any

from cms_api.http.renewing import ACTION, renew_link

from .history import register_log_actions
from .transitions import Transition, calling

register_log_actions({ACTION: ("Renew link", "Renewed the link: former ones no longer work")})


def confirmation(record: Any) -> str:
    return f"All links to {record} that were sent so far stop working, also those in emails. Nobody gets an email about it."


def renewal(*, permission: str, in_rows: bool) -> Transition:
    """Return the button; `in_rows` where records have no page of their own."""
    return Transition(
        "renew_link",
        "Renew link",
        calling(renew_link, "record"),
        "{record} has a new link. Send it again to people who need it.",
        permission=permission,
        serious=True,
        confirm=confirmation,
        in_rows=in_rows,
    )

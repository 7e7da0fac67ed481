"""The emails of the analytics module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail, Placeholder


def _table(*rows: tuple[str, str]) -> Block:
    """Return a sample of a table in a mail."""
    cells = "".join(f'<tr><th scope="row">{label}</th><td>{value}</td></tr>' for label, value in rows)
    return Block("\n".join(f"{label}: {value}" for label, value in rows), f"<table>{cells}</table>")


MAILS = (
    Mail(
        "analytics_weekly",
        "Reports the visits of the last week to the business, on Monday morning.",
        subject="Visits of {{ week }}",
        placeholders={
            "week": Placeholder("The first and the last day", "Nov 16, 2026 \u2013 Nov 22, 2026"),
            "figures": Placeholder(
                "The figures with their changes from the week before, as a table",
                _table(("Visitors", "412 (up 8%, from 380)"), ("Page views", "1,204 (down 2%, from 1,226)")),
            ),
            "pages": Placeholder(
                "The pages with the most views, as a table", _table(("Home (/)", "420 views"), ("Events (/events)", "231 views"))
            ),
            "sources": Placeholder(
                "The sources of the most visitors, as a table",
                _table(("Direct", "180 visitors"), ("Google / search", "121 visitors")),
            ),
            "goals": Placeholder(
                "The goals that were reached, as a table", _table(("Form submitted", "12"), ("Order paid", "5, $233.00"))
            ),
            "admin_url": Placeholder(
                "The address of the report in the admin", "https://example.org/admin/analytics/?from=2026-11-16&to=2026-11-22"
            ),
        },
        to_staff=True,
    ),
)

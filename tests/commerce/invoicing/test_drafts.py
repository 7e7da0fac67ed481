"""Drafts are changed as their form says."""

from commerce.invoicing.services import save_invoice

from .builders import make_draft


def test_the_due_date_can_be_taken_away() -> None:
    draft = make_draft()
    assert draft.due_date is not None
    saved = save_invoice(invoice=draft, values={"due_date": None, "due_days": None})
    assert (saved.due_date, saved.due_days) == (None, None)


def test_days_replace_a_due_date() -> None:
    draft = make_draft()
    saved = save_invoice(invoice=draft, values={"due_date": None, "due_days": 0})
    assert (saved.due_date, saved.due_days) == (saved.issue_date, 0)

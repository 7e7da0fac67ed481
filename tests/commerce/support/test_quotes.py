"""Quoted text: what is cut off an answer in several languages, and what never is."""

import time

import pytest

from cms_api.core.apart import Limits
from commerce.support.selectors.addresses import reply_address
from commerce.support.services import cutting
from commerce.support.types.mail import read_mail
from commerce.support.types.quotes import MARKER, above_marker, cut, is_forwarded, normalize

from .builders import make_mail, receive

QUOTES = {
    "en": "On Mon, Mar 2, 2026 at 9:00 AM Support <support@help.example> wrote:",
    "de": "Am Mo., 2. März 2026 um 09:00 Uhr schrieb Support <support@help.example>:",
    "fr": "Le lun. 2 mars 2026 à 09:00, Support <support@help.example> a écrit :",
    "es": "El lun, 2 mar 2026 a las 9:00, Support (<support@help.example>) escribió:",
    "it": "Il giorno lun 2 mar 2026 alle ore 09:00 Support <support@help.example> ha scritto:",
    "nl": "Op ma 2 mrt 2026 om 09:00 schreef Support <support@help.example>:",
    "pl": "W dniu pon., 2 mar 2026 o 09:00 Support <support@help.example> napisał(a):",
    "da": "Den man. 2. mar. 2026 kl. 09.00 skrev Support <support@help.example>:",
    "outlook": "From: Support <support@help.example>\nSent: Monday, March 2, 2026 9:00 AM\nTo: Dana\nSubject: Re: Mug\n",
    "outlook, old": "-----Original Message-----\nFrom: Support\nSent: Monday\nTo: Dana\nSubject: Mug\n",
}


def answer_of(text: str, **headers: str) -> tuple[str, str]:
    return cutting.answer_of(read_mail(make_mail(text, **headers).as_bytes()))


@pytest.mark.parametrize("introduction", QUOTES.values(), ids=QUOTES)
@pytest.mark.parametrize("has_marker", [True, False])
def test_it_works(introduction: str, has_marker: bool) -> None:
    quoted = f"> {MARKER}\n>\n> Which one?\n" if has_marker else "> Which one?\n"
    text = f"The left one.\n\nIt is blue.\n\n{introduction}\n\n{quoted}"
    answer, full_text = answer_of(text)
    assert answer == "The left one.\n\nIt is blue."
    assert "Which one?" in full_text


def test_a_marker_of_another_language_still_cuts() -> None:
    """The introduction is in a language that nobody has taught us."""
    text = f"Vasen.\n\nMa 2. maaliskuuta 2026 klo 9.00 Support <support@help.example> kirjoitti:\n\n> {MARKER}\n> Kumpi?"
    assert answer_of(text)[0] == "Vasen."


def test_a_folded_introduction_is_cut_too() -> None:
    assert (
        above_marker(f"Left.\n\nMa 2. maaliskuuta 2026 klo 9.00 Support <support@help.example>\nkirjoitti:\n> {MARKER}")
        == "Left."
    )
    assert above_marker(f"Two things:\n\nfirst.\n\n{MARKER}") == "Two things:\n\nfirst."


def test_nothing_is_cut_without_a_quote() -> None:
    text = "Hello,\n\nit is broken. From: the beginning.\n- one\n- two\n\nBest regards\nDana"
    assert answer_of(text) == (text, "")


def test_if_nothing_is_left_all_is_shown() -> None:
    text = f"{MARKER}\n\nHello Dana,\nwhich one?"
    assert answer_of(text) == (text, "")
    below = f"{QUOTES['en']}\n\n> Which one?\n\nThe left one."
    assert "The left one." in answer_of(below)[0]


def test_answers_between_quoted_lines_survive() -> None:
    text = f"Here you are.\n{QUOTES['en']}\n> Which one?\nThe left one.\n> Which colour?\nBlue."
    answer, full_text = answer_of(text)
    assert answer.startswith("Here you are.")
    assert "Blue." in (full_text or answer)


@pytest.mark.parametrize("subject", ["Fwd: Mug", "FW: Mug", "WG: Tasse", "TR : Tasse", "Fwd:Mug"])
def test_forwards_are_not_cut(subject: str) -> None:
    text = f"See below.\n\n{QUOTES['en']}\n\n> The handle is off."
    assert answer_of(text, subject=subject) == (text, "")


def test_forwards_are_found_in_the_text() -> None:
    text = (
        "See below.\n\n---------- Forwarded message ---------\nFrom: Ruth <ruth@example.com>\nSubject: Mug\n\nThe handle is off."
    )
    assert is_forwarded(text)
    assert answer_of(text) == (text, "")
    assert is_forwarded("Begin forwarded message:\n\nFrom: Ruth")
    assert not is_forwarded(QUOTES["outlook, old"])


def test_texts_are_normalized() -> None:
    assert normalize("a  \n\n\n\n\n b\n") == "a\n\n b"
    assert {len(line) for line in normalize("x" * 5000).split("\n")} == {1000}
    assert len(normalize("word " * 100_000)) == 100_000


HOSTILE = {
    "a long line": "On " + "x " * 20_000,
    "blank lines": "\n" * 90_000,
    "lines of spaces": (" \n" * 45_000),
    "introductions": "On a b\n" * 12_000,
    "long introductions": ("On " + "x " * 490 + "\n") * 90,
    "quote signs": (("> " * 499) + "\n") * 90,
    "headers": "From: a\n" * 11_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_end_in_time(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long ones in a process that is stopped; short ones are fast in this process."""
    monkeypatch.setattr(cutting, "LIMITS", Limits(seconds=0.3))
    begin = time.monotonic()
    assert answer_of("Hello.\n" + text)[0]
    assert time.monotonic() - begin < 5
    begin = time.process_time()
    cut(normalize(text)[: cutting._SHORT_CHARACTERS])
    assert time.process_time() - begin < 2


def test_a_long_text_is_cut_in_a_process() -> None:
    text = "word " * 2000 + f"\n\n{QUOTES['en']}\n\n> Which one?"
    answer, full_text = answer_of(text)
    assert (answer.endswith("word"), "Which one?" in answer, full_text != "") == (True, False, True)


FIRST_EMAILS = {
    "german headers": "Bitte ändern Sie den Umzug:\n\nVon: Hauptstraße 1\nAn: Marktplatz 2\nDatum: 3.3.2026\n\nDanke, Dana",
    "a contact form": "From: Dana Reyes <dana@example.com>\nSubject: A broken mug\n\nMessage:\nIt has no handle.",
    "a quote": f"See what you sent me.\n\n{QUOTES['en']}\n\n> Which one?",
    "a signature": "Hello,\n\nthe handle is off.\n\n--\nDana\n\nSent from my iPhone",
    "our marker": f"What is this?\n\n{MARKER}\n\nHello Dana",
}


@pytest.mark.django_db
@pytest.mark.usefixtures("support")
@pytest.mark.parametrize("text", FIRST_EMAILS.values(), ids=FIRST_EMAILS)
@pytest.mark.parametrize("headers", [{}, {"subject": "AW: Umzug", "in_reply_to": "<of@nobody.example>"}], ids=["", "AW"])
@pytest.mark.both_databases
def test_only_answers_are_cut(text: str, headers: dict[str, str]) -> None:
    """The first email of a person is shown whole; of an answer, the rest is kept."""
    first = receive(make_mail(text, **headers)).message
    assert first is not None
    assert (first.body, first.full_text) == (text, "")
    answer = receive(make_mail(f"Left.\n\n{QUOTES['outlook']}\n\n{text}", to=reply_address(first.ticket))).message
    assert answer is not None
    assert (answer.ticket, answer.body) == (first.ticket, "Left.")
    assert text in answer.full_text

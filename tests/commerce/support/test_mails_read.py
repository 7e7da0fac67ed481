"""Emails as programs really send them: charsets, HTML, calendars, malformed headers, and what is dangerous in them."""

import base64
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cms_api.text.decoding import decode
from commerce.support.types.bodies import NO_TEXT, file_name
from commerce.support.types.mail import NOBODY, message_ids, read_mail
from tests.figures import figure

from .builders import make_mail


def mail(body: bytes, *headers: str) -> bytes:
    usual = ("From: Dana Reyes <dana@example.com>", "Subject: Mug", "Message-ID: <1@x>", "Date: Mon, 02 Mar 2026 08:00:00 +0000")
    return "\n".join([*usual, *headers]).encode() + b"\n\n" + body


def test_it_works() -> None:
    read = read_mail(make_mail("Hello.", references="<a@x> <b@x>", in_reply_to="<b@x>", cc="Eve <EVE@x.example>").as_bytes())
    assert (read.sender, read.sender_name, read.subject, read.text) == (
        "dana@example.com",
        "Dana Reyes",
        "A broken mug",
        "Hello.",
    )
    assert (read.refers_to, read.recipients) == (["b@x", "b@x", "a@x"], ["support@help.example", "eve@x.example"])
    assert (read.automatic, read.bounce, read.is_forward, read.files) == ("", None, False, [])


@pytest.mark.parametrize(
    ("content", "charset", "expected"),
    [
        ("Löffel".encode(), "utf-8", "Löffel"),
        ("Löffel".encode("latin-1"), "iso-8859-1", "Löffel"),
        ("Löffel".encode("latin-1"), "utf-8", "Löffel"),
        ("Löffel".encode(), "us-ascii", "Löffel"),
        ("Löffel".encode(), "x-unknown", "Löffel"),
        ("Löffel".encode(), "base64", "Löffel"),
        ("Löffel".encode(), "rot13", "Löffel"),
        ("こんにちは".encode("iso-2022-jp"), "iso-2022-jp", "こんにちは"),
        ("привет".encode("koi8-r"), "koi8-r", "привет"),
        (b"a\xff\xfeb", "gb2312", "a��b"),
        (b"abc", "", "abc"),
        (b"abc", "\0", "abc"),
        (b"abc-" * 5, "punycode", "abc-" * 5),
    ],
)
def test_charsets(content: bytes, charset: str, expected: str) -> None:
    assert decode(content, charset) == expected


@pytest.mark.parametrize(
    ("headers", "sender", "name"),
    [
        ('From: "Reyes, Dana" <dana@example.com>', "dana@example.com", "Reyes, Dana"),
        ("From: =?utf-8?q?G=C3=BCne=C5=9F=2C_=C3=96mer?= <omer@example.com>", "omer@example.com", "Güneş, Ömer"),
        ("From: =?utf-8?b?RGFuYSA8ZGFuYUBleGFtcGxlLmNvbT4=?=", "dana@example.com", "Dana"),
        ("From: Ömer <omer@example.com>", "omer@example.com", "Ömer"),
        ("From: =?x-unknown?q?Dana?= <dana@example.com>", "dana@example.com", "Dana"),
        ("From: =?utf-8?b?!!!?= <dana@example.com>", "dana@example.com", ""),
        ("From: dana@example.com (Dana Reyes)", "dana@example.com", "Dana Reyes"),
        ("From: <DANA@EXAMPLE.COM>", "dana@example.com", ""),
        ("From: Dana [mailto:dana@example.com]", "dana@example.com", ""),
        ("From: undisclosed-recipients:;\nSender: dana@example.com", "dana@example.com", ""),
        ("Return-Path: <dana@example.com>", "dana@example.com", ""),
        ("Reply-To: dana@example.com", NOBODY, ""),
        ("From: a@example.com\nFrom: b@example.com", "a@example.com", ""),
        ("From: " + "x" * 100_000 + " <dana@example.com>", NOBODY, ""),
        ("From: Dana\0 <dana@example.com>", "dana@example.com", "Dana"),
    ],
)
def test_senders(headers: str, sender: str, name: str) -> None:
    read = read_mail(headers.encode() + b"\nSubject: x\n\nHello.")
    assert (read.sender, read.sender_name) == (sender, name)


@pytest.mark.parametrize(
    ("header", "subject"),
    [
        ("Subject: =?utf-8?q?Caf=C3=A9?= =?utf-8?q?_mug?=", "Café mug"),
        ("Subject: a\n folded\n\tone", "a folded one"),
        ("Subject: L\u00f6ffel", "Löffel"),
        ("Subject: =?utf-8?b?" + base64.b64encode("a\0b\ud800".encode("utf-8", "surrogatepass")).decode() + "?=", "abí €"),
        ("Subject: " + "x" * 5000, "x" * 200),
        ("Subject:", ""),
        ("X: y", ""),
    ],
)
def test_subjects(header: str, subject: str) -> None:
    assert read_mail(header.encode() + b"\nFrom: dana@example.com\n\nHello.").subject == subject


def test_html_is_converted_to_lines() -> None:
    html = "<style>p {}</style><p>Hello&nbsp;team,</p><div>one<br>two</div><ul><li>a<li>b</ul><script>x</script><!-- - -->&lt;3"
    read = read_mail(mail(html.encode(), "Content-Type: text/html; charset=utf-8"))
    assert read.text == "Hello team,\n\none\ntwo\n\na\nb\n\n<3"


def test_the_plain_text_is_preferred_unless_it_is_blank() -> None:
    made = make_mail("Plain.")
    made.add_alternative("<p>HTML.</p>", subtype="html")
    assert read_mail(made.as_bytes()).text == "Plain."
    made = make_mail(" \n ")
    made.add_alternative("<p>HTML.</p>", subtype="html")
    assert read_mail(made.as_bytes()).text == "HTML."


def test_texts_around_a_picture_are_joined() -> None:
    made = make_mail("Before.")
    made.add_attachment(b"GIF8", maintype="image", subtype="gif", filename="a.gif", disposition="inline")
    made.add_attachment("After.", disposition="inline")
    made.add_attachment("notes", filename="notes.txt")
    read = read_mail(made.as_bytes())
    assert (read.text, [file.name for file in read.files]) == ("Before.\n\nAfter.", ["a.gif", "notes.txt"])


def test_pictures_in_html_are_files() -> None:
    made = make_mail("Plain.")
    made.add_alternative("<p>See <img src='cid:x'></p>", subtype="html")
    made.get_payload()[1].add_related(b"GIF8", maintype="image", subtype="gif", cid="<x>")  # type: ignore[union-attr,index]
    read = read_mail(made.as_bytes())
    assert (read.text, [file.type for file in read.files]) == ("Plain.", ["image/gif"])


CALENDAR = "\r\n".join(
    (
        "BEGIN:VCALENDAR",
        "METHOD:REPLY",
        "BEGIN:VEVENT",
        "ATTENDEE;CN=Dana;PARTST",
        " AT=DECLINED:mailto:dana@example.com",
        "END:VEVENT",
        "END:VCALENDAR",
    )
)


def test_answers_to_invitations() -> None:
    read = read_mail(mail(CALENDAR.encode(), "Content-Type: text/calendar; method=REPLY"))
    assert (read.text, [file.name for file in read.files]) == ("Invitation declined.", ["invite.ics"])
    request = CALENDAR.replace("REPLY", "REQUEST")
    assert read_mail(mail(request.encode(), "Content-Type: text/calendar")).text == NO_TEXT


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"", ["Content-Type: text/plain"]),
        (b"Hello.", ["Content-Type: multipart/mixed"]),
        (b"Hello.", ["Content-Type: multipart/mixed; boundary="]),
        (b"--b\nHello.", ['Content-Type: multipart/mixed; boundary="b"']),
        (b"--b\n\nHello.\n--b", ["Content-Type: multipart/mixed; boundary=b"]),
        (b"Hello.", ["Content-Type: text/plain; charset"]),
        (b"Hello.", ["Content-Type: ;;;="]),
        (b"Hello.", ["Content-Type: text/plain; charset*=x''%ff"]),
        (b"Hello.", ["Content-Transfer-Encoding: base64"]),
        (b"Hello=", ["Content-Transfer-Encoding: quoted-printable"]),
        (b"Hello.", ["Content-Transfer-Encoding: x-uuencode"]),
        (b"begin 644 x\nHello", ["Content-Transfer-Encoding: uuencode"]),
        (b"Hello.", ["Content-Transfer-Encoding: klingon"]),
        (b"Hello.", ["Content-Disposition: inline; filename*=utf-8''%"]),
        (b"Hello.", ["not a header", "Content-Type: text/plain"]),
        (b"\xff\xfe\0\0Hello.\0", ["Content-Type: text/plain; charset=utf-8"]),
        (b"Hello.", ["Content-Type: message/rfc822"]),
        (b"Hello.", ["Content-Type: message/partial; id=x; number=1"]),
    ],
)
def test_malformed_emails_are_read(body: bytes, headers: list[str]) -> None:
    read = read_mail(mail(body, *headers))
    assert (read.sender, read.subject) == ("dana@example.com", "Mug")
    text = read.text + "".join(file.name for file in read.files)
    assert text
    assert not {"\0", "\ud800"} & set(text)


HEADERS = (
    "From",
    "To",
    "Subject",
    "Content-Type",
    "Content-Transfer-Encoding",
    "Content-Disposition",
    "References",
    "Message-ID",
)
PIECES = (
    b"(",
    b")",
    b"<",
    b">",
    b'"',
    b",",
    b";",
    b"=?utf-8?b?",
    b"?=",
    b"a@b.example",
    b"multipart/mixed; boundary=b",
    b"\r\n ",
    b"\xff",
)


@settings(max_examples=figure(50, 150), deadline=None)
@given(
    pairs=st.lists(st.tuples(st.sampled_from(HEADERS), st.lists(st.sampled_from(PIECES), max_size=12)), max_size=6),
    body=st.binary(max_size=200)
    | st.lists(st.sampled_from((b"--b\n", b"--b--\n", b"\n", b"x", *PIECES)), max_size=20).map(b"".join),
)
def test_everything_is_read(pairs: list[tuple[str, list[bytes]]], body: bytes) -> None:
    raw = b"".join(name.encode() + b": " + b"".join(pieces) + b"\n" for name, pieces in pairs) + b"\n" + body
    read = read_mail(raw)
    texts = [read.text, read.subject, read.sender_name, *read.recipients, *(file.name for file in read.files)]
    for text in texts:
        assert "\0" not in text
        text.encode()


@pytest.mark.parametrize("header", ["From", "To", "Subject", "References", "Content-Type", "Content-Disposition"])
@pytest.mark.parametrize("piece", ["(", "<", '"', ",", "=?utf-8?q?", "a@", ";", "\\", "[", ":"])
def test_hostile_headers_end_in_time(header: str, piece: str) -> None:
    begin = time.process_time()
    read_mail(f"{header}: {piece * 20_000}\n\nHello.".encode())
    assert time.process_time() - begin < 2


@pytest.mark.parametrize("piece", ["<", "<a ", "&", "<!--", "<p>", "&#", "</", "<style>", '<a href="', "<div><br>"])
def test_hostile_html_ends_in_time(piece: str) -> None:
    begin = time.process_time()
    read_mail(mail(piece.encode() * (500_000 // len(piece)), "Content-Type: text/html"))
    assert time.process_time() - begin < 3


def test_nested_parts_end_somewhere() -> None:
    deep = b"".join(b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (number, number) for number in range(5000))
    read = read_mail(mail(b"")[:-2] + b"\n" + deep + b"Content-Type: text/plain\n\nHello.")
    assert read.sender == "dana@example.com"
    wide = b"--b\n\nx\n" * 5000
    assert len(read_mail(mail(wide, "Content-Type: multipart/mixed; boundary=b")).text) < 5000
    files = b"--b\nContent-Disposition: attachment; filename=a\n\nx\n" * 200
    assert len(read_mail(mail(files, "Content-Type: multipart/mixed; boundary=b")).files) == 50


def test_ids() -> None:
    assert message_ids(["<a@x><b@x> junk <c d> <c@x>", "<a@x>"]) == ["a@x", "b@x", "c@x"]
    (long,) = message_ids([f"<{'x' * 900}@x>"])
    assert len(long) == 64
    assert len(message_ids(" ".join(f"<{number}@x>" for number in range(1000)).split())) == 200


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\a.txt", "a.txt"),
        ("a\r\nb\0.txt", "ab.txt"),
        ("photo\u202egpj.exe", "photogpj.exe"),
        ("..", ""),
        ("x" * 500 + ".pdf", "x" * 179 + ".pdf"),
    ],
)
def test_names_of_files(given: str, expected: str) -> None:
    assert file_name(given) == expected


def test_the_first_reason_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    marks: dict[str, Any] = {"auto_submitted": "auto-replied", "precedence": "bulk"}
    assert read_mail(make_mail(**marks).as_bytes()).automatic == "Auto-Submitted: auto-replied"


def test_ids_without_brackets() -> None:
    assert message_ids(["a@x.example"]) == ["a@x.example"]
    assert message_ids(['<a@x> b@x "c@x" <\n d@x>, not one']) == ["a@x", "b@x", "c@x", "d@x"]
    assert read_mail(make_mail(in_reply_to="a@x", references="b@x c@x").as_bytes()).refers_to == ["a@x", "c@x", "b@x"]

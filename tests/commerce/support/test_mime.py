"""The names that files have in emails, in all the ways in which programs write them; encoded words; emails in emails."""

import base64
from email.header import Header

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commerce.support.types.mail import read_mail
from commerce.support.types.mime import decode_words, parameter

NAME = "Rechnung März 2026.pdf"
HEAD = b"From: dana@example.com\nSubject: Mug\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"


def files_of(*headers: bytes, body: bytes = b"JVBERi0=") -> list[tuple[str, bytes]]:
    """The names and contents of the files of an email with one part of these headers."""
    text = b"--b\nContent-Type: text/plain\n\nHello.\n"
    raw = HEAD + text + b"--b\n" + b"\n".join(headers) + b"\n\n" + body + b"\n--b--\n"
    return [(file.name, file.content) for file in read_mail(raw).files]


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        (b'filename="=?UTF-8?B?UmVjaG51bmcgTcOkcnogMjAyNi5wZGY=?="', NAME),
        (b"filename==?UTF-8?B?UmVjaG51bmcgTcOkcnogMjAyNi5wZGY=?=", NAME),
        (b'filename="=?utf-8?Q?Rechnung_M=C3=A4rz_2026.pdf?="', NAME),
        (b'filename="=?utf-8?Q?Rechnung M=C3=A4rz?= =?utf-8?Q?_2026.pdf?="', NAME),
        (b'filename="=?iso-8859-1?Q?Rechnung_M=E4rz?= 2026.pdf"', NAME),
        (b'filename="=?UTF-8?B?UmVjaG51bmcgTcO?=\n =?UTF-8?B?kcnogMjAyNi5wZGY=?="', NAME),
        (b'filename="=?UTF-8?Q?Rechnung_M=C3?=\n =?UTF-8?Q?=A4rz_2026.pdf?="', NAME),
        (f'filename="{NAME}"'.encode(), NAME),
        (f'filename="{NAME}"'.encode("latin-1"), NAME),
        (f"filename={NAME}".encode(), NAME),
        (b"filename*=UTF-8''Rechnung%20M%C3%A4rz%202026.pdf", NAME),
        (b'filename*="UTF-8\'\'Rechnung%20M%C3%A4rz%202026.pdf"; filename="plain.pdf"', NAME),
        (b"filename=\"plain.pdf\"; filename*=iso-8859-1'de'Rechnung%20M%E4rz%202026.pdf", NAME),
        (b"filename*0*=utf-8''Rechnung%20M%C3;\n filename*1*=%A4rz%20;\n filename*2=\"2026.pdf\"", NAME),
        (b"filename*1*=%A4rz%202026.pdf; filename*0*=utf-8''Rechnung%20M%C3", NAME),
        (b'filename*0="=?UTF-8?B?UmVjaG51bmcgTcOkcn"; filename*1="ogMjAyNi5wZGY=?="', NAME),
        (b'filename="a;b \\"c\\".pdf"; size=3', 'a;b "c".pdf'),
        (b'filename="open.pdf', "open.pdf"),
        ('filename="\u8acb\u6c42\u66f8.pdf"'.encode("iso-2022-jp"), "\u8acb\u6c42\u66f8.pdf"),
        (b'FileName = "big.PDF" ; x', "big.PDF"),
    ],
)
def test_it_works(disposition: bytes, name: str) -> None:
    assert files_of(b"Content-Type: application/pdf", b"Content-Disposition: attachment; " + disposition) == [(name, b"JVBERi0=")]
    in_type = disposition.replace(b"filename", b"name").replace(b"FileName", b"Name")
    assert files_of(b"Content-Type: application/pdf; " + in_type) == [(name, b"JVBERi0=")]


@given(name=st.text(st.characters(exclude_categories=("Cc", "Cs", "Cf", "Zl", "Zp")), min_size=1))
def test_any_name_survives_each_way_to_write_it(name: str) -> None:
    name = " ".join(name.split())
    if not name:
        return
    percents = "".join(f"%{byte:02x}" for byte in name.encode())
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    assert parameter(f"attachment; filename*=utf-8''{percents}", "filename").strip() == name.strip() or "=?" in name
    assert parameter(f'attachment; filename="{quoted}"', "filename") == name or "=?" in name
    assert decode_words(Header(name, "utf-8").encode()) == name
    pieces = [percents[start : start + 9] for start in range(0, len(percents), 9)]
    header = "; ".join(f"filename*{number}*={chr(39) * 2 if not number else ''}{piece}" for number, piece in enumerate(pieces))
    assert parameter(f"attachment; {header}", "filename") == name or "=?" in name


def test_words_that_cannot_be_read_spoil_no_others() -> None:
    assert decode_words("Ł =?utf-8?q?=C3=84?= ł =?x?b?a?= =?utf-8?b?w5Y=?=") == "Ł Ä ł Ö"
    assert decode_words("=?gb2312?B?" + base64.b64encode("陶喆".encode("gbk")).decode() + "?=") == "陶喆"


@pytest.mark.parametrize("kind", ["message/rfc822", "message/global"])
def test_an_email_that_is_attached_in_an_encoding_is_decoded(kind: str) -> None:
    inner = b"From: ruth@example.com\nSubject: The handle\n\nIt is off, " + b"really " * 20 + b"off.\n"
    quoted = b"\n".join(line[:40] + (b"=\n" + line[40:] if line[40:] else b"") for line in inner.split(b"\n"))
    for encoding, body in ((b"base64", base64.encodebytes(inner)), (b"quoted-printable", quoted), (b"7bit", inner)):
        headers = (b"Content-Type: " + kind.encode(), b"Content-Transfer-Encoding: " + encoding)
        ((name, content),) = files_of(*headers, body=body)
        assert (name, content.strip()) == ("forwarded.eml", inner.strip()), encoding

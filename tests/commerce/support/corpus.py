"""Emails as they really arrive, several hundred of them, each with what has to come of it."""

import base64
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.header import Header
from email.message import EmailMessage

from commerce.support.types.quotes import MARKER

#: Programs introduce what they quote in many languages.
INTRODUCTIONS = {
    "en": "On Mon, Mar 2, 2026 at 9:00 AM Support <support@help.example> wrote:",
    "en, folded": "On Mon, Mar 2, 2026 at 9:00 AM Support\n<support@help.example> wrote:",
    "de": "Am Mo., 2. März 2026 um 09:00 Uhr schrieb Support <support@help.example>:",
    "de, old": "Am 02.03.2026 um 09:00 schrieb Support:",
    "fr": "Le lun. 2 mars 2026 à 09:00, Support <support@help.example> a écrit :",
    "es": "El lun, 2 mar 2026 a las 9:00, Support (<support@help.example>) escribió:",
    "it": "Il giorno lun 2 mar 2026 alle ore 09:00 Support <support@help.example> ha scritto:",
    "nl": "Op ma 2 mrt 2026 om 09:00 schreef Support <support@help.example>:",
    "pl": "W dniu pon., 2 mar 2026 o 09:00 Support <support@help.example> napisał(a):",
    "sv": "Den mån 2 mars 2026 kl 09:00 skrev Support <support@help.example>:",
    "da": "Den man. 2. mar. 2026 kl. 09.00 skrev Support <support@help.example>:",
    "fi": "ma 2. maalisk. 2026 klo 9.00 Support (support@help.example) kirjoitti:",
    "pt": "Em seg., 2 de mar. de 2026 às 09:00, Support <support@help.example> escreveu:",
    "cs": "po 2. 3. 2026 v 9:00 odesílatel Support <support@help.example> napsal:",
    "tr": "Support <support@help.example>, 2 Mar 2026 Pzt, 09:00 tarihinde şunu yazdı:",
    "ru": "пн, 2 мар. 2026 г. в 09:00, Support <support@help.example>:",
    "ja": "2026年3月2日(月) 9:00 Support <support@help.example>:",
    "zh": "Support <support@help.example> 于2026年3月2日周一 09:00写道：",
}
ANSWERS = (
    "The left one.",
    "Es ist die linke.\n\nGrüße\nDana",
    "C'est celle de gauche, merci d'avance.",
    "La de la izquierda. ¿Puedo quedármela?",
    "Levá.",
    "左のほうです。",
    "Левая.",
    "- the left one\n- the blue one",
    "1. Left.\n2. Blue.\n\nhttps://example.com/mug?colour=blue&side=left",
    "Sinistra!\n\nP.S. Grazie mille",
    "يسار",
    "왼쪽 것이요.",
    "Yes",
)
CHARSETS = (
    ("utf-8", "Löffel für Ömer"),
    ("iso-8859-1", "Löffel"),
    ("windows-1252", "“Löffel” – 5 €"),
    ("iso-8859-2", "Łyżka"),
    ("koi8-r", "Ложка"),
    ("windows-1251", "Ложка"),
    ("iso-2022-jp", "スプーン"),
    ("shift_jis", "スプーン"),
    ("euc-kr", "숟가락"),
    ("gb18030", "勺子"),
    ("big5", "湯匙"),
    ("utf-16", "Löffel"),
)
#: A declared charset that does not fit, and the part of the text that has to survive.
WRONG = (
    ("us-ascii", "Löffel".encode(), "Löffel"),
    ("utf-8", "Löffel".encode("latin-1"), "Löffel"),
    ("x-unknown", "Löffel".encode(), "Löffel"),
    ("iso-8859-1", b"plain \xff\xfe", "plain"),
    ("utf-8", b"plain \x00\xff\xed\xa0\x80 end", "end"),
    ("base64", b"plain", "plain"),
    ("", "Löffel".encode("cp1252"), "Löffel"),
    ("gb2312", b"plain \xff end", "plain"),
)
AUTOMATIC = (
    {"Auto-Submitted": "auto-replied"},
    {"Auto-Submitted": "auto-generated"},
    {"Precedence": "bulk"},
    {"Precedence": "junk", "X-Autoreply": "yes"},
    {"X-Auto-Response-Suppress": "All"},
    {"Return-Path": "<>"},
    {"List-Id": "<staff.example.com>", "Precedence": "list"},
)
#: Headers that programs get wrong.
MALFORMED: tuple[bytes, ...] = (
    b"Content-Type: text/plain; charset\n",
    b"Content-Type: ;;;\n",
    b"Content-Type: multipart/mixed\n",
    b"Content-Type: multipart/alternative; boundary=\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Content-Transfer-Encoding: klingon\n",
    b"Content-Transfer-Encoding: uuencode\n",
    b"Content-Disposition: attachment; filename*0*=x''%ff; filename*1=\n",
    b"To: \xff\xfe <support\xa0@help.example>\n",
    b"Cc: " + b"a@example.com, " * 2000 + b"\n",
    b"References: " + b"<x@y> " * 3000 + b"\n",
    b"In-Reply-To: <<<>>><unclosed\n",
    b"Date: yesterday\n",
    b"Subject: =?utf-8?b?/?= =?x?q?\xff?=\n",
    b"X-Loop:\n",
    b"no header at all\n",
    b": empty name\n",
    b"X-Long: " + b"x" * 50_000 + b"\n",
    b"MIME-Version: 9.0\n",
    b"Reply-To: office@help.example\n",
    b"Message-ID: not an id\n",
    b"Auto-Submitted: no\nPrecedence:\n",
)

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Sample:
    """An email, the outcome it has to have, and texts that its message has to have and must not have."""

    name: str
    raw: bytes
    outcome: str
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    files: int | None = None
    #: The whole text of the message.
    is_exactly: str = ""
    more: dict[str, str] = field(default_factory=dict)


def head(to: str = "support@help.example", subject: str = "A mug", **headers: str) -> bytes:
    """The headers of an email by a sender of its own, with the empty line after them left out."""
    number = next(_numbers)
    lines = {
        "From": f"Person {number} <person{number}@example.com>",
        "To": to,
        "Subject": subject if subject.isascii() else Header(subject, "utf-8").encode(),
        "Message-ID": f"<{number}@corpus.example.com>",
        "Date": "Mon, 02 Mar 2026 08:00:00 +0000",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    return "".join(f"{name}: {value}\n" for name, value in lines.items()).encode()


def text(body: str | bytes, *, charset: str = "utf-8", subtype: str = "plain") -> bytes:
    content = body.encode(charset) if isinstance(body, str) else body
    coded = base64.encodebytes(content)
    return f"Content-Type: text/{subtype}; charset={charset}\nContent-Transfer-Encoding: base64\n\n".encode() + coded


def quoted(answer: str, introduction: str, *, has_marker: bool, signs: str = "> ") -> str:
    lines = [MARKER, ""] if has_marker else []
    lines += ["Hello,", "", "Which one of QUOTED do you mean?", "", "Robin"]
    return f"{answer}\n\n{introduction}\n\n" + "\n".join(f"{signs}{line}".rstrip() for line in lines) + "\n"


def samples(reply_address: str, sent_id: str) -> Iterator[Sample]:
    """All of them; the address and the id belong to a ticket that has an answer of staff."""
    for (language, introduction), (number, answer) in itertools.product(INTRODUCTIONS.items(), enumerate(ANSWERS)):
        has_marker = number % 2 == 0
        yield Sample(
            f"answer, {language}, {number}",
            head(reply_address) + text(quoted(answer, introduction, has_marker=has_marker)),
            "replied",
            lacks=("QUOTED", "Support", MARKER),
            is_exactly=answer,
        )
    for language, introduction in INTRODUCTIONS.items():
        shown = introduction.replace("<", "&lt;")
        html = f"<div>It is <b>blue</b>.</div><div>{shown}</div><blockquote>{MARKER}<p>QUOTED</p></blockquote>"
        yield Sample(
            f"html, {language}",
            head(reply_address) + text(html, subtype="html"),
            "replied",
            lacks=("QUOTED", "<b>"),
            is_exactly="It is blue.",
        )
        forwarded = f"See below.\n\n{introduction}\n\n> The handle of KEPT is off."
        yield Sample(f"forward, {language}", head(subject="Fwd: Mug") + text(forwarded), "opened", has=("See below.", "KEPT"))
    for answer in ANSWERS:
        yield Sample(f"new: {answer[:10]}", head() + text(answer), "opened", is_exactly=answer)
        yield Sample(f"by id: {answer[:10]}", head(In_Reply_To=sent_id) + text(answer), "replied", is_exactly=answer)
        both = _alternative(answer)
        yield Sample(f"both: {answer[:10]}", both, "opened", is_exactly=answer)
    for charset, body in CHARSETS:
        for address, outcome in ((reply_address, "replied"), ("support@help.example", "opened")):
            yield Sample(f"charset {charset}", head(address, body) + text(body, charset=charset), outcome, is_exactly=body)
            html = text(f"<p>{body}</p>", charset=charset, subtype="html")
            yield Sample(f"html in {charset}", head(address) + html, outcome, is_exactly=body)
    for charset, content, survives in WRONG:
        for subtype in ("plain", "html"):
            raw = head() + text(content, charset=charset, subtype=subtype)
            yield Sample(f"wrong charset {charset}, {subtype}", raw, "opened", has=(survives,))
    for marks, address in itertools.product(AUTOMATIC, (reply_address, "support@help.example")):
        outcome = "replied" if address == reply_address else "quarantined"
        for subject in ("Out of office", "Abwesenheit: Mug", "Réponse automatique"):
            yield Sample(f"automatic {marks}", head(address, subject, **marks) + text("I am away."), outcome, has=("away",))
    for answer, method in itertools.product(("ACCEPTED", "DECLINED", "TENTATIVE"), ("REPLY",)):
        calendar = f"BEGIN:VCALENDAR\r\nMETHOD:{method}\r\nBEGIN:VEVENT\r\nATTENDEE;PARTSTAT={answer}:mailto:a@example.com\r\n"
        words = f"Invitation {answer.lower()}."
        raw = head(reply_address) + text(calendar + "END:VEVENT\r\nEND:VCALENDAR", subtype="calendar")
        yield Sample(f"calendar {answer}", raw, "replied", is_exactly=words, files=1)
    for number, action in enumerate(("failed", "failed", "delayed")):
        yield Sample(f"bounce {number}", bounce(sent_id, action, number), "bounced" if action == "failed" else "quarantined")
    for line in MALFORMED:
        for address in (reply_address, "support@help.example"):
            outcome = "replied" if address == reply_address else "opened"
            yield Sample(f"malformed {line[:30]!r}", head(address) + line + b"\nThe handle is off.\n", outcome)
    for number in range(20):
        yield Sample(f"files {number}", _with_files(number), "opened", has=("attached",), files=number)
    for number, cut in enumerate(range(40, 400, 12)):
        whole = head(reply_address) + b'Content-Type: multipart/mixed; boundary="b"\n\n--b\n' + text("The handle.") + b"\n--b--\n"
        yield Sample(f"cut off {number}", whole[: len(head(reply_address)) + cut], "replied")


def _alternative(answer: str) -> bytes:
    mail = EmailMessage()
    mail.set_content(answer)
    mail.add_alternative(f"<p>{answer}</p>", subtype="html")
    return head() + mail.as_bytes()


def _with_files(number: int) -> bytes:
    mail = EmailMessage()
    mail.set_content(f"{number} files are attached.")
    for each in range(number):
        kind = ("image", "png") if each % 2 else ("application", "pdf")
        mail.add_attachment(b"x" * (each + 1), maintype=kind[0], subtype=kind[1], filename=f"Datei {each} ü.bin")
    return head() + mail.as_bytes()


def bounce(message_id: str, action: str, number: int) -> bytes:
    parts = (
        "Content-Type: text/plain\n\nYour message could not be delivered.\n",
        f"Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx{number}\n\nAction: {action}\nStatus: 5.1.1\n",
        f"Content-Type: text/rfc822-headers\n\nFrom: office@help.example\nMessage-ID: {message_id}\nSubject: Re: Mug\n",
    )
    body = "".join(f"--b\n{part}\n" for part in parts) + "--b--\n"
    kind = 'multipart/report; report-type=delivery-status; boundary="b"'
    return head(subject="Undelivered", From=f"MAILER-DAEMON@mx{number}.example.com", Content_Type=kind) + b"\n" + body.encode()

"""Files as programs write them, and files that are none: read rightly, or refused with a sentence."""

from io import BytesIO
from zipfile import ZipFile

import pytest

from cms_api.core.errors import Invalid
from cms_api.text.spreadsheets import plain_cell, safe_cell
from commerce.crm.models import Contact
from commerce.imports.models import ImportRun
from commerce.imports.selectors import kinds_on
from commerce.imports.services.reading import rows_of, survey
from commerce.imports.services.runs import bare_name, read_again
from commerce.imports.types import MAX_CELL, MAX_FILE_BYTES, MAX_ROWS, match_columns

from .files import import_all, make_run

pytestmark = pytest.mark.django_db

TEXT = "E-Mail;Vorname;Last Name\r\nzoe@example.com;Zoë;Müller – Groß\r\n"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (TEXT.encode(), "utf-8"),
        (TEXT.encode("utf-8-sig"), "utf-8"),
        (TEXT.encode("utf-16"), "utf-16"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "utf-16"),
        (TEXT.encode("utf-16-le"), "utf-16"),
        (TEXT.encode("utf-16-be"), "utf-16"),
        (TEXT.encode("cp1252"), "cp1252"),
    ],
    ids=["utf-8", "utf-8 with mark", "utf-16", "utf-16 be", "utf-16 le without mark", "utf-16 be without mark", "windows-1252"],
)
def test_it_works_in_every_encoding(content: bytes, encoding: str) -> None:
    run = import_all(content)
    assert (run.encoding, run.delimiter, run.mapping) == (encoding, ";", {"email": 0, "last_name": 2})
    assert (run.created, Contact.objects.get().last_name) == (1, "Müller – Groß")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_every_delimiter(delimiter: str) -> None:
    content = 'Email,Company,Notes\na@example.com,"Reyes, Sons; Co","1|2\t3"\nb@example.com,B,\n'.replace(",", delimiter)
    content = content.replace(f"Reyes{delimiter} Sons", "Reyes, Sons")
    layout = survey(content.encode())
    assert (layout.delimiter, layout.header, layout.total) == (delimiter, ["Email", "Company", "Notes"], 2)


@pytest.mark.both_databases
def test_one_column_needs_no_delimiter() -> None:
    layout = survey(b"email\na@example.com\nb@example.com\n")
    assert (layout.header, layout.total) == (["email"], 2)


def test_decimal_commas_do_not_mislead() -> None:
    assert survey(b"Email;Amount\na@example.com;1,5\nb@example.com;2,5\n").delimiter == ";"


def test_the_line_for_excel_is_left_out() -> None:
    content = b"sep=|\r\nEmail|Phone\r\na@example.com|1\r\n"
    layout = survey(content)
    assert (layout.delimiter, layout.header, layout.total) == ("|", ["Email", "Phone"], 1)
    assert [row.line for row in rows_of(content, encoding="utf-8", delimiter="|")] == [3]


def test_lines_are_those_of_the_file() -> None:
    """Whatever stands before a row: blank lines, cells of several lines, old line ends."""
    content = b'Email,Notes\r\n\r\na@example.com,"one\ntwo"\r\n , \r\nb@example.com,\rc@example.com,'
    rows = list(rows_of(content, encoding="utf-8", delimiter=","))
    assert [(row.line, row.cells[0]) for row in rows] == [(3, "a@example.com"), (6, "b@example.com"), (7, "c@example.com")]
    assert [row.line for row in rows_of(content, encoding="utf-8", delimiter=",", skipped=2)] == [7]


@pytest.mark.parametrize(
    "header", ["E-mail", "EMAIL", "e_mail", " Email Address ", "E-mail 1 - Value", "Mail", "\u00c9mail"], ids=ascii
)
def test_headers_are_recognised(header: str) -> None:
    assert match_columns(kinds_on()["contacts"], ["Nr.", header]) == {"email": 1}


def test_what_is_not_recognised_is_not_imported() -> None:
    assert match_columns(kinds_on()["contacts"], ["", "Password", "Email", "email", "First name", "id"]) == {
        "email": 2,
        "first_name": 4,
    }


def workbook() -> bytes:
    made = BytesIO()
    with ZipFile(made, "w") as file:
        file.writestr("xl/workbook.xml", "<workbook/>")
    return made.getvalue()


HOSTILE: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "The file is empty."),
    "blank lines": (b"\r\n \r\n\t\n", "The file is empty."),
    "a mark and nothing": (b"\xef\xbb\xbf", "The file is empty."),
    "only delimiters": (b",,,\n,,\n", "The file is empty."),
    "a header alone": (b"Email,Name\n", "The file has a header and no rows below it."),
    "a workbook": (workbook(), "This is an Excel or OpenDocument file"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "This is a picture"),
    "a program": (b"\x7fELF" + bytes(range(256)) * 40, "The file's encoding couldn't be read"),
    "zeros": (b"\0" * 5000, "This isn't a text file"),
    "broken utf-16": (b"\xff\xfea\0\0\xd8b\0", "The file's encoding couldn't be read"),
    "no encoding at all": (b"Email\n\x81\x8d\x8f\xff", "The file's encoding couldn't be read"),
    "too large": (b"a" * (MAX_FILE_BYTES + 1), "The file may not be larger than 20 MB."),
    "too many rows": (b"e\n" + b"a@b.cd\n" * (MAX_ROWS + 1), "The file has more than 200,000 rows"),
    "too many columns": (b"," * 300 + b"a\nb\n", "The row that begins on line 1 has more than 200 columns."),
    "a wide row": (b"Email,Name\na,b\n" + b"," * 200 + b"\n", "The row that begins on line 3 has more than 200 columns."),
    "a huge cell": (b'Email\n"' + b"x" * (MAX_CELL + 1) + b'"\n', "The row that begins on line 2 has a cell of more than"),
    "an open quotation mark": (
        b'Email,Name\na@b.cd,"Dana\nc@d.ef,Omer\n',
        "The row that begins on line 2 has an opening quotation mark",
    ),
    "a long one": (
        b'Email,Name\na@b.cd,"Dana\n' + b"c@d.ef,Omer\n" * 20_000,
        "The row that begins on line 2 has a cell of more than",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_read_is_refused_with_a_sentence(name: str) -> None:
    content, sentence = HOSTILE[name]
    with pytest.raises(Invalid) as refusal:
        make_run(content)
    assert list(refusal.value.errors) == ["file"]
    assert refusal.value.message.startswith(sentence)
    assert not ImportRun.objects.exists()


def test_rows_that_are_too_long_or_too_short() -> None:
    run = import_all(b"Email,First name,Phone\na@example.com\nb@example.com,B,1,,\nc@example.com,C,1,more\n")
    assert (run.created, run.refused) == (2, 1)
    problem = run.refusals.get().problem
    assert problem == "The row has 4 cells, but the header has only 3."


def test_zero_bytes_refuse_their_row() -> None:
    run = import_all(b"Email,First\0 name,Phone\na@example.com,D\0ana,\nb\0@example.com,,\nc@example.com,C,1\n")
    assert (run.header, run.created, run.refused) == (["Email", "First name", "Phone"], 1, 2)
    assert run.refusals.order_by("line")[0].cells == ["a@example.com", "Dana", ""]


def test_odd_characters_harm_nobody() -> None:
    odd = "Email,First name,Company,Tags\n" + "".join(
        f'a{number}@example.com,"{text}","{text}","{text}"\n'
        for number, text in enumerate(
            ["\u202eevil", "\U0001f600" * 20, "'; DROP TABLE x; --", "<script>", "%s%n", "{{ 7 }}", "\x1b[0m"]
        )
    )
    run = import_all(odd.encode())
    assert (run.total, run.created + run.refused) == (7, 7)


def test_formulas_come_back_as_they_were() -> None:
    for text in ("=1+1", "+1 802 555", "-5", "@home", "\t", "'quoted'", "plain", ""):
        assert plain_cell(safe_cell(text)) == text
    import_all(b"Email,Phone\na@example.com,'+1 802 555 0142\n")
    assert Contact.objects.get().phone == "+1 802 555 0142"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\guests.csv", "guests.csv"),
        ("a\0b\nc.csv", "abc.csv"),
        ("", "file.csv"),
        ("x" * 500, "x" * 200),
    ],
)
def test_names_of_files(given: str, kept: str) -> None:
    assert bare_name(given) == kept


def test_an_encoding_that_people_choose() -> None:
    content = "Email,First name,Notes\na@example.com,Żółć,x\n".encode("cp1250")
    run = make_run(content)
    assert run.encoding == "cp1252"
    read_again(run=run, encoding="cp1250", delimiter=",")
    assert next(iter(rows_of(content, encoding=run.encoding, delimiter=","))).cells[1] == "Żółć"


def test_a_file_is_read_in_another_way_where_people_know_better() -> None:
    run = make_run("Email,Name\na@example.com,Żółć\n".encode("cp1252", "replace"))
    read_again(run=run, encoding="cp1252", delimiter=";")
    assert (run.delimiter, run.header, run.mapping) == (";", ["Email,Name"], {})
    read_again(run=run, encoding="cp1252", delimiter=",")
    assert run.mapping == {"email": 0, "name": 1}
    for encoding, delimiter in (("utf-7", ","), ("utf-8", "x"), ("", ""), ("utf-16", ",")):
        with pytest.raises(Invalid):
            read_again(run=run, encoding=encoding, delimiter=delimiter)

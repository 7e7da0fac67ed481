"""The pages of imports: from the file to the rows that were refused, for those who may."""

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django_q.models import OrmQ

from cms_api.flags.services import switch_feature
from commerce.crm.models import Contact
from commerce.imports.models import ImportRun
from commerce.imports.selectors import import_url
from commerce.imports.services import working
from commerce.imports.services.working import work
from commerce.imports.types import LINE, PROBLEM
from commerce.marketing.models import Subscriber
from tests import people
from tests.commerce.directory.admin_builders import listing as make_listing

from .files import guests, import_all, make_run, start_run, table

pytestmark = pytest.mark.django_db

LIST = "/admin/imports/"
NEW = "/admin/imports/new/contacts/"


def upload(client: Client, content: bytes, url: str = NEW, name: str = "guests.csv") -> Any:
    return client.post(url, {"file": SimpleUploadedFile(name, content, "text/csv")})


def text(answer: Any) -> str:
    return answer.content.decode()


@pytest.mark.both_databases
def test_it_works(manager: Client) -> None:
    assert "E-mail" not in text(manager.get(NEW))
    answer = upload(manager, table("dana@example.com,Dana,Reyes", "bad,,", header="Mail,Vorname,Last name"))
    run = ImportRun.objects.get()
    prepare, page = f"{LIST}{run.pk}/prepare/", f"{LIST}{run.pk}/"
    assert answer.headers["Location"] == prepare
    shown = text(manager.get(prepare))
    for said in ("guests.csv", "2 rows", "Vorname", "dana@example.com", '<option value="email" selected>Email</option>'):
        assert said in shown
    started = manager.post(prepare, {"column_0": "email", "column_1": "first_name", "column_2": "last_name"})
    assert started.headers["Location"] == page
    assert OrmQ.objects.count() == 1
    shown = text(manager.get(page))
    assert '<progress value="0" max="2"' in shown
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in shown
    work(run.pk)
    shown = text(manager.get(f"{page}progress/"))
    assert '<progress value="2" max="2"' in shown
    assert "The email must be a valid email address." in shown
    assert "data-under-way" not in shown
    assert 'http-equiv="refresh"' not in text(manager.get(page))
    assert Contact.objects.get().name == "Dana Reyes"
    assert "guests.csv" in text(manager.get(LIST))
    run.refresh_from_db()
    assert run.user
    assert run.user.get_username() == "mallory@example.com"


def test_the_page_shows_each_update_before_the_import(manager: Client) -> None:
    switch_feature(name="directory", on=True)
    make_listing("Reyes Ceramics", city="Boston")
    content = table("reyes-ceramics,Denver,Kiln", ",,", ",Austin,Kiln", "reyes-ceramics,,Kiln", header="Slug,City,Word")
    upload(manager, content, "/admin/imports/new/listings/")
    run = ImportRun.objects.get()
    prepare = f"{LIST}{run.pk}/prepare/"
    shown = " ".join(text(manager.get(prepare)).split())
    assert "0 new, 1 updated, 1 unchanged, 1 refused." in shown
    assert "Reyes Ceramics (reyes-ceramics)" in shown
    assert "city: Boston → Denver" in shown
    assert "<td>4</td><td>The name field is required.</td>" in shown
    # Other columns, before anything is imported.
    manager.post(prepare, {"column_0": "slug", "column_2": "name", "preview": "1"})
    shown = " ".join(text(manager.get(prepare)).split())
    assert "1 new, 2 updated, 0 unchanged, 0 refused." in shown
    assert "name: Reyes Ceramics → Kiln" in shown
    run.refresh_from_db()
    assert run.state == "uploaded"


def test_a_file_that_cannot_be_read(manager: Client) -> None:
    for content, said in (
        (b"", "The file is empty."),
        (b"Email\n", "no rows below it"),
        (b"PK\x03\x04", "an Excel or OpenDocument"),
    ):
        answer = upload(manager, content)
        assert answer.status_code == 200
        assert said in text(answer)
    assert "required" in text(manager.post(NEW))
    assert not ImportRun.objects.exists()


def test_columns_that_do_not_fit(manager: Client) -> None:
    run = make_run()
    for sent, said in (
        ({}, "Choose the column with the email."),
        ({"column_0": "email", "column_1": "email"}, "Two columns of the file are mapped to “Email”"),
        ({"column_0": "password"}, "Select a valid choice."),
        ({"column_0": "email\0"}, "Select a valid choice."),
    ):
        answer = manager.post(f"{LIST}{run.pk}/prepare/", sent)
        assert answer.status_code == 200
        assert said in text(answer)
    run.refresh_from_db()
    assert run.state == "uploaded"


def test_subscribers_need_the_box_ticked(manager: Client) -> None:
    upload(manager, guests(1), "/admin/imports/new/subscribers/")
    prepare = f"{LIST}{ImportRun.objects.get().pk}/prepare/"
    answer = manager.post(prepare, {"column_0": "email"})
    assert "Confirm to continue: “These people have agreed to receive emails”." in text(answer)
    assert "--option" not in text(answer)
    assert not OrmQ.objects.exists()
    manager.post(prepare, {"column_0": "email", "option_confirmed": "on", "option_all_tags": "fair"})
    work(ImportRun.objects.get().pk)
    assert Subscriber.objects.get().tags == ["fair"]


def test_read_in_another_way(manager: Client) -> None:
    run = make_run(b"Email;Phone\na@example.com;1\n")
    prepare = f"{LIST}{run.pk}/prepare/"
    manager.post(prepare, {"read_again": "1", "encoding": "cp1252", "delimiter": ","})
    assert "Email;Phone" in text(manager.get(prepare))
    for odd in ({}, {"encoding": "x", "delimiter": ","}, {"encoding": "utf-8", "delimiter": "\0"}):
        assert manager.post(prepare, {"read_again": "1", **odd}).status_code == 302


def test_cancel_and_resume(manager: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "BATCH", 2)
    monkeypatch.setattr(working, "TASK_DURATION", timedelta(0))
    run = start_run(make_run(guests(5)))
    work(run.pk)
    page = f"{LIST}{run.pk}/"
    assert "Cancel the import" in text(manager.get(page))
    cancel, resume = f"{LIST}cancel/{run.pk}/", f"{LIST}resume/{run.pk}/"
    assert manager.get(cancel).headers["Location"] == page
    manager.post(cancel)
    work(run.pk)
    assert Contact.objects.count() == 2
    assert "Rows imported so far are kept." in text(manager.get(page))
    assert "has changed in the meantime" in text(manager.post(resume, follow=True))
    ImportRun.objects.update(state="failed", file="there")
    assert "Continue</button>" in text(manager.get(page))
    assert "continues after row 2." in text(manager.post(resume, follow=True))
    run.refresh_from_db()
    assert run.state == "waiting"


def test_an_import_is_started_once(manager: Client) -> None:
    run = make_run()
    prepare = f"{LIST}{run.pk}/prepare/"
    for _ in range(2):
        assert manager.post(prepare, {"column_0": "email"}).headers["Location"] == f"{LIST}{run.pk}/"
    assert OrmQ.objects.count() == 1
    assert manager.get(prepare).status_code == 302


def test_refused_rows_are_mended_and_imported_again(manager: Client) -> None:
    run = import_all(table("good@example.com,A,,", "bad,=1+1,,", "worse,Dana,Reyes,", header="Email,First name,Last name,Phone"))
    answer = manager.get(f"{LIST}{run.pk}/refused/")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="guests-refused.csv"'
    content = b"".join(answer.streaming_content)
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    assert rows[0] == ["Email", "First name", "Last name", "Phone", LINE, PROBLEM]
    assert rows[1][:2] + rows[1][4:] == ["bad", "'=1+1", "3", "The email must be a valid email address."]
    mended = content.replace(b"worse", b"dana@example.com").replace(b"bad", b"formula@example.com")
    upload(manager, mended)
    again = ImportRun.objects.order_by("-pk")[0]
    assert set(again.mapping) == {"email", "first_name", "last_name", "phone"}
    work(start_run(again).pk)
    assert dict(Contact.objects.values_list("email", "first_name")) == {
        "good@example.com": "A",
        "formula@example.com": "=1+1",
        "dana@example.com": "Dana",
    }


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_formula_in_a_refused_row_is_never_run(manager: Client, start: str) -> None:
    run = import_all(table(f'{start}cmd,"{start}evil",', header=f'"{start}Email",Email,First name'))
    content = b"".join(manager.get(f"{LIST}{run.pk}/refused/").streaming_content).decode("utf-8-sig")
    for row in csv.reader(io.StringIO(content, newline="")):
        assert not [cell for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_what_is_shown_is_escaped(manager: Client) -> None:
    run = make_run(b'Email,"<script>alert(1)</script>"\n<script>alert(2)</script>,1\n', filename="<script>.csv")
    assert "<script>alert" not in text(manager.get(f"{LIST}{run.pk}/prepare/"))
    work(start_run(run).pk)
    for url in (f"{LIST}{run.pk}/", f"{LIST}{run.pk}/progress/", LIST):
        assert "<script>alert" not in text(manager.get(url))
        assert "<script>.csv" not in text(manager.get(url))


def test_many_refused_rows_are_capped_on_the_page_and_whole_in_the_file(manager: Client) -> None:
    run = import_all(table(*(f"bad{number},,,," for number in range(120))))
    with CaptureQueriesContext(connection) as statements:
        shown = text(manager.get(f"{LIST}{run.pk}/"))
    assert shown.count("bad") == 50
    assert "Showing the first 50 of 120." in shown
    assert len(statements) < 40
    assert b"".join(manager.get(f"{LIST}{run.pk}/refused/").streaming_content).count(b"bad") == 120


def pages(run: ImportRun) -> list[tuple[str, str]]:
    one = f"{LIST}{run.pk}/"
    return [
        *(("get", url) for url in (LIST, f"{LIST}results/", NEW, f"{NEW}empty-file/", f"{one}prepare/")),
        *(("get", url) for url in (one, f"{one}progress/", f"{one}refused/")),
        *(("post", url) for url in (NEW, f"{one}prepare/", f"{LIST}cancel/{run.pk}/", f"{LIST}resume/{run.pk}/")),
    ]


def test_the_pages_are_not_there_while_the_features_are_off(manager: Client) -> None:
    run = make_run()
    switch_feature(name="crm", on=False)
    for method, url in pages(run)[2:]:
        assert getattr(manager, method)(url).status_code == 404, url
    assert "guests.csv" not in text(manager.get(LIST))
    assert manager.get("/admin/imports/new/subscribers/").status_code == 200
    switch_feature(name="marketing", on=False)
    for method, url in pages(run):
        assert getattr(manager, method)(url).status_code == 404, url
    assert "/admin/imports/" not in text(manager.get("/admin/"))
    run.refresh_from_db()
    assert run.state == "uploaded"


def test_those_who_may_not_see_nothing(sign_in: Callable[[Any], Client]) -> None:
    run = make_run()
    for client in (sign_in(people.bob()), sign_in(people.charlie()), Client()):
        for method, url in pages(run):
            answer = getattr(client, method)(url)
            assert answer.status_code in {302, 403, 404}, url
            assert "guests.csv" not in text(answer)
        assert "/admin/imports/" not in text(client.get("/admin/", follow=True)).replace("next=/admin/imports/", "")
    run.refresh_from_db()
    assert run.state == "uploaded"


def test_somebody_sees_the_imports_of_what_they_may_import(sign_in: Callable[[Any], Client]) -> None:
    from django.contrib.auth.models import Permission

    person = people.bob()
    person.user_permissions.add(Permission.objects.get(content_type__app_label="crm", codename="add_contact"))
    client = sign_in(type(person).objects.get(pk=person.pk))
    mine, others = make_run(), make_run(kind="subscribers", filename="secret.csv")
    listing = text(client.get(LIST))
    assert "guests.csv" in listing
    assert "secret.csv" not in listing
    assert client.get(f"{LIST}{mine.pk}/prepare/").status_code == 200
    for method, url in pages(others)[4:8]:
        assert getattr(client, method)(url).status_code == 404
    assert client.post(f"{LIST}cancel/{others.pk}/").status_code == 404
    assert import_url("contacts", person) == NEW
    assert import_url("subscribers", person) == ""


def test_the_menu_and_odd_addresses(manager: Client) -> None:
    assert "/admin/imports/" in text(manager.get("/admin/"))
    for odd in ("new/nothing/", "99999999999999999999/", "0/", "new/contacts%00/", "1/refused/"):
        assert manager.get(LIST + odd).status_code == 404, odd
    for odd in ("?kind=x", "?state=%00", "?p=x", "?ordering=x", "?q=%00"):
        assert manager.get(LIST + odd).status_code in {200, 404}, odd
    assert manager.get(f"{NEW}empty-file/").status_code == 200


def test_the_listing_costs_the_same_however_long_it_is(manager: Client) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as statements:
            manager.get(LIST)
        return len(statements)

    import_all()
    cost()
    few = cost()
    for _ in range(2):
        import_all(table("bad"))
    assert cost() == few

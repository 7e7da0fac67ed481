"""A restored site does nothing by itself that the lost site may have done since its backup."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from django_q.models import OrmQ
from django_q.tasks import async_task

from cms_api.core import jobs, registry
from cms_api.core.models import PeriodicJob
from cms_api.core.queued_tasks import take_task
from cms_api.flags.selectors import active_jobs
from cms_api.flags.services import set_setting, switch_feature
from cms_api.forms.models import private_files
from cms_api.gateway.jobs_admin import pauses
from cms_api.mail.models import OutgoingMail
from commerce.common.models import Counter
from commerce.donations.services import request_statements
from commerce.invoicing.models import Invoice
from commerce.real_estate.models import PropertyPhoto
from tests import people
from tests.commerce.donations.admin_builders import stored
from tests.commerce.invoicing.builders import make_client, make_invoice, make_recurring
from tests.commerce.real_estate.builders import make_property

from .sites import Sites, run

RESUME = "/admin/reports/background-jobs/resume/"
Clock = Callable[[str], None]


@pytest.fixture
def archive(sites: Sites, tmp_path: Path) -> Path:
    for name in ("donations", "invoicing", "real_estate", "shop"):
        switch_feature(name=name, on=True)
    return tmp_path / "site.tar"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    def stop(wanted: str) -> None:
        now = datetime.fromisoformat(wanted).replace(tzinfo=UTC)
        monkeypatch.setattr(timezone, "now", lambda: now)

    return stop


def restore(sites: Sites, archive: Path, *words: str) -> str:
    sites.use("second", migrated=False)
    return run("restore", str(archive), *words)[0]


def run_jobs() -> list[str]:
    wanted = {"create_recurring_invoices", "remind_invoice_clients"}
    return jobs.run_due_jobs([job for job in active_jobs() if job.name in wanted])


def invoices() -> list[tuple[str, str]]:
    return list(Invoice.objects.order_by("pk").values_list("number", "client__name"))


def test_recurring_invoices_wait_and_numbers_are_not_given_twice(sites: Sites, archive: Path, clock: Clock) -> None:
    clock("2027-01-10 12:00")
    anna, bert = make_client("Anna"), make_client("Bert")
    make_recurring(client=anna, starts_on=date(2027, 1, 20), delivery="send", interval="month")
    run("backup", str(archive))
    make_invoice(client=bert)
    clock("2027-01-20 12:00")
    assert run_jobs()
    lost = {number for number, _ in invoices()}
    assert len(lost) == 2
    clock("2027-01-20 20:00")
    out = restore(sites, archive)
    assert "INV-2001" in out
    assert "Create recurring invoices" in out
    assert run_jobs() == []
    assert (invoices(), OutgoingMail.objects.count()) == ([], 0)
    assert run("resume_jobs")[0].startswith("Resumed: ")
    assert "create_recurring_invoices" in run_jobs()
    assert invoices() == [("INV-2001", "Anna")]
    assert not lost & {number for number, _ in invoices()}


def test_reminders_wait(sites: Sites, archive: Path, clock: Clock) -> None:
    clock("2027-01-01 12:00")
    make_invoice(issue_date=date(2027, 1, 1), due_date=date(2027, 1, 10))
    set_setting(key="invoicing.remind_after_days", value="3")
    run("backup", str(archive))
    clock("2027-01-13 12:00")
    restore(sites, archive)
    assert "remind_invoice_clients" not in jobs.run_all_jobs(active_jobs())
    assert not OutgoingMail.objects.exists()
    jobs.resume_jobs(by="Alice")
    assert "remind_invoice_clients" in run_jobs()
    assert OutgoingMail.objects.count() == 1


def statements() -> int:
    return OutgoingMail.objects.filter(template="donation_statement").count()


def run_tasks() -> None:
    while task := take_task():
        task.execute()


def test_emails_of_a_job_wait_whoever_asks_for_them(sites: Sites, archive: Path) -> None:
    """Neither tasks in the backup, as former versions queued them, nor a new request sends what the lost site has sent."""
    stored(email="one@example.com")
    year = timezone.now().year
    request_statements(year=year)
    for _ in range(2):
        async_task("commerce.donations.services.mailing.send_statements")
    # Everything that is no job's goes on.
    async_task("events.tasks.materialize_in_background", 0)
    run("backup", str(archive))
    run_tasks()
    assert statements() == 1
    restore(sites, archive)
    assert [task.func() for task in OrmQ.objects.all()] == ["events.tasks.materialize_in_background"]
    stored(email="two@example.com")
    assert request_statements(year=year) == 2
    run_tasks()
    assert "send_donation_statements" not in jobs.run_due_jobs(active_jobs())
    assert statements() == 0
    jobs.resume_jobs(by="Alice")
    assert "send_donation_statements" in jobs.run_due_jobs(active_jobs())
    assert statements() == 2


def test_tasks_of_a_site_that_moves_go_on(sites: Sites, archive: Path) -> None:
    async_task("commerce.donations.services.mailing.send_statements")
    run("backup", str(archive))
    restore(sites, archive, "--send-queued")
    assert OrmQ.objects.count() == 1


def test_photos_that_are_to_be_copied_reach_nobody(sites: Sites, archive: Path) -> None:
    PropertyPhoto.objects.create(listing=make_property(), url="https://photos.example.com/a.jpg", next_attempt_at=timezone.now())
    OutgoingMail.objects.create(recipient="dana@example.com", next_attempt_at=timezone.now(), created_at=timezone.now())
    run("backup", str(archive))
    assert "waiting, and are not sent: 1. Their log" in restore(sites, archive)
    photo = PropertyPhoto.objects.get()
    assert (photo.error, photo.next_attempt_at is None) == ("", False)
    later = PropertyPhoto.objects.create(url="https://photos.example.com/b.jpg")
    assert later.pk - photo.pk == 1


def test_the_gap_is_chosen(sites: Sites, archive: Path) -> None:
    make_invoice()
    run("backup", str(archive))
    restore(sites, archive, "--number-gap", "50")
    assert make_invoice().number == "INV-1052"
    # A series that had not begun.
    assert Counter.objects.get(series="ORD").last == 1050
    sites.use("third", migrated=False)
    assert "next ones" not in run("restore", str(archive), "--number-gap", "0")[0]
    assert make_invoice().number == "INV-1002"


@pytest.mark.once
@pytest.mark.parametrize("gap", ["-1", "many", "1" * 9, "²"])
def test_a_gap_is_a_number(archive: Path, gap: str) -> None:
    with pytest.raises(CommandError, match="whole number"):
        call_command("restore", str(archive), f"--number-gap={gap}")


def test_a_site_that_moves_goes_on(sites: Sites, archive: Path) -> None:
    make_invoice()
    run("backup", str(archive))
    out = restore(sites, archive, "--send-queued")
    assert "Paused" not in out
    assert "next ones" not in out
    assert make_invoice().number == "INV-1002"
    assert not PeriodicJob.objects.filter(paused_for_backup_of__isnull=False).exists()
    assert set(run_jobs()) == {"create_recurring_invoices", "remind_invoice_clients"}
    assert run("resume_jobs")[0] == "No jobs were paused.\n"


def test_it_is_shown_until_it_is_resumed(sites: Sites, archive: Path) -> None:
    run("backup", str(archive))
    restore(sites, archive)
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["checks"]["jobs"]) == (200, "paused")
    # Nothing is late while it waits for a person.
    PeriodicJob.objects.update(due_at=datetime(2026, 1, 1, tzinfo=UTC), last_run_at=None)
    state = next(each for each in jobs.job_states(active_jobs()) if each.name == "renew_donations")
    assert (state.status, state.is_late, state.due_at) == ("paused", False, None)
    out = StringIO()
    call_command("status", stdout=out)
    assert re.search("^renew_donations +paused ", out.getvalue(), re.MULTILINE)
    assert "manage.py resume_jobs" in out.getvalue()
    alice = people.alice()
    card = pauses(people.request_by(alice))
    assert card is not None
    assert (card.button, card.action, card.urgent) == ("Resume", RESUME, True)
    assert re.search(r"restored from a backup of .*20\d\d.*: .*, Create recurring invoices, .* and \d more\.$", card.text)
    assert "Send sequences" not in card.text
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.charlie())
    assert client.post(RESUME).status_code in {302, 403}
    assert pauses(people.request_by(alice)).count
    client.force_login(alice)
    home = client.get("/admin/").content.decode()
    assert f'action="{RESUME}"' in home
    assert client.get(RESUME).status_code == 405
    assert "restored from a backup" in client.get("/admin/reports/background-jobs/").content.decode()
    assert client.post(RESUME).status_code == 403
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', home[home.index(RESUME) :])
    assert token
    client.post(RESUME, {"csrfmiddlewaretoken": token[1]})
    state = next(each for each in jobs.job_states(active_jobs()) if each.name == "renew_donations")
    assert (state.status, state.is_late) == ("not run yet", False)
    assert "jobs" not in Client().get("/readyz").json()["checks"]
    card = pauses(people.request_by(alice))
    assert card is not None
    assert card.count == 0


@pytest.mark.once
def test_the_jobs_that_reach_people() -> None:
    """Decide for each new job: does it charge, invoice or write to somebody because a date has come?

    Offers of seats that became free, and refunds that are pending, are no such jobs: without them, nothing could be sold or paid
    back. Neither are the ends of reservations.
    """
    assert {job.name for job in registry.jobs() if job.reaches_people} == {
        "check_renewals",
        "create_recurring_invoices",
        "nudge_requesters",
        "remind_customers",
        "remind_invoice_clients",
        "remind_listing_owners",
        "remind_of_appointments",
        "renew_donations",
        "send_donation_statements",
        "send_postponed_rsvp_mails",
        "send_review_invitations",
        "send_saved_searches",
        "send_sequences",
        "send_ticket_announcements",
        "send_weekly_report",
    }


@pytest.mark.once
def test_the_jobs_that_delete_stray_files() -> None:
    """Each module that deletes files without a row does so in jobs that a restore pauses."""
    call = re.compile(r"(?<!def )\bdelete_strays\(")
    paths = (path for root in ("cms_api", "commerce", "events", "home") for path in Path(root).rglob("*.py"))
    deleting = {path.parts[:2] for path in paths if call.search(path.read_text())}
    assert deleting == {tuple(job.function.split(".")[:2]) for job in registry.jobs() if job.deletes_strays}


def test_files_of_the_live_site_stay_while_another_is_restored_on_trial(sites: Sites, archive: Path, clock: Clock) -> None:
    clock("2027-01-01 12:00")
    run("backup", str(archive))
    name = private_files().save("8f3a", ContentFile(b"plan"))
    restore(sites, archive)
    clock("2037-01-01 12:00")
    jobs.run_all_jobs(active_jobs())
    assert private_files().exists(name)
    jobs.resume_jobs(by="Alice")
    jobs.run_all_jobs(active_jobs())
    assert not private_files().exists(name)


@pytest.mark.once
def test_every_series_is_declared() -> None:
    """`restore` leaves a gap in those that are declared, even if they had not begun."""
    declared = {series for module in registry.modules() for series in module.records.numbers}
    assert declared == set(used_series())


def used_series() -> Iterator[str]:
    """The series in which numbers are given: the first arguments of `next_number`."""
    from commerce.donations.services.paying import SERIES as DONATIONS
    from commerce.invoicing.types.invoices import CREDIT_NOTES, SERIES
    from commerce.restaurant.types.orders import NUMBERS as MEALS
    from commerce.shop.types.orders import NUMBERS as ORDERS
    from commerce.support.types.tickets import SERIES as TICKETS
    from commerce.ticketing.types.orders import NUMBERS as SEATS

    known: dict[str, tuple[str, ...]] = {
        "donations/services/paying.py": (DONATIONS,),
        "invoicing/services/numbers.py": (*SERIES.values(), CREDIT_NOTES),
        "restaurant/services/placing.py": (MEALS,),
        "shop/services/placing.py": (ORDERS,),
        "support/services/opening.py": (TICKETS,),
        "ticketing/services/buying.py": (SEATS,),
    }
    root = Path("commerce")
    call = re.compile(r"(?<!def )\bnext_number\(")
    callers = {str(path.relative_to(root)) for path in root.rglob("*.py") if call.search(path.read_text())}
    assert {caller for caller in callers if "demo" not in caller} == set(known)
    for series in known.values():
        yield from series

"""Supporters start fundraisers, and change them by the link in emails."""

from html import unescape
from typing import Any

import pytest
from django.test import Client

from cms_api.accounts.services import create_member
from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.donations.models import Fundraiser
from commerce.donations.selectors.links import FUNDRAISER_LINK
from commerce.donations.services import end_fundraiser, hide_fundraiser, publish_fundraiser, save_fundraiser
from commerce.donations.types.donations import START_PATH
from commerce.donations.views.fundraisers import FUNDRAISERS_PER_HOUR
from tests.people import PASSWORD
from tests.visitor import hidden

from .builders import make_campaign, make_fundraiser
from .page_builders import yesterday

START = f"/donate/a-kiln-for-the-mill/{START_PATH}"
TYPED = {"name": "Noor runs", "story": "Twenty miles.", "goal": "500", "organizer": "Noor de Vries", "email": "noor@example.com"}


def send(client: Client, **changes: Any) -> Any:
    return client.post(START, {**hidden(client, START), **TYPED, **changes})


def edit(fundraiser: Fundraiser) -> str:
    return FUNDRAISER_LINK.path(fundraiser)


@pytest.mark.both_databases
def test_it_works(client: Client, settings: Any) -> None:
    settings.BUSINESS_EMAIL = "mill@example.org"
    make_campaign(has_fundraisers=True)
    answer = send(client)
    made = Fundraiser.objects.get()
    assert (made.name, made.slug, made.goal_cents, made.organizer, made.email, made.status) == (
        "Noor runs",
        "noor-runs",
        50_000,
        "Noor de Vries",
        "noor@example.com",
        "pending",
    )
    assert answer.headers["Location"] == edit(made)
    page = client.get(edit(made))
    assert "Waiting for approval." in unescape(page.content.decode())
    assert page.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert OutgoingMail.objects.get(template="fundraiser_submitted").recipient == "mill@example.org"
    assert client.get("/donate/a-kiln-for-the-mill/noor-runs").status_code == 404
    publish_fundraiser(fundraiser=made)
    assert edit(made) in OutgoingMail.objects.get(template="fundraiser_published").text
    assert 'href="/donate/a-kiln-for-the-mill/noor-runs"' in client.get(edit(made)).content.decode()


def test_without_approval_it_is_public_at_once(client: Client) -> None:
    set_setting(key="donations.approve_fundraisers", value=False)
    make_campaign(has_fundraisers=True)
    answer = client.get(send(client).headers["Location"])
    assert "Your fundraiser is online." in answer.content.decode()
    assert client.get("/donate/a-kiln-for-the-mill/noor-runs").status_code == 200


def test_errors_lead_to_their_inputs(client: Client) -> None:
    make_campaign(has_fundraisers=True)
    answer = send(client, name="", goal="a lot", organizer="", email="noor")
    assert answer.status_code == 422
    assert answer.context["errors"] == [
        ("Enter a title.", "id_name"),
        ("Enter an amount such as 1,500.00.", "id_goal"),
        ("Enter your name.", "id_organizer"),
        ("Enter a valid email address.", "id_email"),
    ]
    assert not Fundraiser.objects.exists()


@pytest.mark.parametrize(
    "sent",
    [
        {"_stamp": "x"},
        {"hp_url": "https://spam.example"},
        {"story": "http://a.example http://b.example http://c.example http://d.example"},
        {"name": "a\u2028b"},
        {"name": "\0"},
        {"goal": "0"},
    ],
)
def test_hostile_input_stores_nothing(client: Client, sent: dict[str, Any]) -> None:
    make_campaign(has_fundraisers=True)
    assert send(client, **sent).status_code == 422
    assert not Fundraiser.objects.exists()


def test_campaigns_without_fundraisers_have_no_form(client: Client) -> None:
    make_campaign()
    assert client.get(START).status_code == 404
    make_campaign("Over", has_fundraisers=True, ends_on=yesterday())
    assert client.get(f"/donate/over/{START_PATH}").headers["Location"] == "/donate/over"


def test_no_fundraiser_takes_the_path_of_the_form(client: Client) -> None:
    campaign = make_campaign(has_fundraisers=True)
    for number in (2, 3):
        send(client, name="Start a fundraiser")
        assert Fundraiser.objects.latest("pk").slug == f"{START_PATH}-{number}"
    values = {"name": "Mine", "organizer": "Noor", "email": "noor@example.com", "slug": START_PATH}
    with pytest.raises(Invalid, match="slug has already been taken"):
        save_fundraiser(values=values, campaign=campaign)
    with pytest.raises(Invalid, match="slug has already been taken"):
        save_fundraiser(values={"slug": START_PATH}, fundraiser=Fundraiser.objects.latest("pk"))


def test_an_account_is_known(client: Client) -> None:
    mia = create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")
    client.force_login(mia)
    make_campaign(has_fundraisers=True)
    assert client.get(START).context["form"]["organizer"].value() == "Mia Sand"
    send(client)
    assert Fundraiser.objects.get().user == mia


def test_one_address_starts_so_many_an_hour(client: Client) -> None:
    make_campaign(has_fundraisers=True)
    opened = hidden(client, START)
    statuses = [client.post(START, {**opened, **TYPED, "name": f"Run {n}"}).status_code for n in range(FUNDRAISERS_PER_HOUR + 2)]
    assert statuses == [302] * FUNDRAISERS_PER_HOUR + [429, 429]
    assert Fundraiser.objects.count() == FUNDRAISERS_PER_HOUR


def test_the_organizer_changes_it(client: Client) -> None:
    fundraiser = make_fundraiser(make_campaign())
    form = client.get(edit(fundraiser)).context["form"]
    assert {name: form[name].value() for name in TYPED} == {
        "name": "Noor runs for the kiln",
        "story": "",
        "goal": "500.00",
        "organizer": "Noor de Vries",
        "email": "noor@example.com",
    }
    assert client.post(edit(fundraiser), {**TYPED, "name": ""}).status_code == 422
    # Nobody takes the page over by its link.
    answer = client.post(edit(fundraiser), {**TYPED, "goal": "", "email": "eve@example.com"}, follow=True)
    assert "Your changes have been saved." in answer.content.decode()
    fundraiser.refresh_from_db()
    # The address of its page stays.
    assert (fundraiser.name, fundraiser.goal_cents, fundraiser.slug) == ("Noor runs", None, "noor-runs-for-the-kiln")
    assert fundraiser.email == "noor@example.com"
    assert "Noor runs</h1>" in client.get("/donate/a-kiln-for-the-mill/noor-runs-for-the-kiln").content.decode()


def test_one_that_is_over_is_not_changed(client: Client) -> None:
    fundraiser = make_fundraiser(make_campaign())
    end_fundraiser(fundraiser=fundraiser)
    page = client.get(edit(fundraiser)).content.decode()
    assert "Your fundraiser has ended." in page
    assert "Save changes" not in page
    assert "See your page" in page
    hide_fundraiser(fundraiser=fundraiser)
    page = unescape(client.get(edit(fundraiser)).content.decode())
    assert "Your fundraiser isn't public." in page
    assert "See your page" not in page
    client.post(edit(fundraiser), TYPED)
    fundraiser.refresh_from_db()
    assert fundraiser.name == "Noor runs for the kiln"

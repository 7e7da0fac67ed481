"""No secret of a link is stored, whoever sends it; pages with secrets have no script, and logs hide them."""

import io
import logging
import re
from urllib.parse import urlencode

import pytest
from django.test import Client

from cms_api.analytics.models import Event, PageTitle, RollUp, Visit
from cms_api.analytics.services import spool
from cms_api.analytics.services.ingesting import ingest
from cms_api.analytics.types.events import Event as Counted
from cms_api.flags.services import set_setting, switch_feature
from cms_api.gateway.logs import SecretFilter
from commerce.projects.selectors import PROJECT_LINK
from commerce.shop.selectors.orders import ORDER_LINK
from tests.accounts.signing_in import confirmation_path
from tests.commerce.booking.builders import make_staff
from tests.commerce.members.conftest import make_member
from tests.commerce.projects.builders import make_project
from tests.commerce.shop.builders import make_order

from .test_collecting import send

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("analytics_on")]


@pytest.fixture(autouse=True)
def _modules_on(db: None) -> None:
    for name in ("shop", "projects", "members"):
        switch_feature(name=name, on=True)


def stored() -> str:
    """Everything that analytics knows."""
    return str([list(model.objects.values()) for model in (Event, Visit, RollUp, PageTitle)])


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    order = make_order()
    path, token = ORDER_LINK.path(order), ORDER_LINK.token(order)
    variants = (
        path,
        f"{path}/",
        f"/{path}",
        path.replace(":", "%3A"),
        path.upper(),
        f"{path}/pay",
        f"{path}/nothing",
        f"/x/{token}",
    )
    for number, each in enumerate(variants, start=1):
        assert send(client, number * 2, address=each, t=f"Order {order.number}", r=f"http://testserver{path}") == 204
    send(client, 100, address=f"/search?q=http://testserver{path}&utm_source={token}", r=f"https://other.example{path}")
    waiting = "".join(file.read_text() for file in spool.folder().iterdir())
    ingest(at_once=True)
    assert Event.objects.filter(kind="view").count() == len(variants) + 1
    for text in (waiting, stored()):
        assert order.link_key.hex not in text.lower()
        assert token.partition(":")[2] not in text
        assert order.number not in text
    assert {"/shop/orders/<token>", "/shop/orders/<token>/pay"} < set(Event.objects.values_list("path", flat=True))


@pytest.mark.both_databases
def test_keys_of_accounts_are_secrets_too(client: Client) -> None:
    path = confirmation_path(make_member("mia@example.com").user.emailaddress_set.get())
    send(client, address=path)
    send(client, 4, address="/accounts/password/reset/key/1k-cxyz12-0123456789abcdef0123456789abcdef/")
    ingest(at_once=True)
    expected = {"/accounts/confirm-email/<key>", "/accounts/password/reset/key/<uidb36>-<key>"}
    assert set(Event.objects.values_list("path", flat=True)) == expected


@pytest.mark.both_databases
def test_secrets_of_features_that_are_off_are_stored_as_little_as_at_unknown_addresses(client: Client) -> None:
    confirmation = confirmation_path(make_member("mia@example.com").user.emailaddress_set.get())
    feed = f"/booking/staff/{make_staff().feed_key}.ics"
    order = ORDER_LINK.path(make_order())
    for name in ("shop", "projects", "members"):
        switch_feature(name=name, on=False)
    secrets = (confirmation, "/accounts/password/reset/key/1k-cxyz12-0123456789abcdef0123456789abcdef/", feed, order)
    for number, path in enumerate(secrets, start=1):
        for address in (path, f"/no-such{path}"):
            assert client.get(address).status_code == 404
            send(client, number * 4 + 2 * (address == path), address=address, t="Page not found")
    waiting = "".join(file.read_text() for file in spool.folder().iterdir())
    ingest(at_once=True)
    paths = [
        "/accounts/confirm-email/<token>",
        "/accounts/password/reset/key/1k-cxyz12-<token>",
        "/booking/staff/<token>.ics",
        "/shop/orders/<token>",
    ]
    assert set(Event.objects.values_list("path", flat=True)) == {*paths, *(f"/no-such{path}" for path in paths)}
    for path in secrets:
        secret = max(re.split("[-/.:]", path), key=len)
        assert secret not in waiting
        assert secret not in stored()


def test_pages_of_a_module_that_is_off_are_those_of_others(client: Client) -> None:
    switch_feature(name="projects", on=False)
    send(client, address="/tracking/the-mural")
    ingest(at_once=True)
    assert Event.objects.get().path == "/tracking/the-mural"


def test_secret_pages_have_no_script(client: Client) -> None:
    assert b"visit.js" in client.get("/shop").content
    path = PROJECT_LINK.path(make_project())
    for address, status in ((path, 200), (f"{path[:-9]}/", 404), (f"{path}no/such", 404), (path.rstrip("/"), 301)):
        answer = client.get(address)
        assert answer.status_code == status
        assert b"visit.js" not in answer.content
        assert answer.headers["Referrer-Policy"] in {"no-referrer", "same-origin"}
        assert answer.headers["Cache-Control"] == "no-store, private"


def test_a_line_of_a_former_version_is_read_without_its_secret() -> None:
    path = ORDER_LINK.path(make_order())
    spool.SPOOL.append(Counted(uid=2, kind="view", at=1_790_000_000.0, visitor=5, path=path).as_line())
    ingest(at_once=True)
    assert Event.objects.get().path == "/shop/orders/<token>"


def test_logs_hide_secrets() -> None:
    path = ORDER_LINK.path(make_order())
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.addFilter(SecretFilter())
    logger = logging.getLogger("tests.secrets")
    logger.addHandler(handler)
    logger.error("%s: %s", "Internal Server Error", path)
    logger.removeHandler(handler)
    assert written.getvalue() == "Internal Server Error: /shop/orders/<token>\n"


@pytest.mark.parametrize(
    "entered",
    [
        "http://testserver/accounts/password/reset/key/y-disfs2-52ae0123456789/",
        "testserver/accounts/password/reset/key/y-disfs2-52ae0123456789/",
        "see /accounts/password/reset/key/y-disfs2-52ae0123456789",
        "accounts/password/reset/key/y-disfs2-52ae0123456789",
        "http%3A%2F%2Ftestserver%2Faccounts%2Fpassword%2Freset%2Fkey%2Fy-disfs2-52ae0123456789",
        "HTTPS://OTHER.EXAMPLE/x-disfs2",
        "www.other.example/disfs2",
        "disfs2@example.com",
    ],
)
def test_an_address_that_is_searched_for_is_not_stored(entered: str, client: Client) -> None:
    set_setting(key="analytics.kept_parameters", value="view")
    for number, name in enumerate(("q", "view"), start=1):
        query = urlencode({name: entered})
        assert send(client, number * 2, address=f"/search?{query}", t=f"Results for {entered}") == 204
    waiting = "".join(file.read_text() for file in spool.folder().iterdir())
    ingest(at_once=True)
    assert Event.objects.filter(kind="view").count() == 2
    assert "disfs2" not in f"{waiting}{stored()}".lower()


@pytest.mark.parametrize("entered", ["open day", "and/or", "24/7 support", "a // b", "C++ @ work", "//"])
def test_words_that_are_searched_for_are_stored(entered: str, client: Client) -> None:
    assert send(client, 2, address=f"/search?{urlencode({'q': entered})}") == 204
    ingest(at_once=True)
    assert Event.objects.get(kind="search").words == entered.casefold()

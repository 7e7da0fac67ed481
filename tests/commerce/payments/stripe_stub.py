"""A stand-in for Stripe: a local server that speaks the part of its protocol that the site uses, and signs its messages.

`python -m tests.commerce.payments.stripe_stub` serves it for a person; messages are then sent to the address given.
"""

import json
import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import new as hmac_new
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from urllib.request import Request, urlopen

SECRET_KEY = "sk_test_stub"
SIGNING_SECRET = "whsec_stub"

#: Statuses of payment intents by how the customer pays.
CARD, BANK = "card", "bank"


class Refusal(Exception):
    def __init__(
        self, status: int, message: str, kind: str = "invalid_request_error", code: str = "", *, intent: Any = None
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.kind, self.code, self.intent = status, message, kind, code, intent

    def body(self) -> dict[str, Any]:
        return {"error": {"type": self.kind, "message": self.message, "code": self.code, "payment_intent": self.intent}}


def nested(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """Decode `line_items[0][price_data][currency]=usd`."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        first, *rest = re.findall(r"[^\[\]]+", name)
        place = found
        for key, following in zip([first, *rest], [*rest, None], strict=True):
            if following is None:
                place[key] = value
            else:
                place = place.setdefault(key, {})
    return found


@dataclass
class StripeStub:
    """The state of the stand-in, and its knobs."""

    #: The next requests that are answered with 500, and for how many seconds each answer is held back.
    failures: int = 0
    delay: float = 0
    #: Whether connections are closed without an answer.
    is_down: bool = False
    #: How many of the next requests that change something are carried out, and their answers lost.
    loses_answers: int = 0
    #: The message with which charges of saved cards are declined; empty if they are paid.
    declines: str = ""
    #: Whether refunds are pending until `decide_refund`.
    refunds_pend: bool = False
    #: Where messages are sent to; none if it is empty.
    endpoint: str = ""
    #: Its time, in seconds since 1970.
    clock: Callable[[], float] = time.time
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    intents: dict[str, dict[str, Any]] = field(default_factory=dict)
    refunds: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: Customers by their saved cards.
    saved: dict[str, str] = field(default_factory=dict)
    disputes: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: Method and path of each request.
    requests: list[str] = field(default_factory=list)
    _keys: dict[str, tuple[str, int, dict[str, Any]]] = field(default_factory=dict)
    _numbers: Any = field(default_factory=lambda: count(1))
    _lock: Any = field(default_factory=threading.RLock)

    def start(self, port: int = 0) -> "StripeStub":
        self.server = ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"stub": self}))
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def new_id(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers):06d}"

    # Actions of customers, banks and staff.

    def session(self, reference: str | None) -> dict[str, Any]:
        return self.sessions[reference or ""]

    def pay(self, reference: str | None, *, by: str = CARD, amount: int | None = None, currency: str = "") -> dict[str, Any]:
        """Pay a session; by card it is paid at once, by bank the money is on its way until `arrive`."""
        with self._lock:
            session = self.session(reference)
            if session["status"] != "open":
                raise Refusal(400, "This session is no longer open.")
            intent = {
                "id": self.new_id("pi"),
                "object": "payment_intent",
                "status": "succeeded" if by == CARD else "processing",
                "metadata": session["_intent"].get("metadata", {}),
                "last_payment_error": None,
                "customer": None,
                "payment_method": self.new_id("pm"),
            }
            if session["_intent"].get("setup_future_usage") == "off_session":
                intent["customer"] = self.new_id("cus")
                self.saved[intent["payment_method"]] = intent["customer"]
            self.intents[intent["id"]] = intent
            session["amount_total"] = amount or session["amount_total"]
            session["currency"] = currency or session["currency"]
            session["payment_intent"], session["status"] = intent["id"], "complete"
            session["payment_status"] = "paid" if by == CARD else "unpaid"
        # The site that gets the message asks for the session, which takes the lock.
        return self.event("checkout.session.completed", session)

    def arrive(self, reference: str | None, *, fails: bool = False) -> dict[str, Any]:
        """Let money that is on its way arrive, or fail."""
        session = self.session(reference)
        intent = self.intents[session["payment_intent"]]
        if fails:
            intent["status"], intent["last_payment_error"] = "requires_payment_method", {"message": "The account was closed."}
            return self.event("checkout.session.async_payment_failed", session)
        intent["status"], session["payment_status"] = "succeeded", "paid"
        return self.event("checkout.session.async_payment_succeeded", session)

    def expire(self, reference: str | None) -> dict[str, Any]:
        self.session(reference)["status"] = "expired"
        return self.event("checkout.session.expired", self.session(reference))

    def decide_refund(self, reference: str | None, status: str) -> dict[str, Any]:
        refund = self.refunds[reference or ""]
        refund["status"], refund["failure_reason"] = status, "expired_or_canceled_card" if status == "failed" else None
        return self.event("refund.updated", refund)

    def refund(self, charge: str, amount: int) -> dict[str, Any]:
        """Refund in the dashboard."""
        self._refund({"payment_intent": charge, "amount": str(amount)})
        # A charge has the metadata of its payment intent.
        metadata = self.intents[charge]["metadata"]
        return self.event("charge.refunded", {"id": "ch_1", "object": "charge", "payment_intent": charge, "metadata": metadata})

    def disputed(self, charge: str, status: str = "needs_response") -> dict[str, Any]:
        dispute = {"id": f"dp_{charge}", "object": "dispute", "payment_intent": charge, "status": status}
        self.disputes[charge] = dispute
        return self.event("charge.dispute.created", dispute)

    # Messages.

    def event(self, kind: str, of: dict[str, Any]) -> dict[str, Any]:
        shown = {key: value for key, value in of.items() if not key.startswith("_")}
        made = {
            "id": self.new_id("evt"),
            "object": "event",
            "type": kind,
            "created": int(self.clock()),
            "data": {"object": shown},
        }
        if self.endpoint:
            self.send(made)
        return made

    def send(self, event: dict[str, Any]) -> None:
        body = json.dumps(event).encode()
        request = Request(self.endpoint, body, {"Content-Type": "application/json", "Stripe-Signature": sign(body)})
        urlopen(request, timeout=10).close()

    # The protocol.

    def answer(self, method: str, path: str, query: dict[str, Any], sent: dict[str, Any]) -> dict[str, Any]:
        for verb, pattern, work in self._routes():
            if verb == method and (found := re.fullmatch(pattern, path)):
                return work(*found.groups(), query if method == "GET" else sent)
        raise Refusal(404, f"Unrecognized request URL ({method}: {path}).")

    def _routes(self) -> list[tuple[str, str, Callable[..., dict[str, Any]]]]:
        return [
            ("POST", "/v1/checkout/sessions", self._create),
            ("GET", "/v1/checkout/sessions/([^/]+)", self._retrieve),
            ("POST", "/v1/checkout/sessions/([^/]+)/expire", self._expire),
            ("POST", "/v1/payment_intents", self._charge),
            ("GET", "/v1/payment_intents", self._charges),
            ("GET", "/v1/payment_intents/([^/]+)", lambda pk, query: _known(self.intents, pk)),
            ("POST", "/v1/refunds", self._refund),
            ("GET", "/v1/refunds/([^/]+)", lambda pk, query: _known(self.refunds, pk)),
            ("GET", "/v1/refunds", lambda query: self._list(self.refunds, query)),
            ("GET", "/v1/disputes", lambda query: self._list(self.disputes, query)),
        ]

    def _create(self, sent: dict[str, Any]) -> dict[str, Any]:
        price = sent["line_items"]["0"]["price_data"]
        expires = int(sent.get("expires_at", self.clock() + 86_400))
        if not 1800 <= expires - self.clock() <= 86_400:
            raise Refusal(
                400, "The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation."
            )
        if int(price["unit_amount"]) < 50 and price["currency"] == "usd":
            raise Refusal(400, "The Checkout Session's total amount must convert to at least 50 cents.", code="amount_too_small")
        if int(price["unit_amount"]) > 99_999_999 and price["currency"] == "usd":
            raise Refusal(
                400, "The Checkout Session's total amount due must be no more than $999,999.99.", code="amount_too_large"
            )
        reference = self.new_id("cs_test")
        session = {
            "id": reference,
            "object": "checkout.session",
            "status": "open",
            "payment_status": "unpaid",
            "amount_total": int(price["unit_amount"]),
            "currency": price["currency"],
            "payment_intent": None,
            "client_reference_id": sent.get("client_reference_id"),
            "customer_email": sent.get("customer_email"),
            "metadata": sent.get("metadata", {}),
            "expires_at": expires,
            "success_url": sent["success_url"],
            "cancel_url": sent["cancel_url"],
            "url": f"{self.url}/pay/{reference}",
            "_intent": sent.get("payment_intent_data", {}),
            "_name": price["product_data"]["name"],
        }
        self.sessions[reference] = session
        return session

    def _retrieve(self, reference: str, query: dict[str, Any]) -> dict[str, Any]:
        session = dict(_known(self.sessions, reference))
        if "payment_intent" in query.get("expand", {}).values() and session["payment_intent"]:
            session["payment_intent"] = self.intents[session["payment_intent"]]
        if "payment_intent.payment_method" in query.get("expand", {}).values() and session["payment_intent"]:
            intent = self.intents[session["payment_intent"]]
            card = {"brand": "visa", "display_brand": "visa", "last4": "4242"}
            method = {"id": intent["payment_method"], "object": "payment_method", "card": card}
            session["payment_intent"] = {**intent, "payment_method": method}
        return session

    def _charge(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Charge a saved card at once, without its customer."""
        if self.saved.get(sent["payment_method"]) != sent["customer"] or sent["off_session"] != "true":
            raise Refusal(400, "The payment method you provided cannot be used without the customer.")
        intent = {
            "id": self.new_id("pi"),
            "object": "payment_intent",
            "status": "requires_payment_method" if self.declines else "succeeded",
            "amount_received": 0 if self.declines else int(sent["amount"]),
            "currency": sent["currency"],
            "metadata": sent.get("metadata", {}),
            "last_payment_error": {"message": self.declines} if self.declines else None,
            "customer": sent["customer"],
            "payment_method": sent["payment_method"],
            "created": int(self.clock()),
        }
        self.intents[intent["id"]] = intent
        if self.declines:
            raise Refusal(402, self.declines, "card_error", "card_declined", intent=intent)
        return intent

    def _charges(self, query: dict[str, Any]) -> dict[str, Any]:
        wanted = [row for row in reversed(self.intents.values()) if row["customer"] == query["customer"]]
        found = [row for row in wanted if row.get("created", 0) >= int(query["created"]["gte"])]
        return {"object": "list", "data": found, "has_more": False, "url": "/v1/payment_intents"}

    def _expire(self, reference: str, sent: dict[str, Any]) -> dict[str, Any]:
        session = _known(self.sessions, reference)
        if session["status"] != "open":
            raise Refusal(400, f"Only Checkout Sessions with a status in [open] can be expired; this one is {session['status']}.")
        session["status"] = "expired"
        return session

    def _refund(self, sent: dict[str, Any]) -> dict[str, Any]:
        charge, amount = sent["payment_intent"], int(sent["amount"])
        _known(self.intents, charge)
        (session,) = (each for each in self.sessions.values() if each["payment_intent"] == charge)
        before = [each for each in self.refunds.values() if each["payment_intent"] == charge and each["status"] != "failed"]
        if sum(each["amount"] for each in before) + amount > session["amount_total"]:
            raise Refusal(400, "Refund amount is greater than unrefunded amount on charge.", code="charge_already_refunded")
        refund = {
            "id": self.new_id("re"),
            "object": "refund",
            "amount": amount,
            "currency": session["currency"],
            "payment_intent": charge,
            "status": "pending" if self.refunds_pend else "succeeded",
            "failure_reason": None,
            "metadata": sent.get("metadata", {}),
        }
        self.refunds[refund["id"]] = refund
        return refund

    def _list(self, rows: dict[str, dict[str, Any]], query: dict[str, Any]) -> dict[str, Any]:
        found = [row for row in reversed(rows.values()) if row["payment_intent"] == query["payment_intent"]]
        return {"object": "list", "data": found, "has_more": False, "url": "/v1/list"}

    def once(self, key: str, asked: str, work: Callable[[], tuple[int, dict[str, Any]]]) -> tuple[int, dict[str, Any]]:
        """Answer a repeated idempotency key as the first time, including a 500; refuse it for other parameters."""
        with self._lock:
            if key in self._keys:
                before, status, body = self._keys[key]
                if before != asked:
                    sentence = "Keys for idempotent requests can only be used with the same parameters they were first used with."
                    return 400, Refusal(400, sentence, "idempotency_error").body()
                return status, body
            status, body = work()
            # A declined charge is not tried again.
            if key and (status < 400 or status == 402 or status >= 500):
                self._keys[key] = (asked, status, json.loads(json.dumps(body)))
            return status, body


def _known(rows: dict[str, dict[str, Any]], pk: str) -> dict[str, Any]:
    if pk not in rows:
        raise Refusal(404, f"No such object: '{pk}'", code="resource_missing")
    return rows[pk]


def sign(body: bytes, secret: str = SIGNING_SECRET, *, at: float | None = None) -> str:
    """The header `Stripe-Signature` of a message."""
    moment = int(at or time.time())
    return f"t={moment},v1={hmac_new(secret.encode(), b'%d.' % moment + body, sha256).hexdigest()}"


class _Handler(BaseHTTPRequestHandler):
    stub: StripeStub
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def _answer(self, method: str) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        stub, parts = self.stub, urlsplit(self.path)
        stub.requests.append(f"{method} {parts.path}")
        if stub.is_down:
            self.close_connection = True
            return
        time.sleep(stub.delay)
        if parts.path.startswith("/pay/"):
            self._page(method, parts.path.removeprefix("/pay/"), dict(parse_qsl(body)))
            return
        if self.headers.get("Authorization") not in {f"Bearer {SECRET_KEY}"}:
            self._json(401, {"error": {"type": "invalid_request_error", "message": "Invalid API Key provided."}})
            return

        def work() -> tuple[int, dict[str, Any]]:
            if stub.failures:
                stub.failures -= 1
                return 500, {"error": {"type": "api_error", "message": "Something went wrong."}}
            try:
                return 200, stub.answer(method, parts.path, nested(parse_qsl(parts.query)), nested(parse_qsl(body)))
            except Refusal as refusal:
                return refusal.status, refusal.body()

        key = self.headers.get("Idempotency-Key", "") if method == "POST" else ""
        status, found = stub.once(key, f"{parts.path} {body}", work)
        if stub.loses_answers and method == "POST":
            stub.loses_answers -= 1
            self.close_connection = True
            return
        self._json(status, {key: value for key, value in found.items() if not key.startswith("_")})

    def _json(self, status: int, body: dict[str, Any]) -> None:
        self._send(status, json.dumps(body).encode(), "application/json")

    def _page(self, method: str, reference: str, sent: dict[str, str]) -> None:
        """The payment page."""
        session = self.stub.sessions[reference]
        if method == "POST" and session["status"] == "open":
            self.stub.pay(reference, by=sent.get("by", CARD))
            self.send_response(303)
            self.send_header("Location", session["success_url"])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        amount = f"{session['amount_total']} {session['currency']}"
        buttons = "".join(f'<button name="by" value="{each}">Pay by {each}</button>' for each in (CARD, BANK))
        body = f"<h1>{session['_name']}</h1><p>{amount}</p><form method=post>{buttons}</form>"
        page = f'<!doctype html><title>Stub</title>{body}<a href="{session["cancel_url"]}">Back</a>'
        self._send(200, page.encode(), "text/html; charset=utf-8")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Stripe-Should-Retry", "false")
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    served = StripeStub(endpoint=sys.argv[1] if len(sys.argv) > 1 else "").start(12111)
    print(f"STRIPE_API_BASE={served.url} STRIPE_SECRET_KEY={SECRET_KEY} STRIPE_WEBHOOK_SECRET={SIGNING_SECRET}")
    threading.Event().wait()

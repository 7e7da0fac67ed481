"""A visitor of a served site who fills in the forms that its pages show: a name where one must be given, the first of choices."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPConnection, HTTPMessage
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

TIMEOUT_SECONDS = 120
NAME, EMAIL = "Dana Reyes", "dana@example.com"
#: Elements that say what is wrong with a form, and a tag.
_ERROR = re.compile(r"<(?:p|div|ul|li)[^>]*(?:error|messages)[^>]*>.*?</(?:p|ul|li)>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


@dataclass
class Form:
    """A form of a page: where it is sent, and the values that it shows."""

    action: str
    values: list[tuple[str, str]] = field(default_factory=list)

    def has(self, name: str) -> bool:
        return any(name == each for each, _ in self.values)

    def set(self, name: str, value: str) -> None:
        self.values = [*((each, old) for each, old in self.values if each != name), (name, value)]

    def filled(self, changes: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return its values with changes; None leaves a value out, and a list is several."""
        kept = [(name, value) for name, value in self.values if name not in changes]
        for name, value in changes.items():
            kept += [(name, str(each)) for each in (value if isinstance(value, list) else [value]) if each is not None]
        return kept


class _Reader(HTMLParser):
    """Collects the forms of a page, with what a browser would send."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._open: Form | None = None
        self._select = self._textarea = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form" and given.get("method", "").lower() == "post":
            self._open = Form(given.get("action", ""))
            self.forms.append(self._open)
        if self._open is None or "disabled" in given:
            return
        name = given.get("name", "")
        if tag == "input" and name:
            kind = given.get("type", "text")
            if kind == "checkbox" and "checked" in given:
                self._open.values.append((name, given.get("value", "on")))
            elif kind == "radio" and ("checked" in given or not self._open.has(name)):
                self._open.set(name, given.get("value", "on"))
            elif kind not in {"checkbox", "radio", "submit", "button", "file", "image"}:
                missing = (EMAIL if kind == "email" else NAME) if "required" in given else ""
                self._open.values.append((name, given.get("value", "") or missing))
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and ("selected" in given or not self._open.has(self._select)):
            # The first one that is not empty, unless another is selected.
            if given.get("value"):
                self._open.set(self._select, given["value"])
        elif tag == "textarea" and name:
            self._textarea = name
            self._open.values.append((name, ""))

    def handle_data(self, data: str) -> None:
        if self._open is not None and self._textarea:
            name, value = self._open.values.pop()
            # The first line break after the tag is not part of the value.
            self._open.values.append((name, (value + data) if value else data.removeprefix("\n")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "select":
            self._select = ""
        elif tag == "textarea":
            self._textarea = ""


class FormVisitor:
    """Sends requests on one connection, keeps cookies, and follows redirects after forms only when told to."""

    def __init__(self, port: int, *, token: str = "") -> None:
        self.port, self.token = port, token
        self.cookies: dict[str, str] = {}

    def get(self, path: str) -> str:
        """Return a page, following redirects."""
        for _ in range(5):
            status, headers, body = self.send("GET", path)
            if status in {301, 302, 303}:
                path = urljoin(path, str(headers["Location"]))
                continue
            assert status == 200, (path, status, body[-1500:])
            return body.decode()
        raise AssertionError(f"{path} redirects for ever")

    def form(self, path: str, having: str) -> Form:
        """Return the form of a page that has an input, or a part of its address, of this name."""
        reader = _Reader()
        reader.feed(self.get(path))
        for form in reader.forms:
            if having in form.action or any(having == name for name, _ in form.values):
                form.action = urljoin(path, form.action or path)
                return form
        raise AssertionError((path, having, [(form.action, [name for name, _ in form.values]) for form in reader.forms]))

    def submit(self, form: Form, **changes: Any) -> str:
        """Send a form that is accepted; return the address that it leads to."""
        body = urlencode(form.filled(changes)).encode()
        status, headers, content = self.send("POST", form.action, body, "application/x-www-form-urlencoded")
        assert status in {302, 303}, (form.action, status, _errors(content.decode()))
        return urljoin(form.action, str(headers["Location"]))

    def send(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> tuple[int, HTTPMessage, bytes]:
        parts = urlsplit(path)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        headers = {"Host": f"localhost:{self.port}"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if body:
            headers |= {"Content-Type": kind, "Origin": f"http://localhost:{self.port}"}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(method, target, body, headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        for cookie in answer.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer.status, answer.headers, content


def _errors(page: str) -> str:
    """Return what a page says about errors, for a person to find the mistake."""
    said = [" ".join(_TAG.sub(" ", each).split()) for each in _ERROR.findall(page)]
    return "; ".join(said)[:1500] or page[-1500:]

"""A small S3-compatible server on the loopback address: objects in memory, every signature checked (Signature Version 4).

It has what the storage uses: objects made (also on condition that there is none, and in parts), read (also in part), asked
for, deleted, and read at signed addresses. Written from Amazon's description, not from the client's code.
"""

import hashlib
import hmac
import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote, unquote_plus, urlsplit
from xml.sax.saxutils import escape

ACCESS_KEY, SECRET_KEY = "AKIDEXAMPLE", "se+cret/key with=signs"
STAMP = "%Y%m%dT%H%M%SZ"


@dataclass
class Bucket:
    """The objects of the server, the requests it received, and the faults it simulates."""

    port: int
    objects: dict[str, tuple[bytes, dict[str, str]]] = field(default_factory=dict)
    parts: dict[str, dict[int, bytes]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=itertools.count)
    asked: list[str] = field(default_factory=list)
    #: A status with which everything is answered.
    failing: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def setting(self, prefix: str) -> str:
        """The value of MEDIA_STORAGE_URL."""
        return storage_url(self.endpoint, prefix)


def storage_url(endpoint: str, prefix: str = "site a") -> str:
    secret = quote(SECRET_KEY, safe="+")
    return f"s3://media?endpoint={endpoint}&region=eu-west-3&access_key={ACCESS_KEY}&secret_key={secret}&prefix={prefix}"


@contextmanager
def serving() -> Iterator[Bucket]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    bucket = Bucket(server.server_port)
    server.bucket = bucket  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield bucket
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Handler(BaseHTTPRequestHandler):
    # One request a connection, so that none is open when the server ends.
    protocol_version = "HTTP/1.0"
    bucket: Bucket

    def log_message(self, format: str, *args: object) -> None:
        pass

    def handle_one_request(self) -> None:
        self.bucket = self.server.bucket  # type: ignore[attr-defined]
        super().handle_one_request()

    def do_GET(self) -> None:
        self._respond()

    do_HEAD = do_PUT = do_POST = do_DELETE = do_GET

    def _respond(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        query = dict(pair.partition("=")[::2] for pair in parts.query.split("&") if pair)
        self.bucket.asked.append(f"{self.command} {unquote(parts.path)}")
        problem = _refusal(self.command, parts.path, query, dict(self.headers.items()), body)
        if self.bucket.failing or problem:
            return self._send(self.bucket.failing or 403, problem.encode())
        if parts.path == "/media" and "list-type" in query:
            return self._list(unquote_plus(query.get("prefix", "")))
        if not parts.path.startswith("/media/"):
            return self._send(404, b"<Error><Code>NoSuchBucket</Code></Error>")
        with self.bucket.lock:
            return getattr(self, f"_{self.command.lower()}")(unquote(parts.path.removeprefix("/media/")), query, body)

    def _get(self, key: str, query: dict[str, str], body: bytes) -> None:
        if key not in self.bucket.objects:
            return self._send(404, b"<Error><Code>NoSuchKey</Code></Error>")
        content, headers = self.bucket.objects[key]
        whole = len(content)
        wanted = self.headers.get("Range")
        if not wanted:
            return self._send(200, content, headers)
        first, last = (int(end) for end in wanted.removeprefix("bytes=").split("-"))
        last = min(last, whole - 1)
        return self._send(206, content[first : last + 1], {**headers, "Content-Range": f"bytes {first}-{last}/{whole}"})

    _head = _get

    def _put(self, key: str, query: dict[str, str], body: bytes) -> None:
        if "uploadId" in query:
            self.bucket.parts[unquote(query["uploadId"])][int(query["partNumber"])] = body
            return self._send(200, b"", {"ETag": _tag(body)})
        if self.headers.get("If-None-Match") == "*" and key in self.bucket.objects:
            return self._send(412, b"<Error><Code>PreconditionFailed</Code></Error>")
        return self._keep(
            key, body, {name: self.headers[name] for name in ("Content-Type", "Cache-Control") if name in self.headers}
        )

    def _post(self, key: str, query: dict[str, str], body: bytes) -> None:
        if "uploads" in query:
            number = f"upload-{next(self.bucket.numbers)}"
            self.bucket.parts[number] = {}
            text = f"<InitiateMultipartUploadResult><UploadId>{number}</UploadId></InitiateMultipartUploadResult>"
            return self._send(200, text.encode())
        parts = self.bucket.parts.pop(unquote(query["uploadId"]))
        content = b"".join(parts[number] for number in sorted(parts))
        self.bucket.objects[key] = (content, {"ETag": _tag(content), "Last-Modified": _now()})
        text = f"<CompleteMultipartUploadResult><ETag>{_tag(content)}</ETag></CompleteMultipartUploadResult>"
        return self._send(200, text.encode())

    def _delete(self, key: str, query: dict[str, str], body: bytes) -> None:
        self.bucket.objects.pop(key, None)
        return self._send(204, b"")

    def _list(self, prefix: str) -> None:
        with self.bucket.lock:
            found = [(key, len(body), headers) for key, (body, headers) in self.bucket.objects.items() if key.startswith(prefix)]
        entries = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{size}</Size><ETag>{escape(headers['ETag'])}</ETag>"
            f"<LastModified>{parsedate_to_datetime(headers['Last-Modified']):%Y-%m-%dT%H:%M:%S.000Z}</LastModified></Contents>"
            for key, size, headers in found
        )
        text = f"<ListBucketResult><Name>media</Name><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>"
        return self._send(200, text.encode())

    def _keep(self, key: str, body: bytes, headers: dict[str, str]) -> None:
        self.bucket.objects[key] = (body, {**headers, "ETag": _tag(body), "Last-Modified": _now()})
        return self._send(200, b"", {"ETag": _tag(body)})

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _tag(body: bytes) -> str:
    return f'"{hashlib.md5(body).hexdigest()}"'


def _now() -> str:
    return format_datetime(datetime.now(UTC).replace(microsecond=0), usegmt=True)


def _refusal(method: str, path: str, query: dict[str, str], headers: dict[str, str], body: bytes) -> str:
    """Describe the fault of a signature, which is in the query of a signed address, else in a header; empty if there is none."""
    sent = {name.lower(): value for name, value in headers.items()}
    signed_address = "X-Amz-Signature" in query
    if signed_address:
        values = {name: unquote(value) for name, value in query.items()}
        credential, names, signature = values["X-Amz-Credential"], values["X-Amz-SignedHeaders"], values["X-Amz-Signature"]
        stamp, payload = values["X-Amz-Date"], "UNSIGNED-PAYLOAD"
        ends = datetime.strptime(stamp, STAMP).replace(tzinfo=UTC) + timedelta(seconds=int(values["X-Amz-Expires"]))
        if datetime.now(UTC) > ends:
            return "expired"
    else:
        kind, _, rest = sent.get("authorization", "").partition(" ")
        if kind != "AWS4-HMAC-SHA256":
            return "unsigned"
        found = dict(pair.strip().split("=", 1) for pair in rest.split(","))
        credential, names, signature = found["Credential"], found["SignedHeaders"], found["Signature"]
        stamp, payload = sent["x-amz-date"], sent["x-amz-content-sha256"]
        if payload not in {"UNSIGNED-PAYLOAD", hashlib.sha256(body).hexdigest()}:
            return "another body"
    access_key, *scope = credential.split("/")
    # A plus sign in a query is a space.
    pairs = sorted((name, value.replace("+", "%20")) for name, value in query.items() if name != "X-Amz-Signature")
    lines = [method, path, "&".join(f"{name}={value}" for name, value in pairs)]
    lines += [*(f"{name}:{sent[name].strip()}" for name in names.split(";")), "", names, payload]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    key = b"AWS4" + SECRET_KEY.encode()
    for word in (*scope, "\n".join(["AWS4-HMAC-SHA256", stamp, "/".join(scope), digest])):
        key = hmac.digest(key, word.encode(), "sha256")
    return "" if access_key == ACCESS_KEY and hmac.compare_digest(key.hex(), signature) else "wrong signature"

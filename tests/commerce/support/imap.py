"""A small IMAP server with TLS on a loopback port, which knows what is needed to read a mailbox."""

import re
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

USER, PASSWORD, FOLDER = "support@help.example", 'pass "word" \\ 1', "Help desk"


class Mailbox:
    """Emails by their uid; flags are what clients set. `sizes` are told instead of the real ones."""

    def __init__(self) -> None:
        self.mails: dict[int, bytes] = {}
        self.flags: dict[int, set[str]] = {}
        self.sizes: dict[int, int] = {}
        self.commands: list[str] = []
        #: The connection ends before this command.
        self.breaks_before = ""

    def add(self, raw: bytes) -> int:
        uid = len(self.mails) + 101
        self.mails[uid], self.flags[uid] = raw, set()
        return uid

    def answer(self, command: str) -> tuple[list[bytes], str]:
        """Return the lines before the result of a command, and the result."""
        name = command.partition(" ")[0].upper()
        if name == "LOGIN":
            wanted = f'LOGIN {USER} "{_escaped(PASSWORD)}"'
            return [], "OK" if command == wanted else "NO [AUTHENTICATIONFAILED]"
        if name == "SELECT":
            return [b"* 1 EXISTS"], "OK" if command == f'SELECT "{FOLDER}"' else "NO"
        if name == "UID":
            return self._uid(command.removeprefix("UID "))
        if name == "CAPABILITY":
            return [b"* CAPABILITY IMAP4rev1 STARTTLS"], "OK"
        return [], "OK"

    def _uid(self, command: str) -> tuple[list[bytes], str]:
        if command.startswith("SEARCH"):
            unread = [str(uid) for uid in self.mails if "\\Seen" not in self.flags[uid]]
            return [" ".join(["* SEARCH", *unread]).encode()], "OK"
        uid = int(re.findall(r"\d+", command)[0])
        if uid not in self.mails:
            return [], "OK"
        if command.startswith("STORE"):
            self.flags[uid] |= set(re.findall(r"\\\w+", command))
            return [], "OK"
        if "RFC822.SIZE" in command:
            size = self.sizes.get(uid, len(self.mails[uid]))
            return [f"* 1 FETCH (UID {uid} RFC822.SIZE {size})".encode()], "OK"
        raw = self.mails[uid]
        return [f"* 1 FETCH (UID {uid} BODY[] {{{len(raw)}}}\r\n".encode() + raw + b")"], "OK"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


@contextmanager
def imap_server(certificate: Path, *, starttls: bool = False) -> Iterator[tuple[Mailbox, int]]:
    """Yield the mailbox and the port."""
    box = Mailbox()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with suppress(OSError, ssl.SSLError, ValueError), connection:
                _talk(box, connection, context, starttls)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield box, listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


def _talk(box: Mailbox, plain: socket.socket, context: ssl.SSLContext, starttls: bool) -> None:
    plain.settimeout(10)
    connection = plain if starttls else context.wrap_socket(plain, server_side=True)
    connection.sendall(b"* OK ready\r\n")
    while True:
        line = _line(connection)
        if not line:
            break
        tag, _, command = line.decode().partition(" ")
        box.commands.append(command)
        if box.breaks_before and command.startswith(box.breaks_before):
            break
        if command == "STARTTLS":
            connection.sendall(f"{tag} OK begin\r\n".encode())
            connection = context.wrap_socket(plain, server_side=True)
            continue
        lines, result = box.answer(command)
        connection.sendall(b"".join(each + b"\r\n" for each in lines) + f"{tag} {result} done\r\n".encode())
        if command == "LOGOUT":
            break
    connection.close()


def _line(connection: socket.socket) -> bytes:
    found = b""
    while not found.endswith(b"\r\n"):
        byte = connection.recv(1)
        if not byte:
            return b""
        found += byte
    return found.strip()

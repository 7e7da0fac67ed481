"""The listening socket of the site, shared by its web processes."""

import os
import socket

#: The first descriptor that systemd passes (`sd_listen_fds(3)`).
FIRST_PASSED = 3
#: Connections that the kernel holds until a process accepts them.
BACKLOG = 2048
#: Seconds after which the kernel closes a connection whose client does not read its answer.
UNREAD_SECONDS = 60


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that child processes inherit, and that refuses connections until the first of them listens.

    Raises OSError if another process listens there.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _set_options(listener)
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    listener.set_inheritable(True)
    return listener


def _set_options(listener: socket.socket) -> None:
    """Set what accepted connections inherit."""
    if listener.family == socket.AF_UNIX:
        return
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_SECONDS * 1000)


def take_passed() -> socket.socket | None:
    """Return the socket that systemd listens on for this process, inherited by its children; None if there is none.

    Connections wait on it while the process is started again. Raises ValueError for several sockets: a site has one.
    """
    count = os.environ.pop("LISTEN_FDS", "0")
    if os.environ.pop("LISTEN_PID", "") != str(os.getpid()) or count == "0":
        return None
    if count != "1":
        raise ValueError(f"{count} sockets were passed, and one is needed.")
    listener = socket.socket(fileno=FIRST_PASSED)
    _set_options(listener)
    listener.set_inheritable(True)
    return listener


def listen(host: str, port: int) -> socket.socket:
    """Return a socket like that of `bind`, on which connections wait until a process accepts them."""
    listener = bind(host, port)
    listener.listen(BACKLOG)
    return listener

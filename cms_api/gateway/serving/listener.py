"""The listening socket of the site, shared by its web processes."""

import ctypes
import os
import socket
import struct
import sys
import time

#: Connections that the kernel holds until a process accepts them.
BACKLOG = 2048
#: Seconds after which the kernel closes a connection whose client does not read its answer.
UNREAD_LIMIT = 60
#: Seconds in which connections that are already established reach a process before nobody listens any more.
LAST_CONNECTIONS = 0.5
#: A packet filter that drops what has the SYN flag, in byte 13 of the TCP header: attempts to connect, and nothing else.
_DROP_ATTEMPTS = ((0x30, 0, 0, 13), (0x45, 0, 1, 0x02), (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFFFFFF))
_SO_ATTACH_FILTER = 26


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that child processes inherit, and that refuses connections until the first of them listens.

    Raises OSError if another process listens there.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Accepted connections inherit these.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_LIMIT * 1000)
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    listener.set_inheritable(True)
    return listener


def listen(host: str, port: int) -> socket.socket:
    """Return a socket like that of `bind`, on which connections wait until a process accepts them."""
    listener = bind(host, port)
    listener.listen(BACKLOG)
    return listener


def stop_listening(listener: socket.socket) -> None:
    """Stop listening for good, without losing a request that has been sent; the processes that accept go on for now.

    The kernel resets connections that nobody has accepted when a listener is closed. So attempts to connect are dropped first
    (on Linux): clients repeat them after a second, and are refused, so that a balancer may send the request to another host.
    """
    if sys.platform == "linux":
        code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *instruction) for instruction in _DROP_ATTEMPTS))
        program = struct.pack("HL", len(_DROP_ATTEMPTS), ctypes.addressof(code))
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)
        time.sleep(LAST_CONNECTIONS)
    listener.close()


def stop_accepting(listener: socket.socket) -> None:
    """Leave new connections to the other processes: here, a socket that nobody connects to takes the listener's place."""
    with socket.create_server(("localhost", 0)) as silent:
        silent.setblocking(False)
        os.dup2(silent.fileno(), listener.fileno())

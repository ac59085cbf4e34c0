"""The network and sockets of the host."""

from __future__ import annotations

from opsgym.sandbox.escapes.escape import Escape, ended

ESCAPES = (
    Escape(
        "a port of the host's loopback",
        "network",
        'attempt("connect", lambda: socket.create_connection(("127.0.0.1", {port}), timeout=0.3))',
        ended,
        needs="",
    ),
    Escape(
        "an address of the internet",
        "network",
        """
attempt("connect", lambda: socket.create_connection(("1.1.1.1", 53), timeout=0.3))
attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("8.8.8.8", 53)))
attempt("ipv6", lambda: socket.create_connection(("2606:4700:4700::1111", 53), timeout=0.3))
""",
        ended,
        needs="",
    ),
    Escape("looking up a name", "network", 'attempt("dns", lambda: socket.getaddrinfo("example.org", 80))', ended, needs=""),
    Escape(
        "raw packets",
        "network",
        """
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
""",
        ended,
        needs="",
    ),
    Escape(
        "an abstract unix socket of the host",
        "network",
        r"""
def connect():
    with socket.socket(socket.AF_UNIX) as one:
        one.connect("\0{abstract}")
attempt("connect", connect)
""",
        ended,
        needs="",
    ),
    Escape(
        "a unix socket of the host by its path",
        "network",
        """
def connect(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(path)
for path in ("{socket}", "/var/run/docker.sock", "/run/docker.sock", "/run/dbus/system_bus_socket"):
    attempt(path, lambda: connect(path))
""",
        ended,
        needs="",
    ),
)

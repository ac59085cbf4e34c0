"""Run inside a sandbox: open a port of 127.0.0.1 that leads to a unix socket, and become the command.

Usage: ``forwarder.py PORT SOCKET COMMAND...``.  It is a program of its own and imports nothing of OpsGym.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from contextlib import suppress


def serve(listening: socket.socket, path: str) -> None:
    """Pass every connection on, for ever."""
    while True:
        client, _ = listening.accept()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            server.connect(path)
        except OSError:
            client.close()
            continue
        for source, target in ((client, server), (server, client)):
            threading.Thread(target=copy, args=(source, target), daemon=True).start()


def copy(source: socket.socket, target: socket.socket) -> None:
    """Pass one direction of a connection on until its end."""
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def main(port: int, path: str, command: list[str]) -> None:
    """Listen, leave the rest to a child, and become the command."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(64)
    if os.fork() == 0:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        threading.stack_size(256 * 1024)
        serve(listening, path)
    listening.close()
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        sys.exit(127)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])

"""An attempt of the escape suite: its program, what every program begins with, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from opsgym.sandbox.limits import MIB, Limits
from opsgym.sandbox.sandbox import Completed

LIMITS = Limits(wall=1.5, cpu=1.0, memory=256 * MIB, processes=64, output=64 * 1024, disk=4 * MIB, files=500)
"""Limits of every attempt."""

PRELUDE = """
import ctypes, errno, glob, mmap, os, resource, shutil, signal, socket, stat, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)

def attempt(what, action):
    try:
        found = action()
    except BaseException as error:
        print("refused:", what, type(error).__name__, str(error)[:80])
    else:
        print("ESCAPED:", what, repr(found)[:200])

def call(x86_64, aarch64, *arguments):
    number = x86_64 if os.uname().machine == "x86_64" else aarch64
    result = libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def read(path):
    with open(path, "rb") as file:
        return file.read(4096)

def write(path):
    with open(path, "w") as file:
        file.write("escaped")

"""
"""What every attempt begins with."""

Judge = Callable[[Completed], str]
"""Says what is wrong with what came of an attempt; empty when it was contained."""


@dataclass(frozen=True, slots=True)
class Escape:
    """One attempt.

    Attributes:
        name: What is tried, in few words.
        group: What kind of promise it tries.
        program: The Python text after :data:`PRELUDE`; ``{secret}`` and the like stand for things of the host.
        judge: What must hold of the result, beside that nothing escaped.
        needs: ``"view"`` when only a form with namespaces can keep the promise, ``"user"`` when also one with a user of its own
            can, else empty.
        times: How often it is run.
        slow: Whether it takes until a limit of time ends it.
    """

    name: str
    group: str
    program: str
    judge: Judge = lambda done: ""
    needs: str = "view"
    times: int = 1
    slow: bool = False


def stopped(*limits: str) -> Judge:
    """Ended by one of these limits."""
    return lambda done: "" if done.stopped in limits else f"expected to be stopped by {' or '.join(limits)}, got {done.stopped!r}"


def ended(done: Completed) -> str:
    """Ended by itself, without a fault of its own."""
    return (
        ""
        if done.exit_code == 0 and not done.stopped
        else f"exit {done.exit_code}, stopped {done.stopped!r}: {done.stderr[-200:]}"
    )


def either(one: Judge, other: Judge) -> Judge:
    """One of two things holds."""
    return lambda done: one(done) and other(done)


def no_more_than(count: int) -> Judge:
    """The last word of the output is a number up to ``count``."""
    return lambda done: "" if done.stdout.split() and int(done.stdout.split()[-1]) <= count else f"got {done.stdout[-40:]!r}"


def kept(*paths: str) -> Judge:
    """These files are left, and no others."""
    return lambda done: "" if list(done.files) == list(paths) else f"files left: {list(done.files)[:5]}"


def failed_or_stopped(done: Completed) -> str:
    """Ended by a limit, or by an error of its own."""
    return "" if done.stopped or done.exit_code else "it went through"

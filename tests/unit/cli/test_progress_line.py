# SPDX-License-Identifier: MIT
"""The line that explains a slow end of a run."""

from __future__ import annotations

import builtins
import io
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from mpipp.cli.progress_line import Progress

pytest.importorskip("rich")


class Terminal(io.StringIO):
    """A stream that stores the output."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")


def wait(until: Callable[[], bool]) -> None:
    last = time.monotonic() + 20
    while not until():
        assert time.monotonic() < last
        time.sleep(0.01)


def test_a_long_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line appears after a while, gives way to other output, and disappears at the end."""
    stream, others = Terminal(), threading.enumerate()
    line = Progress(stream, quiet=False, long=0.01)
    shown_again = line._wait

    # Other processes write before the timer ends, which is set to a short time.
    def others_write() -> None:
        stream.write("error: found\n")
        shown_again()

    with line.during("mpipp: comparing"):
        wait(lambda: "mpipp: comparing" in stream.getvalue())
        monkeypatch.setattr(line, "_wait", others_write)
        line.clear()
        wait(lambda: "mpipp: comparing" in stream.getvalue().partition("error: found")[2])
    line.end()
    before, after = stream.getvalue().split("error: found\n")
    for part in (before, after):
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", part)
        assert re.fullmatch(r"([-\\|/] mpipp: comparing 0:00:0\d\s+)+", text)
        assert part.rpartition("comparing")[2].endswith("\r\x1b[1A\x1b[2K")
    wait(lambda: set(threading.enumerate()) <= set(others))


def test_the_share_that_is_done() -> None:
    stream = Terminal()
    line = Progress(stream, quiet=False, long=0.01)
    with line.during("mpipp: comparing"):
        wait(lambda: "mpipp: comparing" in stream.getvalue())
        line.advance(40)
        wait(lambda: "mpipp: comparing: 40 %" in stream.getvalue())
    with line.during("mpipp: comparing"):
        line.advance(7)
        wait(lambda: "mpipp: comparing: 7 %" in stream.getvalue())


def test_no_more_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """If no thread can be started, the line does not move. It still disappears at the end, and the
    cursor becomes visible again."""
    real = threading.Thread.start

    def start(thread: threading.Thread) -> None:
        if not isinstance(thread, threading.Timer):
            raise RuntimeError("can't start new thread")
        real(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    stream = Terminal()
    line = Progress(stream, quiet=False, long=0.01)
    with line.during("mpipp: comparing"):
        wait(lambda: not any(isinstance(one, threading.Timer) for one in threading.enumerate()))
    said = stream.getvalue()
    assert said.count("mpipp: comparing") == 2  # the end writes the line once more
    assert said.endswith("\x1b[?25h\r\x1b[1A\x1b[2K")


def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def imported(name: str, *rest: Any) -> Any:
        if name.startswith("rich"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", imported)


@pytest.mark.parametrize("who", ["quiet", "no terminal", "dumb terminal", "without rich"])
def test_who_does_not_have_it(who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO() if who == "no terminal" else Terminal()
    line = Progress(stream, who == "quiet", long=0.0)
    if who == "dumb terminal":
        monkeypatch.setenv("TERM", "dumb")
    if who == "without rich":
        refused(monkeypatch)
    with line.during("mpipp: comparing"):
        wait(lambda: not any(isinstance(one, threading.Timer) for one in threading.enumerate()))
    assert stream.getvalue() == ""

# SPDX-License-Identifier: MIT
"""The line that says why the end of a run takes long."""

from __future__ import annotations

import io
import itertools
import re
import threading
import time

import pytest

from mpipp.cli.progress import Progress


class Terminal(io.StringIO):
    """What is written is kept."""

    def isatty(self) -> bool:
        return True


def written(stream: io.StringIO, quiet: bool) -> str:
    now = 100.0
    line = Progress(stream, quiet, lambda: now)
    line.tick()
    line.begin("mpipp: looking")
    for now in (100.5, 101.9, 102.0, 102.5, 103.1):  # noqa: B007
        line.tick()
    line.clear()
    stream.write("error: found\n")
    line.tick()
    line.end()
    line.end()
    now = 200.0
    line.tick()
    return stream.getvalue()


def test_a_long_end() -> None:
    shown = ["mpipp: looking (2 s)", "mpipp: looking (3 s)"]
    gone = "\r" + " " * len(shown[0]) + "\r"
    line = f"\r{shown[0]}\r{shown[1]}{gone}error: found\n\r{shown[1]}{gone}"
    assert written(Terminal(), quiet=False) == line


@pytest.mark.parametrize(("stream", "quiet"), [(Terminal(), True), (io.StringIO(), False)])
def test_who_does_not_want_it(stream: io.StringIO, quiet: bool) -> None:
    assert written(stream, quiet) == "error: found\n"


def test_beside_what_is_done() -> None:
    stream, seconds, others = Terminal(), itertools.count(100, 3), threading.enumerate()
    with Progress(stream, False, lambda: next(seconds)).during("mpipp: comparing"):
        until = time.monotonic() + 10
        while not stream.getvalue() and time.monotonic() < until:
            time.sleep(0.01)
    assert re.fullmatch(r"(\rmpipp: comparing \(\d+ s\))+\r +\r", stream.getvalue())
    with Progress(io.StringIO(), False).during("mpipp: comparing"):
        assert set(threading.enumerate()) <= set(others)

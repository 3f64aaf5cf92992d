# SPDX-License-Identifier: MIT
"""The progress of a build: one changing line on a terminal, else a line at its start
and its end."""

from __future__ import annotations

import io

import pytest

from mpipp.toolchain.build_progress import BuildProgress


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def built(stream: io.StringIO, has_built: bool = True) -> list[str]:
    """The texts that a build of ten files writes, step by step."""
    clock = Clock()
    shown: list[str] = []

    def new() -> None:
        shown.append(stream.getvalue()[sum(map(len, shown)) :])

    progress = BuildProgress("the wrapper for MPICH 4.0", stream, clock)
    progress.begin(2_000_000, 2)
    new()
    for now, files, share in ((1.0, 1, 0.01), (4.0, 5, 0.4)):
        clock.now = now
        progress.done(files, 10, share)
        new()
    clock.now = 9.96
    progress.end(has_built)
    new()
    return shown


def test_lines_in_a_file() -> None:
    assert built(io.StringIO()) == [
        "mpipp: building the wrapper for MPICH 4.0 (about 10 s, once) ...\n",
        "",
        "",
        "mpipp: built the wrapper for MPICH 4.0 in 10.0 s\n",
    ]
    assert built(io.StringIO(), has_built=False)[-1] == ""


def test_one_line_that_changes_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert built(Terminal()) == [
        "\r\033[Kmpipp: building the wrapper for MPICH 4.0 (about 10 s, once) ...",
        "\r\033[Kmpipp: building the wrapper for MPICH 4.0: 1 of 10 files",
        "\r\033[Kmpipp: building the wrapper for MPICH 4.0: 5 of 10 files, about 6 s left",
        "\r\033[Kmpipp: built the wrapper for MPICH 4.0 in 10.0 s\n",
    ]
    assert built(Terminal(), has_built=False)[-1] == "\r\033[K"


def test_a_terminal_without_control_has_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert built(Terminal()) == built(io.StringIO())


@pytest.mark.parametrize(("seconds", "shown"), [(1.0, False), (3.0, True)])
def test_nothing_is_shown_of_a_short_build(
    seconds: float, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    clock, stream = Clock(), Terminal()
    progress = BuildProgress("a library", stream, clock, silent=2.0)
    progress.begin(100_000, 1)
    clock.now = seconds
    progress.done(2, 4, 0.5)
    progress.end(True)
    text = f"\r\033[Kmpipp: building a library: 2 of 4 files, about {seconds:.0f} s left"
    end = f"\r\033[Kmpipp: built a library in {seconds:.1f} s\n"
    assert stream.getvalue() == (text + end if shown else "")


def test_only_a_terminal_shows_a_build_that_begins_silently() -> None:
    clock, stream = Clock(), io.StringIO()
    progress = BuildProgress("a library", stream, clock, silent=2.0)
    progress.begin(100_000, 1)
    clock.now = 3.0
    progress.done(2, 4, 0.5)
    progress.end(True)
    assert stream.getvalue() == ""

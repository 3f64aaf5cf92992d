# SPDX-License-Identifier: MIT
"""The browser's window on a display of the test, with a real gdb."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import support
from tests.browser.browsed_gdb import WAIT, Gdb, Peer, until

ROOTS = ("mpipp browse --terminal s_type data 2", "mpipp browse --terminal big numbers")


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    try:
        import tkinter  # noqa: F401
    except ImportError:
        support.lacking("this Python has no tkinter: run tools/setup.sh")
    reader, writer = os.pipe()
    server = subprocess.Popen(
        [support.need("Xvfb"), "-displayfd", str(writer), "-screen", "0", "1300x800x24"],
        pass_fds=[writer],
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    with open(reader) as file:
        yield f":{file.readline().strip()}"
    server.terminate()
    server.wait()


@pytest.fixture
def window(display: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[User]:
    monkeypatch.setenv("DISPLAY", display)
    with Gdb(*ROOTS, arguments=("spin",)) as gdb:
        user = User(gdb)
        yield user
        user.window.close()


class User:
    """Reads the window and presses keys in it."""

    def __init__(self, gdb: Gdb, **options: Any) -> None:
        # Some Pythons lack tkinter: see `display`.
        from mpipp.browser.window import Window

        self.gdb = gdb
        path = gdb.path
        self.window = Window(lambda: path, **options)
        self.tree = self.window.tree
        # A key press is lost before the window exists and has the focus.
        self.until(lambda: self.tree.get_children() and self.tree.winfo_viewable())
        self.tree.focus_force()
        self.until(lambda: self.tree.focus_get() is self.tree)
        self.tree.focus(self.tree.get_children()[0])

    def until(self, condition: Callable[[], object]) -> None:
        """Wait until the condition is true."""
        end = time.monotonic() + WAIT
        while not condition():
            assert time.monotonic() < end, f"it did not happen:\n{self.rows()}"
            self.window.top.update()
            time.sleep(0.005)

    def press(self, *keys: str) -> None:
        """Press keys."""
        for key in keys:
            self.tree.event_generate(f"<{key}>")
            self.window.top.update()

    def rows(self, item: str = "") -> list[tuple[str, ...]]:
        """The texts below an item."""
        below = self.tree.get_children(item)
        return [self.row(child) for child in below]

    def row(self, item: str) -> tuple[str, ...]:
        """The texts of an item."""
        # tkinter would convert texts that look like numbers.
        values = [str(self.tree.set(item, column)) for column in self.tree["columns"]]
        return (str(self.tree.item(item, "text")), *values)

    def labels(self) -> list[str]:
        """The texts of the lines at the bottom."""
        return [self.window._details.get(), self.window._status.get()]


def test_open_and_select(window: User) -> None:
    assert window.rows() == [
        ("s_type", "STRUCT[3]", "", "", "43"),
        ("s_type data 2", '{{{1, 2, 3, 4, 5}, "abcdefg", ...}, ...}', "2 STRUCT", "+0", "86"),
        ("big", "VECTOR[1000000, 1, 2]", "", "", "8000000"),
        ("big numbers", "{{0}, {1}, {2}, {3}, {4}, {5}, ...}", "VECTOR", "+0", "8000000"),
    ]
    window.press("Down", "Right")
    data = window.tree.get_children()[1]
    window.until(lambda: len(window.rows(data)) == 2)
    assert window.rows(data)[0][2:] == ("STRUCT", "+0", "43")
    window.press("Down", "Right")
    first = window.tree.get_children(data)[0]
    window.until(lambda: len(window.rows(first)) == 3)
    window.press("Down", "Down")
    window.until(lambda: window.labels()[0])
    assert window.labels()[0] == (
        "mpipp s_type[0][1] data 2   7 MPI_CHAR   displacement 20 bytes   size 7 bytes"
    )
    assert window.labels()[1].endswith(" - stopped in mark at mark.h:8")


@pytest.mark.thorough
def test_a_million_elements(window: User) -> None:
    window.press("Down", "Down", "Down", "Right")
    big = window.tree.get_children()[3]
    window.until(lambda: len(window.rows(big)) == 1000)
    middle = window.tree.get_children(big)[500]
    assert window.row(middle)[0] == "[500000 .. 500999]"
    window.tree.focus(middle)
    window.press("Right")
    window.until(lambda: len(window.rows(middle)) == 1000)
    assert window.rows(middle)[0] == ("[500000]", "{500000}", "1 MPI_DOUBLE", "+8000000", "8")
    # A closed page has a placeholder, and its content was not read.
    assert window.rows(window.tree.get_children(big)[499]) == [("...", "", "", "", "")]


@pytest.mark.thorough
def test_it_follows_the_program(window: User) -> None:
    window.press("Down", "Down", "Down", "Right")
    big = window.tree.get_children()[3]
    window.until(lambda: len(window.rows(big)) == 1000)
    window.press("Down", "Right")
    page = window.tree.get_children(big)[0]
    window.until(lambda: len(window.rows(page)) == 1000)
    window.gdb.send("continue")
    window.until(lambda: window.rows(page)[0][1] == "{-1}")
    window.gdb.send("kill", "quit")
    window.until(lambda: "gdb has ended" in window.labels()[1])


def test_gdb_opens_and_closes_it(display: str) -> None:
    search = [support.need("xdotool"), "search", "--name", "mpipp browse"]
    env = {**os.environ, "DISPLAY": display}

    def found() -> bool:
        return bool(subprocess.run(search, env=env, capture_output=True, check=False).stdout)

    with Gdb("mpipp browse s_type data 2", env={"DISPLAY": display}) as gdb:
        assert gdb.output.startswith(
            "A window opens. To see the same in another terminal, type there:\n"
        )
        until(found)
        path = gdb.path
        until(lambda: "The open browser shows it" in gdb.say("mpipp browse big"))
        assert [line[0] for line in Peer(path).lines()] == ["s_type", "s_type data 2", "big"]
    until(lambda: not found())
    assert not Path(path).exists()


def test_no_display_is_said(display: str) -> None:
    with Gdb("mpipp browse s_type", env={"DISPLAY": ":12345"}) as gdb:
        assert gdb.output.startswith("To browse, type in another terminal:\n")

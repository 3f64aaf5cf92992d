# SPDX-License-Identifier: MIT
"""The browser in a terminal, driven by keys, with a real gdb behind it."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest
from textual.pilot import Pilot

from mpipp.browser.terminal import Terminal
from mpipp.browser.tree import Node
from tests import support
from tests.browser.browsed_gdb import WAIT, Gdb

ROOTS = ("mpipp browse --terminal s_type data 2", "mpipp browse --terminal big numbers")


@pytest.fixture
def gdb() -> Iterator[Gdb]:
    with Gdb(*ROOTS, arguments=("spin",)) as session:
        yield session


class Driver:
    """Presses keys and reads the screen."""

    def __init__(self, app: Terminal, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until the condition is true."""
        end = time.monotonic() + WAIT
        while not condition():
            assert time.monotonic() < end, "it did not happen:\n" + "\n".join(self.screen())
            await self.pilot.pause(0.02)

    async def sees(self, *words: str) -> None:
        """Wait for a line with these words in this order."""
        await self.until(lambda: any(_in_order(line, words) for line in self.screen()))

    def screen(self) -> list[str]:
        """The lines of text on the screen."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    async def press(self, *keys: str) -> None:
        """Press keys."""
        await self.pilot.press(*keys)

    async def opened(self, node: Node) -> Node:
        """Open a node, and return its first child."""
        node.widget.expand()
        await self.until(lambda: node.children)
        assert node.children is not None
        return node.children[0]

    def roots(self) -> list[Node]:
        """The browsed expressions."""
        return self.app.model.root.children or []


def _in_order(line: str, words: tuple[str, ...]) -> bool:
    at = 0
    for word in words:
        at = line.find(word, at)
        if at < 0:
            return False
        at += len(word)
    return True


def drive(
    path: Path, script: Callable[[Driver], Coroutine[Any, Any, None]], **options: Any
) -> None:
    """Run the browser for the gdb at `path`, with a script of the user's actions."""

    async def run() -> None:
        app = Terminal(lambda: path, **options)
        async with app.run_test(size=(110, 40)) as pilot:
            driver = Driver(app, pilot)
            await driver.until(driver.roots)
            await driver.until(lambda: app.tree_widget.cursor_node)
            await script(driver)

    asyncio.run(run())


def test_open_and_close_by_keys(gdb: Gdb) -> None:
    async def script(user: Driver) -> None:
        await user.sees("Name", "Value", "Type", "Displacement", "Size")
        await user.sees("▶ s_type", "STRUCT[3]", "43")
        await user.sees("rank 0 of 1, pid ", "stopped in mark at mark.h:8")
        await user.sees("s_type   size 43 bytes")  # the cursor is on this variable
        await user.press("down", "enter")  # open the next variable, a buffer
        await user.sees("▶ [1]", "{{6, 7, 8, 9, 10}", "STRUCT", "+48", "43")
        await user.press("down", "right")
        await user.sees("▶ [2]", "{1.5, 2.5}")
        await user.press("down", "down")
        await user.sees("[1]", '"abcdefg"', "7 MPI_CHAR", "+20", "7")
        await user.sees("mpipp s_type[0][1] data 2   7 MPI_CHAR   displacement 20 bytes")
        await user.press("left", "left")
        await user.until(
            lambda: not any("abcdefg" in line[:60] and "7 MPI" in line for line in user.screen())
        )

    drive(gdb.path, script)


@pytest.mark.thorough
def test_a_million_elements(gdb: Gdb) -> None:
    async def script(user: Driver) -> None:
        big = user.roots()[3]
        tree = user.app.tree_widget
        tree.move_cursor(big.widget)
        await user.press("right")
        await user.sees("▶ [0 .. 999]")
        assert big.children is not None
        middle = big.children[500]
        tree.move_cursor(middle.widget)
        await user.press("right")
        await user.until(lambda: middle.children)
        await user.press("down")
        await user.sees("▶ [500000]", "{500000}", "1 MPI_DOUBLE", "+8000000", "8")
        read = [node for node in big.children if node.children is not None]
        assert read == [middle]

    drive(gdb.path, script)


def test_it_follows_the_program(gdb: Gdb) -> None:
    async def script(user: Driver) -> None:
        number = user.roots()[3]
        for _ in range(3):  # the buffer, the first page, the first block
            number = await user.opened(number)
        await user.sees("[0]", "0", "MPI_DOUBLE", "+0", "8")
        gdb.send("continue")
        await user.sees("[0]", "-1", "MPI_DOUBLE", "+0", "8")
        gdb.send("delete", "continue")
        await user.sees("rank 0 of 1", "running")
        while number.value in ("0", "-1"):  # gdb may give no answer in time, on a busy machine
            await user.press("r")
            await user.until(lambda: not user.app.client.is_waiting)
        gdb.interrupt()
        await user.sees("stopped in main at browse.c:43")
        gdb.send("mpipp browse s_type")  # already in the tree
        gdb.send("mpipp browse")
        await user.until(lambda: user.roots()[-1].name == "process")
        gdb.send("kill", "quit")
        await user.sees("gdb has ended")
        await user.sees("[0]", number.value)

    drive(gdb.path, script)


@pytest.mark.thorough
def test_a_narrow_screen(gdb: Gdb) -> None:
    async def script(user: Driver) -> None:
        await user.pilot.resize_terminal(50, 20)
        await user.sees("big numbers", "…")
        assert max(map(len, user.screen())) <= 50

    drive(gdb.path, script)


@pytest.mark.thorough
def test_it_ends_with_gdb_where_asked_to(gdb: Gdb) -> None:
    async def script(user: Driver) -> None:
        gdb.send("kill", "quit")
        await user.until(lambda: not user.app.is_running or user.app._exit)

    drive(gdb.path, script, close_with_gdb=True)


def test_the_command_in_a_terminal(gdb: Gdb) -> None:
    path = gdb.path
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "mpipp.cli", "browse", str(path)],
        env=support.clean_environment(PYTHONPATH=str(support.ROOT), TERM="xterm-256color"),
        dimensions=(30, 110),
        timeout=WAIT,
        encoding="utf-8",
    )
    terminal.expect("big numbers")
    terminal.send("q")
    terminal.expect(pexpect.EOF)
    assert terminal.wait() == 0  # `close` would send a signal after 0.1 s
    terminal.close()


def test_the_command_without_what_it_needs(tmp_path: Path) -> None:
    nowhere = support.shell("browse", env={"TMPDIR": str(tmp_path)})
    assert (nowhere.returncode, nowhere.stderr) == (
        2,
        "mpipp: no gdb offers a tree to browse: type mpipp browse in gdb first\n",
    )
    gone = support.shell("browse", "/nowhere/socket")
    assert gone.stderr == (
        "mpipp: no gdb listens at /nowhere/socket: type mpipp browse in gdb, then repeat this "
        "command\n"
    )


def test_the_command_without_textual_or_a_terminal(gdb: Gdb, tmp_path: Path) -> None:
    path = str(gdb.path)
    (tmp_path / "textual").mkdir()
    (tmp_path / "textual" / "__init__.py").write_text("raise ImportError\n")
    without = {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(support.ROOT)])}
    lacking = support.shell("browse", "--terminal", path, env=without)
    assert lacking.stderr == (
        f"mpipp: browsing in a terminal needs Textual: {sys.executable} -m pip install "
        "'mpipp[browse]'\n"
    )
    piped = support.shell("browse", path)
    assert piped.stderr == (
        "mpipp: the browser needs a terminal or a display: start it in a terminal\n"
    )
    hidden = support.shell("browse", "--window", path)
    assert hidden.stderr.startswith("mpipp: no window can be opened: ")

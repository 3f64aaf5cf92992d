# SPDX-License-Identifier: MIT
"""`mpipp browse`: shows a tree of a datatype and its memory, which a running gdb offers."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from mpipp.common import browser_socket
from mpipp.common.errors import MpippError


class _FrontEnd(Protocol):
    def run(self) -> object: ...


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp browse`."""
    parser.add_argument(
        "socket", nargs="?", metavar="SOCKET", help="the socket of gdb (default: the newest)"
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--window", action="store_true", help="open a window")
    how.add_argument("--terminal", action="store_true", help="use this terminal")
    parser.add_argument("--close-with-gdb", action="store_true", help="close when gdb ends")


def run(arguments: argparse.Namespace) -> int:
    """Show the tree that a gdb offers: in a window if there is a display, else in this terminal.

    Raises:
        MpippError: no gdb serves browsers, or a package for the tree is not installed.
    """
    find = _finder(arguments.socket)
    front_end = None
    if not arguments.terminal and (arguments.window or os.environ.get("DISPLAY")):
        front_end = _window(find, arguments)
    if front_end is None:
        front_end = _terminal(find, arguments)
    front_end.run()
    return 0


def _finder(chosen: str | None) -> Callable[[], Path | None]:
    # A function that finds the socket of gdb. The function is called again when gdb has ended.
    if chosen is None:
        if browser_socket.newest() is None:
            raise MpippError("no gdb offers a tree to browse: type mpipp browse in gdb first")
        return browser_socket.newest
    path = Path(chosen)
    if not browser_socket.is_live(path):
        raise MpippError(
            f"no gdb listens at {chosen}: type mpipp browse in gdb, then repeat this command"
        )
    return lambda: path


def _window(find: Callable[[], Path | None], arguments: argparse.Namespace) -> _FrontEnd | None:
    # The window; None if the tree must be shown in the terminal.
    try:
        import tkinter

        from mpipp.browser.window import Window
    except ImportError:
        if arguments.window:
            raise MpippError(
                "a window needs Python's module tkinter: install it (Debian: python3-tk), "
                "or browse with --terminal"
            ) from None
        return None
    try:
        return Window(find, arguments.close_with_gdb)
    except tkinter.TclError as error:
        if arguments.window:
            raise MpippError(f"no window can be opened: {error}") from None
        return None


def _terminal(find: Callable[[], Path | None], arguments: argparse.Namespace) -> _FrontEnd:
    try:
        from mpipp.browser.terminal import Terminal
    except ImportError:
        raise MpippError(
            f"browsing in a terminal needs Textual: {sys.executable} -m pip install 'mpipp[browse]'"
        ) from None
    if not sys.stdout.isatty():
        raise MpippError("the browser needs a terminal or a display: start it in a terminal")
    return Terminal(find, arguments.close_with_gdb)

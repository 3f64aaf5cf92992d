# SPDX-License-Identifier: MIT
"""The settings below `set mpipp`."""

from __future__ import annotations

import os
from typing import Any

import gdb

from mpipp.gdb import console
from mpipp.render import finding_head
from mpipp.render.print_settings import Limits


class _SetPrefix(gdb.Command):
    """Change a setting of mpipp."""

    def __init__(self) -> None:
        super().__init__("set mpipp", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        said = "There is no such setting of mpipp" if argument else "Name a setting of mpipp"
        raise gdb.GdbError(f'{said}: see "show mpipp".')


class _ShowPrefix(gdb.Command):
    """Show the settings of mpipp."""

    def __init__(self) -> None:
        super().__init__("show mpipp", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        for setting in SETTINGS:
            console.execute("show {}", setting.name)


class _Buffers(gdb.Parameter):
    """Show the data of a communication buffer when its address is printed.

    When on, print shows the address of a buffer as {address, call, count, type, data}. The buffer
    must belong to the MPI call of the selected thread, or to a pending request. Outside a call it
    may belong to the call of the selected line or of the statement before, which has completed:
    "state" then says so. When off, print shows addresses as gdb does. print/r and print/x do so
    for one value.
    """

    name = "mpipp buffers"
    set_doc = "Set whether communication buffers are shown by their datatype."
    show_doc = "Show whether communication buffers are shown by their datatype."

    def __init__(self) -> None:
        super().__init__(self.name, gdb.COMMAND_DATA, gdb.PARAM_BOOLEAN)
        self.value = True

    def get_set_string(self) -> str:
        return ""

    def get_show_string(self, value: str) -> str:
        return f"Communication buffers are shown by their datatype: {value}."


class _Colour(gdb.Parameter):
    """Colour the output of mpipp commands: auto, on or off.

    auto colours the output on a terminal if gdb's own styling is enabled. Colours need the Python
    package pygments in gdb's Python.
    """

    name = "mpipp colour"
    set_doc = "Set whether the output of mpipp commands is coloured."
    show_doc = "Show whether the output of mpipp commands is coloured."

    def __init__(self) -> None:
        super().__init__(self.name, gdb.COMMAND_DATA, gdb.PARAM_ENUM, ["auto", "on", "off"])
        self.value = "auto"

    def get_set_string(self) -> str:
        return ""

    def get_show_string(self, value: str) -> str:
        return f"The output of mpipp commands is coloured: {value}."


class _Summary(gdb.Parameter):
    """Print a line about MPI at every stop of the program.

    The line shows the rank, the MPI call of the selected thread, and the numbers of datatypes and
    pending requests. With very many objects it takes a moment.
    """

    name = "mpipp summary"
    set_doc = "Set whether a line about MPI is printed at every stop."
    show_doc = "Show whether a line about MPI is printed at every stop."

    def __init__(self) -> None:
        super().__init__(self.name, gdb.COMMAND_DATA, gdb.PARAM_BOOLEAN)
        self.value = False

    def get_set_string(self) -> str:
        return ""

    def get_show_string(self, value: str) -> str:
        return f"A line about MPI is printed at every stop: {value}."


SETTINGS: tuple[type[gdb.Parameter], ...] = (_Buffers, _Colour, _Summary)


def register() -> None:
    """Register the settings with gdb. Settings that exist already keep their values."""
    _SetPrefix()
    _ShowPrefix()
    for setting in SETTINGS:
        before = _value(setting.name)
        parameter = setting()
        if before is not None:
            parameter.value = before


def buffers_shown() -> bool:
    """Return the value of `set mpipp buffers`."""
    return bool(gdb.parameter("mpipp buffers"))


def summary_shown() -> bool:
    """Return the value of `set mpipp summary`."""
    return bool(gdb.parameter("mpipp summary"))


def coloured() -> bool:
    """Return whether output is coloured now."""
    setting = gdb.parameter("mpipp colour")
    if setting != "auto":
        return bool(setting == "on")
    return bool(
        gdb.parameter("style enabled") and os.isatty(1) and finding_head.allows_colours(os.environ)
    )


def limits() -> Limits:
    """Limits of the output, from gdb's print settings."""
    depth = gdb.parameter("print max-depth")
    return Limits(
        elements=gdb.parameter("print elements") or 0,
        repeats=gdb.parameter("print repeats") or 0,
        max_depth=-1 if depth is None else depth,
        pretty=bool(gdb.parameter("print pretty")),
    )


def _value(name: str) -> Any:
    try:
        return gdb.parameter(name)
    except RuntimeError:
        return None

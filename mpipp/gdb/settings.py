# SPDX-License-Identifier: MIT
"""The settings below `set mpipp`."""

from __future__ import annotations

import os
from typing import Any

import gdb

from mpipp.gdb import console
from mpipp.render.print_settings import Limits


class _SetPrefix(gdb.Command):
    """Change a setting of mpipp."""

    def __init__(self) -> None:
        super().__init__("set mpipp", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        said = "There is no such setting of mpipp" if argument else "Say which setting of mpipp"
        raise gdb.GdbError(f'{said}: see "show mpipp".')


class _ShowPrefix(gdb.Command):
    """Show the settings of mpipp."""

    def __init__(self) -> None:
        super().__init__("show mpipp", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        for setting in SETTINGS:
            console.execute("show {}", setting.name)


class _Buffers(gdb.Parameter):
    """Whether communication buffers are shown as such when their address is printed.

    When on, a pointer or array whose address is a buffer of the MPI call that the selected thread
    is inside of, or of a pending request, is shown as {address, call, count, type, data}. Off
    shows it as gdb does; so do print/r and print/x for a single value.
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
    """Whether the output of mpipp commands is coloured.

    auto colours it when it goes to a terminal and gdb's own styling is enabled. Colours need
    the Python package pygments in gdb's Python; without it there are none.
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
    """Whether a line says what MPI is at whenever the program stops.

    It has the rank, the MPI call that the selected thread is inside of, and how many datatypes the
    program has made and how many requests are pending. With very many of them it takes a moment.
    """

    name = "mpipp summary"
    set_doc = "Set whether a line says at every stop what MPI is at."
    show_doc = "Show whether a line says at every stop what MPI is at."

    def __init__(self) -> None:
        super().__init__(self.name, gdb.COMMAND_DATA, gdb.PARAM_BOOLEAN)
        self.value = False

    def get_set_string(self) -> str:
        return ""

    def get_show_string(self, value: str) -> str:
        return f"A line says at every stop what MPI is at: {value}."


SETTINGS: tuple[type[gdb.Parameter], ...] = (_Buffers, _Colour, _Summary)


def register() -> None:
    """Make gdb know the settings; those that were made before keep their values."""
    _SetPrefix()
    _ShowPrefix()
    for setting in SETTINGS:
        before = _value(setting.name)
        parameter = setting()
        if before is not None:
            parameter.value = before


def buffers_shown() -> bool:
    """`set mpipp buffers`."""
    return bool(gdb.parameter("mpipp buffers"))


def summary_shown() -> bool:
    """`set mpipp summary`."""
    return bool(gdb.parameter("mpipp summary"))


def coloured() -> bool:
    """Whether to colour what is written now."""
    setting = gdb.parameter("mpipp colour")
    if setting != "auto":
        return bool(setting == "on")
    return bool(
        gdb.parameter("style enabled") and os.isatty(1) and os.environ.get("TERM") != "dumb"
    )


def limits() -> Limits:
    """gdb's print settings."""
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

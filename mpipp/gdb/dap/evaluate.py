# SPDX-License-Identifier: MIT
"""Expressions from watches and hovers, and commands of gdb and mpipp from the debug console."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.dap.arguments import Arguments, optional, required
from mpipp.gdb import console
from mpipp.gdb.commands.base import sentence
from mpipp.gdb.dap import variables
from mpipp.gdb.dap.children import Child
from mpipp.gdb.dap.stack import Frames
from mpipp.gdb.dap.threads import Threads
from mpipp.gdb.dap.variables import Variables
from mpipp.gdb.debug_session.group import Group
from mpipp.gdb.parser import expressions
from mpipp.gdb.selected_thread import selected_thread

# gdb's commands that let a thread run, and how many letters the shortest abbreviation of each has.
# mpipp runs these commands in the background. Otherwise gdb waits until the thread stops, and
# answers no other request.
_RUNNING = {
    "continue": 1,
    "fg": 2,
    "next": 1,
    "step": 1,
    "finish": 3,
    "until": 1,
    "advance": 3,
    "nexti": 5,
    "ni": 2,
    "stepi": 5,
    "si": 2,
    "jump": 1,
    "signal": 3,
}
_STARTING = {"run": 1, "start": 5, "starti": 6, "kill": 1, "attach": 3, "detach": 3}
_UNDEFINED = ("Undefined command:", "Ambiguous command")


class Evaluations:
    """Requests that evaluate text from the user.

    Args:
        own_rank: the only rank of the session; None for the session of the job.
    """

    def __init__(
        self,
        group: Group,
        threads: Threads,
        frames: Frames,
        values: Variables,
        own_rank: int | None,
    ) -> None:
        self._group, self._threads, self._own_rank = group, threads, own_rank
        self._frames, self._variables = frames, values

    def evaluate(self, arguments: Arguments) -> dict[str, Any]:
        """Return the answer to `evaluate`. Raises MpippError."""
        text = required(arguments, "expression", str).strip()
        context = optional(arguments, "context", "watch")
        number = optional(arguments, "frameId", 0)
        if context == "repl" and self._own_rank is not None:
            self._select_own(self._own_rank)
            with self._group.focused([self._own_rank]):
                return self._command(text, number)
        if context == "repl":
            return self._command(text, number)
        thread = self._select(number)
        return self._result(number, thread, Child(text, expressions.evaluate(text), text))

    def set_expression(self, arguments: Arguments) -> dict[str, Any]:
        """Return the answer to `setExpression`. Raises MpippError."""
        text = required(arguments, "expression", str).strip()
        number = optional(arguments, "frameId", 0)
        thread = self._select(number)
        child = Child(text, expressions.evaluate(text), text)
        value = variables.assign(child, required(arguments, "value", str))
        return self._variables.described(number, thread, child._replace(value=value))

    def complete(self, arguments: Arguments) -> dict[str, Any]:
        """Return the answer to `completions`. Raises MpippError."""
        text = required(arguments, "text", str)
        line = optional(arguments, "line", 1) - 1
        lines = text.split("\n")
        if not 0 <= line < len(lines):
            raise MpippError(f"the text has no line {line + 1}")
        text = lines[line][: max(0, required(arguments, "column", int) - 1)]
        start = len(text) - len(text.split(" ")[-1])
        found = console.output("complete {}", text).splitlines() if text.strip() else []
        targets = [plain(one, "") for one in found if one.startswith(text[:start])]
        return {
            "targets": [
                {"label": one[start:], "start": start, "length": len(text) - start}
                for one in targets
                if one[start:] and "*** List may be truncated" not in one
            ]
        }

    def _select(self, number: int) -> int:
        if number:
            return self._frames.select(number).thread
        for rank in self._threads.stopped_ranks:
            if self._group.select(rank):
                thread = selected_thread()
                return thread.global_num if thread is not None else 0
        raise MpippError("all ranks run: pause one of them first")

    def _select_own(self, rank: int) -> None:
        # A command for a rank that runs must not act on another rank.
        if not self._group.select(rank):
            every = (thread for one, thread in self._threads.every() if one == rank)
            thread = next(every, None)
            if thread is None:
                raise MpippError(f"rank {rank} has ended")
            thread.switch()

    def _command(self, text: str, number: int) -> dict[str, Any]:
        if number and not self._frames.is_python(number):
            self._frames.select(number)
        if not text:
            return {"result": "", "variablesReference": 0}
        lines = text.splitlines()
        word = lines[0].split()[0]
        if _is_one_of(word, _STARTING):
            raise MpippError(
                f"{word} is for one process: write mpipp restart, mpipp kill or mpipp detach"
            )
        if _is_one_of(word, _RUNNING) and not text.endswith("&"):
            text += " &"
        try:
            result = console.typed(text)
        except gdb.error as error:
            if not str(error).startswith(_UNDEFINED):
                raise MpippError(sentence(str(error))) from None
            thread = self._select(number)
            return self._result(number, thread, Child(text, expressions.evaluate(text), text))
        return {"result": plain(result, "\n\t").rstrip("\n"), "variablesReference": 0}

    def _result(self, number: int, thread: int, child: Child) -> dict[str, Any]:
        body = self._variables.described(number, thread, child)
        return {"result": body.pop("value"), **body}


def _is_one_of(word: str, commands: Mapping[str, int]) -> bool:
    return any(
        name.startswith(word) and len(word) >= shortest for name, shortest in commands.items()
    )

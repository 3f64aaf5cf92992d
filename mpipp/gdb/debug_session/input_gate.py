# SPDX-License-Identifier: MIT
"""A gate that holds back the prompt and the user's input while ranks run.

gdb's Python cannot wait for events: gdb handles them only while no command runs. So a command that
waits returns at once. Until the gate opens, gdb reads an empty pipe in place of the terminal, and
writes its prompt, and messages about single threads, to /dev/null.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

import gdb

from mpipp.gdb import notices, output
from mpipp.gdb.browser_server import gdb_thread
from mpipp.gdb.debug_session.interrupts import Interrupts

_STDIN, _STDOUT = 0, 1


class InputGate:
    """The gate of this gdb.

    Args:
        prompt: a function that returns the prompt.
        on_interrupt: a function to call if the user types control-C while the gate is closed.
    """

    hint = "control-C stops the ranks in the focus"
    after_end = ": mpipp restart starts it again"

    def __init__(self, prompt: Callable[[], str], on_interrupt: Callable[[], None]) -> None:
        self._prompt, self._interrupts = prompt, Interrupts(on_interrupt)
        self._terminal = os.dup(_STDIN)
        self._nothing, self._writer = os.pipe()
        self._screen = -1  # the terminal, while output goes to /dev/null
        self._is_closed = False
        self._has_prompted = False
        self._is_terminal = os.isatty(_STDIN)
        gdb.prompt_hook = self._hook

    @property
    def is_closed(self) -> bool:
        """Return whether the gate holds input back."""
        return self._is_closed

    def close(self) -> None:
        """Hold back the prompt that follows, input, and gdb's own messages."""
        if not self._is_closed:
            self._is_closed, self._has_prompted = True, False
            self._interrupts.take()
            os.dup2(self._nothing, _STDIN)
            self._hide()

    def open(self, lines: Iterable[str]) -> None:
        """Write lines, then the prompt, and let input through."""
        self._show()
        output.write(lines)
        notices.write()
        gdb.flush()
        if not self._is_closed:
            return
        self._is_closed = False
        self._interrupts.give_back()
        if self._has_prompted:
            # gdb has written its own prompt to /dev/null.
            output.write_prompt(self._prompt())
            gdb.flush()
        os.dup2(self._terminal, _STDIN)

    def write(self, lines: Iterable[str]) -> None:
        """Write lines outside a command. If gdb shows a prompt, they go above it."""
        if not self._is_closed:
            output.leave_prompt(self._is_terminal)
        self._show()
        output.write(lines)
        if not self._is_closed:
            output.write_prompt(self._prompt())
        gdb.flush()
        if self._is_closed:
            self._hide()

    def _hook(self, _current: str) -> str:
        if self._is_closed:
            self._has_prompted = True
            if self._is_terminal:  # readline sets the mode of the terminal only when it prompts
                os.dup2(self._terminal, _STDIN)
            gdb_thread.post(self._after_prompt)
        return self._prompt()

    def _after_prompt(self) -> None:
        if self._is_closed:
            os.dup2(self._nothing, _STDIN)

    def _hide(self) -> None:
        if self._screen < 0:
            gdb.flush()
            self._screen = os.dup(_STDOUT)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, _STDOUT)
            os.close(nowhere)

    def _show(self) -> None:
        if self._screen >= 0:
            gdb.flush()
            os.dup2(self._screen, _STDOUT)
            os.close(self._screen)
            self._screen = -1

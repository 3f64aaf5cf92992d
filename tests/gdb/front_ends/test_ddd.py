# SPDX-License-Identifier: MIT
"""Debian's DDD displays a datatype and a buffer: figure 6 of the paper.

The test reads the display from DDD's PostScript output. It also saves a screenshot in
build/tests/ddd-mpich4.png, the picture of the documentation.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests import support

# DDD must show no dialogues, and a large display. "Printing" copies to a file.
RESOURCES = """\
Ddd*dddinitVersion: 3.3.12
Ddd*splashScreen: off
Ddd*startupTips: off
Ddd*suppressWarnings: on
Ddd*checkOptions: 0
Ddd*openDataWindow: on
Ddd*graph_edit.width: 800
Ddd*graph_edit.height: 690
Ddd*source_text_w.rows: 13
Ddd*gdb_w.rows: 4
Ddd*printCommand: {home}/print
"""
DATA_WINDOW = "800x700"
TITLE = (40, 109)  # position of the first display's title, in pixels
SHOW_ALL = (68, 187)  # position of this entry in the display's menu
EMPTY = (550, 560)  # a place without display, where the dialogue will appear

RECORD = """
kind = STRUCT
count = 3
entries =
blocklength = 5
offset = 0
type = "MPI_INT"
blocklength = 7
offset = 20
type = "MPI_CHAR"
blocklength = 2
offset = 40
type = "MPI_DOUBLE"
"""
DISPLAY = f"""
Locals
buffer =
address = 0x
call = "MPI_Bcast"
count = 1
type = {RECORD}
data =
b0 = 1 2 3 4 5
b1 = "abcdefg"
b2 = 1.5 2.5
type = {RECORD}
"""


class Desktop:
    """An X server for the test, with mouse and keyboard."""

    def __init__(self, display: str) -> None:
        self.env = {"DISPLAY": display}

    def do(self, *words: object) -> None:
        """Run commands of xdotool: move the mouse, press buttons or keys."""
        subprocess.run(
            [support.need("xdotool"), *map(str, words)],
            env={**os.environ, **self.env},
            check=True,
            capture_output=True,
        )

    def change(self, *words: object) -> None:
        """Run commands, and wait until the data window has changed and is stable."""
        self.changed_by(lambda: self.do(*words), words)

    def changed_by(self, act: Callable[[], None], what: object) -> None:
        """Wait until an action has changed the data window."""
        before = last = self._data_window()
        act()
        for _ in range(600):
            time.sleep(0.05)
            now = self._data_window()
            if now != before and now == last:
                return
            last = now
        raise AssertionError(f"nothing is to be seen of {what}")

    def _data_window(self) -> bytes:
        # Leave out the part below, in which a cursor blinks.
        words = [support.need("import"), "-window", "root", "-crop", f"{DATA_WINDOW}+0+0", "rgb:-"]
        return subprocess.run(
            words, env={**os.environ, **self.env}, check=True, stdout=subprocess.PIPE
        ).stdout

    def screenshot(self, path: Path) -> None:
        """Save the visible part of the screen."""
        command = [support.need("import"), "-window", "root", "-trim", "+repage", str(path)]
        subprocess.run(command, env={**os.environ, **self.env}, check=True)


@contextmanager
def desktop() -> Iterator[Desktop]:
    words = [support.need("Xvfb"), "-displayfd", "1", "-screen", "0", "1024x1100x24"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout
            yield Desktop(f":{server.stdout.readline().strip()}")
        finally:
            server.terminate()


def has(path: Path, text: str) -> bool:
    return path.exists() and text in path.read_text(errors="replace")


def type_command(screen: Desktop, command: str, is_done: Callable[[], bool]) -> None:
    """Type a command in DDD's console. Repeat it if DDD lost it while it was busy with
    its windows."""
    for _ in range(3):
        screen.do("mousemove", 300, 985, "click", 1, "type", f"{command}\n")
        for _ in range(600):  # a second "run" would ask whether to restart
            if is_done():
                return
            time.sleep(0.1)
    raise AssertionError(f"nothing comes of {command}")


def wait_for(path: Path, text: str = "") -> str:
    """The text of a file, once it contains `text`."""
    found = ""
    for _ in range(600):
        if path.exists():
            found = path.read_text(errors="replace")
            if found and text in found:
                return found
        time.sleep(0.1)
    raise AssertionError(f"{path.name} has no {text!r}: {found[-2000:]}")


@support.on_mpi("mpich4", "openmpi4")
def test_figure_6(mpi: support.MPI, tmp_path: Path) -> None:
    program = support.compile_program(support.program_source("gdb", "figure6.c"), mpi)
    (tmp_path / ".ddd").mkdir()
    (tmp_path / ".ddd" / "init").write_text(RESOURCES.format(home=tmp_path))
    (tmp_path / "print").write_text(f'#!/bin/sh\nmv "$1" {tmp_path}/display.ps\n')
    (tmp_path / "print").chmod(0o755)
    assert mpi.wrapper  # build the wrapper now, because DDD does not wait long
    gdb = [sys.executable, "-m", "mpipp.cli", "gdb", "-nx", "-iex", "set debuginfod enabled off"]
    gdb += ["-iex", "set filename-display basename"]
    words = [support.need("ddd"), "-geometry", "+0+0", "--debugger", shlex.join(gdb), str(program)]
    log = tmp_path / ".ddd" / "log"
    with desktop() as screen:
        ddd = subprocess.Popen(
            words,
            env={**mpi.env, **screen.env, "HOME": str(tmp_path), "PYTHONPATH": str(support.ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            for command, answer in (
                ("mpipp break MPI_Bcast", "Breakpoint 1 at"),
                ("run", "MPI_Bcast, called at figure6.c"),
                ("frame", "figure6.c:25"),
                ("graph display `info locals`", "`info locals` (enabled)"),
            ):
                wait_for(log, "frames down to go")  # DDD has finished its queries to gdb
                typed = partial(type_command, screen, command, partial(has, log, answer))
                if "display" in command:
                    screen.changed_by(typed, command)
                else:
                    typed()
            screen.change("mousemove", *TITLE, "mousedown", 3)
            screen.change("mousemove", *SHOW_ALL, "mouseup", 3)
            screen.change("mousemove", *EMPTY, "key", "ctrl+p")
            screen.change("key", "Return")
            printed = wait_for(tmp_path / "display.ps", "showpage")
            screen.do("click", 1)
            screen.screenshot(support.BUILD / f"ddd-{mpi.id}.png")
        finally:
            ddd.kill()
            ddd.wait()
    shown = re.findall(r"^/.*\((.*)\) text\*", printed, re.MULTILINE)
    text = re.sub("0x[0-9a-f]+", "0x", " ".join(shown)).replace("\\", "")
    assert text.split() == DISPLAY.split()

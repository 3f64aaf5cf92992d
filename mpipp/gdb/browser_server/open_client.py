# SPDX-License-Identifier: MIT
"""Open browsers on expressions and calls, or print the command that opens one."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from mpipp.common import browser_socket
from mpipp.common.errors import MpippError
from mpipp.gdb.browser_server import roots as browse_roots
from mpipp.gdb.browser_server.answers import BrowsedInferior
from mpipp.gdb.browser_server.roots import Root
from mpipp.gdb.parser import expressions
from mpipp.gdb.program import sessions
from mpipp.gdb.program.sessions import Session
from mpipp.model import DatatypeRecord

_PARENT = Path(__file__).resolve().parents[3]  # the directory that contains the package

_browsed: BrowsedInferior | None = None


def close() -> None:
    """Stop serving browsers."""
    global _browsed
    if _browsed is not None:
        _browsed.close()
        _browsed = None


def browse(argument: str, in_terminal: bool) -> Iterator[str]:
    """Browse a datatype or the process, and return the lines to print. Raises MpippError."""
    global _browsed
    roots = list(_roots(argument, sessions.required()))
    if _browsed is None:
        _browsed = BrowsedInferior()
    _browsed.add(roots)
    path = _browsed.server.path
    if _browsed.server.is_used:
        yield "The open browser shows it, too."
    elif not in_terminal and _open_window(path):
        yield "A window opens. To see the same in another terminal, type there:"
        yield f"  {_command(path)}"
    else:
        yield "To browse, type in another terminal:"
        yield f"  {_command(path)}"


def _roots(argument: str, session: Session) -> Iterator[Root]:
    inferior = session.inferior.num
    if not argument:
        yield browse_roots.Process(inferior, "process")
        return
    target = expressions.target(argument, session)
    if not isinstance(target.found, DatatypeRecord) or target.element:
        raise MpippError(f"{argument} cannot be browsed: write mpipp browse TYPE [ADDR [COUNT]]")
    header = target.found.header
    yield browse_roots.Type(inferior, target.text, header.record, header.serial)
    if target.rest:
        address, count = expressions.address_and_count(target.rest)
        words = target.text, target.rest
        yield browse_roots.Data(inferior, *words, header.record, header.serial, address, count)


def _command(path: Path) -> str:
    # The shell command that opens a browser of this gdb. The command has the socket's path only if
    # the browser would choose another socket without it.
    found = [] if browser_socket.newest() == path else [str(path)]
    if shutil.which("mpipp"):
        return shlex.join(["mpipp", "browse", *found])
    python = next(_pythons(), "python3")
    return f"PYTHONPATH={shlex.quote(str(_PARENT))} " + shlex.join(_words(python, *found))


def _words(python: str, *more: str) -> list[str]:
    return [python, "-m", "mpipp.cli", "browse", *more]


def _open_window(path: Path) -> bool:
    # Return whether a window could be opened. gdb's own Python seldom has tkinter.
    if not os.environ.get("DISPLAY"):
        return False
    for python in _pythons():
        try:
            subprocess.run(
                [python, "-c", "import tkinter; tkinter.Tk().destroy()"],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=10,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            continue
        subprocess.Popen(
            _words(python, "--window", "--close-with-gdb", str(path)),
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # so that Ctrl-C in gdb's terminal does not end the browser
        )
        return True
    return False


def _environment() -> dict[str, str]:
    paths = [str(_PARENT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def _pythons() -> Iterator[str]:
    # First the Python of the command mpipp, then of this package's environment, then others.
    candidates = [_interpreter(shutil.which("mpipp"))]
    # Directories above the package come before PATH: Python and mpipp were installed there
    # together. `above.name` excludes /bin.
    directories = [above for above in (_PARENT, *_PARENT.parents) if above.name]
    candidates += [str(above / "bin" / "python3") for above in directories]
    candidates += [shutil.which("python3"), "/usr/bin/python3", sys.executable]
    seen = set()
    for python in candidates:
        if python and python not in seen and os.access(python, os.X_OK):
            seen.add(python)
            yield python


def _interpreter(script: str | None) -> str | None:
    if script is None:
        return None
    try:
        with open(script, "rb") as file:
            line = file.readline(256).decode(errors="replace").strip()
    except OSError:
        return None
    return line[2:].strip() if line.startswith("#!") else None

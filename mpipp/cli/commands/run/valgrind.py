# SPDX-License-Identifier: MIT
"""`mpipp run --valgrind`: memcheck reports wrong accesses to pending buffers, byte by byte."""

from __future__ import annotations

import argparse
import shlex
import shutil
from pathlib import Path

from mpipp.cli.commands import exec
from mpipp.common.errors import MpippError

_SUPPRESSIONS = Path(__file__).resolve().with_suffix(".supp")
_ALWAYS = ("-q", f"--suppressions={_SUPPRESSIONS}")  # reports only the program's own errors


def prefix(arguments: argparse.Namespace) -> list[str]:
    """The valgrind command to put before the program's; [] without the option.

    Raises MpippError if valgrind is not installed, or if no buffers are checked.
    """
    if arguments.valgrind is None:
        return []
    if not exec.guards(arguments):
        raise MpippError("--valgrind checks buffers: add --check=buffers")
    path = shutil.which("valgrind")
    if path is None:
        raise MpippError("valgrind is not on PATH: install it, with its headers (Debian: valgrind)")
    status = arguments.error_exit
    exits = [] if status is None else [f"--error-exitcode={status}"]
    try:
        return [path, *_ALWAYS, *exits, *shlex.split(arguments.valgrind)]
    except ValueError as error:
        raise MpippError(f"--valgrind={arguments.valgrind}: {error}") from None

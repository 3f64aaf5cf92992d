# SPDX-License-Identifier: MIT
"""`mpipp run --valgrind`: memcheck tells, byte by byte, of what is done to pending buffers."""

from __future__ import annotations

import argparse
import shlex
import shutil
from pathlib import Path

from mpipp.cli.commands import exec
from mpipp.common.errors import MpippError

_SUPPRESSIONS = Path(__file__).resolve().with_suffix(".supp")
_ALWAYS = ("-q", f"--suppressions={_SUPPRESSIONS}")  # errors of the program alone


def prefix(arguments: argparse.Namespace) -> list[str]:
    """The words before the program's own; none without the option.

    Raises MpippError: valgrind is not there, or there would be nothing for it to tell.
    """
    if arguments.valgrind is None:
        return []
    if not exec.guards(arguments):
        raise MpippError("--valgrind is for buffers: add --check=buffers")
    path = shutil.which("valgrind")
    if path is None:
        raise MpippError("there is no valgrind: install it, with its headers")
    status = arguments.error_exit
    exits = [] if status is None else [f"--error-exitcode={status}"]
    try:
        return [path, *_ALWAYS, *exits, *shlex.split(arguments.valgrind)]
    except ValueError as error:
        raise MpippError(f"--valgrind={arguments.valgrind}: {error}") from None

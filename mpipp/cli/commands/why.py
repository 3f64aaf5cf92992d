# SPDX-License-Identifier: MIT
"""`mpipp why`: runs gdb's command `mpipp why` on core files."""

from __future__ import annotations

import argparse
import os
import sys

from mpipp.cli.run_gdb_on_cores import run_command
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp why`."""
    parser.add_argument(
        "cores", nargs="+", metavar="CORE", help="the core files: one for each process"
    )
    parser.add_argument(
        "--exec", metavar="PROGRAM", help="use this program, if the core files do not name it"
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--picture",
        action="store_true",
        help="print the wait-for graph, one line for each group of ranks",
    )
    how.add_argument("--svg", metavar="FILE", help="write the wait-for graph as SVG")
    how.add_argument("--json", action="store_true", help="print JSON (docs/reference/json.md)")


def run(arguments: argparse.Namespace) -> int:
    """Run the analysis in gdb on the cores, and print it; returns the exit status.

    Raises:
        MpippError: there is no gdb, a core cannot be read, or its program is unknown.
    """
    words = "mpipp why"
    if arguments.svg is not None:
        file = os.path.abspath(arguments.svg)
        if len(file.split()) > 1:
            raise MpippError(f"{file} has blanks in its name: choose another name")
        words += f" --svg {file}"
    for option in ("picture", "json"):
        words += f" --{option}" if getattr(arguments, option) else ""
    report, said = run_command(arguments.cores, arguments.exec, words)
    if not report:
        raise MpippError(f"gdb could not read the core files: {said}")
    sys.stdout.write(plain(report))
    return 0

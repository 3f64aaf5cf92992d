# SPDX-License-Identifier: MIT
"""`mpipp dap`: serves one client of the Debug Adapter Protocol."""

from __future__ import annotations

import argparse
import shutil
import sys

from mpipp.cli.commands.dap.adapter import Adapter
from mpipp.cli.commands.debug.job import run_directory
from mpipp.common.errors import MpippError

USAGE = "mpipp dap"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp dap`."""
    parser.usage = USAGE


def run(_arguments: argparse.Namespace) -> int:
    """Serve the client on standard input and output; returns the exit status.

    Raises MpippError at a terminal.
    """
    if sys.stdin.isatty():
        raise MpippError("mpipp dap is for editors, which start it: in a terminal use mpipp debug")
    directory = run_directory()
    try:
        return Adapter(directory).run()
    finally:
        shutil.rmtree(directory, ignore_errors=True)

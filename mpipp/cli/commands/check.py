# SPDX-License-Identifier: MIT
"""`mpipp check`: runs gdb's command `mpipp check` on core files."""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import NamedTuple

from mpipp.cli.run_gdb_on_cores import run_command
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain

_LAST = re.compile(r"^(no|\d+) findings? in (\d+) process", re.MULTILINE)

FOUND, NOT_CHECKED = 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp check`."""
    parser.add_argument(
        "cores", nargs="+", metavar="CORE", help="the core files: one for each process"
    )
    parser.add_argument(
        "--exec", metavar="PROGRAM", help="use this program, if the core files do not name it"
    )
    parser.add_argument(
        "--leaks", action="store_true", help="also report objects that are not freed"
    )
    parser.add_argument("--json", action="store_true", help="print JSON (docs/reference/json.md)")
    parser.epilog = "exit status: 0: no findings; 1: findings; 2: some checks could not run"


def run(arguments: argparse.Namespace) -> int:
    """Run the checks in gdb on the cores, and print the findings; returns the exit status.

    Raises:
        MpippError: there is no gdb, a core cannot be read, or its program is unknown.
    """
    options = "".join(f" {name}" for name in ("--leaks", "--json") if _is_set(arguments, name))
    report, said = run_command(arguments.cores, arguments.exec, f"mpipp check{options}")
    result = _result_of_document(report) if arguments.json else _result(report)
    if result is None:
        raise MpippError(f"gdb could not check the core files: {said}")
    sys.stdout.write(plain(report))
    findings, checked, whole = result
    if checked < len(arguments.cores):
        said = f"mpipp: {checked} of {len(arguments.cores)} cores were checked"
        print(plain(said), file=sys.stderr)
        whole = False
    return FOUND if findings else 0 if whole else NOT_CHECKED


def _is_set(arguments: argparse.Namespace, option: str) -> bool:
    return bool(getattr(arguments, option.lstrip("-")))


class _Result(NamedTuple):
    findings: int
    processes: int  # the number of checked processes
    whole: bool  # True if all records could be checked


def _result(report: str) -> _Result | None:
    # The numbers in the last line of a report; None if the report has no last line.
    last = _LAST.search(report)
    if last is None:
        return None
    findings, processes = last.groups()
    whole = "not everything was checked: " not in report
    return _Result(0 if findings == "no" else int(findings), int(processes), whole)


def _result_of_document(report: str) -> _Result | None:
    try:
        document = json.loads(report)
        whole = not document["not_checked"]
        return _Result(len(document["findings"]), len(document["processes"]), whole)
    except (ValueError, KeyError):
        return None

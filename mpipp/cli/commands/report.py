# SPDX-License-Identifier: MIT
"""`mpipp report`: shows the findings of a watched run from its directory."""

from __future__ import annotations

import argparse
import os
import sys

from mpipp.cli.progress_line import COMPARING, Progress
from mpipp.common.errors import MpippError
from mpipp.common.run_directory import DATA
from mpipp.render import finding_head, json_output
from mpipp.reports import findings_file
from mpipp.reports.findings_file import Run
from mpipp.reports.formats import github, junit, sarif, text
from mpipp.reports.formats.html import page
from mpipp.watcher.nodes import merge_results

_EXAMPLES = """\
examples:
  mpipp report DIR                             show the findings with source
  mpipp report DIR --format html -o page.html  make a page for the browser
"""
_ROOT = "GITHUB_WORKSPACE"  # GitHub Actions sets it to the repository's path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp report`."""
    parser.add_argument(
        "directory", metavar="DIR", help="the directory that mpipp run --check --report DIR wrote"
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "html", "sarif", "junit", "github"),
        default="text",
        metavar="FORMAT",
        help="text (default), html (one page), json (docs/reference/json.md), sarif (editors and "
        "CI), junit (CI) or github (annotations in GitHub Actions)",
    )
    parser.add_argument("-o", metavar="FILE", help="write the report to FILE")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLES


def run(arguments: argparse.Namespace) -> int:
    """Print the report, or write it to a file; returns the exit status.

    Raises:
        MpippError: the directory has no report, or the file cannot be written.
    """
    of = arguments.directory
    with Progress(sys.stderr, quiet=False).during(COMPARING):
        document = merge_results.complete(of)
    found = findings_file.run_of(document, os.path.join(of, DATA))
    coloured = arguments.o is None and finding_head.has_colours(sys.stdout)
    report = _made(found, document, arguments.format, of, coloured)
    if arguments.o is None:
        sys.stdout.buffer.write(report.encode("utf-8", "backslashreplace"))
        return 0
    try:
        with open(arguments.o, "wb") as file:
            file.write(report.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise MpippError(f"cannot write {arguments.o}: {error.strerror}") from None
    return 0


def _made(found: Run, document: bytes, kind: str, of: str, coloured: bool) -> str:
    if kind == "html":
        return page.html(found, of)
    if kind == "sarif":
        return sarif.sarif(found) + "\n"
    if kind == "junit":
        return junit.junit(found) + "\n"
    if kind == "github":
        return "".join(f"{line}\n" for line in github.lines(found, os.environ.get(_ROOT, "")))
    if kind == "json":
        return json_output.printable(document.decode())
    return "\n".join(text.lines(found, of, coloured)) + "\n"

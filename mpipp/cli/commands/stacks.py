# SPDX-License-Identifier: MIT
"""`mpipp stacks`: the stacks of a running job as one tree, without a debugger."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from mpipp.cli.commands import attach
from mpipp.cli.stacks import job_stacks
from mpipp.cli.stacks.job_stacks import JobStacks
from mpipp.common import output_file
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.ranks import stack_tree
from mpipp.ranks.stack_tree_svg import svg
from mpipp.render import json_output
from mpipp.toolchain import running_jobs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp stacks`."""
    parser.add_argument(
        "job",
        nargs="?",
        metavar="JOB",
        help="the PID of the job's launcher, its batch job number, or the directory of "
        "mpipp run --report; default: the only job on this machine",
    )
    parser.add_argument(
        "--merge",
        nargs="+",
        metavar="FILE",
        help="merge the output of mpipp stacks --json from several nodes, instead of reading a job",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--svg", metavar="FILE", help="write the tree as SVG")
    how.add_argument("--json", action="store_true", help="print JSON (docs/reference/json.md)")


def run(arguments: argparse.Namespace) -> int:
    """Read the job's stacks and print them; returns the exit status.

    Raises MpippError: there is no such job, or none of its processes can be read.
    """
    found = _merged(arguments) if arguments.merge else _read(arguments.job)
    if not found.by_rank.ranks and not found.others.ranks:
        raise MpippError("; ".join(found.failures) or "the job has no processes")
    if arguments.json:
        print(plain(json_output.document("stacks", found.record())))
    elif arguments.svg is not None:
        tree = found.by_rank if found.by_rank.ranks else found.others
        print(plain(output_file.write(arguments.svg, svg(tree))))
    else:
        for line in _text(found):
            print(plain(line))
    return 0


def _merged(arguments: argparse.Namespace) -> JobStacks:
    if arguments.job is not None:
        raise MpippError("--merge reads files: leave out JOB, or leave out --merge")
    whole = JobStacks()
    for path in arguments.merge:
        whole.merge(job_stacks.from_file(path))
    return whole


def _read(wanted: str | None) -> JobStacks:
    jobs = running_jobs.jobs()
    if wanted is not None and os.path.isdir(wanted):
        job = job_stacks.of_directory(jobs, wanted)
    else:
        job = attach.chosen(jobs, wanted, option="")
    return job_stacks.read(job.processes)


def _text(found: JobStacks) -> Iterator[str]:
    yield from stack_tree.lines(found.by_rank)
    if found.others.ranks:
        yield from stack_tree.lines(found.others, "processes")
    yield from found.failures
    if found.stood:
        yield f"no process was stopped for more than {found.stood * 1000:.0f} ms"

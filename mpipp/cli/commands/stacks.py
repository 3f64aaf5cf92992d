# SPDX-License-Identifier: MIT
"""`mpipp stacks`: the stacks of a running job as one tree, without a debugger."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from mpipp.cli.commands import whole_job
from mpipp.cli.nodes import agent, questions
from mpipp.cli.stacks import job_stacks
from mpipp.cli.stacks.job_stacks import JobStacks
from mpipp.common import output_file
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.ranks import stack_tree, states
from mpipp.ranks.stack_tree_svg import svg
from mpipp.render import json_output
from mpipp.toolchain import remote_shell


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
    parser.add_argument(
        "--remote-shell",
        metavar="WORDS",
        help="reach the job's other nodes by this command, in which {} is the node; default: ssh, "
        "or srun in a job of Slurm",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--svg", metavar="FILE", help="write the tree as SVG")
    how.add_argument("--status", action="store_true", help="print a line for each state of ranks")
    how.add_argument("--json", action="store_true", help="print JSON (docs/reference/json.md)")


def run(arguments: argparse.Namespace) -> int:
    """Read the job's stacks and print them; returns the exit status.

    Raises MpippError: there is no such job, or none of its processes can be read.
    """
    found = _merged(arguments) if arguments.merge else _read(arguments.job, arguments.remote_shell)
    if not found.by_rank.ranks and not found.others.ranks:
        raise MpippError("; ".join(found.failures) or "the job has no processes")
    if arguments.json:
        print(plain(json_output.document("stacks", found.record())))
    elif arguments.svg is not None:
        tree = found.by_rank if found.by_rank.ranks else found.others
        print(plain(output_file.write(arguments.svg, svg(tree))))
    else:
        for line in _text(found, arguments.status):
            print(plain(line))
    return 0


def _merged(arguments: argparse.Namespace) -> JobStacks:
    if arguments.job is not None:
        raise MpippError("--merge reads files: leave out JOB, or leave out --merge")
    whole = JobStacks()
    for path in arguments.merge:
        whole.merge(job_stacks.from_file(path))
    return whole


def _read(wanted: str | None, shell: str | None) -> JobStacks:
    job = whole_job.find(wanted)
    words = remote_shell.words(shell)
    found = job_stacks.read(job.processes)
    for answer in questions.ask(agent.STACKS, job.nodes, words):
        if answer.failure:
            found.failures.append(answer.failure)
        else:
            found.merge(job_stacks.from_record(answer.content))
    return found


def _text(found: JobStacks, has_states: bool) -> Iterator[str]:
    for tree, noun in ((found.by_rank, "ranks"), (found.others, "processes")):
        if tree.ranks and has_states:
            yield from states.lines(states.states(tree), {}, noun)
        elif tree.ranks:
            yield from stack_tree.lines(tree, noun)
    yield from found.failures
    if found.stood:
        yield f"no process was stopped for more than {found.stood * 1000:.0f} ms"

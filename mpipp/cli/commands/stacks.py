# SPDX-License-Identifier: MIT
"""`mpipp stacks`: the stacks, waits and variables of a running job, without a debugger."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from mpipp.cli.commands import whole_job
from mpipp.cli.commands.whole_job import WholeJob
from mpipp.cli.hang import hang_text, job_hang
from mpipp.cli.nodes import agent, node_queries
from mpipp.cli.stacks import job_stacks, job_values
from mpipp.cli.stacks.job_stacks import JobStacks
from mpipp.common import output_file
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.ranks import gathered_values, stack_tree, states
from mpipp.ranks.stack_tree_svg import svg
from mpipp.render import json_output

_EXAMPLES = """\
examples:
  mpipp stacks           show the stacks of the running job
  mpipp stacks --status  show which ranks wait, and in which calls
  mpipp stacks --why     explain why they wait
"""


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
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--status", action="store_true", help="print a line for each state of ranks")
    what.add_argument(
        "--why", action="store_true", help="explain which ranks wait for each other, as mpipp why"
    )
    what.add_argument(
        "--print",
        metavar="EXPR",
        help="print a variable of all ranks, or a part of it: n, field[1][2], p->x, *p, u(3)",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--svg", metavar="FILE", help="write the tree as SVG")
    how.add_argument("--json", action="store_true", help="print JSON (docs/reference/json.md)")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLES


def run(arguments: argparse.Namespace) -> int:
    """Read the job and print the result; returns the exit status.

    Raises MpippError: there is no such job, or none of its processes can be read.
    """
    if arguments.merge and arguments.why:
        raise MpippError(
            "--merge cannot explain waits, because the processes may have moved between the files: "
            "mpipp stacks --why reads all nodes"
        )
    if arguments.merge and (arguments.job is not None or arguments.print):
        raise MpippError("--merge reads stacks from files: leave out JOB and --print")
    if arguments.svg is not None and (arguments.status or arguments.print):
        raise MpippError("--svg draws stacks, or the waits of --why: leave it out")
    if arguments.status and arguments.json:
        raise MpippError("--json contains all states: leave out --status")
    lines: Iterable[str]
    if arguments.why:
        lines = _why(arguments)
    elif arguments.print:
        lines = _printed(arguments)
    else:
        lines = _stacks(arguments)
    for line in lines:
        print(plain(line))
    return 0


def _why(arguments: argparse.Namespace) -> list[str]:
    job, shell = _job(arguments)
    if arguments.svg is not None:
        text = job_hang.shown(job.processes, job.nodes, shell, hang_text.picture)
        return [output_file.write(arguments.svg, text)]
    show = hang_text.json if arguments.json else hang_text.text
    return [job_hang.shown(job.processes, job.nodes, shell, show)]


def _printed(arguments: argparse.Namespace) -> list[str]:
    job, shell = _job(arguments)
    expression = arguments.print
    found = job_values.read(job.processes, expression)
    for answer in node_queries.ask(agent.VALUES, job.nodes, shell, expression):
        if answer.failure:
            found.failures.append(answer.failure)
        else:
            found.merge(job_values.from_record(answer.content))
    if not found.by_rank.values:
        reasons = [*found.by_rank.failures.values(), *found.failures]
        raise MpippError("; ".join(dict.fromkeys(reasons)) or "the job has no processes")
    if arguments.json:
        content = {"expression": expression, **found.record()}
        return [json_output.document("values", content)]
    lines = [*gathered_values.lines(found.by_rank, expression), *found.failures]
    return [*lines, _stood(found.stood)]


def _stacks(arguments: argparse.Namespace) -> Iterable[str]:
    found = _merged(arguments) if arguments.merge else _read(arguments)
    if not found.by_rank.ranks and not found.others.ranks:
        raise MpippError("; ".join(found.failures) or "the job has no processes")
    if arguments.json:
        return [json_output.document("stacks", found.record())]
    if arguments.svg is not None:
        tree = found.by_rank if found.by_rank.ranks else found.others
        return [output_file.write(arguments.svg, svg(tree))]
    return _text(found, arguments.status)


def _merged(arguments: argparse.Namespace) -> JobStacks:
    whole = JobStacks()
    for path in arguments.merge:
        whole.merge(job_stacks.from_file(path))
    return whole


def _job(arguments: argparse.Namespace) -> tuple[WholeJob, list[str]]:
    job = whole_job.find(arguments.job)
    return job, job.shell(arguments.remote_shell)


def _read(arguments: argparse.Namespace) -> JobStacks:
    job, shell = _job(arguments)
    found = job_stacks.read(job.processes)
    for answer in node_queries.ask(agent.STACKS, job.nodes, shell):
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
        yield _stood(found.stood)


def _stood(seconds: float) -> str:
    return f"no process was stopped for more than {seconds * 1000:.0f} ms"

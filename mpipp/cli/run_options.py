# SPDX-License-Identifier: MIT
"""The options of `mpipp run` and `mpipp exec`, as a table that is fast to import."""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

from mpipp.watcher.hang_threshold import HANG_THRESHOLD

ALL, FAST = "all", "fast"  # words for --check
ANY = "any"  # the seed of --provoke without a value

EXAMPLES = """\
examples:
  mpipp run -n 4 -- ./app                       record the calls, for gdb
  mpipp run --check -n 4 -- ./app 100           report errors and hangs
  mpipp run --check --gdb -n 4 -- ./app         open gdb in the first wrong call

man mpipp-run describes every option.
"""


class Option(NamedTuple):
    """An option: its help line, and the arguments for argparse.

    Attributes:
        alone: the value if the user writes the option without one. A value then needs "=".
        stops: the value of `stop` that the option sets. Such options have no value and exclude each
            other.
        of_run: True if only `mpipp run` has the option.
    """

    words: tuple[str, ...]
    help: str
    metavar: str = ""  # "": the option has no value
    kind: type = str
    default: Any = None
    choices: tuple[str, ...] | None = None
    alone: str | None = None
    stops: str = ""
    of_run: bool = False

    def add(self, to: argparse._ActionsContainer) -> None:
        """Add the option to a parser."""
        known: dict[str, Any] = {"help": self.help, "action": "store_true"}
        if self.stops:
            known.update(action="store_const", const=self.stops, default="", dest="stop")
        if self.metavar:
            known.update(action="store", metavar=self.metavar, type=self.kind, default=self.default)
            known.update(choices=self.choices)
        if self.alone is not None:
            known.update(nargs="?", const=self.alone)
        to.add_argument(self.words[0], **known)  # `spelled` has replaced the other words


def _number(*words: str, of_run: bool = False) -> Option:
    *flags, text = words
    return Option(tuple(flags), text, metavar="N", kind=int, of_run=of_run)


GROUPS: dict[str, tuple[Option, ...]] = {
    "start the program": (
        _number("-n", "-np", "start N MPI processes (or -np N)", of_run=True),
        Option(("--mpiexec",), 'use this launcher: "mpiexec --oversubscribe"', "M", of_run=True),
        Option(("--mpicc",), "use the MPI library of this compiler", "CC"),
        Option(("-v",), "print the command that mpipp starts", of_run=True),
        _number("--frames", "record N stack frames of MPI calls and objects", of_run=True),
    ),
    "choose checks": (
        Option(
            ("--check",),
            "check the program; LIST: run only these checks",
            "LIST",
            alone=ALL,
        ),
        Option(("--strict",), "compare collective calls before they start"),
        Option(
            ("--hang-after",),
            f"explain a hang after S seconds (default: {HANG_THRESHOLD:g}; 0: never)",
            "S",
            float,
        ),
        Option(
            ("--budget",), "limit the time of buffer guards (default: 5 percent)", "PERCENT", int
        ),
        Option(
            ("--rma-model",),
            "set the memory model of windows: own (default), separate",
            "MODEL",
            default="own",
            choices=("own", "separate"),
        ),
        Option(("--rma-loads",), "also check loads and stores in windows"),
        Option(
            ("--valgrind",),
            "check every byte of buffers under valgrind",
            "OPTIONS",
            alone="",
            of_run=True,
        ),
    ),
    "act on errors": (
        Option(
            ("--on-error",),
            "in a wrong call: report (default), handler or abort",
            "ACTION",
            default="report",
            choices=("report", "handler", "abort"),
        ),
        Option(
            ("--on-hang",),
            "in a hang: report (default), or abort[:STATUS] the job",
            "ACTION",
            default="report",
            of_run=True,
        ),
        Option(("--stop",), "stop in a wrong call, before MPI sees it", stops="stop"),
        Option(("--gdb",), "stop in a wrong call and open gdb there", stops="gdb"),
        Option(("--gdb=all",), "open gdb on all processes of this node", stops="gdb=all"),
        Option(("--stop-at",), "stop in the calls of finding N in report DIR", "DIR:N"),
        _number("--error-exit", "exit with status N if there are errors", of_run=True),
    ),
    "report": (
        Option(("--report",), "write a report that mpipp report shows", "DIR"),
        Option(("--suppress",), "suppress the findings listed in FILE", "FILE"),
        Option(("--no-backtrace",), "do not read the stack of a process that a signal kills"),
        Option(("-q",), "print nothing if there are no findings", of_run=True),
    ),
    "perturb": (
        Option(
            ("--provoke",),
            "perturb timing within the rules of MPI, to expose races",
            "SEED",
            alone=ANY,
            of_run=True,
        ),
        _number("--provoke-sweep", "compare N perturbed runs with unperturbed runs", of_run=True),
    ),
}
_EVERY = [option for options in GROUPS.values() for option in options]


def add_options(parser: argparse.ArgumentParser, of_run: bool) -> None:
    """Add the options in their groups, and the program after them."""
    parser.formatter_class = _Lines
    parser.usage = f"{parser.prog} [OPTION...] -- PROGRAM [ARGUMENT...]"
    for title, options in GROUPS.items():
        known = [option for option in options if of_run or not option.of_run]
        if not known:
            continue
        group = parser.add_argument_group(title)
        stops = group.add_mutually_exclusive_group()
        for option in known:
            option.add(stops if option.stops else group)
    parser.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


class _Lines(argparse.RawDescriptionHelpFormatter):
    # One line for each option at any width of the terminal.
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=24, width=80)


def with_value() -> frozenset[str]:
    """The options whose value is a separate word."""
    found = (option for option in _EVERY if option.metavar and option.alone is None)
    return frozenset(word for option in found for word in option.words)


def spelled(word: str) -> str:
    """The spelling that argparse knows. An option without its optional value gets the default."""
    for option in _EVERY:
        if word in option.words:
            return option.words[0] if option.alone is None else f"{word}={option.alone}"
    return word

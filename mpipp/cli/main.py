# SPDX-License-Identifier: MIT
"""The command `mpipp`: its options, and the one place where an error becomes a line on stderr."""

from __future__ import annotations

import argparse
import importlib
import os
import re
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from mpipp import __version__
from mpipp.cli.commands import exec
from mpipp.cli.commands.compile_languages import LANGUAGES, description, usage
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.watcher.ipc.launch import restore_locale

_SESSION = """\
example session:
  $ mpicc -g ring.c -o ring
  $ mpipp doctor                    is everything here?
  $ mpipp gdb -- ./ring 100         gdb with mpipp, the wrapper in the program
  (gdb) break ring.c:42
  (gdb) run
  (gdb) print column                a datatype, as it was built
  (gdb) mpipp column matrix         the values it picks from memory
  $ mpipp run -n 4 -- ./ring 100    four ranks with the wrapper; then, for one:
  $ mpipp gdb -p PID
  $ mpipp run --check -n 4 -- ./ring 100   watched: errors are reported
  $ mpipp report DIR                what such a run with --report DIR has found; as a page, too
  $ mpipp attach                    or of all of them in one gdb: mpipp why, mpipp check
  $ mpipp check core.*              what is wrong, of processes that have ended
"""


_EXEC = "run one process with the wrapper: srun -n 64 mpipp exec --check -- ./app"
_COMMANDS = {
    "wrapper": "build the wrapper for one MPI and print its path",
    "run": "start an MPI program with the wrapper, and check it on request",
    "exec": _EXEC,
    "attach": "attach gdb to the processes of a running job",
    "why": "explain a hang from core files",
    "report": "show the report of a checked run",
    "check": "check core files for violations of the MPI standard",
    "browse": "show the tree of gdb's command mpipp browse",
    "doctor": "check what this machine has, and what is missing",
}
_MODULES = {"run": "run.command"}  # of those that are not in the module of their name


class _Parser(argparse.ArgumentParser):
    # A wrong command line is an error like any other: one sentence.
    def error(self, message: str) -> NoReturn:
        raise MpippError(f"{message}: see {self.prog} --help")

    # A word after such an option is the program: --check=LIST.
    def format_help(self) -> str:
        return re.sub(r"(--[a-z-]+) \[(?=[A-Z])", r"\1[=", super().format_help())


def main(words: Sequence[str] | None = None) -> int:
    """Run `mpipp` with these arguments (default: the process's own); returns the exit status."""
    words = list(sys.argv[1:] if words is None else words)
    restore_locale(os.environ)
    try:
        # Every process of a job runs it, so that nothing is loaded for other commands.
        if words[:1] == ["exec"]:
            return exec.run(_parsed(_exec_parser(), exec.spelled(words[1:])))
        return _other(words)
    except BrokenPipeError:  # who reads it has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except MpippError as error:
        print(plain(f"mpipp: {error}"), file=sys.stderr)
        return 2
    except MemoryError:
        print(plain("mpipp: there is not enough memory for that"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _other(words: list[str]) -> int:
    parser, gdb_parser = _parsers(words)
    # gdb's options are not ours to know: only what comes before them is parsed.
    if words[:1] == ["gdb"]:
        from mpipp.cli.commands import gdb

        return gdb.run(*_gdb_arguments(gdb_parser, words[1:]))
    if words and words[0] in LANGUAGES and words[1:2] not in (["-h"], ["--help"], []):
        from mpipp.cli.commands import compile

        return compile.run(words[0], words[1:])
    if words[:1] == ["attach"] and "--" in words:
        from mpipp.cli.commands import attach

        end = words.index("--")
        arguments = _parsed(parser, words[:end])
        return attach.run(arguments, words[end + 1 :])
    if words[:1] == ["run"]:
        words = ["run", *exec.spelled(words[1:])]
    arguments = _parsed(parser, words)
    status: int = arguments.run(arguments)
    return status


def _parsed(parser: _Parser, words: list[str]) -> argparse.Namespace:
    # What no command knows argparse leaves to the parser of all of them, whose help does not tell.
    arguments, unknown = parser.parse_known_args(words)
    if unknown:
        unknown_words = " ".join(unknown)
        raise MpippError(f"unrecognized arguments: {unknown_words}: see {arguments.prog} --help")
    return arguments


def _exec_parser() -> _Parser:
    parser = _Parser(prog="mpipp exec", description=_EXEC, allow_abbrev=False)
    exec.add_arguments(parser)
    parser.set_defaults(prog=parser.prog)
    return parser


def _parsers(words: Sequence[str]) -> tuple[_Parser, _Parser]:
    # Commands that are not among the words have no arguments: their modules take long to load.
    parser = _Parser(
        prog="mpipp",
        description="See what MPI sees: MPI handles and communication buffers in the debugger.",
        epilog=_SESSION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"mpipp {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", title="commands", required=True)
    for name, text in _COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        if name in words:
            module = importlib.import_module(f"mpipp.cli.commands.{_MODULES.get(name, name)}")
            module.add_arguments(command)
            command.set_defaults(run=module.run, prog=command.prog)
    for name in LANGUAGES:
        text = description(name)
        command = commands.add_parser(
            name, help=text, description=text, usage=usage(name), allow_abbrev=False
        )
        if name in words:
            from mpipp.cli.commands import compile

            compile.add_arguments(command)
            command.set_defaults(run=compile.nothing, prog=command.prog)
    text = "start gdb with mpipp loaded and the wrapper in the program"
    gdb_parser = commands.add_parser(
        "gdb",
        help=text,
        description=text,
        usage="mpipp gdb [--mpicc CC] [GDB OPTION...]\n"
        "                 (-- PROGRAM [ARGUMENT...] | PROGRAM [CORE] | -p PID)",
        allow_abbrev=False,
    )
    if "gdb" in words:
        from mpipp.cli.commands import gdb

        gdb.add_arguments(gdb_parser)
    return parser, gdb_parser


def _gdb_arguments(parser: _Parser, words: list[str]) -> tuple[argparse.Namespace, list[str]]:
    own = 0
    while own < len(words):
        if words[own] == "--mpicc":
            own += 2
        elif words[own].startswith("--mpicc=") or words[own] in ("-h", "--help"):
            own += 1
        else:
            break
    return parser.parse_args(words[:own]), words[own:]


if __name__ == "__main__":
    sys.exit(main())

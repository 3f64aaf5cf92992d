# SPDX-License-Identifier: MIT
"""The command `mpipp`: its options, and the only place that prints errors to stderr."""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import re
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from mpipp import __version__
from mpipp.cli import settings_files
from mpipp.cli.commands import exec
from mpipp.cli.commands.compile_languages import LANGUAGES, usage
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.watcher.ipc.launch import restore_locale

_SESSION = """\
examples:
  mpipp doctor                             check the installation
  mpipp run --check -n 4 -- ./ring 100     run four ranks, and report errors
  mpipp run --check --report DIR -n 4 -- ./ring 100
  mpipp report DIR                         show the report of that run
  mpipp debug -n 4 -- ./ring 100           debug four ranks in one gdb
  mpipp run -n 4 -- ./ring 100             run four ranks, and record their calls
  mpipp attach                             attach gdb to these four ranks
  mpipp gdb -p PID                         attach gdb to one of them
  mpipp gdb -- ./ring 100                  start one process in gdb
  mpipp check core.*                       check the processes of core files

in gdb:
  (gdb) print column                       show how a datatype was built
  (gdb) mpipp column matrix                show the values that it selects
  (gdb) mpipp why                          explain a hang
"""
_MODULES = {
    "run": "run.command",
    "debug": "debug.command",
    "dap": "dap.command",
}  # commands in a module of another name
_GDB_USAGE = """\
mpipp gdb [--mpicc CC] [GDB OPTION...]
                 (-- PROGRAM [ARGUMENT...] | PROGRAM [CORE] | -p PID)"""


class _Parser(argparse.ArgumentParser):
    # A wrong command line is reported like any other error, in one sentence.
    def error(self, message: str) -> NoReturn:
        raise MpippError(f"{message}: see {self.prog} --help")

    # Write --check[=LIST], because a separate word after --check is the program.
    def format_help(self) -> str:
        return re.sub(r"(--[a-z-]+) \[(?=[A-Z])", r"\1[=", super().format_help())


def main(words: Sequence[str] | None = None) -> int:
    """Run `mpipp` with these arguments (default: sys.argv); returns the exit status."""
    words = list(sys.argv[1:] if words is None else words)
    restore_locale(os.environ)
    try:
        # Every process of a job runs `mpipp exec`, so it must not load other commands.
        if words[:1] == ["exec"]:
            return exec.run(_with_settings(_exec_parser(), exec.spelled(words[1:]), []))
        return _run_command(words)
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except MpippError as error:
        print(plain(f"mpipp: {error}"), file=sys.stderr)
        return 2
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.ENOENT) or _can_write_temporary_files():
            raise
        sentence = "mpipp needs a directory for temporary files: make /tmp writable, or set TMPDIR"
        print(plain(f"mpipp: {sentence}"), file=sys.stderr)
        return 2
    except MemoryError:
        print(plain("mpipp: there is not enough memory for that"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _can_write_temporary_files() -> bool:
    import tempfile  # slow to import

    try:
        return os.access(tempfile.gettempdir(), os.W_OK)
    except FileNotFoundError:
        return False


def _run_command(words: list[str]) -> int:
    parser, commands = parsers(words)
    # Parse only the words before gdb's options, which mpipp does not know.
    if words[:1] == ["gdb"]:
        from mpipp.cli.commands import gdb

        return gdb.run(*_gdb_arguments(commands["gdb"], words[1:]))
    if words and words[0] in LANGUAGES and words[1:2] not in (["-h"], ["--help"], []):
        from mpipp.cli.commands import compile

        return compile.run(words[0], words[1:])
    if words[:1] == ["attach"] and "--" in words:
        from mpipp.cli.commands import attach

        end = words.index("--")
        arguments = _parsed(parser, words[:end])
        return attach.run(arguments, words[end + 1 :])
    if words[:1] == ["run"]:
        arguments = _with_settings(parser, exec.spelled(words[1:]), ["run"])
    else:
        arguments = _parsed(parser, words)
    status: int = arguments.run(arguments)
    return status


def _parsed(parser: _Parser, words: list[str]) -> argparse.Namespace:
    # argparse would report unknown words with the usage of `mpipp`, not of the subcommand.
    arguments, unknown = parser.parse_known_args(words)
    if unknown:
        unknown_words = " ".join(unknown)
        raise MpippError(f"unrecognized arguments: {unknown_words}: see {arguments.prog} --help")
    return arguments


def _with_settings(parser: _Parser, words: list[str], command: list[str]) -> argparse.Namespace:
    # Options from settings files come first, so that those of the command line replace them.
    arguments = _parsed(parser, [*command, *words])
    more = settings_files.words(arguments, of_run=bool(command))
    return _parsed(parser, [*command, *more, *words]) if more else arguments


def _exec_parser() -> _Parser:
    parser = _Parser(prog="mpipp exec", description=exec.SUMMARY, allow_abbrev=False)
    exec.add_arguments(parser)
    parser.set_defaults(prog=parser.prog)
    return parser


def parsers(words: Sequence[str]) -> tuple[_Parser, dict[str, _Parser]]:
    """The parser of a command line, and the parsers of the subcommands by name.

    Only subcommands in `words` get their arguments, because their modules are slow to import.
    """
    from mpipp.cli import manual

    parser = _Parser(
        prog="mpipp",
        description="See what MPI sees: MPI handles and communication buffers in the debugger.",
        epilog=_SESSION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"mpipp {__version__}")
    adder = parser.add_subparsers(metavar="COMMAND", title="commands", required=True)
    commands: dict[str, _Parser] = {}
    for name, known in manual.COMMANDS.items():
        command = commands[name] = adder.add_parser(
            name, help=known.summary, description=known.summary, allow_abbrev=False
        )
        if name in LANGUAGES:
            command.usage = usage(name)
        elif name == "gdb":
            command.usage = _GDB_USAGE
        if name in words:
            _add_arguments(name, command)
    return parser, commands


def _add_arguments(name: str, command: _Parser) -> None:
    place = "compile" if name in LANGUAGES else _MODULES.get(name, name)
    module = importlib.import_module(f"mpipp.cli.commands.{place}")
    module.add_arguments(command)
    run = module.refuse if name in LANGUAGES else module.run
    command.set_defaults(run=run, prog=command.prog)


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

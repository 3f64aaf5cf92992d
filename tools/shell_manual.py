# SPDX-License-Identifier: MIT
"""Write the reference of the shell command: docs/reference/cli.md and the pages in docs/man.

All text comes from the parsers of the command and from mpipp/cli/manual.py. The environment
variables come from docs/reference/environment.md. With --check, only compare the files.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mpipp.cli.main import parsers
from mpipp.cli.manual import COMMANDS, OPTIONS, Manual
from mpipp.cli.run_options import GROUPS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
TOP = Manual(
    "see what MPI sees: MPI handles and buffers in gdb, and checks of MPI programs",
    (
        "mpipp loads a small library, the wrapper, into each process of an MPI program. The "
        "wrapper records every MPI call. Your program and your MPI stay as they are.",
        "In gdb, mpipp shows datatypes, handles and buffers from these records. With `mpipp run "
        "--check` it checks every MPI call while the program runs, and compares the calls of "
        "different processes.",
    ),
)
_WIDTH = 72
_ROW = re.compile(r"^\| (`\$?[A-Z_`, ]+`) \| (.*) \|$", re.MULTILINE)
_TITLE = re.compile(r"\Aexamples?:\n")
_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")


class Entry(NamedTuple):
    """An option or an argument: its words, and a sentence or a verb phrase."""

    words: str
    text: str


class Command(NamedTuple):
    """The content of a page about a command."""

    name: str  # "mpipp run"
    manual: Manual
    usage: str
    groups: tuple[tuple[str, tuple[Entry, ...]], ...]
    epilog: str


def commands() -> list[Command]:
    """`mpipp` itself, then its subcommands."""
    top, of_name = parsers(list(COMMANDS))
    found = [_command("mpipp", TOP, top)]
    found += [_command(f"mpipp {name}", COMMANDS[name], of_name[name]) for name in COMMANDS]
    return found


def _command(name: str, manual: Manual, parser: argparse.ArgumentParser) -> Command:
    groups = []
    for group in parser._action_groups:
        entries = tuple(
            entry for action in group._group_actions for entry in _entries(parser, action)
        )
        if entries:
            groups.append(((group.title or "").removeprefix("positional "), entries))
    usage = parser.format_usage().removeprefix("usage: ").rstrip()
    usage = "\n".join(line.removeprefix("       ") for line in usage.split("\n"))
    return Command(name, manual, usage, tuple(groups), (parser.epilog or "").rstrip())


def _entries(parser: argparse.ArgumentParser, action: argparse.Action) -> Iterator[Entry]:
    if action.help == argparse.SUPPRESS or "--help" in action.option_strings:
        return
    if isinstance(action, argparse._SubParsersAction):
        return
    words = list(action.option_strings)
    known = {"choices": ", ".join(action.choices or ()), "default": action.default}
    text = (action.help or "") % known
    if parser.prog in ("mpipp run", "mpipp exec") and words and words[0] in OPTIONS:
        words, text = _words_of(words[0]), OPTIONS[words[0]]
    metavar = action.metavar
    if not metavar and action.choices:
        metavar = "{" + ",".join(action.choices) + "}"
    if not words:
        yield Entry(str(metavar), text)
    elif action.nargs == 0:
        yield Entry(", ".join(words), text)
    elif action.nargs == "?":
        yield Entry(", ".join(f"{word}[={metavar}]" for word in words), text)
    else:
        yield Entry(", ".join(f"{word} {metavar}" for word in words), text)


def _words_of(first: str) -> list[str]:
    # argparse does not know the second spelling of some options, so add it.
    known = (option for options in GROUPS.values() for option in options)
    return next(list(option.words) for option in known if option.words[0] == first)


def _sentence(text: str) -> str:
    if not text.startswith("mpipp"):
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", ":")) else f"{text}."


# Markdown.


def markdown(found: list[Command]) -> str:
    """The reference of all commands, on one page."""
    top = found[0]
    lines = [
        "# Shell commands",
        "",
        "This page describes all shell commands and their options. The same text is in",
        "`man mpipp`, and in a page of each command: `man mpipp-run`. [Checks](checks/index.md)",
        "has the words for `--check=LIST`, and [Environment variables](environment.md) describes",
        "the variables. (`make docs` generates this page.)",
        "",
        "| command | effect |",
        "|---|---|",
    ]
    for command in found[1:]:
        anchor = re.sub(r"[^\w\- ]", "", command.name).replace(" ", "-")
        lines.append(f"| [`{command.name}`](#{anchor}) | {command.manual.summary} |")
    lines += ["", *_fenced(top.epilog)]
    for command in found[1:]:
        lines += _section(command)
    return "\n".join(lines).rstrip() + "\n"


def _section(command: Command) -> Iterator[str]:
    yield from (f"## `{command.name}`", "", _sentence(command.manual.summary), "")
    yield from _fenced(command.usage)
    for paragraph in command.manual.paragraphs:
        yield from (*_wrapped(paragraph, 118), "")
    for title, entries in command.groups:
        yield from (f"| {title} | |", "|---|---|")
        for entry in entries:
            words = ", ".join(f"`{word}`" for word in entry.words.split(", "))
            yield f"| {words} | {_sentence(entry.text)} |"
        yield ""
    if command.epilog and not command.epilog.startswith("exit status"):
        yield from _fenced(command.epilog)
    yield from ("| exit status | meaning |", "|---|---|")
    yield from (f"| {status} | {meaning} |" for status, meaning in command.manual.statuses)
    yield ""


def _fenced(text: str) -> Iterator[str]:
    yield from ("```text", *text.split("\n"), "```", "")


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines


# Man pages.


def pages(found: list[Command], variables: list[Entry]) -> dict[str, str]:
    """The text of each man page, by file name."""
    return {
        f"{command.name.replace(' ', '-')}.1": "\n".join(_page(command, found, variables)) + "\n"
        for command in found
    }


def _page(command: Command, found: list[Command], variables: list[Entry]) -> Iterator[str]:
    dashed = command.name.replace(" ", "-")
    yield '.\\" SPDX-License-Identifier: MIT'
    yield '.\\" Generated by tools/shell_manual.py'
    yield f'.TH {dashed.upper()} 1 "" "mpipp" "mpipp"'
    yield from (".ad l", ".nh")
    yield from (".SH NAME", f"{_roff(dashed)} \\- {_roff(command.manual.summary)}")
    yield from (".SH SYNOPSIS", ".nf", _roff(command.usage), ".fi", ".SH DESCRIPTION")
    for paragraph in command.manual.paragraphs or (_sentence(command.manual.summary),):
        yield from (".PP", *_paragraph(paragraph))
    if command is found[0]:
        yield ".SH COMMANDS"
        for other in found[1:]:
            yield from _tagged(other.name, other.manual.summary)
    for title, entries in command.groups:
        yield f".SH {title.upper()}"
        for entry in entries:
            yield from _tagged(*entry)
    if command.epilog and not command.epilog.startswith("exit status"):
        yield from (".SH EXAMPLES", ".nf", _roff(_TITLE.sub("", command.epilog)), ".fi")
    yield ".SH EXIT STATUS"
    for status, meaning in command.manual.statuses:
        yield from _tagged(status, meaning)
    yield ".SH ENVIRONMENT"
    if command is found[0]:
        for variable in variables:
            yield from _tagged(*variable)
    else:
        yield from ("See", ".BR mpipp (1).")
    others = [f"\\fB{c.name.replace(' ', '-')}\\fR(1)" for c in found if c is not command]
    yield from (".SH SEE ALSO", ",\n".join([*others, "\\fBgdb\\fR(1)"]))


def _tagged(words: str, text: str) -> Iterator[str]:
    yield from (".TP", f"\\fB{_roff(words)}\\fR", *_paragraph(_sentence(text)))


def _paragraph(text: str) -> list[str]:
    return [_no_request(line) for line in _wrapped(_roff(text), _WIDTH)]


def _roff(text: str) -> str:
    # Code in Markdown becomes bold in a man page.
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    return "\n".join(map(_no_request, text.split("\n")))


def _no_request(line: str) -> str:
    return f"\\&{line}" if line.startswith((".", "'")) else line


def variables() -> list[Entry]:
    """The environment variables for users, from the first table of their page."""
    text = (DOCS / "reference" / "environment.md").read_text()
    table = text.split("\n## ")[1]
    return [
        Entry(words.replace("`", ""), _LINK.sub(r"\1", sentence))
        for words, sentence in _ROW.findall(table)
    ]


def generated() -> dict[Path, str]:
    """The text of every generated file."""
    os.environ["COLUMNS"] = "80"  # the width of usage texts
    found = commands()
    files = {DOCS / "reference" / "cli.md": markdown(found)}
    for name, text in pages(found, variables()).items():
        files[DOCS / "man" / name] = text
    return files


def main() -> int:
    """Write the files, or compare them. Returns the exit status."""
    only_compare = sys.argv[1:] == ["--check"]
    files = generated()
    stale = [path for path in (DOCS / "man").glob("*.1") if path not in files]
    differ = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    for path in (*differ, *stale):
        print(f"{path.relative_to(ROOT)}: differs from what is generated: run make docs")
    if only_compare:
        return int(bool(differ or stale))
    for path in stale:
        path.unlink()
    for path in differ:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""Write packaging/completion/: the completion of the command `mpipp` in bash, zsh and fish.

shtab generates it from the parsers of the command. With --check, only compare the files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import shtab

from mpipp.analysis.rules.selection import GROUPS
from mpipp.cli.main import parsers
from mpipp.cli.manual import COMMANDS
from mpipp.cli.run_options import ALL, FAST

ROOT = Path(__file__).resolve().parents[2]
# Where the wheel installs the files, below share/.
FILES = {
    "bash": "bash-completion/completions/mpipp",
    "zsh": "zsh/site-functions/_mpipp",
    "fish": "fish/vendor_completions.d/mpipp.fish",
}
_COMMAND = {
    "bash": "_mpipp_commands",
    "zsh": "_command_names -e",
    "fish": "(__fish_complete_command)",
}
# How to complete the values of options and arguments, by their name in the help.
_VALUES = {
    **dict.fromkeys(("FILE", "CORE", "PROGRAM", "SOCKET", "ARGUMENT", "program"), shtab.FILE),
    **dict.fromkeys(("DIR", "DIR:N"), shtab.DIRECTORY),
    **dict.fromkeys(("CC", "COMPILER", "M"), _COMMAND),
}
_OPTIONAL_VALUES = {"--check": (ALL, FAST, *GROUPS), "--gdb": ("all",)}


def generated() -> dict[Path, str]:
    """The text of every generated file."""
    return {ROOT / "packaging" / "completion" / FILES[shell]: _script(shell) for shell in FILES}


def _script(shell: str) -> str:
    top, commands = parsers(list(COMMANDS))
    for command in commands.values():
        _adapt(command, shell)
    text = shtab.complete(top, shell=shell)
    tail = (Path(__file__).parent / f"tail.{shell}").read_text()
    if shell == "bash":
        text = text.replace("complete -o bashdefault -F _shtab_mpipp mpipp\n", "")
    elif shell == "zsh":
        text = text.partition("if [[ $zsh_eval_context")[0]
    else:
        tail = "\n".join((*_fish_values(commands), tail))
    lines = [line.rstrip() for line in f"{text.rstrip()}\n{tail}".split("\n")]
    first = 1 if shell == "zsh" else 0  # zsh reads #compdef in the first line
    return "\n".join((*lines[:first], "# SPDX-License-Identifier: MIT", *lines[first:]))


def _adapt(command: argparse.ArgumentParser, shell: str) -> None:
    # Tell shtab which values are files, and which options have a value only after "=".
    for action in list(command._actions):
        name = action.metavar or action.dest
        if isinstance(name, str) and name in _VALUES and not action.choices:
            action.complete = _VALUES[name]  # type: ignore[attr-defined]
        if action.dest == "program":
            action.help = "the program and its arguments"
        if "--gdb=all" in action.option_strings:
            action.help = argparse.SUPPRESS
        if action.nargs == "?" and action.option_strings:
            action.nargs = 0
        elif shell == "zsh" and action.nargs is None:
            # In zsh, "=" at the end allows the value in the same word and in the next.
            words = action.option_strings
            action.option_strings = [f"{w}=" if w.startswith("--") else w for w in words]
    for option, values in _optional_values(command):
        if shell == "bash":
            command.add_argument(f"{option}=", choices=values)
        elif shell == "zsh":
            command.add_argument(f"{option}=-", choices=values, help=_help(command, option))


def _optional_values(command: argparse.ArgumentParser) -> Iterator[tuple[str, tuple[str, ...]]]:
    for option, values in _OPTIONAL_VALUES.items():
        if option in command._option_string_actions:
            yield option, values


def _help(command: argparse.ArgumentParser, option: str) -> str:
    return command._option_string_actions[option].help or ""


def _fish_values(commands: Mapping[str, argparse.ArgumentParser]) -> Iterator[str]:
    # In fish, an option without -r has its value after "=".
    for name, command in commands.items():
        for option, values in _optional_values(command):
            condition = f"'_shtab_mpipp_using {name}'"
            words = " ".join(values)
            yield f"complete -c mpipp -n {condition} -l {option[2:]} -fa '{words}'"


def main() -> int:
    """Write the files, or compare them. Returns the exit status."""
    only_compare = sys.argv[1:] == ["--check"]
    differ = [
        (path, text)
        for path, text in generated().items()
        if not path.exists() or path.read_text() != text
    ]
    for path, text in differ:
        print(f"{path.relative_to(ROOT)}: differs from what is generated: run make docs")
        if not only_compare:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return int(only_compare and bool(differ))


if __name__ == "__main__":
    sys.exit(main())

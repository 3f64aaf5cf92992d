# SPDX-License-Identifier: MIT
"""Default options of `mpipp run` and `mpipp exec`, from the user's file and the project's.

The user's file has the options as keys, and a project has them in its pyproject.toml:

    [tool.mpipp]
    check = "messages,deadlocks"
    suppress = "known.txt"
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mpipp.cli import run_options
from mpipp.cli.run_options import Option
from mpipp.common import file_trust
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.watcher.ipc import launch

VARIABLE = "MPIPP_CONFIG"  # the path of the only file to read; "" reads none
_PROJECT = "pyproject.toml"
_FILES = {"--suppress", "--report"}  # options with paths, which are relative to the settings file
# Options for a single run: each stops a process, or starts several runs.
_NEVER = {"-v", "--stop", "--gdb", "--gdb=all", "--stop-at", "--provoke-sweep"}
# Environment variables that take precedence over a setting.
_VARIABLES = {"--mpicc": "MPICC", "--frames": "MPIPP_FRAMES"}
# Options that work only with these groups of checks.
_GROUPS = {
    "--budget": ("buffers",),
    "--rma-loads": ("rma", "portability"),
    "--rma-model": ("rma", "portability"),
    "--valgrind": ("buffers",),
}
_OF_CHECKED = ("choose checks", "act on errors", "report")  # groups of run_options

_OPTIONS = {
    option.words[0].lstrip("-"): option
    for options in run_options.GROUPS.values()
    for option in options
    if option.words[0] not in _NEVER
}


class SettingsFile(NamedTuple):
    """A file with settings.

    Attributes:
        options: the words of a command line by option. An option without words is switched off.
        problem: the reason why mpipp does not read the file; "" if it does.
    """

    path: str
    options: Mapping[str, Sequence[str]]
    problem: str = ""


def files() -> list[SettingsFile]:
    """The settings files that exist: the user's, then the project's, which takes precedence.

    Raises:
        MpippError: a file cannot be read, or has an unknown option or a wrong value.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen is not None:
        return [_read(chosen, ())] if chosen else []
    found = []
    if os.path.exists(_of_user()):
        found.append(_read(_of_user(), ()))
    project = _of_project()
    if project:
        found.append(_read(project, ("tool", "mpipp")))
    return found


def words(arguments: argparse.Namespace, *, of_run: bool) -> list[str]:
    """The options from the settings files that apply to a command line, to put before it.

    Args:
        arguments: the options on the command line.
        of_run: True for `mpipp run`, which has more options than `mpipp exec`.

    Raises:
        MpippError: a settings file is invalid.
    """
    found: dict[str, Sequence[str]] = {}
    for file in files():
        if file.problem and launch.rank() in ("", "0"):
            shown = file_trust.shown(file.path)
            sys.stderr.write(plain(f"mpipp: {shown} is not read: {file.problem}\n"))
        found.update(file.options)
    if getattr(arguments, "provoke_sweep", None) is not None:
        found.pop("--check", None)  # a sweep runs without checks
    check = arguments.check
    if check is None:
        check = next(iter(found.get("--check", ())), "").partition("=")[2]
    if arguments.stop or arguments.stop_at:
        found.pop("--on-hang", None)  # it would end the processes that stop
    return [
        word
        for name, of_option in found.items()
        if (of_run or not _OPTIONS[name.lstrip("-")].of_run) and _applies(name, check)
        for word in of_option
    ]


def _applies(name: str, check: str) -> bool:
    if name in _VARIABLES and os.environ.get(_VARIABLES[name]):
        return False
    if not any(option.words[0] == name for group in _OF_CHECKED for option in _group(group)):
        return True
    if name not in _GROUPS or check == run_options.ALL:
        return bool(check)
    from mpipp.analysis.rules import selection  # slow to import

    names = [] if check in ("", run_options.FAST) else selection.words(check)
    return selection.has_group(names, *_GROUPS[name])


def _group(title: str) -> tuple[Option, ...]:
    return run_options.GROUPS[title]


def _of_user() -> str:
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(base, "mpipp.toml")


def _of_project() -> str:
    # The nearest pyproject.toml with settings, in the working directory or above it, but not
    # outside the repository; "" if there is none.
    try:
        directory = os.getcwd()
    except FileNotFoundError:
        return ""
    while True:
        path = os.path.join(directory, _PROJECT)
        try:
            with open(path, "rb") as file:
                if b"tool.mpipp" in file.read():
                    return path
        except OSError:
            pass
        above = os.path.dirname(directory)
        if above == directory or os.path.exists(os.path.join(directory, ".git")):
            return ""
        directory = above


def _read(path: str, tables: Sequence[str]) -> SettingsFile:
    problem = file_trust.problem(path)
    if problem:
        return SettingsFile(path, {}, problem)
    found = _toml(path)
    if found is None:
        return SettingsFile(path, {}, "it needs Python 3.11 or the Python package tomli")
    for name in tables:
        found = found.get(name, {})
    return SettingsFile(path, dict(_options(path, found)))


def _toml(path: str) -> dict[str, Any] | None:
    # The contents of a TOML file; None if this Python cannot read TOML.
    import importlib

    for name in ("tomllib", "tomli"):
        try:
            reader = importlib.import_module(name)
            break
        except ModuleNotFoundError:
            pass
    else:
        return None
    try:
        with open(path, "rb") as file:
            found: dict[str, Any] = reader.load(file)
            return found
    except OSError as error:
        raise MpippError(f"cannot read {file_trust.shown(path)}: {error.strerror}") from None
    except ValueError as error:  # not TOML, or not UTF-8
        raise MpippError(f"{file_trust.shown(path)} is not a TOML file: {error}") from None


def _options(path: str, found: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[str]]]:
    for key, value in found.items():
        option = _OPTIONS.get(key)
        if option is None:
            raise MpippError(f"{file_trust.shown(path)}: {_unknown(key)}")
        yield option.words[0], _words(path, key, option, value)


def _unknown(key: str) -> str:
    import difflib  # slow to import

    if {f"-{key}", f"--{key}"} & _NEVER:
        return f"{key} works only on the command line: remove it"
    near = difflib.get_close_matches(key.replace("_", "-"), _OPTIONS, 1)
    advice = f"did you mean {near[0]}?" if near else f"the options are {', '.join(_OPTIONS)}"
    return f"there is no option {key!r}: {advice}"


def _words(path: str, key: str, option: Option, value: object) -> list[str]:
    if isinstance(value, bool) and (option.alone is not None or not option.metavar):
        if not value:
            return []
        return [option.words[0] if option.alone is None else f"{option.words[0]}={option.alone}"]
    if isinstance(value, list) and option.alone is not None and all(map(_is_text, value)):
        value = ",".join(value)
    kinds = (int, float) if option.kind is float else (option.kind,)
    is_right = isinstance(value, kinds) and not isinstance(value, bool) and option.metavar
    if not is_right or (option.choices and value not in option.choices):
        raise MpippError(f"{file_trust.shown(path)}: {key}: write {_expected(option)}")
    if option.words[0] in _FILES:
        value = os.path.join(os.path.dirname(os.path.abspath(path)), str(value))
    return [f"{option.words[0]}={value}"] if len(key) > 1 else [option.words[0], str(value)]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _expected(option: Option) -> str:
    if not option.metavar:
        return "true or false"
    if option.choices:
        return " or ".join(f'"{choice}"' for choice in option.choices)
    if option.kind is not str:
        return "a number"
    return "a text in quotes" + ("" if option.alone is None else ", true or false")

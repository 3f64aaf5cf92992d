# SPDX-License-Identifier: MIT
"""The arguments of requests, and the settings of a launch, with one sentence for each error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from mpipp.common.errors import MpippError

Arguments = Mapping[str, Any]
Kind = TypeVar("Kind")
_NAMES = {str: "a text", int: "a number", bool: "true or false", list: "a list", dict: "an object"}


def required(arguments: Arguments, name: str, kind: type[Kind]) -> Kind:
    """An argument. Raises MpippError if the argument is missing, or of another kind."""
    if name not in arguments:
        raise MpippError(f"the argument {name} is missing")
    return _checked(arguments[name], name, kind)


def optional(arguments: Arguments, name: str, default: Kind) -> Kind:
    """An argument, or its default if it is missing or null. Raises MpippError."""
    value = arguments.get(name)
    return default if value is None else _checked(value, name, type(default))


def texts(arguments: Arguments, name: str) -> list[str]:
    """A list of texts; [] if it is missing. Raises MpippError."""
    found = optional(arguments, name, list[str]())
    return [_checked(one, f"{name}, element {i},", str) for i, one in enumerate(found)]


def _checked(value: Any, name: str, kind: type[Kind]) -> Kind:
    # JSON's true is no number.
    is_bool = isinstance(value, bool)
    if not isinstance(value, kind) or is_bool != (kind is bool):
        raise MpippError(f"{name} must be {_NAMES[kind]}")
    return value


class RankSession(NamedTuple):
    """The settings of an `attach` request for the session of one rank.

    Attributes:
        path: the socket of the adapter that serves the job.
    """

    path: str
    rank: int


def rank_session(arguments: Arguments) -> RankSession | None:
    """The settings of an `attach` request for a rank; None if it is for a job. Raises
    MpippError."""
    path = optional(arguments, "socket", "")
    return RankSession(path, required(arguments, "rank", int)) if path else None


def _is_by_rank(sessions: str) -> bool:
    if sessions not in ("job", "ranks"):
        raise MpippError(f'sessions is {sessions}: write "job" or "ranks"')
    return sessions == "ranks"


class Launch(NamedTuple):
    """The settings of a `launch` request.

    Attributes:
        program: with its arguments.
        ranks: 0: the launcher's default.
        launcher, compiler: of MPI, with their options; "" for those of the program.
        directory: the working directory; None: the adapter's.
        stdin_rank: the rank that reads the input.
        stop_on_entry: whether each rank stops in its main program.
        by_rank: whether each rank has a session of its own.
        gdb_options: in shell words.
    """

    program: list[str]
    ranks: int
    launcher: str
    compiler: str
    directory: str | None
    environment: dict[str, str]
    stdin_rank: int
    stop_on_entry: bool
    by_rank: bool
    gdb_options: str


def launch(arguments: Arguments) -> Launch:
    """The settings of a `launch` request. Raises MpippError."""
    program = required(arguments, "program", str)
    if not program:
        raise MpippError("program must name the program to debug")
    ranks = optional(arguments, "ranks", 0)
    if ranks < 0 or arguments.get("ranks") == 0:
        raise MpippError(f"ranks is {ranks}: the number of MPI processes must be at least 1")
    environment = {}
    for name, value in optional(arguments, "env", dict[str, Any]()).items():
        environment[name] = _checked(value, f"env, {name},", str)
    return Launch(
        [program, *texts(arguments, "args")],
        ranks,
        optional(arguments, "mpiexec", ""),
        optional(arguments, "mpicc", ""),
        optional(arguments, "cwd", "") or None,
        environment,
        optional(arguments, "stdinRank", 0),
        optional(arguments, "stopOnEntry", False),
        _is_by_rank(optional(arguments, "sessions", "job")),
        optional(arguments, "gdbOptions", ""),
    )


class Attach(NamedTuple):
    """The settings of an `attach` request.

    Attributes:
        job: the PID of its launcher, or its batch job number; "": the only one.
        stop_on_entry: whether the ranks stay stopped.
        by_rank: whether each rank has a session of its own.
    """

    job: str
    stop_on_entry: bool
    by_rank: bool
    gdb_options: str


def attach(arguments: Arguments) -> Attach:
    """The settings of an `attach` request. Raises MpippError."""
    job = arguments.get("job")
    if job is not None and (isinstance(job, bool) or not isinstance(job, (str, int))):
        raise MpippError("job must be the PID of a launcher, or a batch job number")
    return Attach(
        "" if job is None else str(job),
        optional(arguments, "stopOnEntry", True),
        _is_by_rank(optional(arguments, "sessions", "job")),
        optional(arguments, "gdbOptions", ""),
    )

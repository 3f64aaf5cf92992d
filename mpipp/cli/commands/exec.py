# SPDX-License-Identifier: MIT
"""`mpipp exec`: runs a program with the wrapper, for launchers that mpipp does not start.

Each process of a job runs this command, so it imports no other command.
"""

from __future__ import annotations

import argparse
import binascii
import json
import os
import re
import stat
import sys
from collections.abc import Sequence
from typing import Any

from mpipp.cli import run_options
from mpipp.common.errors import MpippError
from mpipp.common.run_directory import RunDirectory
from mpipp.common.text.sanitize import plain
from mpipp.toolchain import launcher_ancestors
from mpipp.watcher.hang_threshold import HANG_THRESHOLD
from mpipp.watcher.ipc import launch

SUMMARY = "run one process with mpipp: srun -n 64 mpipp exec -- ./app"
# The wrapper's path, for jobs in which each process would need long to find it.
WRAPPER = "MPIPP_WRAPPER"
_MOST_ORDINALS = 16  # the same limit as in wrapper/intercept/stop_at.c
_LOG = "MPIPP_RMA_LOG"
_MOST_STATUS = 255  # the largest exit status, which has 8 bits
_HUNG = 86  # exit status of a job that hangs; shells, signals and timeout use others
_MEMCHECK = "memcheck"  # a value of MPIPP_GUARD: valgrind checks the accesses
_UNLIMITED = 1 << 20  # no budget for the guard under valgrind, where the program is slow anyway
_PLAIN = 5  # percent of the run time for the guard, if the user names no check
# Environment variables in which launchers store the name of the job. A batch job may contain
# several.
_JOBS = (
    *("SLURM_JOB_ID", "SLURM_STEP_ID", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"),
    *("PMI_JOBID", "FLUX_JOB_ID", "PALS_APID"),
)
_LONGEST = 60  # characters in the path of a directory that contains a socket


def spelled(words: Sequence[str]) -> list[str]:
    """Normalize the options of a command line, up to the program.

    `--check` and `--provoke` have an optional value, so without one they get the default as
    `--check=VALUE`. Options with two spellings get one of them.
    """
    found, takes_value = list(words), run_options.with_value()
    has_value = False
    for number, word in enumerate(words):
        if has_value:
            has_value = False
        elif word == "--" or not word.startswith("-"):
            break
        else:
            has_value = word in takes_value
            found[number] = run_options.spelled(word)
    return found


def for_program(arguments: argparse.Namespace) -> dict[str, str]:
    """Environment variables for --check=LIST, --strict, --stop, --stop-at and other options."""
    strict = arguments.strict or arguments.on_error != "report"
    found = {"MPIPP_STRICT": arguments.on_error} if strict else {}
    if arguments.stop_at:
        ordinals = {target[3] for target in _stop_at(arguments)}
        found["MPIPP_STOP_AT"] = ",".join(map(str, sorted(ordinals)[:_MOST_ORDINALS]))
    elif arguments.stop:
        found["MPIPP_STOP"] = arguments.stop
    budget = arguments.budget
    if guards(arguments):
        in_valgrind = getattr(arguments, "valgrind", None) is not None
        found["MPIPP_GUARD"] = _MEMCHECK if in_valgrind else "1"
        if budget is None:
            budget = _UNLIMITED if in_valgrind else _PLAIN if _is_plain(arguments) else None
    if logs(arguments):
        found["MPIPP_RMA"] = arguments.rma_model
        if _is_plain(arguments):
            found["MPIPP_RMA_IF_USED"] = "1"
        if not _is_plain(arguments) and _has_group(arguments, "races"):
            found["MPIPP_RACES"] = "1"
        if arguments.rma_loads and getattr(arguments, "valgrind", None) is None:
            found["MPIPP_RMA_LOADS"] = "1"
    if budget is not None and found.keys() & {"MPIPP_GUARD", "MPIPP_RMA_LOADS"}:
        found["MPIPP_BUDGET"] = str(budget)
    looked_at = _calls(arguments)
    if arguments.check and not arguments.no_backtrace:
        found["MPIPP_BACKTRACE"] = "1"
    if arguments.check and _reads_variables(arguments.check):
        found["MPIPP_OWNERS"] = "1"
    if _has_group(arguments, "portability") and not _is_plain(arguments):
        found["MPIPP_COMMITS"] = "1"
    if arguments.check and _replays_calls(arguments.check):
        found["MPIPP_CALL_ORDER"] = "1"
    return found if looked_at == run_options.ALL else {**found, "MPIPP_CALL_FILTER": looked_at}


def refuse(arguments: argparse.Namespace) -> None:
    """Raise MpippError for options that make no sense here.

    Examples are a negative number, an unknown check, and an option of a check that is not selected.
    """
    if arguments.budget is not None and arguments.budget < 0:
        raise MpippError(f"--budget {arguments.budget}: write a percentage of the time, 0 or more")
    status = getattr(arguments, "error_exit", None)
    if status is not None and not 1 <= status <= _MOST_STATUS:
        raise MpippError(f"--error-exit {status}: write an exit status from 1 to {_MOST_STATUS}")
    if arguments.hang_after is not None and arguments.hang_after < 0:
        raise MpippError(
            f"--hang-after {arguments.hang_after:g}: write a number of seconds, or 0 for never"
        )
    if hang_status(arguments) is not None:
        _refuse_end(arguments)
    if arguments.budget is not None and not (guards(arguments) or arguments.rma_loads):
        raise MpippError(
            "--budget limits the guards of buffers and --rma-loads: add --check=buffers"
        )
    if arguments.rma_loads and not logs(arguments):
        raise MpippError("--rma-loads checks one-sided communication: add --check=rma")
    if arguments.rma_model != "own" and not logs(arguments):
        raise MpippError("--rma-model affects checks of one-sided communication: add --check=rma")
    bytes_kept = os.environ.get(_LOG, "0")
    if logs(arguments) and not (bytes_kept.isascii() and bytes_kept.isdigit()):
        raise MpippError(f"{_LOG}={bytes_kept}: set it to a number of bytes")
    for word, is_given in _watching(arguments).items():
        if is_given and not arguments.check:
            raise MpippError(f"{word} works only in checked runs: add --check")


def hang_status(arguments: argparse.Namespace) -> int | None:
    """The exit status of a job that mpipp ends because it hangs; None if mpipp does not end it.

    Raises MpippError for an unknown action.
    """
    action = getattr(arguments, "on_hang", "report")
    if action == "report":
        return None
    name, colon, text = action.partition(":")
    known = name == "abort" and (not colon or (text.isascii() and text.isdigit()))
    status = int(text) if known and colon else _HUNG
    if not known or not 1 <= status <= _MOST_STATUS:
        raise MpippError(
            f"--on-hang {action}: write report, abort or abort:STATUS, with an exit status from "
            f"1 to {_MOST_STATUS}"
        )
    return status


def _refuse_end(arguments: argparse.Namespace) -> None:
    # Reject options that contradict --on-hang=abort, because a hang would not end the job.
    if arguments.hang_after == 0:
        raise MpippError(
            "--on-hang=abort ends a job that hangs, and --hang-after 0 looks for no "
            "hang: leave out one of them"
        )
    if arguments.stop or arguments.stop_at:
        word = f"--{arguments.stop}" if arguments.stop else "--stop-at"
        raise MpippError(
            f"--on-hang=abort would end processes that {word} stops: leave out one of them"
        )


def hang_after(arguments: argparse.Namespace) -> float:
    """Seconds without an MPI call after which a process counts as hung; 0 for never."""
    return HANG_THRESHOLD if arguments.hang_after is None else float(arguments.hang_after)


def _watching(arguments: argparse.Namespace) -> dict[str, bool]:
    sweeps = getattr(arguments, "provoke_sweep", None) is not None
    return {
        "--strict": arguments.strict,
        "--on-error": arguments.on_error != "report",
        f"--{arguments.stop}": bool(arguments.stop),
        "--stop-at": bool(arguments.stop_at),
        "--report": bool(arguments.report),
        "--suppress": bool(arguments.suppress),
        "--no-backtrace": arguments.no_backtrace,
        "--on-hang": hang_status(arguments) is not None,
        "--error-exit": getattr(arguments, "error_exit", None) is not None,
        "--hang-after": arguments.hang_after is not None and not sweeps,
        "-q": getattr(arguments, "q", False),
    }


def guards(arguments: argparse.Namespace) -> bool:
    """Return whether buffers of pending operations are guarded."""
    return _has_group(arguments, "buffers")


def logs(arguments: argparse.Namespace) -> bool:
    """Return whether one-sided communication is logged."""
    return _has_group(arguments, "rma", "races", "portability")


def _is_plain(arguments: argparse.Namespace) -> bool:
    # Return whether the user named no check.
    return bool(arguments.check == run_options.ALL)


def _has_group(arguments: argparse.Namespace, *groups: str) -> bool:
    if arguments.check in (None, run_options.FAST):
        return False
    if _is_plain(arguments):
        return True
    from mpipp.analysis.rules import selection

    return selection.has_group(selection.words(arguments.check), *groups)


def _stop_at(arguments: argparse.Namespace) -> list[tuple[Any, ...]]:
    if not arguments.stop_at:
        return []
    from mpipp.reports import stop_targets

    return [tuple(target) for target in stop_targets.targets(arguments.stop_at)]


def _chosen(arguments: argparse.Namespace) -> list[str]:
    # The names of the selected checks; [] selects all.
    if arguments.check in (None, run_options.ALL, run_options.FAST):
        return []
    from mpipp.analysis.rules import selection

    return sorted(selection.words(arguments.check))


def _reads_variables(check: str) -> bool:
    # Return whether the run compares buffers with the program's variables and heap blocks.
    from mpipp.analysis.rules import selection

    return not selection.words(check).isdisjoint(selection.OF_OBJECTS)


def _replays_calls(check: str) -> bool:
    # Return whether the run stores the order of calls.
    from mpipp.analysis.rules import selection

    return not selection.words(check).isdisjoint(selection.OF_ORDER)


def _calls(arguments: argparse.Namespace) -> str:
    # The calls to check, as a value of MPIPP_CALL_FILTER.
    if arguments.check in (None, run_options.ALL, run_options.FAST):
        return run_options.ALL
    from mpipp.analysis.rules import selection

    return selection.calls(arguments.check)


def settings(arguments: argparse.Namespace, **others: object) -> str:
    """The options for the watcher, as JSON.

    Raises MpippError if the file of suppressions is invalid.
    """
    suppress = os.path.abspath(arguments.suppress) if arguments.suppress else ""
    if suppress:
        from mpipp.reports import suppressions

        suppressions.read(suppress)
    report = os.path.abspath(arguments.report) if arguments.report else ""
    known: dict[str, object] = {
        "hang_after": hang_after(arguments),
        "suppress": suppress,
        "report": report,
    }
    known["stop"] = arguments.stop or ("stop" if arguments.stop_at else "")
    known["stop_at"] = _stop_at(arguments)
    known["ends_hung"] = hang_status(arguments) is not None
    known["checks"] = _chosen(arguments)
    # The fields of mpipp.watcher.settings, whose import is slow.
    return json.dumps({**known, "kept": bool(report), **others})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp exec`."""
    run_options.add_options(parser, of_run=False)
    parser.epilog = (
        "example:\n"
        "  srun -n 64 mpipp exec --check --report DIR -- ./app\n\n"
        f"Set {WRAPPER} to the path that mpipp wrapper prints, for a faster start.\n"
        "The other options, such as --provoke and --valgrind, need mpipp run."
    )


def run(arguments: argparse.Namespace) -> int:
    """Replace this process by the program.

    Raises:
        MpippError: no wrapper fits the program, or the program cannot be started.
    """
    program = arguments.program[1:] if arguments.program[:1] == ["--"] else arguments.program
    if not program:
        raise MpippError("no program to run: give it after --, with its arguments")
    refuse(arguments)
    told = settings(arguments)
    wrapper = os.environ.get(WRAPPER) or _wrapper(program, arguments.mpicc)
    if arguments.report:
        RunDirectory(arguments.report).join()
    directory = _directory() if arguments.check else ""
    os.environ.update(for_program(arguments))
    launch.become(directory, wrapper, told, program)


def _wrapper(program: Sequence[str], mpicc: str | None) -> str:
    from mpipp.toolchain.preload import built, mpi_for_command
    from mpipp.toolchain.run_launcher import mpi_of_job

    return built(mpi_for_command(program, mpicc, mpi_of_job))


def _directory() -> str:
    # The directory of the job's watcher. If no directory is usable, return "": the program runs
    # unwatched.
    try:
        return directory_of_job()
    except MpippError as error:
        sys.stderr.write(plain(f"mpipp: not watched: {error}\n"))
        return ""


def directory_of_job() -> str:
    """The path of a directory on this node for the processes of this job.

    Other users cannot create a directory of this name before.

    Raises:
        MpippError: no such directory is possible.
    """
    job = _job()
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if _is_private(runtime):  # other users cannot create files there
        name = re.sub(r"[^\w.-]", "_", f"mpipp-{os.getuid()}-{job}")
        if len(name) > _LONGEST:
            name = f"{name[: _LONGEST - 9]}-{binascii.crc32(name.encode()):08x}"
        return launch.on_node(os.path.join(runtime, name))
    # Importing these modules is slow.
    import tempfile

    from mpipp.common import job_secret

    try:
        # Several nodes may share the temporary directory.
        name = job_secret.name(f"{launch.node()} {job}")
        return launch.on_node(os.path.join(tempfile.gettempdir(), f"mpipp-{name}"))
    except (MpippError, OSError) as error:
        raise MpippError(
            f"{error}: set XDG_RUNTIME_DIR to a directory that only you may enter"
        ) from None


def _is_private(directory: str) -> bool:
    try:
        found = os.stat(directory)
    except OSError:
        return False
    is_own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    return is_own and not stat.S_IMODE(found.st_mode) & 0o077


def _job() -> str:
    # A key that all processes of this job on this node share, and no other process has. The key
    # contains the launcher's name of the job if there is one; MPICH's launcher sets none. The key
    # also contains the launcher's process id, not the parent's, because each process may have a
    # shell of its own.
    words = [os.environ[name] for name in _JOBS if os.environ.get(name)]
    found = launcher_ancestors.above(os.getpid())
    if found:
        words.append(f"launcher-{found[0][-1]}")
    return "-".join(words or [f"parent-{os.getppid()}"])

# SPDX-License-Identifier: MIT
"""`mpipp run --provoke-sweep N`: finds seeds that change the behaviour of a program."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from itertools import zip_longest
from pathlib import Path

from mpipp.cli import run_options
from mpipp.cli.commands.exec import hang_after
from mpipp.cli.commands.run import minimize, perturb, perturbation_log
from mpipp.cli.commands.run.perturbation_log import Done, Operation
from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.common.text.sanitize import plain
from mpipp.toolchain.preload import prefix

STREAMS = OUTPUT, _ERRORS = "output", "standard error"
_UNPROVOKED = 2
_TIMES_LONGER = 5  # a run counts as hung after this multiple of the unperturbed time
_ENDING = 10.0  # seconds for a launcher to end its processes
_MOST_TOLD = 20  # operations in the report
_SEARCH = 60, 180.0  # limits of the search for the needed operations: runs, and seconds
_RANKS = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")
# Each process writes to its own files, so its lines stay in order with any launcher. Lines of
# several processes are never compared.
_APART = (
    'rank="'
    + "".join(f"${{{name}:-" for name in _RANKS)
    + "of process $$"
    + "}" * len(_RANKS)
    # On another node, another user may have created a directory of that name.
    + '"; [ -O "$0" ] && [ ! -h "$0" ] || exit 126; '
    'exec "$@" >>"$0/out $rank" 2>>"$0/err $rank"'
)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run: exit status (None if mpipp ended it), and the output of
    each process."""

    status: int | None
    seconds: float
    out: dict[str, bytes]
    err: dict[str, bytes]
    done: Mapping[Operation, Done] = field(default_factory=dict)  # filled if requested

    def written(self, stream: str) -> dict[str, bytes]:
        """The output of each process on `stream`, one of STREAMS."""
        return self.out if stream == OUTPUT else self.err


def run(
    launcher: Sequence[str],
    wrapper: str,
    variables: Mapping[str, str],
    program: Sequence[str],
    arguments: argparse.Namespace,
    given: perturb.Schedules | None,
) -> int:
    """Run the program many times; returns 0 if no seed changes its behaviour, else 1.

    Args:
        launcher: the launcher's command.
        wrapper: the path of the wrapper.
        variables: variables to add to the program's environment.
        given: the schedules for the first seed; None for seed 1.

    Raises:
        MpippError: unperturbed runs end differently, so no comparison is possible, or
            the program cannot be started.
    """
    count = arguments.provoke_sweep
    if count < 1:
        raise MpippError(f"--provoke-sweep {count}: the number of seeds must be at least 1")
    if arguments.check:
        raise MpippError(
            "--provoke-sweep runs without --check: leave out --check, then check a seed that "
            "differs with --check --provoke=SEED"
        )
    if ":" in program:
        raise MpippError(
            "--provoke-sweep compares runs of one program: leave out ':' and the other programs"
        )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    limit = hang_after(arguments) or None

    def run_schedule(
        provoked: perturb.Schedules | None, limit: float | None, with_journal: bool = False
    ) -> Outcome:
        added = provoked.variables() if provoked else {}

        def started(more: Mapping[str, str]) -> list[str]:
            return [*prefix(wrapper, {**variables, **added, **more}), *program]

        return _run_job(launcher, started, limit, with_journal)

    usual = [run_schedule(None, None) for _ in range(_UNPROVOKED)]
    first, streams = usual[0], _agreed(usual)
    longest = max(one.seconds for one in usual)
    limit = limit and max(limit, _TIMES_LONGER * longest)
    found: list[tuple[int, int]] = []
    schedules = given or perturb.Schedules(None)

    def tried(provoked: perturb.Schedules) -> tuple[int, str]:
        outcome = run_schedule(provoked, limit)
        return _rank(first, outcome), difference(first, outcome, streams)

    def done(provoked: perturb.Schedules) -> Mapping[Operation, Done] | None:
        outcome = run_schedule(provoked, limit, with_journal=True)
        return outcome.done if difference(first, outcome, streams) else None

    begin = 1 if schedules.seed is None else schedules.seed
    for number in range(begin, begin + count):
        rank, told = tried(schedules.with_seed(number))
        if told:
            found.append((rank, number))
            sys.stdout.write(plain(f"seed {number}: {told}\n"))
            sys.stdout.flush()
    if not found:
        _say(f"no difference with {_seeds(count)}")
        return 0
    worst = schedules.with_seed(min(found)[1])
    differ = "differs" if len(found) == 1 else "differ"
    _say(
        f"{len(found)} of {_seeds(count)} {differ}; repeat the worst with: {_repeat_command(worst)}"
    )
    if schedules.rma:
        less = least(worst, tried)
        _say(f"the smallest perturbation that still differs: {_repeat_command(less)}")
        if not any(name == "only" for name, _ in less.rules):
            _report_operations(less, done)
    return 1


def _agreed(usual: Sequence[Outcome]) -> Sequence[str]:
    # Print how far the unperturbed runs agree, and return the streams in which they do.
    first, *others = usual
    for other in others:
        told = difference(first, other, (OUTPUT,))
        if told and other.status != first.status:
            raise MpippError(
                f"two unperturbed runs differ, so mpipp cannot compare perturbed runs: {told}"
            )
        if told:
            _say(f"{_UNPROVOKED} unperturbed runs agree only in {_ended(first)}: {told}")
            _say("this sweep compares exit statuses and hangs, but not the output")
            return ()
    _say(f"{_UNPROVOKED} unperturbed runs agree: {_ended(first)}")
    return STREAMS if all(one.err == first.err for one in others) else (OUTPUT,)


def _report_operations(
    least: perturb.Schedules,
    done: Callable[[perturb.Schedules], Mapping[Operation, Done] | None],
) -> None:
    # Find the operations that must be perturbed, and print them as the last failing run logged
    # them.
    everything = done(least)
    if not everything:
        _say(
            "the difference does not appear in every run: mpipp cannot find the operation that "
            "causes it"
        )
        return
    runs, seconds = _SEARCH
    until = time.monotonic() + seconds
    last = everything

    def fails(some: Sequence[Operation]) -> bool:
        nonlocal runs, last
        if not runs or time.monotonic() > until:
            raise minimize.Spent
        runs -= 1
        found = done(least.with_rule("only", minimize.word(some)))
        last = found or last
        return found is not None

    needed = minimize.operations(everything, fails)
    spent = not runs or time.monotonic() > until
    of = f"{len(needed)} of {len(everything)} operations" if len(everything) > 1 else "1 operation"
    is_enough = "is enough" if len(needed) == 1 else "are enough"
    limit = "; fewer may be enough, but the search reached its limit" if spent else ""
    _say(f"{of} {is_enough}{limit}")
    for one in needed[:_MOST_TOLD]:
        _say(str(last.get(one, everything[one])))
    if len(needed) > _MOST_TOLD:
        _say(f"and {len(needed) - _MOST_TOLD} more")
    _say(f"repeat these with: {_repeat_command(least.with_rule('only', minimize.word(needed)))}")


def least(
    schedules: perturb.Schedules, tried: Callable[[perturb.Schedules], tuple[int, str]]
) -> perturb.Schedules:
    """Add each rule that perturbs less, if the outcome of the program still differs."""
    said = dict(schedules.rules)
    for row in perturb.LESS:
        if any(said.get(name) == "no" for name, _ in row):
            continue
        for name, value in row:
            less = schedules.with_rule(name, value)
            if name not in said and tried(less)[1]:
                schedules = less
                break
    return schedules


def difference(usual: Outcome, other: Outcome, streams: Sequence[str]) -> str:
    """Describe the first difference of the worst kind; "" if there is none.

    Args:
        streams: the streams to compare, from STREAMS.
    """
    if other.status is None:
        return f"hangs, unperturbed {_ended(usual)}"
    if other.status != usual.status:
        return f"{_ended(other)}, unperturbed {_ended(usual)}"
    for stream in streams:
        before, now = usual.written(stream), other.written(stream)
        for name in sorted({*before, *now}, key=lambda one: (len(one), one)):
            told = _line(before.get(name, b""), now.get(name, b""))
            if told:
                return f"{stream} of {name}, {told}"
    return ""


def _line(before: bytes, now: bytes) -> str:
    for number, (old, new) in enumerate(zip_longest(before.split(b"\n"), now.split(b"\n")), 1):
        if old != new:
            return f"line {number}: {_quoted(new)}, unperturbed {_quoted(old)}"
    return ""


def _quoted(line: bytes | None) -> str:
    return "none" if line is None else repr(line.decode(errors="replace"))


def _rank(usual: Outcome, other: Outcome) -> int:
    # A lower number is a worse result.
    return 0 if other.status is None else 1 if other.status != usual.status else 2


def _ended(outcome: Outcome) -> str:
    return f"exit status {outcome.status}"


def _seeds(count: int) -> str:
    return "1 seed" if count == 1 else f"{count} seeds"


def _say(text: str) -> None:
    sys.stdout.write(plain(f"mpipp: {text}\n"))
    sys.stdout.flush()


def _repeat_command(schedules: perturb.Schedules) -> str:
    # The user's command, with this seed.
    words: list[str] = []
    rest = iter(sys.argv[1:])
    for word in rest:
        if word == "--provoke-sweep":
            next(rest, None)
        elif word == "--" or (not word.startswith("-") and word != "run"):
            words += [word, *rest]
        elif not word.startswith(("--provoke=", "--provoke-sweep=")) and word != "--provoke":
            words.append(word)
            if word in run_options.with_value():
                words.append(next(rest, ""))
    at = words.index("run") + 1
    return shlex.join(["mpipp", *words[:at], f"--provoke={schedules.word()}", *words[at:]])


def _run_job(
    launcher: Sequence[str],
    started: Callable[[Mapping[str, str]], Sequence[str]],
    limit: float | None,
    with_journal: bool,
) -> Outcome:
    # `started` returns the program's command with more variables.
    directory = tempfile.mkdtemp(prefix="mpipp-sweep-")
    journal_kept = {"MPIPP_JOURNAL": directory} if with_journal else {}
    try:
        command = [*launcher, "sh", "-c", _APART, directory, *started(journal_kept)]
        begun = time.monotonic()
        status = _run(command, limit)
        seconds = time.monotonic() - begun
        out: dict[str, bytes] = {}
        err: dict[str, bytes] = {}
        lines: list[tuple[int, bytes]] = []
        for file in Path(directory).iterdir():
            stream, _, name = file.name.partition(" ")
            if stream == "schedule":
                lines.append((int(name), file.read_bytes()))
                continue
            named = f"rank {name}" if name.isdigit() else "a process"
            kept = out if stream == "out" else err
            kept[named] = kept.get(named, b"") + file.read_bytes()
        return Outcome(status, seconds, out, err, perturbation_log.read(lines))
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _run(command: Sequence[str], limit: float | None) -> int | None:
    # The exit status; None if mpipp ended the launcher.
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise MpippError(f"cannot start {command[0]}: {error.strerror}") from None
    try:
        code = child.wait(limit)
        return code if code >= 0 else 128 - code
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        if child.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_ENDING)

# SPDX-License-Identifier: MIT
"""Perturbed one-sided communication shows latent errors, and does not change correct programs."""

from __future__ import annotations

import argparse
import shlex
import subprocess
from pathlib import Path

import pytest

from mpipp.cli.commands.run import perturb, sweep
from mpipp.common.errors import MpippError
from tests.support import MPI, compile_program, on_mpi, shell

PROGRAMS = Path(__file__).resolve().parent / "programs"
CASES = (
    "broadcast",
    "lock",
    "local",
    "order",
    "stack",
    "fence",
    "start",
    "request",
    "asked",
    "columns",
)


def run(
    mpi: MPI, command: list[str | Path], *options: str, n: int = 2, **more: str
) -> subprocess.CompletedProcess[str]:
    assert mpi.wrapper  # build the wrapper now: later, the run would print the build
    env = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH", "MPI4PY_LIBMPI") if name in mpi.env}
    launcher = shlex.join(mpi.mpiexec)
    words = ["run", "--mpiexec", launcher, "-n", str(n), *options, "--"]
    return shell(*words, *command, env={**env, **more})


def said(of_wrong: str) -> str:
    wrong = "".join(f"{name}: {of_wrong}\n" for name in CASES)
    return wrong + "".join(f"right {name}: holds\n" for name in CASES)


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_latent_errors_show(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "onesided.c", mpi)
    words: list[str | Path] = [program, "all", "right", "all"]
    assert run(mpi, words).stdout == said("holds")
    done = run(mpi, words, "--provoke=rma,1,defer=yes")
    assert (done.returncode, done.stdout) == (0, said("fails"))
    assert done.stderr.startswith("mpipp: one-sided operations perturbed with seed 1\n")


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_correct_programs_stay_as_they_are(mpi: MPI) -> None:
    """Each run has 100 programs, which check their results themselves.

    With more processes than processors, all libraries except Open MPI 4 are slow.
    """
    program = compile_program(PROGRAMS / "correct_onesided.c", mpi)
    two = {"mpich5": {"1,parts=2": 2, "2,parts=3": 2}, "openmpi4": {"1,parts=3": 3, "2": 4}}
    runs = two.get(mpi.id, {"3": 2})
    results = {2: "48d51db4", 3: "c0baf7ec", 4: "16bede2bf"}
    for seed, n in runs.items():
        done = run(mpi, [program, "1", "100"], f"--provoke=rma,{seed}", n=n)
        assert (done.returncode, done.stdout) == (0, f"result {results[n]}\n"), done.stderr


@on_mpi("mpich4")
def test_rules_decide(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "onesided.c", mpi)

    def fails(*rules: str, **more: str) -> list[str]:
        word = "--provoke=" + ",".join(("rma", "1", *rules))
        done = run(mpi, [program, "all"], word, n=2, **more)
        return [line.split(":")[0] for line in done.stdout.splitlines() if "fails" in line]

    assert fails("defer=no", "split=no", "order=program") == []
    everything_local = [name for name in CASES if name not in ("local", "order")]
    assert fails("defer=yes", "local=no", "order=put-first") == everything_local
    assert fails("defer=yes", "local=no", "order=reverse") == sorted(
        [*everything_local, "order"], key=CASES.index
    )
    nasty = {"NASTY_SKIP_COMPLETION_STAGE": "0", "NASTY_SUBMIT_ORDER": "put_before_get"}
    assert fails(NASTY_LOCAL_COMPLETION_ENABLED="0", **nasty) == everything_local


@on_mpi("mpich4")
def test_schedules_are_shown(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "onesided.c", mpi)
    rules = "rma,1,defer=yes,local=yes,flush=no,order=reverse,show=yes"
    done = run(mpi, [program, "order", "request"], f"--provoke={rules},split=no")
    said = [line for line in done.stderr.splitlines() if line.startswith("mpipp: rank 1")]
    assert said == [
        "mpipp: rank 1: before MPI_Win_unlock: 2. MPI_Accumulate to 0, 1. MPI_Put to 0",
        "mpipp: rank 1: before MPI_Waitall: 3. MPI_Get to 0",
        "mpipp: rank 1: before MPI_Wait: 2. MPI_Get to 0",
        "mpipp: rank 1: before MPI_Win_unlock_all: 1. MPI_Put to 0",
    ]
    before = "before MPI_Win_unlock: "
    words: list[str | Path] = [program, "nothing", "stack", "columns"]
    done = run(mpi, words, f"--provoke={rules},split=yes")
    assert f"{before}1. MPI_Put to 0\n" in done.stderr
    assert f"{before}1. MPI_Put to 0 (58 of 58 parts)\n" in done.stderr
    # An operation with more than 500 elements is split into 500 parts, some with several elements.
    parts = "{0}2. MPI_Accumulate to 0 ({1} of {1} parts), 1. MPI_Put to 0 ({1} of {1} parts)\n"
    assert parts.format(before, 500) in done.stderr
    done = run(mpi, [program, "columns"], f"--provoke={rules},split=yes,parts=2")
    assert parts.format(before, 2) in done.stderr


@pytest.mark.thorough
@on_mpi("openmpi4")
def test_a_sweep_is_one_of_schedules(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "onesided.c", mpi)
    options = "--provoke=rma,3,defer=yes", "--provoke-sweep", "2"
    done = run(mpi, [program, "stack"], *options)
    assert (done.returncode, done.stderr) == (1, "")
    first, *listed, last, least, enough, told, again = done.stdout.splitlines()
    assert first == "mpipp: 2 unperturbed runs agree: exit status 0"
    differ = "output of rank 0, line 1: 'stack: fails', unperturbed 'stack: holds'"
    assert listed == [f"seed 3: {differ}", f"seed 4: {differ}"]
    assert last.startswith("mpipp: 2 of 2 seeds differ; repeat the worst with: mpipp run ")
    assert " --provoke=rma,3,defer=yes " in last
    assert least.startswith("mpipp: the smallest perturbation that still differs: mpipp run ")
    rules = "defer=yes,flush=no,latency=0,local=no,order=program,split=no"
    assert f" --provoke=rma,3,{rules} " in least
    assert enough == "mpipp: 1 of 2 operations is enough"
    source = (PROGRAMS / "onesided.c").read_text().split("\n")
    line = 4 + next(i for i, text in enumerate(source) if " put_from_stack(int" in text)
    until = 2 + source.index("  uses_stack();")
    assert told == (
        f"mpipp: rank 0: MPI_Put to 1 at onesided.c:{line}: deferred to MPI_Win_unlock at "
        f"onesided.c:{until}"
    )
    assert again.startswith("mpipp: repeat these with: mpipp run ")
    assert f" --provoke=rma,3,{rules.replace('order', 'only=0:1.1,order')} " in again


@pytest.mark.parametrize(("needed", "rule"), [(1, ",parts=2"), (5, ",parts=8"), (33, "")])
def test_the_least_that_differs_has_the_fewest_parts(needed: int, rule: str) -> None:
    def tried(some: perturb.Schedules) -> tuple[int, str]:
        rules = dict(some.rules)
        is_cut = rules.get("split") != "no" and int(rules.get("parts", 512)) >= needed
        return 2, "differs" if is_cut else ""

    found = sweep.least(perturb.Schedules(1, rma=True), tried)
    assert found.word() == f"rma,1,defer=no,flush=no,latency=0,local=no,order=program{rule}"


def test_the_least_of_what_is_not_cut_has_no_parts() -> None:
    found = sweep.least(perturb.Schedules(1, True, (("split", "no"),)), lambda _: (2, "differs"))
    assert found.word() == "rma,1,defer=no,flush=no,latency=0,local=no,order=program,split=no"


def meant(word: str | None) -> perturb.Schedules | None:
    return perturb.schedules(argparse.Namespace(provoke=word))


def test_what_words_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    assert meant(None) is None
    assert meant("any") == perturb.Schedules(None)
    assert meant("7") == perturb.Schedules(7)
    assert meant("rma") == perturb.Schedules(None, rma=True)
    found = meant("rma,7,split=no,order=reverse")
    assert found
    assert found.word() == "rma,7,order=reverse,split=no"
    assert found.variables() == {"MPIPP_PROVOKE_RMA": "7,order=reverse,split=no"}
    monkeypatch.setenv("NASTY_SKIP_ATOMICITY_STAGE", "0")
    monkeypatch.setenv("NASTY_ADD_LATENCY", "3")
    monkeypatch.setenv("NASTY_ADD_FLUSH_ENABLED", "1")
    found = meant("rma,latency=20")
    assert found
    assert found.with_seed(5).word() == "rma,5,flush=yes,latency=20,split=yes"


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("rma,x", "--provoke=rma,x: a seed must be a number from 0 to 18446744073709551615"),
        (
            "rma,1,late=yes",
            "--provoke=rma,1,late=yes: there is no rule 'late': the rules are defer, local, split, "
            "parts, order, flush, show, latency, only",
        ),
        (
            "rma,1,only=1:2.",
            "--provoke=rma,1,only=1:2.: only must be RANK:PLACE, RANK:PLACE.TIME or "
            "RANK:PLACE.TIME-TIME; join several with '+'",
        ),
        ("rma,split=1", "--provoke=rma,split=1: split must be one of yes, no"),
        ("rma,parts=1", "--provoke=rma,parts=1: parts must be a number of parts from 2 to 512"),
        (
            "rma,latency=x",
            "--provoke=rma,latency=x: latency must be a number of milliseconds, 4294967295 at most",
        ),
    ],
)
def test_what_means_nothing_is_said(word: str, told: str) -> None:
    with pytest.raises(MpippError) as caught:
        meant(word)
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("variable", "told"),
    [
        (
            "NASTY_SUBMIT_ORDER=odd",
            "it must be one of random, reverse_po, put_before_get, get_before_put",
        ),
        (
            "NASTY_ADD_LATENCY=4294967296",
            "latency must be a number of milliseconds, 4294967295 at most",
        ),
    ],
)
def test_a_variable_that_means_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, variable: str, told: str
) -> None:
    monkeypatch.setenv(*variable.split("="))
    with pytest.raises(MpippError) as caught:
        meant("rma")
    assert str(caught.value) == f"{variable}: {told}"

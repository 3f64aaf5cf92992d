# SPDX-License-Identifier: MIT
"""`mpipp run` starts programs as the launcher does: by any name, and in its environment."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from mpipp.toolchain import mpi_libraries as mpis
from mpipp.toolchain import run_launcher
from tests.cli.test_run import HELLO, environment
from tests.support import (
    MPI,
    ROOT,
    compile_program,
    every_mpi,
    find_mpi,
    library,
    on_mpi,
    shell,
)

ADDED = ("LD_PRELOAD", "MPIPP_")  # variables that mpipp adds
SHOW = '#!/bin/sh\nenv -0 >"$1"\n'


def environment_of(file: Path) -> dict[str, str]:
    """The variables that a program found."""
    words = file.read_bytes().decode(errors="surrogateescape").split("\0")
    return dict(word.split("=", 1) for word in words if "=" in word)


def by_name(mpi: MPI) -> tuple[str, dict[str, str]]:
    """The launcher by the name that users type, and an environment with it and a plain locale."""
    directory, name = os.path.split(mpi.mpiexec[0])
    env = {key: value for key, value in mpi.env.items() if key != "LC_ALL"}
    path = f"{directory}:{mpi.env['PATH']}"
    odd = {"PLAIN": "a=b\n\udcff ", "EMPTY": "", "LD_LIBRARY_PATH": "/nowhere"}
    plain = {"PATH": path, "LANG": "C", "PYTHONPATH": str(ROOT)}
    return name, {**env, **odd, **plain}


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """The names of variables that differ between two environments."""
    return [name for name in sorted({*one, *other}) if one.get(name) != other.get(name)]


@every_mpi
@pytest.mark.each_mpi
def test_the_environment_is_that_of_the_launcher_alone(mpi: MPI, tmp_path: Path) -> None:
    launcher, env = by_name(mpi)
    script = tmp_path / "show it"
    script.write_text(SHOW)
    script.chmod(0o755)
    kept = {"MPIPP_CACHE", *env}
    found = []
    for number in ("1", "2"):
        words = [launcher, "-n", "1", str(script), number, "a b", "", "c=d"]
        # On a busy machine, MPICH's launcher may fail at the end of a script that does not talk to
        # it.
        subprocess.run(words, env=env, cwd=tmp_path, check=False)
        found.append(environment_of(tmp_path / number))
    # Variables that the launcher changes each time, such as names of its sockets.
    vary = set(differing(*found)) - kept - {"OMPI_ARGV"}
    named = ("--mpiexec", launcher)
    # Without --mpiexec, mpipp finds the launcher, and also calls it by name.
    for options in (named, ("--check",), ("--provoke=1", *named)):
        (tmp_path / "1").unlink()
        run = subprocess.run(
            [
                *(sys.executable, "-m", "mpipp.cli", "run", "--mpicc", mpi.mpicc, "-n", "1"),
                *(*options, "--", script, "1", "a b", "", "c=d"),
            ],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (tmp_path / "1").exists(), run.stderr
        with_mpipp = environment_of(tmp_path / "1")
        others = [name for name in differing(found[0], with_mpipp) if name not in vary]
        assert [name for name in others if not name.startswith(ADDED)] == [], options
        assert "LD_PRELOAD" in others, options


@on_mpi("mpich4", "openmpi4")
def test_exec_adds_only_the_same_variables(mpi: MPI, tmp_path: Path) -> None:
    launcher, env = by_name(mpi)
    script = tmp_path / "show"
    script.write_text(SHOW)
    script.chmod(0o755)
    start = [launcher, "-n", "1"]
    found = []
    mpipp = [sys.executable, "-m", "mpipp.cli", "exec", "--mpicc", mpi.mpicc]
    for name, words in (("1", []), ("2", []), ("3", mpipp), ("4", [*mpipp, "--check"])):
        command = [*start, *words, str(script), name]
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, check=False)
        assert (tmp_path / name).exists(), done.stderr
        found.append(environment_of(tmp_path / name))
    vary = {*differing(*found[:2]), "OMPI_ARGV"} - {"MPIPP_CACHE", *env}
    plain, checked = (set(differing(found[0], one)) - vary for one in found[2:])
    assert plain == {"LD_PRELOAD"}
    assert "MPIPP_WATCH" in checked
    assert [name for name in checked if not name.startswith(ADDED)] == []


@on_mpi("mpich4", "openmpi4")
def test_options_of_the_launcher(mpi: MPI, tmp_path: Path) -> None:
    script = tmp_path / "show"
    script.write_text('#!/bin/sh\necho "$GIVEN $(nproc)"\n')
    script.chmod(0o755)
    launcher = shlex.join(mpi.mpiexec)
    for options in (
        ["-np 2 --bind-to core -env GIVEN value", "-host localhost -n 2 -genv GIVEN value"]
        if mpi.id == "mpich4"
        else [
            "-np 2 --bind-to none -x GIVEN=value",
            "--host localhost:2 --map-by slot --mca btl self,vader -n 2 -x GIVEN=value",
        ]
    ):
        for check in ((), ("--check",)):
            done = shell(
                *("run", *check, "--mpicc", mpi.mpicc, "--mpiexec", f"{launcher} {options}"),
                *("--", script),
            )
            lines = done.stdout.splitlines()
            assert [line.split()[0] for line in lines] == ["value"] * 2, (options, done.stderr)
            if "--bind-to core" in options:
                assert lines == ["value 1"] * 2


@every_mpi
@pytest.mark.parametrize("options", [(), ("--check",), ("--provoke=1",)], ids=" ".join)
def test_a_program_with_any_name(mpi: MPI, options: Sequence[str], tmp_path: Path) -> None:
    program = tmp_path / "a=b" / "x=y z"
    program.parent.mkdir()
    shutil.copy(compile_program(HELLO, mpi), program)
    done = shell("run", *options, "-n", "1", "--", program, "c=d", env=environment(mpi))
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"0 of 1: \[c=d\] \S+/libmpipp_\w+\.so\n", done.stdout)


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_a_program_with_any_name_in_gdb_and_in_a_sweep(mpi: MPI, tmp_path: Path) -> None:
    program = tmp_path / "x=y"
    shutil.copy(compile_program(HELLO, mpi), program)
    words = ("gdb", "-nx", "-batch", "-ex", "run", "--", program, "c=d")
    assert "0 of 1: [c=d] /" in shell(*words).stdout
    # The preloaded libraries differ between seeds, and this program prints them.
    done = shell("run", "--provoke-sweep", "1", "-n", "1", "--", program)
    assert done.stdout.startswith("mpipp: 2 unperturbed runs agree: exit status 0\n"), done.stderr


@on_mpi("mpich4", "openmpi4")
def test_a_script_that_does_not_say_what_runs_it(mpi: MPI, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("echo $# $1\n")
    script.chmod(0o755)
    done = shell("run", "--mpicc", mpi.mpicc, "-n", "1", "--", script, "one", "two")
    assert (done.stdout, done.returncode) == ("2 one\n", 0), done.stderr


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5", "abi5")
@pytest.mark.each_mpi
def test_a_launcher_of_another_mpi(mpi: MPI) -> None:
    other = find_mpi("mpich4" if mpi.id.startswith("openmpi") else "openmpi4").mpiexec[0]
    theirs, ours = ("MPICH", "Open MPI")[:: 1 if mpi.id.startswith("openmpi") else -1]
    abi = {"m": "the MPICH ABI", "o": "Open MPI", "a": "the MPI standard ABI"}[mpi.id[0]]
    program = compile_program(HELLO, mpi)
    done = shell("run", "-n", "2", "--mpiexec", other, "--", program, env=environment(mpi))
    assert (done.stdout, done.stderr, done.returncode) == (
        "",
        f"mpipp: --mpiexec {other} is {theirs}'s launcher, and the program uses {abi}: each "
        f"process would be a job of its own; name {ours}'s launcher\n",
        2,
    )


@on_mpi("mpich4")
def test_launchers_that_fit_or_do_not_say(mpi: MPI, tmp_path: Path) -> None:
    installed = mpis.probe(mpi.mpicc)
    batch = tmp_path / "srun"
    for says in ("echo slurm 22.05", "exit 1", "kill -KILL $$", "echo HYDRA build details:"):
        batch.write_text(f"#!/bin/sh\n{says}\n")
        batch.chmod(0o755)
        assert run_launcher.command(installed, f"{batch} -x 'a b'") == [str(batch), "-x", "a b"]


@on_mpi("mpich4", "openmpi4")
def test_a_wrapper_that_is_there_needs_no_compiler(mpi: MPI, tmp_path: Path) -> None:
    """A compute node may have the packages to run programs, but no compiler."""
    program, tools = compile_program(HELLO, mpi), tmp_path / "bin"
    tools.mkdir()
    (tools / "mpiexec").write_text(f'#!/bin/sh\nPATH=/usr/bin exec {mpi.mpiexec[0]} "$@"\n')
    (tools / "mpiexec").chmod(0o755)
    (tools / "mpicc").write_text("#!/bin/sh\necho no-such-compiler\n")
    (tools / "mpicc").chmod(0o755)
    name = "libmpich.so.12" if mpi.id == "mpich4" else "libmpi.so.40"
    (tmp_path / "lib").mkdir()
    shutil.copy(os.path.realpath(library(name)), tmp_path / "lib" / name)
    env = {"LD_LIBRARY_PATH": str(tmp_path / "lib"), "PATH": f"{tools}:{tmp_path}"}
    (tools / "sh").symlink_to("/bin/sh")
    done = shell("run", "-n", "1", "--", program, env=env)
    of = mpis.probe(mpi.mpicc).name
    assert done.stderr == (
        f"mpipp: no MPI compiler found: mpipp uses the wrapper for {of} from its cache\n"
    )
    assert re.search(r"0 of 1: \[\] \S+/libmpipp_\w+\.so\n", done.stdout)
    # If there is no wrapper, mpipp needs a compiler and reports that it is missing.
    done = shell("run", "--", program, env={**env, "MPIPP_CACHE": str(tmp_path / "cache")})
    assert "calls the C compiler no-such-compiler, which does not exist: " in done.stderr

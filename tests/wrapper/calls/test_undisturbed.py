# SPDX-License-Identifier: MIT
"""The wrapper changes nothing: a program prints, returns and leaves behind the same as without
it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import support
from tests.wrapper.watched import compiled, watched

OTHER = {  # an MPI whose wrapper has another ABI
    "mpich4": "openmpi4",
    "openmpi4": "mpich4",
    "mpich5": "abi5",
    "openmpi5": "mpich5",
    "abi5": "openmpi5",
}


def run(
    mpi: support.MPI, command: list[str | Path], wrapper: str = "", **more: str
) -> tuple[int, str, str]:
    """Exit status, output and errors of a program without mpiexec."""
    env = {**mpi.env, **more, **({"LD_PRELOAD": wrapper} if wrapper else {})}
    done = subprocess.run(
        [*map(str, command)], env=env, capture_output=True, text=True, timeout=200, check=False
    )
    return done.returncode, done.stdout, done.stderr


@support.every_mpi
def test_output_and_status_are_the_same(mpi: support.MPI) -> None:
    program = compiled("ordinary.c", mpi.id)
    alone = run(mpi, [program])
    assert alone[0] == 3 and "from a child" in alone[1], alone
    assert run(mpi, [program], mpi.wrapper) == alone
    assert run(mpi, [program], mpi.wrapper, LD_BIND_NOW="1") == alone
    assert run(mpi, [program], mpi.wrapper, MPIPP_FRAMES="4") == alone


@support.every_mpi
def test_two_processes(mpi: support.MPI) -> None:
    program = compiled("ordinary.c", mpi.id)
    alone = mpi.run([program], n=2, preload=False)
    wrapped = mpi.run([program], n=2)
    assert alone.returncode != 0  # mpiexec's status, after the processes exit with status 3
    assert (wrapped.returncode, wrapped.stdout) == (alone.returncode, alone.stdout)


@support.every_mpi
def test_the_wrong_wrapper_says_so_once(mpi: support.MPI) -> None:
    wrong = support.find_mpi(OTHER[mpi.id]).wrapper
    program = compiled("ordinary.c", mpi.id)
    alone = run(mpi, [program])
    status, output, errors = run(mpi, [program], wrong)
    assert (status, output) == alone[:2]
    (sentence,) = [line for line in errors.splitlines() if "mpipp" in line]
    assert f"nothing is recorded in {program.name}: it uses " in sentence
    assert "/libmpi" in sentence and "'mpipp run --mpicc CC'" in sentence
    assert errors.replace(sentence + "\n", "") == alone[2]


@support.on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
@pytest.mark.parametrize("handlers", [(), ("own",)])
def test_a_freed_handle_that_the_library_has_given_out_itself(
    mpi: support.MPI, handlers: tuple[str, ...], tmp_path: Path
) -> None:
    """The wrapper's query of the handle causes an error that the program's handlers
    must not see."""
    program = compiled("stale.c", mpi.id)
    alone = run(mpi, [program, tmp_path / "file", *handlers])
    assert run(mpi, [program, tmp_path / "file", *handlers], mpi.wrapper)[:2] == alone[:2]
    if mpi.id == "openmpi4":
        assert "went on\n" in alone[1]


@support.on_mpi("mpich4", "mpich5")
def test_datatypes_that_are_used_after_they_were_freed(mpi: support.MPI) -> None:
    program = compiled("used_after_free.c", mpi.id)
    alone = run(mpi, [program])
    assert run(mpi, [program], mpi.wrapper) == alone
    if mpi.id == "mpich4":
        assert alone[:2] == (0, "0: 1 2\n0: 1 2\n")


@support.every_mpi
@pytest.mark.parametrize("binding", ["", "1"])
def test_programs_without_mpi(mpi: support.MPI, binding: str) -> None:
    for command in (["/bin/echo", "hello"], ["/bin/sh", "-c", "ls / > /dev/null; exit 5"]):
        alone = run(mpi, [*command])
        assert run(mpi, [*command], mpi.wrapper, LD_BIND_NOW=binding) == alone


@support.every_mpi
def test_fork(mpi: support.MPI) -> None:
    with watched("forked.c", mpi, connections=2) as processes:
        stops = {process.next(): process for process in processes}
        parent, child = stops["parent"], stops["child"]
        assert parent.pid != child.pid
        for process in (parent, child):
            assert process.registry.info.pid == process.pid
            assert process.find("datatype", "before").tree.combiner == "VECTOR"
            process.check_consistent()
        assert child.find("datatype", "after").tree.components[0].combiner == "VECTOR"
        assert len(parent.live("datatype")) == 1
        child.end()
        parent.end()


@support.every_mpi
def test_frames(mpi: support.MPI) -> None:
    with watched("call_layers.c", mpi, env={"MPIPP_FRAMES": "3"}) as (process,):
        process.until("made")
        assert process.registry.info.frames == 3
        made = process.find("datatype", "type").header.site
        assert len(made.frames) == 3
        lines = [process.line_of(address) for address in made.frames]
        inner, middle, outer = (process.said[f"{n}.line"] for n in ("inner", "middle", "outer"))
        assert lines == [inner - 1, middle, outer]
        assert process.line_of(made.address) == inner - 1
        request = process.find("request", "request").header.site
        lines = [process.line_of(address) for address in request.frames[:2]]
        assert lines == [process.said["receive.line"], process.said["receiver.line"]]


MPI4PY = """
import sys
from mpi4py import MPI
vector = MPI.DOUBLE.Create_vector(3, 2, 4).Commit()
vector.Set_name("from Python")
room = bytearray(200)
request = MPI.COMM_SELF.Irecv([room, 1, vector], 0, 7)
comm = MPI.COMM_WORLD.Dup()
freed = vector.Create_contiguous(2)
freed.Free()
print(MPI._handleof(vector), MPI._handleof(request), MPI._handleof(comm), flush=True)
sys.stdin.readline()
MPI.COMM_SELF.Send([room, 1, vector], 0, 7)
request.Wait()
"""


@support.on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_mpi4py(mpi: support.MPI) -> None:
    from mpipp.registry.layout.field_table import find_in
    from mpipp.registry.memory.address_space import ProcessMemory
    from mpipp.registry.registry import Registry

    with support.running(
        [mpi.python, "-c", MPI4PY],
        env={**mpi.env, "LD_PRELOAD": mpi.wrapper},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as python:
        assert python.stdout is not None
        line = python.stdout.readline()
        memory = ProcessMemory(python.pid)
        registry = Registry(memory, find_in(memory, memory.search))
        vector, request, comm = (
            registry.find(kind, int(handle))
            for kind, handle in zip(("datatype", "request", "comm"), line.split())
        )
        assert vector is not None and vector.tree.arguments["stride"] == 4
        assert vector.header.name == "from Python" and vector.committed
        assert request is not None and request.state == "active"
        assert request.call.buffers[0].datatype.header.serial == vector.header.serial
        assert comm is not None and comm.size == 1
        live = [t for t in registry.objects("datatype") if not t.header.predefined]
        assert [t for t in live if not t.header.null] == [vector]
        memory.close()
        python.communicate("\n", timeout=120)
        assert python.returncode == 0

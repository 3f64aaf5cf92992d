# SPDX-License-Identifier: MIT
"""Programs with unusual starts, loads and ends: none is disturbed, and all are shown."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests import support
from tests.faults import faults
from tests.wrapper.watched import Process, watched

VECTOR = '{kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = "MPI_DOUBLE"}'
SOME = support.on_mpi("mpich4", "openmpi4", "openmpi5", "abi5")
FRAMES = support.ROOT / "tests" / "gdb" / "gdb_frames.py"
MARK = ["set breakpoint pending on", "break mark", "run"]


@support.every_mpi
def test_all_families(mpi: support.MPI, tmp_path: Path) -> None:
    expected = faults.families_says(mpi.id, tmp_path)
    program = faults.program("families.c", mpi)
    done = faults.run([program, tmp_path], mpi, mpi.wrapper)
    assert (done.returncode, done.stdout) == (3, expected)
    printed = []
    for preload in (False, True):
        done = mpi.run([program, tmp_path], n=2, preload=preload)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        printed.append([(tmp_path / str(rank)).read_text() for rank in (0, 1)])
    assert printed[0] == printed[1] and all("class 0\n" in text for text in printed[0])


@SOME
def test_vfork_exec_and_a_shell(mpi: support.MPI) -> None:
    program = faults.program("processes.c", mpi)
    runs = [faults.run([program, "exec"], mpi, *preload) for preload in ([], [mpi.wrapper])]
    assert runs[0].stdout.count("ended with 0") == 2
    assert runs[1].stdout == runs[0].stdout and runs[1].returncode == runs[0].returncode
    output = support.gdb_batch(
        ["output vector", "echo \\n", "mpipp info"],
        program=program,
        args=["exec"],
        mpi=mpi,
        stop=MARK,
    )
    assert f"{VECTOR}\n" in output and "MPI started" in output, output


@support.every_mpi
def test_mpi_loaded_out_of_sight(mpi: support.MPI, tmp_path: Path) -> None:
    plugin = faults.program("plugin.c", mpi, "-shared", "-fPIC")
    host = tmp_path / "host"  # own directory, because tests with another MPI run at the same time
    subprocess.run([support.need("gcc"), "-g", faults.PROGRAMS / "host.c", "-o", host], check=True)
    done = faults.run([host, plugin], mpi, mpi.wrapper)
    assert (done.returncode, done.stdout) == (0, "work returned 0\n"), done.stderr
    look = ["up", "output vector", "echo \\n", "output matrix", "echo \\n", "mpipp info"]
    output = support.gdb_batch(look, program=host, args=[str(plugin)], mpi=mpi, stop=MARK)
    assert f"{VECTOR}\n" in output, output
    assert re.search(
        r'^{address = 0x\w+, call = "MPI_Irecv", request = 1, count = 1,', output, re.M
    )
    assert "process   rank 0 of 1" in output, output


@pytest.mark.thorough
@SOME
def test_mpi_out_of_sight_beside_a_thread_that_loads(mpi: support.MPI, tmp_path: Path) -> None:
    expected = faults.families_says(mpi.id, tmp_path)
    plugin = faults.program("families.c", mpi, "-shared", "-fPIC", "-Dmain=work")
    other = faults.program("host.c", mpi, "-shared", "-fPIC")
    command = [faults.program("loading.c", mpi, "-ldl"), plugin, other, tmp_path]
    done = faults.run(command, mpi, mpi.wrapper)
    assert (done.returncode, done.stdout) == (3, expected), done.stderr


@SOME
def test_after_finalize(mpi: support.MPI) -> None:
    program = faults.program("processes.c", mpi)
    stop = [*MARK, "continue", "up"]
    look = ["output vector", "echo \\n", "mpipp list types", "mpipp list requests", "mpipp info"]
    output = support.gdb_batch(look, program=program, mpi=mpi, stop=stop)
    assert output.startswith(VECTOR + "\n"), output
    assert re.search(
        r"VECTOR\[3, 2, 4\], size 48, extent 80 +made at processes.c:\d+ in main", output
    )
    assert "MPI finalized" in output, output


@pytest.mark.thorough
@SOME
def test_core_of_an_abort_in_an_error_handler(mpi: support.MPI, tmp_path: Path) -> None:
    program = faults.program("processes.c", mpi)
    core = tmp_path / "core"
    stop = ["set args abort", "run"]
    support.make_core(program, mpi, stop, core)
    look = [f"source {FRAMES}", "mpipp list calls", "python select_frame('abort_in_handler')"]
    look += ["output vector", "echo \\n"]
    look += ["output matrix", "echo \\n", "output handler", "echo \\n"]
    output = support.gdb_batch(look, program=program, core=core)
    assert re.search(r"in MPI_Send, called at processes.c:\d+ in abort_in_handler", output), output
    assert f"{VECTOR}\n" in output and '"MPI_Send", count = 1, ' in output, output
    assert "{function = <complain>}" in output, output


@support.on_mpi("openmpi4", "mpich5")  # Debian's MPICH cannot start processes
def test_spawned_processes(mpi: support.MPI) -> None:
    # The process itself searches for its mpiexec.
    path = f"{Path(mpi.mpiexec[0]).parent}:{os.environ['PATH']}"
    source = str(faults.PROGRAMS / "spawned.c")
    with watched(source, mpi, connections=2, env={"PATH": path}) as processes:
        stops = {process.next(): process for process in processes}
        first, second = stops["parent"], stops["child"]
        assert first.pid != second.pid
        for process, count in ((first, 1), (second, 2)):
            info = process.registry.info
            assert (info.pid, info.world_rank, info.world_size) == (process.pid, 0, 1)
            (mine,) = process.live("datatype")
            assert mine.tree.arguments == {"count": count}
            process.check_consistent()
        assert first.find("comm", "parent").header.name == "MPI_COMM_NULL"
        for comm in (first.find("comm", "children"), second.find("comm", "parent")):
            assert comm.inter and (comm.size, comm.remote_size) == (1, 1)
        first.go()
        assert second.find("comm", "parent").header.name == "MPI_COMM_PARENT"
        parted(second)
        first.end()


def parted(process: Process) -> None:
    """Check that MPI_COMM_PARENT ends like any communicator, and that its handle may be reused."""
    process.until("parted")
    assert process.find("comm", "former").header.freed
    assert not process.live("comm")
    process.until("alone")
    (copy,) = process.live("comm")
    assert copy.header.handle == process.said["copy"]
    assert (copy.header.name, copy.inter, copy.size) == ("", False, 1)
    assert copy.header.serial > process.find("comm", "world").header.serial
    process.check_consistent()
    process.end()


@support.on_mpi("mpich4", "openmpi4")
def test_fork_in_a_signal_handler_while_the_lock_is_held(mpi: support.MPI) -> None:
    program = faults.program("forking.c", mpi, "-rdynamic")
    env = {"UCX_MEM_EVENTS": "n"}  # UCX would replace the program's madvise by its own
    done = faults.run([program], mpi, mpi.wrapper, env=env)
    assert (done.returncode, done.stdout) == (0, "3000 keys, the child ended with 7\n"), done


@support.on_mpi("mpich4", "openmpi4")
def test_a_call_from_a_thread_that_ends(mpi: support.MPI) -> None:
    with watched(str(faults.PROGRAMS / "destructor.c"), mpi) as (process,):
        process.until("ending")
        assert process.find("datatype", "late").tree.arguments == {"count": 3}
        assert len(list(process.registry.threads())) == 2
        process.until("ended")
        assert len(list(process.registry.threads())) == 1
        process.end()

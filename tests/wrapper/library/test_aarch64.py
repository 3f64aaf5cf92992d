# SPDX-License-Identifier: MIT
"""The recorder of aarch64, in an emulated process: it records calls, and its registry is readable.

qemu emulates neither ptrace nor this machine's MPI libraries, so the program has a library of its
own, and no watcher.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from mpipp.model import DatatypeRecord
from mpipp.registry.memory.address_space import ProcessMemory
from mpipp.registry.registry import Registry
from tests.support import ROOT, find_mpi, need, running
from tests.wrapper.library.test_front_door import commands

pytestmark = pytest.mark.thorough

SOURCES = Path(__file__).with_name("aarch64")
COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64-static"
SYSTEM = Path("/usr/aarch64-linux-gnu")  # the C library


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A directory with the recorder libmpipp_wrap.so and the program `singleton` for aarch64."""
    for tool in (COMPILER, EMULATOR):
        need(tool)
    show = [find_mpi("mpich4").mpicc, "-show"]
    shown = subprocess.run(show, capture_output=True, text=True, check=True).stdout
    # The ABI fixes the contents of mpi.h, so the header of this machine is the one of aarch64.
    cross = " ".join([COMPILER, *re.findall(r"-I\S+", shown)])
    by_hand = next(one for one in commands() if one.startswith("mpicc "))
    recorder = by_hand.replace("mpicc", cross, 1).replace("-O1 -g", "-O0")
    recorder = recorder.replace("-o libmpipp_wrap.so", f"-o {tmp_path}/libmpipp_wrap.so")
    library = f"{cross} -w -shared -fPIC -Wl,-soname,libmpi.so.12 -o libmpi.so.12"
    program = f"{cross} -o singleton {SOURCES}/singleton.c ./libmpi.so.12 -ldl -Wl,-rpath,$PWD"
    for command, directory in (
        (recorder, ROOT),
        (f"{library} {SOURCES}/libmpi.c", tmp_path),
        (program, tmp_path),
    ):
        subprocess.run(["bash", "-c", command], cwd=directory, check=True)
    return tmp_path


def test_emulated_process_records_a_datatype(built: Path) -> None:
    preload = f"LD_PRELOAD={built}/libmpipp_wrap.so"
    words = [EMULATOR, "-L", str(SYSTEM), "-E", preload, str(built / "singleton")]
    pipe = subprocess.PIPE
    with running(words, stdin=pipe, stdout=pipe) as process:
        assert process.stdin and process.stdout
        address, handle = (int(word, 16) for word in process.stdout.readline().split())
        # The emulated addresses are those of the emulator.
        registry = Registry(ProcessMemory(process.pid), address)
        found = registry.find("datatype", handle)
        assert isinstance(found, DatatypeRecord)
        assert found.tree.combiner == "VECTOR"
        assert found.tree.arguments == {"count": 3, "blocklength": 1, "stride": 4}
        output, _ = process.communicate("\n")
    assert (process.returncode, output) == (0, "end\n")

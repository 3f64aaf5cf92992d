# SPDX-License-Identifier: MIT
"""`mpipp check` on core files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mpipp.cli.main import main
from mpipp.common.errors import MpippError
from mpipp.toolchain import elf
from tests import cores, support
from tests.ranks import ranks

PROGRAM = support.program_source("gdb", "table_one.c")
FINDING = (
    "error: the types sent and received do not match, at the first element: "
    "MPI_INT is sent, MPI_DOUBLE received"
)
both = support.on_mpi("mpich4", "openmpi4")


def dumped(pid: int, path: Path) -> Path:
    words = [support.need("gdb"), "-nx", "-batch", "-p", str(pid), "-ex", f"gcore {path}"]
    subprocess.run(words, capture_output=True, check=False, timeout=100)
    assert path.exists()
    return path


def plain(text: str) -> str:
    return re.sub("0x[0-9a-f]+", "0x", support.without_variables(text))


@both
def test_cores(mpi: support.MPI, tmp_path: Path) -> None:
    with ranks(support.compile_program(PROGRAM, mpi), mpi) as pids:
        cores = [dumped(pid, tmp_path / f"core of {rank}") for rank, pid in sorted(pids.items())]
    program = support.compile_program(PROGRAM, mpi)
    assert elf.program_of_core(str(cores[0])) == str(program)
    done = support.shell("check", *cores)
    assert done.returncode == 1 and not done.stderr
    lines = plain(done.stdout).splitlines()
    assert lines[0] == FINDING
    assert "    sends MPI_INT: buf(STRUCT)[0][0](INT), at 0x" in lines
    assert "    receives MPI_DOUBLE: buf(STRUCT)[0][0](DOUBLE), at 0x" in lines
    assert lines[-1] == "1 finding in 2 processes, 0 active calls, 2 pending requests"
    document = json.loads(support.shell("check", "--json", "--exec", program, *cores).stdout)
    assert [one["check"] for one in document["findings"]] == ["type-mismatch"]
    alone = support.shell("check", cores[1])
    assert alone.returncode == 0
    assert alone.stdout.startswith("no findings in 1 process")
    broken = tmp_path / "broken"
    broken.write_bytes(cores[0].read_bytes()[:100_000])
    check_broken(broken, program, cores[1])


def check_broken(broken: Path, program: Path, core: Path) -> None:
    done = support.shell("check", "--exec", program, core, broken)
    assert done.returncode == 2
    assert done.stdout.splitlines()[-1].startswith("no findings in 1 process,")
    assert re.sub(r"\d+ bytes", "N bytes", done.stderr).splitlines() == [
        f"mpipp: {broken} is truncated: it has 100000 of N bytes",
        f'mpipp: gdb: "{broken}" is not a core dump: file format not recognized',
        "mpipp: 1 of 2 cores were checked",
    ]


@support.on_mpi("mpich4")
def test_a_core_that_is_cut_off(mpi: support.MPI, tmp_path: Path) -> None:
    program = support.compile_program(PROGRAM, mpi)
    with ranks(program, mpi) as pids:
        core = cores.as_the_kernel(dumped(pids[1], tmp_path / "core"), tmp_path / "kernel's")
    core.write_bytes(core.read_bytes()[:100_000])
    assert elf.program_of_core(str(core)) == str(program)
    done = support.shell("check", core)
    assert done.returncode == 2 and not done.stdout
    said = re.sub(r"\d+ bytes", "N bytes", done.stderr).splitlines()
    assert said[:2] == [
        f"mpipp: {core} is truncated: it has 100000 of N bytes",
        f"mpipp: gdb: BFD: warning: {core} has a segment extending past end of file",
    ]
    assert said[-1].startswith(
        "mpipp: gdb could not check the core files: The core file is truncated to "
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "/bin/sh"], "/bin/sh is not a core file of a 64-bit process"),
        (["check", "/nowhere"], "cannot read /nowhere: No such file or directory"),
        (
            ["check", "/nowhere", "/nowhere"],
            "/nowhere is passed twice: pass one core file for each process",
        ),
    ],
)
def test_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err == f"mpipp: {said}\n"


def test_core_without_a_program(tmp_path: Path) -> None:
    core = tmp_path / "core"
    core.write_bytes(b"\x7fELF\x02\x01".ljust(16, b"\0") + b"\4\0" + bytes(100))
    assert elf.program_of_core(str(core)) == ""
    said = support.shell("check", "--exec", __file__, core).stderr
    assert said == f"mpipp: {__file__} is not a program: check --exec\n"
    with pytest.raises(MpippError, match="not a core file"):
        elf.program_of_core(sys.executable)

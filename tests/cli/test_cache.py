# SPDX-License-Identifier: MIT
"""The cache: mpipp uses no file in it that other users could have written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from mpipp.common.cache import build_directory, cache_directory, trusted
from mpipp.common.errors import MpippError
from mpipp.toolchain import build_wrapper
from mpipp.toolchain import mpi_libraries as mpis
from mpipp.watcher.ipc import launch
from tests.support import (
    MPI,
    ROOT,
    another_user,
    clean_environment,
    finished,
    need,
    on_mpi,
    running,
    shared_directory,
    shell,
)

NODES = "which other nodes may not see"


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory that is used if the cache is untrusted."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    build_wrapper._say.cache_clear()
    return tmp_path / f"mpipp-cache-{os.geteuid()}"


def installed() -> mpis.Mpi:
    """The MPI library of the build."""
    return mpis.probe(need("mpicc.mpich"))


def test_only_the_user_may_look_into_what_is_made(sources: Path, tmp_path: Path) -> None:
    os.environ["MPIPP_CACHE"] = str(tmp_path / "one" / "two")
    before = os.umask(0)
    try:
        library = build_wrapper.build(installed())
    finally:
        os.umask(before)
    modes = [one.stat().st_mode & 0o777 for one in (tmp_path / "one", tmp_path / "one" / "two")]
    assert modes == [0o700, 0o700]
    # With any umask, other users may not write, and the cache is used.
    assert all(
        not one.stat().st_mode & 0o022 for one in (library.parent, *library.parent.iterdir())
    )
    assert trusted() == (tmp_path / "one" / "two", "")
    assert build_wrapper.build(installed()) == library


@pytest.mark.parametrize("which", ["cache", "directory", "library", "script", "part", "interposer"])
def test_what_another_user_has_put_there_is_not_used(
    which: str, sources: Path, private: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user = another_user()
    library = build_wrapper.build(installed())
    planted = {
        "cache": cache_directory(),
        "directory": library.parent,
        "library": library,
        "script": library.parent / f"{library.name}-gdb.py",
        "part": Path(launch.part_path(str(library), "guard")),
        "interposer": library.parent / launch.INTERPOSER,
    }[which]
    os.chown(planted, user, -1)
    capsys.readouterr()
    other = build_wrapper.build(installed())
    assert other.parent.parent == private
    assert private.stat().st_mode & 0o777 == 0o700
    assert capsys.readouterr().err == (
        f"mpipp: the cache directory is {private}, {NODES}, instead of {cache_directory()}: "
        f"{planted} belongs to nobody\n"
    )
    # The wrapper is built once, and this is reported once in a run of mpipp.
    assert build_wrapper.build(installed()) == other
    assert capsys.readouterr().err == ""


def test_what_others_may_write_is_not_used(sources: Path, private: Path) -> None:
    library = build_wrapper.build(installed())
    cache_directory().chmod(0o777)
    assert trusted() == (private, f"others may write {cache_directory()}")
    cache_directory().chmod(0o1777)  # other users could add files to it
    assert trusted() == (private, f"others may write {cache_directory()}")
    cache_directory().chmod(0o700)
    library.chmod(0o646)
    assert trusted() == (private, f"others may write {library}")


def test_no_directory_of_the_users_own(sources: Path, private: Path) -> None:
    user = another_user()
    for directory in (cache_directory(), private):
        directory.mkdir()
        os.chown(directory, user, -1)
    with pytest.raises(MpippError) as raised:
        build_wrapper.build(installed())
    assert str(raised.value) == (
        f"there is no cache directory that only you can write: {cache_directory()} belongs to "
        f"nobody, and {private} belongs to nobody: set MPIPP_CACHE to a directory of your own"
    )


def test_a_cache_that_cannot_be_searched() -> None:
    number = another_user()
    if ROOT.stat().st_mode & 0o005 != 0o005:
        pytest.skip(f"another user cannot read {ROOT}")
    python = need("python3", path="/usr/bin")
    with shared_directory() as directory:
        closed, temporary = directory / "closed", directory / "temporary"
        closed.mkdir(0o700)
        temporary.mkdir()
        os.chown(temporary, number, -1)
        env = {"MPIPP_CACHE": str(closed / "cache"), "TMPDIR": str(temporary)}
        done = shell("doctor", env=env, python=python, user="nobody")
    assert "Traceback" not in done.stderr
    assert (
        f"cache directory: {temporary}/mpipp-cache-{number}, {NODES}, instead of {closed}/cache: "
        f"cannot search {closed} (Permission denied)"
    ) in done.stdout


def test_a_program_gets_nothing_from_a_cache_of_another_user(tmp_path: Path) -> None:
    user = another_user()
    cache, temporary = tmp_path / "cache", tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / "main.c").write_text(
        "int main(void) { int a[4]; return ((volatile int *)a)[0]*0; }\n"
    )
    env = {"MPIPP_CACHE": str(cache), "TMPDIR": str(temporary)}
    words = ("cc", "--mpicc", need("gcc"), "main.c", "-o", "program")
    done = shell(*words, cwd=tmp_path, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    (planted,) = cache.glob("program-*/libmpipp_executable.a")
    planted.write_bytes(b"!<arch>\n")
    os.chown(planted, user, -1)
    done = shell(*words, cwd=tmp_path, env=env)
    assert done.returncode == 0
    assert done.stderr.endswith(f"instead of {cache}: {planted} belongs to nobody\n")
    assert subprocess.run([tmp_path / "program"], check=False).returncode == 0


# Tests of the cache's use by gdb.

SHOW = "python print('allowed:', gdb.parameter('auto-load safe-path'))"


def test_gdb_runs_no_script_of_a_cache_of_another_user(tmp_path: Path) -> None:
    user = another_user()
    cache = tmp_path / "cache"
    (cache / "build").mkdir(parents=True)
    env = {"MPIPP_CACHE": str(cache), "TMPDIR": str(tmp_path)}
    words = ("gdb", "-nx", "-batch", "-ex", SHOW)
    assert str(cache) in shell(*words, env=env).stdout
    os.chown(cache / "build", user, -1)
    done = shell(*words, env=env)
    assert "allowed:" in done.stdout and str(tmp_path) not in done.stdout


def test_gdb_loads_no_mpipp_that_another_user_has_put_in_its_place(tmp_path: Path) -> None:
    user = another_user()
    package = tmp_path / "mpipp"
    package.mkdir()
    (package / "gdb_printers.py").write_text("print('the planted one')\n")
    os.chown(package, user, -1)
    script = build_wrapper._autoload().replace(str(ROOT / "mpipp"), str(package))
    (tmp_path / "script.py").write_text(script)
    words = [need("gdb"), "-nx", "-batch", "-x", str(tmp_path / "script.py")]
    done = finished(
        words, 60, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert "planted" not in done.stdout
    assert f"mpipp: not loaded: {package} belongs to nobody\n" in done.stderr
    os.chown(package, os.geteuid(), -1)
    done = finished(
        words, 60, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert "the planted one" in done.stdout


# Tests in which a process that builds the wrapper is killed.

BUILDER = """\
import sys
from pathlib import Path
from mpipp.common.cache import build_directory
with build_directory(Path(sys.argv[1])) as made:
    (made / "object.o").touch()
    print(made, flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_builder_has_left_is_removed(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    words = [sys.executable, "-c", BUILDER, str(cache)]
    how = {"env": clean_environment(PYTHONPATH=str(ROOT)), "stdin": subprocess.PIPE}
    with running(words, stdout=subprocess.PIPE, **how) as killed:
        assert killed.stdout
        left = Path(killed.stdout.readline().strip())
        killed.send_signal(signal.SIGKILL)
    assert (left / "object.o").exists()
    # A folder without mpipp's mark may belong to anybody.
    unmarked = cache / ".build-unmarked"
    unmarked.mkdir()
    (unmarked / "file").touch()
    elsewhere = cache / ".build-elsewhere"
    elsewhere.mkdir()
    (elsewhere / "builder").write_text("another-node")
    with running(words, stdout=subprocess.PIPE, **how) as builds:
        assert builds.stdout
        lives = Path(builds.stdout.readline().strip())
        assert not left.exists()
        with build_directory(cache) as made:
            assert {made, lives, unmarked, elsewhere} == set(cache.iterdir())
    assert {unmarked, elsewhere} == set(cache.iterdir())


def test_a_link_in_place_of_what_a_builder_left_is_not_followed(tmp_path: Path) -> None:
    cache, other = tmp_path / "cache", tmp_path / "other"
    cache.mkdir()
    other.mkdir()
    (other / "builder").write_text(os.uname().nodename)
    (cache / ".build-link").symlink_to(other)
    with build_directory(cache):
        pass
    assert (other / "builder").exists()


# A built wrapper needs no compiler.


@on_mpi("mpich4", "openmpi4")
def test_a_wrapper_that_is_there_is_known_without_a_compiler(mpi: MPI, sources: Path) -> None:
    here = mpis.probe(mpi.mpicc)
    assert build_wrapper.newest(here.flavor, "/nowhere") is None
    library = build_wrapper.build(here)
    found = build_wrapper.newest(here.flavor, "/nowhere")
    assert found is not None
    assert (found.wrapper, found.name, found.version) == (str(library), here.name, here.version)
    # Use the wrapper for the library's own version, else the newest.
    other = build_wrapper.build(replace(here, version="99.1"))
    os.utime(other, (0, 0))
    assert build_wrapper.newest(here.flavor, "/nowhere") == found
    (sources / "library").write_bytes(b"\0version 99.1\0")
    found = build_wrapper.newest(here.flavor, str(sources / "library"))
    assert found is not None and found.version == "99.1"
    # Do not use a wrapper from other sources.
    (sources / "one.c").write_text("int other;\n")
    assert build_wrapper.newest(here.flavor, "/nowhere") is None

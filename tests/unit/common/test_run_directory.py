# SPDX-License-Identifier: MIT
"""A run's directory is safe: mpipp writes, removes or waits for no files of other users in it."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from mpipp.common.errors import MpippError
from mpipp.common.run_directory import (
    DATA,
    NODES,
    PROCESSES,
    STRICT,
    TEXT,
    Refused,
    RunDirectory,
    opened,
    parsed,
    paths,
    read,
)
from mpipp.distributed.process_file import decompression
from tests.support import lacking

NOBODY = 65534


def made(path: Path) -> RunDirectory:
    """The directory of an earlier run."""
    run = RunDirectory(str(path))
    run.begin()
    run.publish(f"{NODES}/one-1.json", b"{}")
    run.publish(f"{STRICT}/started-7/processes/one", b"")
    run.publish(TEXT, b"no errors\n")
    return run


def given_to_nobody(*of: Path) -> None:
    """Give files to another user. Skips the test if that is impossible."""
    if os.geteuid() != 0:
        lacking("only root gives files to another user")
    for path in of:
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def refusal(run: RunDirectory) -> str:
    with pytest.raises(MpippError) as found:
        run.begin()
    message = str(found.value)
    begin, end = f"--report {run.path}: ", ": name a directory that only mpipp uses"
    assert message.startswith(begin) and message.endswith(end)
    return message[len(begin) : -len(end)]


def test_a_run_removes_what_the_one_before_has_left_for_watchers(tmp_path: Path) -> None:
    run = made(tmp_path / "some" / "report")
    run.begin()
    assert sorted(os.listdir(run.path)) == [TEXT, "mpipp"]
    assert os.listdir(os.path.join(run.path, "mpipp")) == ["made-by-mpipp"]
    run.publish(DATA, b"{}")
    assert os.stat(os.path.join(run.path, DATA)).st_mode & 0o777 == 0o644 & ~umask()
    run.discard()
    assert os.listdir(tmp_path / "some") == []


def umask() -> int:
    before = os.umask(0)
    os.umask(before)
    return before


@pytest.mark.parametrize("name", ["logs/run.log", "nodes/mesh", "strict/x", "notes.txt", ".git/x"])
@pytest.mark.parametrize("is_marked", [False, True])
def test_files_of_the_user_stay(tmp_path: Path, name: str, is_marked: bool) -> None:
    run = made(tmp_path) if is_marked else RunDirectory(str(tmp_path))
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    first = name.partition("/")[0]
    assert refusal(run) == f"it has '{first}', which mpipp did not create"
    assert (tmp_path / name).read_text() == "mine"
    assert paths(str(tmp_path / NODES)) == [f"{tmp_path}/{NODES}/one-1.json"] * is_marked


def test_a_folder_of_that_name_is_not_mpipps(tmp_path: Path) -> None:
    (tmp_path / "mpipp").mkdir()
    (tmp_path / "mpipp" / "cli.py").write_text("mine")
    run = RunDirectory(str(tmp_path))
    assert refusal(run) == "it has 'mpipp/cli.py', which mpipp did not create"
    writes: list[Callable[[], object]] = [
        lambda: run.publish(TEXT, b""),
        run.discard,
        lambda: run.clear("mpipp"),
    ]
    for write in writes:
        with pytest.raises(Refused, match="mpipp did not create"):
            write()
    assert os.listdir(tmp_path / "mpipp") == ["cli.py"]


def test_a_directory_in_place_of_a_file(tmp_path: Path) -> None:
    run = made(tmp_path)
    (tmp_path / DATA).mkdir()
    assert refusal(run) == f"it has '{DATA}', which mpipp did not create"


@pytest.mark.parametrize("name", [TEXT, DATA, f"{NODES}/one-1.json"])
def test_a_file_is_renamed_into_place(tmp_path: Path, name: str) -> None:
    """The new file replaces anything. If it replaces a link, the link's target does not change."""
    run, victim = made(tmp_path / "report"), tmp_path / "victim"
    victim.write_text("mine")
    at = tmp_path / "report" / name
    at.unlink(missing_ok=True)
    at.symlink_to(victim)
    assert not run.claim(name)
    run.publish(name, b"new")
    assert (victim.read_text(), at.read_text(), at.is_symlink()) == ("mine", "new", False)


@pytest.mark.parametrize("name", ["mpipp", NODES])
def test_folders_that_are_links_lead_nowhere(tmp_path: Path, name: str) -> None:
    run, victim = made(tmp_path / "report"), tmp_path / "victim"
    made(victim)
    at = tmp_path / "report" / name
    at.rename(tmp_path / "away")
    at.symlink_to(victim / name)
    before = sorted(str(path) for path in victim.rglob("*"))
    last = name.rpartition("/")[2]
    for write in (
        lambda: run.publish(f"{NODES}/two-2.json", b""),
        lambda: run.claim(f"{NODES}/.key"),
        lambda: run.remove(f"{NODES}/one-1.json"),
        lambda: run.clear("mpipp/nodes/x"),
    ):
        with pytest.raises(OSError, match=f"'{last}' in it is not a directory|Not a directory"):
            write()
    if name == NODES:
        assert paths(str(at)) == []
        run.begin()  # removes the link
        assert not at.exists()
    assert sorted(str(path) for path in victim.rglob("*")) == before


def test_a_directory_of_another_user(tmp_path: Path) -> None:
    run = made(tmp_path)
    assert run.is_own
    given_to_nobody(tmp_path)
    said = f"it belongs to another user ({NOBODY})"
    assert refusal(run) == said
    with pytest.raises(MpippError, match="belongs to another user"):
        run.join()
    writes: list[Callable[[], object]] = [
        lambda: run.publish(TEXT, b""),
        run.discard,
        lambda: run.clear(NODES),
    ]
    for write in writes:
        with pytest.raises(Refused, match="belongs to another user"):
            write()
    assert not run.is_own
    assert (tmp_path / TEXT).read_text() == "no errors\n"
    # One folder of another user is enough, or a marker of another user.
    os.chown(tmp_path, os.geteuid(), os.getegid())
    assert run.is_own
    given_to_nobody(tmp_path / NODES)
    assert refusal(run) == f"'nodes' in it belongs to another user ({NOBODY})"
    os.chown(tmp_path / NODES, os.geteuid(), os.getegid())
    given_to_nobody(tmp_path / "mpipp" / "made-by-mpipp")
    assert not run.is_own
    assert refusal(run).endswith("which mpipp did not create")


def test_a_directory_that_others_may_write(tmp_path: Path) -> None:
    run = made(tmp_path)
    tmp_path.chmod(0o777)
    assert refusal(run) == "other users may write in it"
    assert not run.is_own


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for name in ("file", "file/report"):
        run = RunDirectory(str(tmp_path / name))
        assert refusal(run) == "it cannot be written (Not a directory)"
    run = RunDirectory("/proc/report")
    assert refusal(run).startswith("it cannot be written (")
    with pytest.raises(MpippError, match="it cannot be written"):
        run.join()


@pytest.mark.parametrize("name", ["../victim", "/etc/victim", "mpipp/../../victim", "mpipp//x", ""])
def test_names_stay_inside(tmp_path: Path, name: str) -> None:
    run = made(tmp_path / "report")
    with pytest.raises(Refused, match="is not the name of a file in it"):
        run.publish(name, b"")
    assert not (tmp_path / "victim").exists()


def test_several_nodes_make_it_at_the_same_time(tmp_path: Path) -> None:
    one, other = (RunDirectory(str(tmp_path / "report")) for _ in range(2))
    one.join()
    one.publish(f"{PROCESSES}/0", b"")
    other.join()
    other.publish(f"{PROCESSES}/1", b"")
    assert len(paths(str(tmp_path / "report" / PROCESSES))) == 2
    assert one.link(f"{PROCESSES}/0", "first") and not other.link(f"{PROCESSES}/1", "first")
    one.publish(f"{NODES}/one.json", b"")
    assert one.claim(f"{NODES}/.key") and not other.claim(f"{NODES}/.key")


def fifo(at: Path) -> None:
    os.mkfifo(at)


def device(at: Path) -> None:
    if os.geteuid() != 0:
        lacking("only root makes devices")
    try:
        os.mknod(at, 0o600 | 0o020000, os.makedev(1, 5))  # like /dev/zero
    except PermissionError:
        lacking("devices cannot be made here")


def link(at: Path) -> None:
    at.with_name("target").write_text("{}")
    at.symlink_to("target")


def others(at: Path) -> None:
    at.write_text("{}")
    given_to_nobody(at)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (fifo, "it is not a regular file"),
        (device, "it is not a regular file"),
        (Path.mkdir, "it is not a regular file"),
        (link, "it is not a regular file"),
        (others, "it belongs to another user than its directory"),
    ],
)
def test_what_is_not_read(tmp_path: Path, make: Callable[[Path], None], why: str) -> None:
    make(tmp_path / "one")
    with pytest.raises(OSError, match=why):
        opened(str(tmp_path / "one"))


@pytest.mark.parametrize("make", [fifo, link])
def test_what_changes_while_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    """A file that is regular when it is checked, and then replaced."""
    (tmp_path / "before").write_text("{}")
    before = os.lstat(tmp_path / "before")
    make(tmp_path / "one")
    monkeypatch.setattr(os, "lstat", lambda path: before)
    with pytest.raises(OSError, match=r"it is not a regular file|symbolic links"):
        opened(str(tmp_path / "one"))


def test_no_more_is_read_than_a_run_writes(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"12345")
    assert read(str(tmp_path / "one"), most=5) == b"12345"
    with pytest.raises(OSError, match="it has more than 4 bytes"):
        read(str(tmp_path / "one"), most=4)


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 100_000,
        b"9" * 1_000_000,
        b"[1, " + b"7" * 21 + b"]",
        b"NaN",
        b"[-Infinity]",
        b"\xff",
        "[1]".encode("utf-16"),
    ],
)
def test_json_that_no_run_writes(text: bytes) -> None:
    with pytest.raises(ValueError):
        parsed(text)


def test_json_as_runs_write_it() -> None:
    text = f'[{1 << 63}, -{1 << 63}, {(1 << 64) - 1}, "{"7" * 40}", 1.5]'
    assert parsed(text.encode()) == [1 << 63, -1 << 63, (1 << 64) - 1, "7" * 40, 1.5]


def unpacked(tmp_path: Path, content: bytes, size: int, most: int) -> list[bytes]:
    at = tmp_path / "packed"
    at.write_bytes(content)
    with open(at, "rb") as file:
        return list(decompression.lines(decompression.pieces(file, size, most, "FILE")))


def test_lines_of_a_compressed_file(tmp_path: Path) -> None:
    """Lines that are longer than a piece, and a last line without an end."""
    text = b"first\n\n" + b"x" * 3_000_000 + b"\nlast"
    content = zlib.compress(text)
    assert unpacked(tmp_path, content, len(content), len(text)) == text.split(b"\n")


@pytest.mark.parametrize(
    ("content", "size", "why"),
    [
        (zlib.compress(bytes(1 << 24)), None, "expands to more than 1,048,576 bytes"),
        (zlib.compress(bytes(1 << 24)), 1 << 40, r"has \d+ bytes of 1099511627776: .* not whole"),
        (zlib.compress(os.urandom(999))[:-9], None, "its compressed data has no end"),
        (b"", None, "its compressed data has no end"),
        (b"no zlib", None, "Error -3 while decompressing"),
    ],
    ids=["huge", "huge and said", "cut", "empty", "another format"],
)
def test_a_small_file_that_stands_for_a_huge_one(
    tmp_path: Path, content: bytes, size: int | None, why: str
) -> None:
    with pytest.raises(MpippError, match=f"^FILE .*{why}"):
        unpacked(tmp_path, content, len(content) if size is None else size, 1 << 20)

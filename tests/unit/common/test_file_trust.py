# SPDX-License-Identifier: MIT
"""Tests of files that other users may have written, by any directory or link on the path."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable
from pathlib import Path

import pytest

from mpipp.common import file_trust
from tests.support import another_user, shared_directory


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file two directories below tmp_path."""
    made = tmp_path / "above" / "below" / "file"
    made.parent.mkdir(parents=True)
    made.touch()
    return made


def test_the_users_own_and_the_systems_files_have_no_problem(file: Path) -> None:
    assert file_trust.problem(file) == ""
    assert file_trust.problem("/bin/sh") == file_trust.problem("/bin/sh", owners=(0,)) == ""
    assert file_trust.problem(file.parent / "absent" / "more") == ""


@pytest.mark.parametrize("name", ["above", "above/below", "above/below/file"])
@pytest.mark.parametrize(
    ("mode", "who"), [(0o775, "its group may write "), (0o757, "others may write ")]
)
def test_what_others_may_write(file: Path, tmp_path: Path, name: str, mode: int, who: str) -> None:
    changed = tmp_path / name
    changed.chmod(mode)
    if os.geteuid():  # the group may belong to this user alone
        pytest.skip("only root's group is known not to be of one user")
    assert file_trust.problem(file) == f"{who}{changed}"


@pytest.mark.parametrize("name", ["above", "above/below", "above/below/file"])
def test_what_others_own(file: Path, tmp_path: Path, name: str) -> None:
    changed = tmp_path / name
    os.chown(changed, another_user(), -1)
    assert file_trust.problem(file) == f"{changed} belongs to nobody"


def test_an_owner_without_a_name(file: Path) -> None:
    another_user()
    os.chown(file, 54321, -1)
    assert file_trust.problem(file) == f"{file} belongs to user 54321"


def test_only_root_if_that_is_asked_for(file: Path) -> None:
    user = another_user()
    os.chown(file, user, -1)
    assert file_trust.problem(file, owners=(0, user)) == ""
    assert file_trust.problem(file, owners=(0,)) == f"{file} belongs to nobody"


def test_a_sticky_directory_is_a_way_and_no_end(file: Path, tmp_path: Path) -> None:
    (tmp_path / "above").chmod(0o1777)
    assert file_trust.problem(file) == ""
    assert file_trust.problem(tmp_path / "above") == f"others may write {tmp_path / 'above'}"
    assert file_trust.problem(tmp_path / "above" / ".") == f"others may write {tmp_path / 'above'}"
    os.chown(file.parent, another_user(), -1)
    assert file_trust.problem(file) == f"{file.parent} belongs to nobody"


def test_links(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("above/../above/./below")
    assert file_trust.problem(link / "file") == ""
    relative = os.path.relpath(link / "file")
    assert file_trust.problem(relative) == ""
    file.parent.chmod(0o777)
    assert file_trust.problem(link / "file") == f"others may write {file.parent}"
    assert file_trust.problem(relative) == f"others may write {file.parent}"
    file.parent.chmod(0o755)
    os.lchown(link, another_user(), -1)
    assert file_trust.problem(link / "file") == f"{link} belongs to nobody"
    # The directories on the link's path count, too.
    assert file_trust.problem(link / ".." / "below" / "file") == f"{link} belongs to nobody"


def test_a_circle_of_links(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    assert file_trust.problem(tmp_path / "one").endswith(" has too many symbolic links")


def test_a_group_of_one_user(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    another_user()
    user = pwd.getpwnam("daemon")  # its group has the same name
    monkeypatch.setattr(os, "geteuid", lambda: user.pw_uid)
    os.chown(file, user.pw_uid, user.pw_gid)
    file.chmod(0o660)
    assert file_trust.problem(file) == ""
    os.chown(file, user.pw_uid, pwd.getpwnam("nobody").pw_gid)
    assert file_trust.problem(file) == f"its group may write {file}"
    # With an access list, the mode's group bits are only an upper limit.
    os.chown(file, user.pw_uid, user.pw_gid)
    monkeypatch.setattr(os, "listxattr", lambda *_, **__: ["system.posix_acl_access"])
    assert file_trust.problem(file) == f"its group may write {file}"


def as_another(asked: Callable[[], str]) -> str:
    """The result of a function, run as another user."""
    user = another_user()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            os.write(writing, asked().encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with open(reading) as said:
        return said.read()


def test_a_directory_that_cannot_be_searched() -> None:
    another_user()
    with shared_directory() as directory:
        closed = directory / "closed"
        closed.mkdir(0o700)
        told = as_another(lambda: file_trust.problem(closed / "file"))
        assert told == f"cannot search {closed} (Permission denied)"


def test_names_that_others_have_chosen(tmp_path: Path) -> None:
    named = tmp_path / "a\x1b[2Jb\n"
    named.mkdir()
    os.chown(named, another_user(), -1)
    assert file_trust.problem(named) == f"{str(named)!a} belongs to nobody"
    assert file_trust.problem(named).isprintable()

# SPDX-License-Identifier: MIT
"""Checks whether users other than root and this one can have written or replaced a file.

This text is also copied into the script beside the wrapper, which gdb runs. So this module may use
only the standard library.
"""

from __future__ import annotations

import errno
import os
import pwd
import stat

_MOST_LINKS = 40  # Linux follows no more symbolic links in a path


def problem(path: str | os.PathLike[str], *, owners: tuple[int, ...] | None = None) -> str:
    """Return why other users could have written or replaced a file: "/a/b belongs to nobody".

    Checks every directory and symbolic link on the way from the root, and the file itself. Root or
    this user must own all of these, and nobody else may write them. A directory on the way may be
    writable by others if it has the sticky bit, like /tmp. In such a directory only the owner of an
    entry can replace it. A missing file has no problem.

    Args:
        path: path of a file or a directory.
        owners: user ids that may own the file and its directories; by default root and this user.

    Returns:
        The end of a sentence; "" if there is no problem.
    """
    trusted = (0, os.geteuid()) if owners is None else owners
    there, links = "/", 0
    try:
        names = os.path.join(os.getcwd(), path).split("/")[::-1]  # a stack: pops the next name
        while True:
            while names and names[-1] in ("", "."):
                names.pop()
            state = os.lstat(there)
            found = _of_entry(there, state, trusted, is_last=not names)
            if found:
                return found
            if stat.S_ISLNK(state.st_mode):
                links += 1
                if links > _MOST_LINKS:
                    return f"{shown(there)} has too many symbolic links"
                target = os.readlink(there)
                names += target.split("/")[::-1]
                there = "/" if target.startswith("/") else os.path.dirname(there)
            elif not names:
                return ""
            else:
                # `path` has no symbolic link left, so its parent is the directory that its text
                # names.
                name = names.pop()
                there = os.path.dirname(there) if name == ".." else os.path.join(there, name)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return ""
        return f"cannot search {shown(os.path.dirname(there))} ({error.strerror})"


def entry_problem(path: str | os.PathLike[str]) -> str:
    """Return the same as `problem` for an entry of a directory that has no problem."""
    try:
        state = os.lstat(path)
    except OSError:
        return problem(path)
    if stat.S_ISLNK(state.st_mode):
        return problem(path)
    return _of_entry(os.fspath(path), state, (0, os.geteuid()), is_last=True)


def shown(path: str | os.PathLike[str]) -> str:
    """Return a path for a message, with control characters escaped."""
    text = os.fspath(path)
    return text if text.isprintable() else ascii(text)


def _of_entry(path: str, state: os.stat_result, trusted: tuple[int, ...], *, is_last: bool) -> str:
    mode = state.st_mode
    if state.st_uid not in trusted:
        return f"{shown(path)} belongs to {_user(state.st_uid)}"
    is_sticky = stat.S_ISDIR(mode) and mode & stat.S_ISVTX
    if stat.S_ISLNK(mode) or (is_sticky and not is_last):
        return ""
    if mode & stat.S_IWOTH:
        return f"others may write {shown(path)}"
    if mode & stat.S_IWGRP and not _is_private_group(path, state.st_gid):
        return f"its group may write {shown(path)}"
    return ""


def _is_private_group(path: str, group: int) -> bool:
    # Many systems give each user a private group of the same name. An access control list may give
    # others rights that the group's mode bits do not show. In some containers root's group has
    # other members.
    import grp

    try:
        if "system.posix_acl_access" in os.listxattr(path, follow_symlinks=False):
            return False
    except OSError:  # the file system has no access control lists
        pass
    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    is_own = group == user.pw_gid and found.gr_name == user.pw_name
    return is_own and group != 0 and set(found.gr_mem) <= {user.pw_name}


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"

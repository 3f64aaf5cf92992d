# SPDX-License-Identifier: MIT
"""Trust in a file: from root and this user, or from others, who could have written or replaced it.

The script that gdb runs beside the wrapper contains this text: standard library only.
"""

from __future__ import annotations

import errno
import os
import pwd
import stat

_MOST_LINKS = 40  # symbolic links on the way to a file, as Linux has it


def problem(path: str | os.PathLike[str], *, owners: tuple[int, ...] | None = None) -> str:
    """The reason why others could have written a file, or could replace it: "/a/b belongs to
    nobody".

    Checks every directory and symbolic link on the way from the root, and the file itself. Root or
    this user must own it, and nobody else may write it. A directory on the way may be writable by
    others if it has the sticky bit, like /tmp. Then only the owner of an entry can replace it. A
    missing file has no problem.

    Args:
        path: path of a file or a directory.
        owners: user ids that may own all of it; by default root and this user.

    Returns:
        The end of a sentence; "" if there is no problem.
    """
    trusted = (0, os.geteuid()) if owners is None else owners
    there, links = "/", 0
    try:
        names = os.path.join(os.getcwd(), path).split("/")[::-1]  # the next one is the last
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
                # No link is left in it, so that its parent is where it says.
                name = names.pop()
                there = os.path.dirname(there) if name == ".." else os.path.join(there, name)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return ""
        return f"cannot search {shown(os.path.dirname(there))} ({error.strerror})"


def shown(path: str | os.PathLike[str]) -> str:
    """A path for a message: with escapes if others could have put control characters into it."""
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
    # Many systems give each user a group of the same name, without other members. The mode of a
    # file with an access list (acl) says nothing about the group. Root's group has others in some
    # containers.
    import grp

    try:
        if "system.posix_acl_access" in os.listxattr(path, follow_symlinks=False):
            return False
    except OSError:  # a file system without such lists
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

# SPDX-License-Identifier: MIT
"""without_ptrace.py COMMAND...: run a command in a container that forbids debuggers.

As seccomp filters of containers do, it refuses to trace processes and to read their memory
(x86-64).
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_DENIED = (101, 310, 311)  # ptrace, process_vm_readv, process_vm_writev
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06  # BPF's instructions
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # SECCOMP_RET_ALLOW; SECCOMP_RET_ERRNO with EPERM
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2  # for prctl


def main() -> None:
    """Install the filter, and become the command."""
    count = len(_DENIED)
    lines = [(_LOAD, 0, 0, 0)]
    lines += [(_IF_EQUAL, count - at, 0, number) for at, number in enumerate(_DENIED)]
    lines += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in lines))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(lines), ctypes.addressof(code)))
    libc = ctypes.CDLL(None)
    assert libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
    assert libc.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0) == 0
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()

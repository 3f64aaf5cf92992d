# SPDX-License-Identifier: MIT
"""Makes gdb show MPI handles and communication buffers: `source` this file in gdb.

This file can be sourced by any path and from any directory, without installation. Sourcing it again
reloads mpipp. The file must stay readable for old Pythons, so that it can report their version.
"""

import gc
import os
import re
import sys

import gdb

_OLDEST_GDB = (10, 0)
_OLDEST_PYTHON = (3, 9)


def _too_old() -> str:
    # Returns a sentence if this gdb cannot run mpipp, else "".
    found = re.match(r"\D*(\d+)\.(\d+)", gdb.VERSION)
    if found and tuple(map(int, found.groups())) < _OLDEST_GDB:
        return f"this is gdb {gdb.VERSION}, mpipp needs gdb {_OLDEST_GDB[0]} or newer"
    if sys.version_info < _OLDEST_PYTHON:
        has, needs = sys.version_info[:2], _OLDEST_PYTHON
        return (
            f"this gdb has Python {has[0]}.{has[1]}, "
            f"mpipp needs a gdb with Python {needs[0]}.{needs[1]} or newer"
        )
    return ""


def _load() -> None:
    # Returns the folder of the package beside this file, even if another mpipp is loaded or
    # installed. gdb sets __file__ only for the outermost of the scripts that it is executing.
    here = os.path.realpath(_load.__code__.co_filename)
    parent = os.path.dirname(os.path.dirname(here))
    loaded = sys.modules.get("mpipp.gdb")
    if loaded is not None and hasattr(loaded, "unregister"):
        loaded.unregister()
    for name in [name for name in sys.modules if name == "mpipp" or name.startswith("mpipp.")]:
        del sys.modules[name]
    if parent in sys.path:
        sys.path.remove(parent)
    sys.path.insert(0, parent)
    # Turns off garbage collection, which would take a seventh of the loading time: all objects
    # stay.
    collects = gc.isenabled()
    gc.disable()
    try:
        import mpipp.gdb

        mpipp.gdb.register()
    finally:
        if collects:
            gc.enable()


if _too_old():
    sys.stderr.write(f"mpipp: {_too_old()}\n")
else:
    _load()

# SPDX-License-Identifier: MIT
"""The thread that gdb has selected, if it still exists."""

from __future__ import annotations

import gdb


def selected_thread() -> gdb.InferiorThread | None:
    """The selected thread; None if gdb has none, or if it has ended.

    gdb keeps a thread selected that ends, but removes the Python object of the thread.
    `gdb.selected_thread` then raises SystemError.
    """
    try:
        return gdb.selected_thread()
    except SystemError:
        return None

# SPDX-License-Identifier: MIT
"""Select a frame without printing it. Tests source this in gdb."""

import gdb


def select_frame(function: str) -> None:
    """Select the innermost frame of a function; keep the selected frame if there is none."""
    frame = gdb.newest_frame()
    while frame is not None and frame.name() != function:
        frame = frame.older()
    if frame is not None:
        frame.select()


def select_thread(function: str) -> None:
    """Select the thread that is in a function."""
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        frame = gdb.newest_frame()
        while frame is not None:
            if frame.name() == function:
                return
            frame = frame.older()

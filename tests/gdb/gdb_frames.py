# SPDX-License-Identifier: MIT
"""Sourced by gdb in tests: selects a frame without printing it."""

import gdb


def select_frame(function: str) -> None:
    """Select the innermost frame of a function; the frame stays if there is none."""
    frame = gdb.newest_frame()
    while frame is not None and frame.name() != function:
        frame = frame.older()
    if frame is not None:
        frame.select()


def select_thread(function: str) -> None:
    """Select the thread that is inside a function."""
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        frame = gdb.newest_frame()
        while frame is not None:
            if frame.name() == function:
                return
            frame = frame.older()

# SPDX-License-Identifier: MIT
"""The files of a debugged job: a restart closes some, and opens others."""

from __future__ import annotations

import os
import selectors

from mpipp.cli.commands.debug.job import listen


def test_a_file_with_the_number_of_a_closed_one_is_not_read() -> None:
    selector = selectors.DefaultSelector()
    pipes = [os.pipe(), os.pipe()]
    new = os.pipe()
    done: list[str] = []

    def replace(other: int) -> None:
        done.append("old")
        selector.unregister(other)
        os.dup2(new[0], other)  # nothing to read there: a read would wait forever
        selector.register(other, selectors.EVENT_READ, lambda: done.append("new"))

    for (reader, writer), (other, _) in zip(pipes, reversed(pipes)):
        os.write(writer, b"x")
        selector.register(reader, selectors.EVENT_READ, lambda other=other: replace(other))
    listen(selector, 1)
    selector.close()
    for one in (*pipes, new):
        os.close(one[0])
        os.close(one[1])
    assert done == ["old"]

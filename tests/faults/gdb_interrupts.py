# SPDX-License-Identifier: MIT
"""A script for gdb: interrupt stress.c many times, and compare its records with each other."""

import collections
import re
import subprocess
from typing import Any

import gdb

from mpipp.gdb.program import sessions
from mpipp.model import Broken

MOST = 12
# The object that a call frees may be changing, which is reported.
FREED = re.compile(r"(in MPI_\w+_free, .*\n\s+\w+ = )<the record at 0x[0-9a-f]+ is being changed>")
seen: Any = collections.Counter()
wrong: list[Any] = []


def expect(what, true, *details):
    """Count a comparison, and store its failure."""
    seen[what] += 1
    if not true and len(wrong) < 20:
        wrong.append((what, *map(str, details)))


def vectors(registry):
    """Check that each vector's arguments agree with its size and component."""
    for found in registry.objects("datatype", ended=True):
        if isinstance(found, Broken):
            expect("sound datatype", False, found)
            continue
        expect("sound datatype", True)
        tree = found.tree
        if tree.combiner != "VECTOR":
            continue
        count, length = tree.arguments["count"], tree.arguments["blocklength"]
        (inner,) = tree.components
        expect("stride", tree.arguments["stride"] == 1000 * count + length, tree.arguments)
        expect("component", inner.arguments == {"count": 100 * count + length}, tree, inner)
        if not found.header.freed:
            expect("size", tree.size == 4 * count * length * (100 * count + length), tree)
            expect("extents", tree.extents == tree.computed, tree.extents, tree.computed)


def call(what, recorded, start):
    """Check that an operation's count, tag and buffer agree."""
    if recorded.procedure not in ("MPI_Isend", "MPI_Irecv", "MPI_Recv_init"):
        return
    (buffer,) = recorded.buffers
    thread, n = divmod(recorded.tag, 100)
    expect(what, buffer.count == n, recorded)
    first = start["sent" if recorded.procedure == "MPI_Isend" else "received"]
    expect(what, buffer.address == first + 4 * MOST * ((MOST + 1) * thread + n), recorded)
    expect(what, buffer.datatype and buffer.datatype.header.name == "MPI_INT", recorded)


def requests(registry, start):
    """Check the call of every request."""
    for found in registry.objects("request", ended=True):
        expect("sound request", not isinstance(found, Broken), found)
        if not isinstance(found, Broken) and not found.header.null:
            call("request", found.call, start)


def threads(registry, start):
    """Check that there are at most four threads, with valid calls."""
    recorded = list(registry.threads())
    expect("threads", len(recorded) <= 4, recorded)
    for thread in recorded:
        expect("sound thread", not isinstance(thread, Broken), thread)
        if not isinstance(thread, Broken) and thread.call:
            call("call", thread.call, start)


def commands():
    """Check that no command fails."""
    for command in ("list types", "list requests --all", "list calls", "list groups", "info"):
        text = FREED.sub(r"\1", gdb.execute(f"mpipp {command}", to_string=True))
        expect(
            "command",
            "<" not in text.replace("<no", "").replace("<Datatype", "") and "Error" not in text,
            text,
        )
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        frame = gdb.newest_frame()
        while frame is not None and frame.name() not in ("run", "make", "communicate"):
            frame = frame.older()
        if frame is None:
            continue
        frame.select()
        text = gdb.execute("info locals", to_string=True)
        expect("locals", "damaged" not in text and "Error" not in text, text)


def check(times):
    """Interrupt the program this many times."""
    pid = gdb.selected_inferior().pid
    start = {name: int(gdb.parse_and_eval(f"&{name}")) for name in ("sent", "received")}
    for _ in range(times):
        with subprocess.Popen(["sh", "-c", f"sleep 0.02; kill -INT {pid}"]):
            gdb.execute("continue", to_string=True)
        registry = sessions.required().registry
        vectors(registry)
        requests(registry, start)
        threads(registry, start)
        commands()
    for line in wrong:
        print("wrong:", *line)
    print("dropped", sessions.required().registry.info.dropped)
    print("checked", dict(seen))

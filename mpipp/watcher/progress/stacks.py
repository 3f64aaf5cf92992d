# SPDX-License-Identifier: MIT
"""The stacks of all processes as one tree. The callers often show why a program hangs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mpipp.analysis.context.process import Operation
from mpipp.analysis.deadlock import stack_steps
from mpipp.common.errors import MpippError
from mpipp.model import Call, Site, Thread
from mpipp.ranks import stack_tree
from mpipp.ranks.stack_tree import MPI, PROGRAM, STATE, StackTree, Step
from mpipp.symbolizer import frame_steps, stack_unwinder
from mpipp.symbolizer.source_frames import Frame
from mpipp.watcher.ipc.protocol import FINALIZED
from mpipp.watcher.processes import python_stack, stopped_thread
from mpipp.watcher.processes.labels import ShownProcess, View
from mpipp.watcher.processes.process import RUNNING, WatchedProcess, mark

TITLE = "stacks of all processes:"


def lines(of: Sequence[ShownProcess], may_stop: bool) -> Iterator[str]:
    """A title, and a tree for each job. Processes without a rank are shown by process id.

    Args:
        may_stop: True if threads outside MPI may be stopped for a moment. Otherwise only their last
            MPI
            call is shown.
    """
    view = View(of)
    jobs: dict[int, StackTree] = {}
    others = StackTree()
    for number, one in enumerate(of):
        rank = view.rank(number)
        tree = others if rank is None else jobs.setdefault(one.spawned, StackTree())
        for stack in _of_process(one, number, view, may_stop):
            tree.add(one.registry.info.pid if rank is None else rank, stack)
    yield TITLE
    for spawned, tree in sorted(jobs.items()):
        if spawned:
            yield f"  {mark(spawned).strip()}:"
        yield from (f"  {line}" for line in stack_tree.lines(tree))
    yield from (f"  {line}" for line in stack_tree.lines(others, "processes"))


def _of_process(one: ShownProcess, number: int, view: View, may_stop: bool) -> Iterator[list[Step]]:
    try:
        threads = [t for t in one.registry.threads() if isinstance(t, Thread)]
    except MpippError as error:
        yield [Step(str(error), STATE)]
        return
    if isinstance(one, WatchedProcess) and one.state != RUNNING:
        yield [Step("past MPI_Finalize" if one.end == FINALIZED else "has ended", STATE)]
        return
    for thread in threads:
        stack = _of_thread(one, number, thread, may_stop)
        if not stack and len(threads) == 1:
            stack = [Step(view.outside(one.process(number)), STATE)]
        yield stack or [Step("not in MPI", STATE)]


def _of_thread(one: ShownProcess, number: int, thread: Thread, may_stop: bool) -> list[Step]:
    # An empty stack: the thread is outside MPI, and nothing else is known.
    call = thread.call or thread.unrecorded
    if call is not None:
        callers = _in_python(one, thread) or frame_steps.steps(_callers(one, call))
        return [*callers, *_called(one, number, call, thread)]
    if thread.marked is not None:
        callers = _in_python(one, thread) or frame_steps.steps(
            one.places.frames(thread.marked.site)
        )
        return [*callers, Step(thread.marked.procedure, MPI)]
    if not (may_stop and isinstance(one, WatchedProcess)):
        return []
    with stopped_thread.registers(one.pid, thread.tid) as found:
        if found is None:
            return []
        addresses = list(stack_unwinder.return_addresses(one.places, one.read, found, False))
        lines = _in_python(one, thread)
    frames = [frame for at in addresses for frame in one.places.calls(at)]
    return lines or frame_steps.steps(frames)


def _called(one: ShownProcess, number: int, call: Call, thread: Thread) -> list[Step]:
    try:
        return stack_steps.steps(Operation(one.process(number), call, None, thread.tid))
    except MpippError:
        return [Step(call.procedure, MPI)]


def _callers(one: ShownProcess, call: Call) -> list[Frame]:
    # The place of the call is certain. The callers of that place are certain if the stack contains
    # the place.
    known = one.places.frames(call.site)
    if call.site.python is not None or not isinstance(one, WatchedProcess) or not call.frame:
        return known
    try:
        start = stack_unwinder.in_call(one.read, call.frame)
        addresses = list(stack_unwinder.return_addresses(one.places, one.read, start))
    except MpippError:
        return known
    if call.site.address not in addresses:
        return known
    callers = addresses[addresses.index(call.site.address) :]
    return one.places.frames(Site(callers[0], tuple(callers[1:]))) or known


def _in_python(one: ShownProcess, thread: Thread) -> list[Step]:
    # The Python lines, outermost first, if the program is in Python.
    found = python_stack.lines(one, thread) if isinstance(one, WatchedProcess) else ()
    return [Step(line.text, PROGRAM, line.path, line.number) for line in reversed(found)]

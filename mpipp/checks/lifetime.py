# SPDX-License-Identifier: MIT
"""Is MPI called between its initialisation and its finalisation? (MPI-4.1, chapter 11)"""

from __future__ import annotations

from mpipp.checks.finding import Finding, Findings, Party
from mpipp.checks.process import Operation, Process
from mpipp.model import Call, Thread

# Of procedures of which nothing is recorded: those of objects that there are none of outside.
_NEED_MPI = tuple(
    f"MPI_{name}" for name in "Comm_ Cart_ Graph_ Dist_graph_ Topo_ Group_ Type_ Win_ File_".split()
)
_INITIALISING = ("MPI_Init", "MPI_Init_thread", "MPI_Session_init")


def check(process: Process) -> Findings:
    """Calls too early or too late, of a thread that is inside of them."""
    for operation in process.operations:
        if operation.tid is None:
            continue
        call = operation.call
        if call.procedure in _INITIALISING or call.procedure == "MPI_Finalize":
            yield from _once(operation)
        elif _needs_mpi(call):
            yield from _outside(process, call.procedure, operation.party())
    for thread in process.registry.threads():
        if isinstance(thread, Thread) and thread.unrecorded is not None:
            yield from _unrecorded(process, thread.tid, thread.unrecorded)


def _unrecorded(process: Process, tid: int, call: Call) -> Findings:
    procedure, site, info = call.procedure, call.site, process.registry.info
    if not procedure.startswith(_NEED_MPI) or "keyval" in procedure or not site.address:
        return
    if info.status == "loaded" or tid == info.main_thread:
        party = Party(process.number, procedure, "called at", site, tid)
        yield from _outside(process, procedure, party)


def _once(operation: Operation) -> Findings:
    # Whether MPI was initialised is seen when the call begins: it changes while the call goes on.
    procedure = operation.call.procedure
    main = operation.process.registry.info.main_thread
    if operation.call.again and procedure == "MPI_Finalize":
        yield Finding.of("finalised-again", "MPI_Finalize is called again", [operation.party()])
    elif operation.call.again:
        what = f"{procedure} is called, but MPI is initialised already"
        yield Finding.of("initialised-again", what, [operation.party()])
    elif procedure == "MPI_Finalize" and main is not None and operation.tid != main:
        what = f"thread {operation.tid} calls MPI_Finalize, but thread {main} initialised MPI"
        yield Finding.of("finalised-elsewhere", what, [operation.party()])


def _needs_mpi(call: Call) -> bool:
    # What has a communicator, a window, a file, requests, data or a group; infos, error handlers
    # and sessions may be used at any time (MPI-4.1, section 11.4.1).
    handles = (call.comm, call.win, call.file, call.op, call.requests, call.constructor)
    if call.procedure == "MPI_Abort" or call.procedure.startswith("MPI_Session_"):
        return False
    return any(handle is not None for handle in handles) or bool(call.buffers or call.arguments)


def _outside(process: Process, procedure: str, party: Party) -> Findings:
    status = process.registry.info.status
    if status == "loaded" and not _is_initialising(process):
        what = f"{procedure} is called before MPI is initialised"
        yield Finding.of("not-initialised", what, [party])
    elif status == "finalized" and not process.live_sessions:  # what is made of one outlives it
        what = f"{procedure} is called after MPI_Finalize"
        yield Finding.of("finalised", what, [party])


def _is_initialising(process: Process) -> bool:
    # By another thread, of which this one may know that it is through.
    return any(
        thread.call is not None and thread.call.procedure in _INITIALISING
        for thread in process.threads
    )

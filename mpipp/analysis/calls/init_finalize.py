# SPDX-License-Identifier: MIT
"""Check that MPI is called only between initialization and finalization (MPI-4.1, chapter 11)."""

from __future__ import annotations

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding, Findings, Party
from mpipp.model import Call, ProcessInfo, procedures

_INITIALIZING = ("MPI_Init", "MPI_Init_thread", "MPI_Session_init")
# Procedures that are allowed at any time since MPI-4.0 (section 11.4.1).
_ANY_TIME = ("MPI_Info_", "MPI_Errhandler_free")
_ANY_TIME_SINCE = (4, 0)


def check(process: Process) -> Findings:
    """Yield active calls that are too early or too late."""
    for operation in process.operations:
        if operation.tid is None:
            continue
        call = operation.call
        if call.procedure in _INITIALIZING or call.procedure == "MPI_Finalize":
            yield from _check_repeated(operation)
        elif call.again or _needs_mpi(call, process.registry.info):
            yield from _outside(process, call.procedure, operation.party())
    for operation in process.marked:
        yield from _marked(operation)


def _marked(operation: Operation) -> Findings:
    info, call = operation.process.registry.info, operation.call
    if not procedures.marked(call.procedure).needs_mpi or not call.site.address:
        return
    if info.status == "loaded" or operation.tid == info.main_thread:
        yield from _outside(operation.process, call.procedure, operation.party())


def _check_repeated(operation: Operation) -> Findings:
    # The state at the start of the call decides, because MPI changes it during the call.
    procedure = operation.call.procedure
    main = operation.process.registry.info.main_thread
    if operation.call.again and procedure == "MPI_Finalize":
        yield Finding.of("finalized-again", [operation.party()])
    elif operation.call.again:
        yield Finding.of("initialized-again", [operation.party()], procedure=procedure)
    elif procedure == "MPI_Finalize" and main is not None and operation.tid != main:
        threads = {"thread": operation.tid or 0, "main_thread": main}
        yield Finding.of("finalized-elsewhere", [operation.party()], **threads)


def _needs_mpi(call: Call, info: ProcessInfo) -> bool:
    # Return whether the call uses a communicator, a window, a file, requests, data or a group.
    # Infos, error handlers and sessions may be used at any time (MPI-4.1, section 11.4.1).
    handles = (call.comm, call.win, call.file, call.op, call.requests, call.constructor)
    if call.procedure == "MPI_Abort" or call.procedure.startswith("MPI_Session_"):
        return False
    if call.procedure not in procedures.PROCEDURES:  # mpipp does not record this procedure
        return procedures.marked(call.procedure).needs_mpi
    # The library's version may be unknown before MPI is initialized.
    version = info.standard if info.status != "loaded" else None
    if call.procedure.startswith(_ANY_TIME) and (version or _ANY_TIME_SINCE) >= _ANY_TIME_SINCE:
        return False
    return any(handle is not None for handle in handles) or bool(call.buffers or call.arguments)


def _outside(process: Process, procedure: str, party: Party) -> Findings:
    status = process.registry.info.status
    if status == "loaded" and not _is_initializing(process):
        yield Finding.of("not-initialized", [party], procedure=procedure)
    elif status == "finalized" and not process.live_sessions:  # a session's objects outlive it
        yield Finding.of("finalized", [party], procedure=procedure)


def _is_initializing(process: Process) -> bool:
    # Return whether another thread is in the initialization. This thread may already know that the
    # initialization is finished.
    return any(
        thread.call is not None and thread.call.procedure in _INITIALIZING
        for thread in process.threads
    )

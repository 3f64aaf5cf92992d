# SPDX-License-Identifier: MIT
"""Rules for handles, and for the time in which MPI may be called."""

from __future__ import annotations

from mpipp.analysis.rules.rule import REMARK, WARNING, Rule, Templates

_NEEDED = "a handle that is null, freed or never set must not be passed where an object is needed"
_NEVER_SET = (
    "pass a valid handle: the variable may never have been set, or the call that freed its "
    "object set it to null"
)
# MPI's error class for an invalid handle, by the kind of object.
CLASSES = {
    "comm": "MPI_ERR_COMM",
    "group": "MPI_ERR_GROUP",
    "op": "MPI_ERR_OP",
    "win": "MPI_ERR_WIN",
    "file": "MPI_ERR_FILE",
    "message": "MPI_ERR_REQUEST",
    "request": "MPI_ERR_REQUEST",
    "datatype": "MPI_ERR_TYPE",
    "info": "MPI_ERR_INFO",
    "errhandler": "MPI_ERR_ARG",
    "session": "MPI_ERR_SESSION",
}
_OF_KIND = "{error_class}"  # the finding has one of these classes as a fact
_KINDS = {
    "comm": ("MUST_ERROR_COMM_NULL", "MUST_ERROR_COMM_UNKNWOWN"),
    "group": ("MUST_ERROR_GROUP_NULL", "MUST_ERROR_GROUP_UNKNOWN"),
    "op": ("MUST_ERROR_OPERATION_NULL", "MUST_ERROR_OPERATION_UNKNOWN"),
    "win": ("", ""),
    "file": ("", ""),
    "message": ("", ""),
    "request": ("MUST_ERROR_REQUEST_NULL", ""),
    "datatype": ("MUST_ERROR_DATATYPE_NULL", ""),
    "info": ("", ""),
    "errhandler": ("", ""),
    "session": ("", ""),
}
# Datatypes in communication have rules of their own, so these ids differ.
_IDS = {"datatype": "type"}

RULES = (
    *(
        Rule(
            f"null-{_IDS.get(kind, kind)}",
            "null-handle",
            "2.5.1",
            _NEEDED,
            _NEVER_SET,
            null,
            error_class=CLASSES[kind],
        )
        for kind, (null, _) in _KINDS.items()
    ),
    *(
        Rule(
            f"freed-{_IDS.get(kind, kind)}",
            "freed-handle",
            "2.5.1",
            _NEEDED,
            "free the object after its last use",
            freed,
            error_class=CLASSES[kind],
        )
        for kind, (_, freed) in _KINDS.items()
        if kind != "message"
    ),
    Rule(
        "completed-request",
        "freed-handle",
        "3.7.3",
        "completing an operation frees its request: copies of the handle must not be used",
        "keep one variable for each request: MPI sets it to MPI_REQUEST_NULL when the operation "
        "completes",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "request-twice",
        "freed-handle",
        "3.7.3",
        "completing an operation frees its request: the same request must not be passed twice",
        "pass each request once: check where the array is filled",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "received-message",
        "freed-handle",
        "3.8.3",
        "receiving a matched message frees its handle: copies of the handle must not be used",
        "receive each message once, with the variable that MPI_Mprobe set",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "predefined-object-freed",
        "wrong-free",
        "2.5.1",
        "predefined objects must not be freed",
        "free only objects that the program created",
        error_class=_OF_KIND,
    ),
    Rule(
        "freed-in-use",
        "wrong-free",
        "7.4.3",
        "a freed communicator exists until its pending operations complete, but no new operation "
        "can start on it",
        "free the communicator after its last operation completes: MPI allows an earlier free, but "
        "the code is hard to understand",
        severity=WARNING,
    ),
    Rule(
        "disconnected-in-use",
        "wrong-free",
        "11.10.4",
        "all communication must be complete before MPI_Comm_disconnect",
        "complete the pending operations first, for example with MPI_Wait",
        error_class="MPI_ERR_COMM",
    ),
    Rule(
        "no-handle",
        "no-handle",
        "2.5.1",
        _NEEDED,
        "check that the variable is set before this call",
        error_class=_OF_KIND,
    ),
    Rule(
        "not-persistent",
        "not-persistent",
        "3.9",
        "only a persistent request, for example from MPI_Send_init, can be started",
        "create the request with MPI_Send_init or MPI_Recv_init, or do not start it: a nonblocking "
        "operation has already started",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "never-started",
        "never-started",
        "3.9",
        "the operation of a persistent request begins only when MPI_Start or MPI_Startall is "
        "called",
        "call MPI_Start or MPI_Startall before the wait",
        severity=WARNING,
    ),
    Rule(
        "already-active",
        "already-active",
        "3.9",
        "only a request whose operation is complete can be started again",
        "complete it first, for example with MPI_Wait",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "started-twice",
        "already-active",
        "3.9",
        "only a request whose operation is complete can be started again",
        "pass each request once: check where the array is filled",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "receive-given-up",
        "freed-active",
        "3.7.3",
        "the request of an active receive should not be freed: the program cannot know when its "
        "buffer is ready",
        "complete the receive with MPI_Wait or MPI_Test; if you do not need the message, cancel "
        "the receive first",
        severity=WARNING,
    ),
    Rule(
        "collective-given-up",
        "freed-active",
        "6.12",
        "the request of an active collective operation must be neither freed nor cancelled",
        "complete the operation, for example with MPI_Wait",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "partitioned-given-up",
        "freed-active",
        "4.2.1",
        "the request of an active partitioned operation must be neither freed nor cancelled",
        "complete the operation, for example with MPI_Wait",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "not-initialized",
        "lifetime",
        "11.4.1",
        "only a few procedures may be called before MPI is initialized",
        "call MPI_Init or MPI_Init_thread first",
    ),
    Rule(
        "finalized",
        "lifetime",
        "11.4.1",
        "only a few procedures may be called after MPI_Finalize",
        "make MPI_Finalize the last call: check for destructors and exit handlers that run later",
    ),
    Rule(
        "initialized-again",
        "lifetime",
        "11.2.1",
        "MPI must be initialized at most once",
        "check MPI_Initialized before you call MPI_Init",
        error_class="MPI_ERR_OTHER",
    ),
    Rule(
        "finalized-again",
        "lifetime",
        "11.2.2",
        "MPI_Finalize must be called only once",
        "check MPI_Finalized before you call MPI_Finalize",
    ),
    Rule(
        "returned-code",
        "returned-code",
        "9.3",
        "with MPI_ERRORS_RETURN the code that a procedure returns is the only sign of an error",
        "test the code, or set MPI_ERRORS_ARE_FATAL so that the first error ends the job; do "
        "nothing if the program already tests the code",
        severity=REMARK,
    ),
    Rule(
        "thread-level",
        "thread-level",
        "11.2.1",
        "MPI_THREAD_SINGLE allows one thread in the process, MPI_THREAD_FUNNELED calls by the "
        "thread that initialized MPI, MPI_THREAD_SERIALIZED one call at a time",
        "request the level that the program needs from MPI_Init_thread, and check the level that "
        "it provides",
    ),
    Rule(
        "concurrent-collectives",
        "concurrent-collectives",
        "11.6.2",
        "threads must order their collective calls on one communicator, window or file",
        "give each thread an object of its own, or synchronize the threads, so that all processes "
        "make the calls in the same order",
    ),
    Rule(
        "concurrent-completion",
        "concurrent-completion",
        "11.6.2",
        "only one thread at a time may wait for a request or test it: a request is completed once",
        "let one thread complete the request, or protect the request with a mutex",
    ),
    Rule(
        "finalized-elsewhere",
        "lifetime",
        "11.6.2",
        "MPI_Finalize should be called by the thread that initialized MPI",
        "call MPI_Finalize in the main thread, after the other threads have completed their "
        "communication",
        severity=WARNING,
    ),
)

_GIVEN_UP = "the request of {procedure} is {verb} while the operation is active"
_PENDING = {
    "one": "{procedure} is called for a communicator on which an operation is pending",
    "several": "{procedure} is called for a communicator on which {times} operations are pending",
}
_TWICE = "array_of_requests[{index}] is the same request as array_of_requests[{first_index}]"
WHAT: Templates = {
    **{
        f"null-{_IDS.get(kind, kind)}": "{argument} is {constant}, but {noun} is needed"
        for kind in _KINDS
    },
    **{
        f"freed-{_IDS.get(kind, kind)}": "{argument} is the handle of {noun} that was freed"
        for kind in _KINDS
    },
    "completed-request": "{argument} is a copy of the handle of {noun} that has completed",
    "request-twice": _TWICE,
    "received-message": "{argument} is the handle of {noun} that was received",
    "predefined-object-freed": "{constant} is passed to {procedure}",
    "freed-in-use": _PENDING,
    "disconnected-in-use": _PENDING,
    "no-handle": "{argument} is {handle}, which is not a handle of {noun}",
    "not-persistent": "{argument} is started, but it is not persistent: {procedure} created it",
    "never-started": "the program waited for a persistent request, but never started it",
    "already-active": "{argument} is started again, but its previous operation is not complete",
    "started-twice": _TWICE,
    "receive-given-up": "the request of {procedure} is freed while a message is being received",
    "collective-given-up": _GIVEN_UP,
    "partitioned-given-up": _GIVEN_UP,
    "not-initialized": "{procedure} is called before MPI is initialized",
    "finalized": "{procedure} is called after MPI_Finalize",
    "initialized-again": "{procedure} is called, but MPI is already initialized",
    "finalized-again": "MPI_Finalize is called again",
    "returned-code": "{procedure} returned {error_class}",
    "thread-level": {
        "beside": "{procedure} is called while another thread is in MPI, but MPI provides "
        "{constant}",
        "other": "{procedure} is called by a thread that did not initialize MPI, but MPI provides "
        "{constant}",
        "parallel-region": "{procedure} is called in a parallel region of OpenMP, but MPI provides "
        "{constant}",
    },
    "concurrent-collectives": "{procedure} is called while another thread is in a collective call "
    "on the same {noun}",
    "concurrent-completion": "{procedure} is passed a request while another thread completes the "
    "request with {other_procedure}",
    "finalized-elsewhere": "thread {thread} calls MPI_Finalize, but thread {main_thread} "
    "initialized MPI",
}

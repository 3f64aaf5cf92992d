# SPDX-License-Identifier: MIT
"""Rules for handles, and for when MPI may be called."""

from __future__ import annotations

from mpipp.analysis.rules.rule import WARNING, Rule, Templates

_NEEDED = (
    "a handle that is null, was freed or never set must not be passed where an object is needed"
)
_NEVER_SET = "the variable may never have been set, or what it named was freed through it"
# MPI's class of what is wrong with a handle, by the kind of object.
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
_OF_KIND = "{error_class}"  # one of these
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
# Datatypes that are used in communication have rules of their own.
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
            "free it after its last use",
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
        "what completes an operation frees its request: copies of the handle must not be used",
        "wait with one variable for each operation: MPI sets it to MPI_REQUEST_NULL",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "request-twice",
        "freed-handle",
        "3.7.3",
        "what completes an operation frees its request: no other handle of it must be waited for",
        "give each request once: look where the array is filled",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "received-message",
        "freed-handle",
        "3.8.3",
        "what receives a matched message takes its handle: copies of it must not be used",
        "receive each message once, with the variable that MPI_Mprobe has set",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "predefined-object-freed",
        "wrong-free",
        "2.5.1",
        "predefined objects must not be freed",
        "free only what the program has made",
        error_class=_OF_KIND,
    ),
    Rule(
        "freed-in-use",
        "wrong-free",
        "7.4.3",
        "a communicator that is freed stays until the operations that are pending on it are "
        "complete, but no new ones can join them",
        "free it after its last operation is complete, where everybody sees that; MPI allows it "
        "before",
        severity=WARNING,
    ),
    Rule(
        "disconnected-in-use",
        "wrong-free",
        "11.10.4",
        "all communication must be complete before MPI_Comm_disconnect",
        "complete it before, with MPI_Wait or the like",
        error_class="MPI_ERR_COMM",
    ),
    Rule(
        "no-handle",
        "no-handle",
        "2.5.1",
        _NEEDED,
        "look whether the variable was set before",
        error_class=_OF_KIND,
    ),
    Rule(
        "not-persistent",
        "not-persistent",
        "3.9",
        "only a request that a procedure like MPI_Send_init made can be started",
        "make it with MPI_Send_init or MPI_Recv_init, or leave the start out: a nonblocking "
        "operation has begun already",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "already-active",
        "already-active",
        "3.9",
        "only a request whose operation is complete can be started again",
        "wait for it before, with MPI_Wait or another such procedure",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "started-twice",
        "already-active",
        "3.9",
        "only a request whose operation is complete can be started again",
        "give each request once: look where the array is filled",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "receive-given-up",
        "freed-active",
        "3.7.3",
        "an active receive should never be freed: nobody can know when its buffer may be used",
        "complete it with MPI_Wait, or MPI_Test; one that is needed no more is cancelled before",
        severity=WARNING,
    ),
    Rule(
        "collective-given-up",
        "freed-active",
        "6.12",
        "the request of an active collective operation must be neither freed nor cancelled",
        "complete it with MPI_Wait, or another such procedure",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "partitioned-given-up",
        "freed-active",
        "4.2.1",
        "the request of an active partitioned operation must be neither freed nor cancelled",
        "complete it with MPI_Wait, or another such procedure",
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
        "let MPI_Finalize be the last call: look for destructors and exit handlers that come later",
    ),
    Rule(
        "initialized-again",
        "lifetime",
        "11.2.1",
        "MPI is initialized at most once",
        "ask MPI_Initialized before MPI_Init",
        error_class="MPI_ERR_OTHER",
    ),
    Rule(
        "finalized-again",
        "lifetime",
        "11.2.2",
        "MPI_Finalize is called once",
        "ask MPI_Finalized before MPI_Finalize",
    ),
    Rule(
        "thread-level",
        "thread-level",
        "11.2.1",
        "with MPI_THREAD_SINGLE and MPI_THREAD_FUNNELED only the thread that initialized MPI calls "
        "it, with MPI_THREAD_SERIALIZED one thread at a time",
        "ask MPI_Init_thread for the level that the program needs, and look at what it provides",
    ),
    Rule(
        "finalized-elsewhere",
        "lifetime",
        "11.6.2",
        "MPI_Finalize should be called by the thread that initialized MPI",
        "let the main thread call MPI_Finalize when the others have ended their communication",
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
    "completed-request": "{argument} is a copy of the handle of {noun} that is complete",
    "request-twice": _TWICE,
    "received-message": "{argument} is the handle of {noun} that was received",
    "predefined-object-freed": "{procedure} is given {constant}",
    "freed-in-use": _PENDING,
    "disconnected-in-use": _PENDING,
    "no-handle": "{argument} is {handle}, which is no handle of {noun}",
    "not-persistent": "{argument} is started, but not persistent: it was made by {procedure}",
    "already-active": "{argument} is started, but the operation that it was started for is not "
    "complete",
    "started-twice": _TWICE,
    "receive-given-up": "the request of {procedure} is freed while a message is being received",
    "collective-given-up": _GIVEN_UP,
    "partitioned-given-up": _GIVEN_UP,
    "not-initialized": "{procedure} is called before MPI is initialized",
    "finalized": "{procedure} is called after MPI_Finalize",
    "initialized-again": "{procedure} is called, but MPI is initialized already",
    "finalized-again": "MPI_Finalize is called again",
    "thread-level": {
        "beside": "{procedure} is called while another thread is in MPI, but MPI provides "
        "{constant}",
        "other": "{procedure} is called by another thread than the one that initialized MPI, but "
        "MPI provides {constant}",
    },
    "finalized-elsewhere": "thread {thread} calls MPI_Finalize, but thread {main_thread} "
    "initialized MPI",
}

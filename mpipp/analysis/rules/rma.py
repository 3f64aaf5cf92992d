# SPDX-License-Identifier: MIT
"""Rules for one-sided communication, as far as logs tell what was ordered (docs/onesided.md)."""

from __future__ import annotations

from mpipp.analysis.rules.rule import WARNING, Rule, Templates

_CONFLICT, _EPOCH = "rma-conflict", "rma-epoch"
# The halves of "rma-local": the section of each, and what it demands.
WHILE_UPDATED = (
    "12.7",
    "memory of a window must not be used by its own process while an operation updates it",
)
WHILE_READ = (
    "12.3",
    "memory of a window must not be changed by its own process while an operation reads it",
)
_LOCALLY = (
    "with the call that ends its epoch, or with MPI_Win_flush_local if that is one of MPI_Win_lock "
    "or MPI_Win_lock_all"
)
_ORDER = (
    "end the one before the other begins, with a synchronization that both processes take part in, "
    "or use other memory"
)

POSSIBLE = "rma-possible"  # of what may be a conflict: the rule that is broken is another then

RULES = (
    Rule(
        POSSIBLE,
        POSSIBLE,
        "12.7",
        "accesses of the same memory must be ordered",
        "see whether anything that one of the two processes has read, or heard of, tells it that "
        "the other's access is over; if nothing does, {advice}",
        severity=WARNING,
    ),
    Rule(
        "rma-buffer",
        _CONFLICT,
        "12.3",
        "the buffer of a one-sided operation must not be changed, and one that it writes not be "
        "used at all, before the operation is complete at the origin",
        f"complete the operation before, {_LOCALLY}, or use another buffer",
    ),
    Rule(
        "rma-two-buffers",
        _CONFLICT,
        "12.3",
        "what a one-sided operation writes must not be a buffer of another before it is complete "
        "at the origin",
        f"complete one operation before the other is started, {_LOCALLY}, or use two buffers",
    ),
    Rule(
        "rma-itself",
        _CONFLICT,
        "12.3",
        "what a one-sided operation writes must not be what it reads: it may do both in any order",
        "give it a buffer that its target's memory does not overlap",
    ),
    Rule(
        "rma-twice",
        _CONFLICT,
        "12.3",
        "the datatype of what a one-sided operation writes at its target must not have overlapping "
        "entries",
        "give every element a place of its own: compare the stride, displacements and extent of "
        "the datatype with the size of what it repeats",
    ),
    Rule(
        "rma-gone",
        _CONFLICT,
        "12.3",
        "the buffer of a one-sided operation must be there until the operation is complete at the "
        "origin: that of a function on the stack is gone when the function returns, allocated "
        "memory when it is given back",
        f"complete the operation before, {_LOCALLY}, or let the buffer live longer",
    ),
    Rule(
        "rma-window-gone",
        _CONFLICT,
        "12.2.5",
        "memory of a window may be given back after MPI_Win_free has returned, or, if it was "
        "attached, MPI_Win_detach: until then others may use it; that of a function on the stack "
        "is gone when the function returns",
        "call MPI_Win_free, or MPI_Win_detach, before the memory is given back",
    ),
    Rule(
        "rma-detached",
        _CONFLICT,
        "12.2.4",
        "the target's memory in a dynamic window must be attached to it from before an operation "
        "on it begins until the operation is complete",
        "attach it before the target lets the other process hear of it, and detach it after the "
        "operation is complete",
    ),
    Rule(
        "rma-local",
        _CONFLICT,
        "12.7",
        f"{WHILE_UPDATED[1]}, nor be changed while one reads it",
        _ORDER,
    ),
    Rule(
        "rma-target",
        _CONFLICT,
        "12.7",
        "an update of a window's memory must not overlap another operation on it at the same "
        "time, unless both are accumulates",
        _ORDER,
    ),
    Rule(
        "rma-accumulates",
        _CONFLICT,
        "12.7",
        "accumulates that overlap at the same time must be of one window and have the same "
        "operation, or MPI_NO_OP, and the same basic datatype at the same displacements",
        "use the same window, operation, datatype and displacements for both, or end the one "
        "before the other begins",
    ),
    Rule(
        "rma-apart",
        _CONFLICT,
        "12.7",
        "in the separate memory model a window must not be updated while its process stores to "
        "it, wherever in the window that is",
        _ORDER,
    ),
    Rule(
        "rma-copies",
        _CONFLICT,
        "12.7",
        "in the separate memory model what others have done is seen after a synchronization of "
        "the process whose memory it is",
        "synchronize the window in both processes: MPI_Win_sync, or a lock of the own memory",
    ),
    Rule(
        "rma-no-epoch",
        _EPOCH,
        "12.5",
        "an operation must be in an access epoch for its target",
        "call MPI_Win_fence, MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all before",
    ),
    Rule(
        "rma-with-request",
        _EPOCH,
        "12.3.5",
        "an operation with a request is valid only within a passive target epoch",
        "open the epoch with MPI_Win_lock or MPI_Win_lock_all, or call the operation without a "
        "request",
    ),
    Rule(
        "rma-given-up",
        _EPOCH,
        "12.3.5",
        "MPI_Request_free must not be called for the request of a one-sided operation",
        "complete it with MPI_Wait or its like, or call the operation without a request",
    ),
    Rule(
        "rma-nested",
        _EPOCH,
        "12.5",
        "epochs of one window for the same target must not overlap",
        "end the one epoch before the other begins",
    ),
    Rule(
        "rma-locked",
        _EPOCH,
        "12.5.3",
        "a process must not lock a target that it has locked",
        "call MPI_Win_unlock before",
    ),
    Rule(
        "rma-no-locks",
        _EPOCH,
        "12.2.1",
        "the info key no_locks = true says that the window is not locked, by MPI_Win_lock or "
        "MPI_Win_lock_all",
        "leave the key out, or open epochs of this window with MPI_Win_fence or MPI_Win_start",
    ),
    Rule(
        "rma-exposed",
        _EPOCH,
        "12.5.3",
        "a process's memory must not be locked, by MPI_Win_lock or MPI_Win_lock_all of any "
        "process, while it is exposed by MPI_Win_post",
        "end the one epoch before the other begins: MPI_Win_wait before the lock, MPI_Win_unlock "
        "before MPI_Win_post",
    ),
    Rule(
        "rma-not-open",
        _EPOCH,
        "12.5",
        "an epoch is ended by the call that belongs to the one that has begun it, and only within "
        "one of MPI_Win_lock or MPI_Win_lock_all are flushes and MPI_Win_sync called",
        "compare the calls before it with the ones that the standard names",
    ),
    Rule(
        "rma-not-ended",
        _EPOCH,
        "12.5",
        "an epoch must be ended before the window is freed",
        "call what ends the epoch: its operations are not complete before",
    ),
    Rule(
        "rma-nocheck",
        _EPOCH,
        "12.5.5",
        "MPI_MODE_NOCHECK must be given to MPI_Win_start and to the MPI_Win_post that it matches, "
        "or to neither",
        "give it to both, or leave it out",
    ),
    Rule(
        "rma-not-posted",
        _EPOCH,
        "12.5.5",
        "with MPI_MODE_NOCHECK MPI_Win_start is called only once all MPI_Win_post that it matches "
        "have returned",
        "have each target tell the origin after MPI_Win_post, with a message or a collective call, "
        "or leave the assertion out of both",
    ),
    Rule(
        "rma-some-fences",
        _EPOCH,
        "12.5.5",
        "MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED must be given to MPI_Win_fence by all processes "
        "of the window or by none",
        "give it in all of them, or leave it out",
    ),
    Rule(
        "rma-noprecede",
        _EPOCH,
        "12.5.5",
        "MPI_MODE_NOPRECEDE says that the fence completes no operation",
        "leave the assertion out",
    ),
    Rule(
        "rma-noput",
        _EPOCH,
        "12.5.5",
        "MPI_MODE_NOPUT says that the window is not updated in the epoch",
        "leave the assertion out",
    ),
    Rule(
        "rma-nostore",
        _EPOCH,
        "12.5.5",
        "MPI_MODE_NOSTORE says that the window has not been stored to",
        "leave the assertion out",
    ),
)

# Synchronization that is wrong by itself.
MISTAKES = {
    "rma-no-epoch": "an operation where no epoch is open for its target",
    "rma-with-request": "an operation with a request in an active target epoch",
    "rma-given-up": "the request of an operation is freed",
    "rma-nested": "an epoch is opened while another is open that excludes it",
    "rma-locked": "a target is locked that this process has locked",
    "rma-no-locks": "a window is locked of which the info key no_locks says that it is not",
    "rma-exposed": "a window is locked in a process while that has exposed it",
    "rma-not-open": "a call ends, or must be in, an epoch that is not open",
    "rma-not-ended": "an epoch is open at the end",
    "rma-gone": "the buffer of an operation is gone before it is complete",
    "rma-window-gone": "memory of a window is gone while the window has it",
    "rma-twice": "an operation writes the same memory twice",
    "rma-detached": "an operation on memory that is not attached to its window",
    "rma-nocheck": "MPI_MODE_NOCHECK of MPI_Win_start or MPI_Win_post alone",
    "rma-not-posted": "MPI_MODE_NOCHECK, but nothing says that MPI_Win_post has returned before "
    "MPI_Win_start",
    "rma-some-fences": "an assertion of MPI_Win_fence by some processes alone",
    "rma-noprecede": "MPI_MODE_NOPRECEDE, but operations precede",
    "rma-noput": "MPI_MODE_NOPUT, but there is an update",
    "rma-nostore": "MPI_MODE_NOSTORE, but there was a store",
}
_CONFLICTS = (
    "rma-buffer rma-two-buffers rma-itself rma-local rma-target rma-accumulates rma-apart "
    "rma-copies"
).split()
WHAT: Templates = {
    **dict.fromkeys((POSSIBLE, *_CONFLICTS), "{text} {clause}: {why}"),
    **MISTAKES,
}

# SPDX-License-Identifier: MIT
"""Rules for one-sided communication, as far as RMA logs show the order (docs/reference/rma.md)."""

from __future__ import annotations

from mpipp.analysis.rules.rule import WARNING, Rule, Templates

_CONFLICT, _EPOCH = "rma-conflict", "rma-epoch"
# The two halves of rule "rma-local": the section of each, and its demand.
WHILE_UPDATED = (
    "12.7",
    "a process must not access memory of its window while an operation updates it",
)
WHILE_READ = (
    "12.3",
    "a process must not store to memory of its window while an operation reads it",
)
_LOCALLY = "with the call that ends its epoch, or in a lock epoch with MPI_Win_flush_local"
_ORDER = (
    "complete one operation before the other starts, with a synchronization of both processes; or "
    "use other memory"
)

POSSIBLE = "rma-possible"  # replaces the rule of a conflict that is only possible

RULES = (
    Rule(
        POSSIBLE,
        POSSIBLE,
        "12.7",
        "accesses of the same memory must be ordered",
        "check whether the program orders the two accesses in a way that mpipp cannot see, for "
        "example through memory; if not, {advice}",
        severity=WARNING,
    ),
    Rule(
        "rma-buffer",
        _CONFLICT,
        "12.3",
        "before a one-sided operation completes at the origin, its buffer must not be written, "
        "and a buffer that it writes must not be accessed",
        f"complete the operation first, {_LOCALLY}; or use another buffer",
    ),
    Rule(
        "rma-two-buffers",
        _CONFLICT,
        "12.3",
        "memory that a one-sided operation writes must not be a buffer of another operation "
        "before it completes at the origin",
        f"complete one operation before you start the other, {_LOCALLY}; or use two buffers",
    ),
    Rule(
        "rma-itself",
        _CONFLICT,
        "12.3",
        "a one-sided operation must not write memory that it reads: it may do both in any order",
        "pass a buffer that does not overlap the target's memory",
    ),
    Rule(
        "rma-twice",
        _CONFLICT,
        "12.3",
        "the target datatype of a one-sided operation that writes must not have overlapping "
        "entries",
        "give every element its own bytes: compare the stride, displacements and extent of the "
        "datatype with the size of the repeated elements",
    ),
    Rule(
        "rma-gone",
        _CONFLICT,
        "12.3",
        "the buffer of a one-sided operation must exist until the operation completes at the "
        "origin; a local variable ends with its function",
        f"complete the operation first, {_LOCALLY}; or keep the buffer longer",
    ),
    Rule(
        "rma-window-gone",
        _CONFLICT,
        "12.2.5",
        "memory of a window must exist until MPI_Win_free returns, or MPI_Win_detach for attached "
        "memory: until then other processes may access it",
        "call MPI_Win_free or MPI_Win_detach before the memory is freed or its function returns",
    ),
    Rule(
        "rma-detached",
        _CONFLICT,
        "12.2.4",
        "memory must be attached to a dynamic window before an operation on it starts, until the "
        "operation completes",
        "attach the memory before the target sends its address, and detach it after the operation "
        "is complete",
    ),
    Rule(
        "rma-local",
        _CONFLICT,
        "12.7",
        f"{WHILE_UPDATED[1]}, nor store to it while an operation reads it",
        _ORDER,
    ),
    Rule(
        "rma-target",
        _CONFLICT,
        "12.7",
        "a concurrent update of window memory must not overlap another operation, unless both are "
        "accumulates",
        _ORDER,
    ),
    Rule(
        "rma-accumulates",
        _CONFLICT,
        "12.7",
        "concurrent accumulates that overlap must use the same window, basic datatype and "
        "displacements, and the same operation or MPI_NO_OP",
        "use the same window, operation, datatype and displacements in both operations, or "
        "complete one "
        "operation before the other starts",
    ),
    Rule(
        "rma-apart",
        _CONFLICT,
        "12.7",
        "in the separate memory model a window must not be updated while its process stores "
        "anywhere in it",
        _ORDER,
    ),
    Rule(
        "rma-copies",
        _CONFLICT,
        "12.7",
        "in the separate memory model a process sees updates by other processes only after it "
        "synchronizes its window",
        "synchronize the window in both processes: call MPI_Win_sync, or lock the own window",
    ),
    Rule(
        "rma-no-epoch",
        _EPOCH,
        "12.5",
        "an operation must be in an access epoch for its target",
        "call MPI_Win_fence, MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all first",
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
        "complete the operation, for example with MPI_Wait, or call it without a request",
    ),
    Rule(
        "rma-nested",
        _EPOCH,
        "12.5",
        "epochs of one window for the same target must not overlap in time",
        "end one epoch before the other begins",
    ),
    Rule(
        "rma-locked",
        _EPOCH,
        "12.5.3",
        "a process must not lock a target that it already holds locked",
        "call MPI_Win_unlock first",
    ),
    Rule(
        "rma-no-locks",
        _EPOCH,
        "12.2.1",
        "a window with the info key no_locks = true must not be locked by MPI_Win_lock or "
        "MPI_Win_lock_all",
        "remove the key, or open epochs of this window with MPI_Win_fence or MPI_Win_start",
    ),
    Rule(
        "rma-exposed",
        _EPOCH,
        "12.5.3",
        "no process may lock memory with MPI_Win_lock or MPI_Win_lock_all while MPI_Win_post "
        "exposes it",
        "end one epoch before the other begins: MPI_Win_wait before the lock, MPI_Win_unlock "
        "before MPI_Win_post",
    ),
    Rule(
        "rma-not-open",
        _EPOCH,
        "12.5",
        "an epoch must be ended by the counterpart of the call that began it; flushes and "
        "MPI_Win_sync are valid only in lock epochs",
        "check which call opened the epoch, and end it with the counterpart",
    ),
    Rule(
        "rma-not-ended",
        _EPOCH,
        "12.5",
        "an epoch must be ended before the window is freed",
        "call the procedure that ends the epoch: its operations complete only then",
    ),
    Rule(
        "rma-nocheck",
        _EPOCH,
        "12.5.5",
        "MPI_MODE_NOCHECK must be passed to MPI_Win_start and to the matching MPI_Win_post, or to "
        "neither",
        "pass the assertion to both calls, or to neither",
    ),
    Rule(
        "rma-not-posted",
        _EPOCH,
        "12.5.5",
        "MPI_Win_start with MPI_MODE_NOCHECK must be called after all matching MPI_Win_post calls "
        "have returned",
        "synchronize after MPI_Win_post, with a message to the origin or a collective call; or "
        "remove the assertion from both calls",
    ),
    Rule(
        "rma-some-fences",
        _EPOCH,
        "12.5.5",
        "MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED must be passed to MPI_Win_fence by all "
        "processes of the window or by none",
        "pass the assertion in all processes, or in none",
    ),
    Rule(
        "rma-noprecede",
        _EPOCH,
        "12.5.5",
        "MPI_MODE_NOPRECEDE asserts that the fence completes no operation",
        "remove the assertion",
    ),
    Rule(
        "rma-noput",
        _EPOCH,
        "12.5.5",
        "MPI_MODE_NOPUT asserts that the window is not updated in the epoch",
        "remove the assertion",
    ),
    Rule(
        "rma-nostore",
        _EPOCH,
        "12.5.5",
        "MPI_MODE_NOSTORE asserts that the process has not stored to its window since the last "
        "synchronization",
        "remove the assertion",
    ),
)

# Rules for calls that synchronize wrongly by themselves.
MISTAKES = {
    "rma-no-epoch": "an operation without an open epoch for its target",
    "rma-with-request": "an operation with a request in an active target epoch",
    "rma-given-up": "the request of an RMA operation is freed",
    "rma-nested": "an epoch is opened while an epoch that excludes it is open",
    "rma-locked": "a target is locked that this process already holds locked",
    "rma-no-locks": "a window with the info key no_locks is locked",
    "rma-exposed": "a window is locked in a process that has exposed it",
    "rma-not-open": "a call ends, or needs, an epoch that is not open",
    "rma-not-ended": "an epoch is never ended",
    "rma-gone": "the buffer of an operation ceases to exist before the operation completes",
    "rma-window-gone": "memory of a window ceases to exist before the window is freed",
    "rma-twice": "an operation writes the same memory twice",
    "rma-detached": "an operation on memory that is not attached to its window",
    "rma-nocheck": "MPI_MODE_NOCHECK is passed to only one of MPI_Win_start and MPI_Win_post",
    "rma-not-posted": "MPI_MODE_NOCHECK is passed, but MPI_Win_post may return after MPI_Win_start",
    "rma-some-fences": "only some processes pass an assertion to MPI_Win_fence",
    "rma-noprecede": "MPI_MODE_NOPRECEDE is passed, but operations precede",
    "rma-noput": "MPI_MODE_NOPUT is passed, but the window is updated",
    "rma-nostore": "MPI_MODE_NOSTORE is passed, but the window was stored to",
}
_CONFLICTS = (
    "rma-buffer rma-two-buffers rma-itself rma-local rma-target rma-accumulates rma-apart "
    "rma-copies"
).split()
WHAT: Templates = {
    **dict.fromkeys((POSSIBLE, *_CONFLICTS), "{text} {clause}: {why}"),
    **MISTAKES,
}

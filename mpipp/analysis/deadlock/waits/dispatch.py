# SPDX-License-Identifier: MIT
"""The condition of an active call, by its kind."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.world import World
from mpipp.analysis.deadlock.waits.collectives import Collectives
from mpipp.analysis.deadlock.waits.comm_free import Freeing, freed_by
from mpipp.analysis.deadlock.waits.conditions import (
    AllOf,
    AnyOf,
    Condition,
    Event,
    NoWait,
    Unknown,
    of_operation,
)
from mpipp.analysis.deadlock.waits.files import Files
from mpipp.analysis.deadlock.waits.messages import Messages, receive_tag
from mpipp.analysis.deadlock.waits.partitions import Partitions
from mpipp.analysis.deadlock.waits.windows import Windows, window_of
from mpipp.analysis.files.split_file_io import file_of
from mpipp.common.errors import MpippError
from mpipp.model import Broken, Polls, Request

_MOST_REQUESTS = 1 << 16

# Procedures that complete requests and wait for all of them, or for one.
_ALL_OF = ("MPI_Wait", "MPI_Waitall")
_ONE_OF = ("MPI_Waitany", "MPI_Waitsome")

_NEVER_WAIT = ("MPI_Start", "MPI_Test_cancelled")

# Operations that are not collective, have no peer, and may still wait: the reason why their
# condition is unknown. Other operations of this kind never wait.
_BUFFERED = "the wrapper does not record which buffered messages have been received"
_NAMES = "it asks a name service outside the job"
_UNTOLD = {
    **dict.fromkeys(("Buffer_detach", "Comm_detach_buffer", "Session_detach_buffer"), _BUFFERED),
    **dict.fromkeys(("Buffer_flush", "Comm_flush_buffer", "Session_flush_buffer"), _BUFFERED),
    **dict.fromkeys(("Lookup_name", "Publish_name", "Unpublish_name"), _NAMES),
    "Comm_join": "the process at the other end of the socket is not recorded",
    "Finalize": "the callbacks that the program runs in MPI_Finalize are not recorded",
    "Session_finalize": "the processes that MPI_Session_finalize waits for are not recorded",
}


class Waits:
    """Finds the conditions of calls."""

    def __init__(self, known: World) -> None:
        self.messages = Messages(known)
        self.collectives = Collectives(known, self.messages)
        self.windows = Windows(known)
        self.files = Files(known)
        self.partitions = Partitions(self.messages)
        self.freeing = Freeing(self.messages)

    def call(self, operation: Operation) -> Condition:
        """Return the condition of an active call; NoWait if the call never waits."""
        procedure = operation.call.procedure
        if operation.call.facts.polls:
            return NoWait()
        if procedure in _ALL_OF:
            return AllOf(tuple(self._requests(operation)))
        if procedure in _ONE_OF:
            found = tuple(self._requests(operation))
            return AnyOf(found) if found else NoWait()
        if operation.call.facts.returns_immediately or procedure.startswith(_NEVER_WAIT):
            return NoWait()
        return self._communication(operation)

    def polled(self, operation: Operation, polls: Polls) -> Condition:
        """Return the condition of a thread's last poll: the results for which the thread may wait.

        If the thread polls requests, the result of any pending request counts, because the next
        poll may use other requests.
        """
        if polls.vary:
            return Unknown("it polls for different messages in turn")
        if polls.call.source is not None or polls.call.win is not None:
            return self._communication(operation)
        every = [one for one in operation.process.operations if one.request is not None]
        found = [self._request(one) for one in every if one.request and one.request.pending]
        return (
            AnyOf(tuple(found)) if found else Unknown("the requests that it polls for are unknown")
        )

    def _communication(self, operation: Operation) -> Condition:
        # The condition of a blocking call, or of the operation of a request.
        call = operation.call
        if window_of(call) is not None:
            return self.windows.call(operation)
        if file_of(call) is not None:
            return self.files.call(operation)
        if freed_by(call) is not None:
            return self.freeing.call(operation)
        if call.partitioned:
            return self.partitions.call(operation)
        tag = receive_tag(call)
        parts: list[Condition] = []
        if call.dest is not None:
            parts.append(self.messages.sending(operation))
        if tag is not None:
            ordinal = call.ordinal if call.dest is None else call.recv_ordinal
            parts.append(self._reception(operation, tag, ordinal))
        if parts:
            return AllOf(tuple(parts)) if len(parts) > 1 else parts[0]
        if call.facts.over:
            return self.collectives.call(operation)
        reason = _UNTOLD.get(call.facts.operation)
        return Unknown(reason) if reason else NoWait()

    def _reception(self, operation: Operation, tag: int, ordinal: int | None) -> Condition:
        if operation.request is None and operation.call.answered:
            return NoWait()  # the call is about to return
        return self.messages.receiving(operation, tag, ordinal)

    def _requests(self, operation: Operation) -> Iterator[Condition]:
        # A call does not wait for null, inactive or complete requests (MPI-4.1, section 3.7.3).
        call, process = operation.call, operation.process
        try:
            given = process.registry.passed_requests(call, _MOST_REQUESTS)
        except MpippError:
            yield Unknown("the array of requests cannot be read")
            return
        if call.request_count > len(given):
            yield Unknown(f"only the first {len(given)} requests are checked")
        one_of = call.procedure in _ONE_OF
        for candidates in given:
            found = candidates[0] if candidates else None
            if isinstance(found, Broken) or found is None:
                yield Unknown("a request is unknown")
            elif len(candidates) > 1:  # MPI libraries share a handle only between complete requests
                yield NoWait()
            elif isinstance(found, Request) and not found.header.null:
                if found.pending:
                    one = Operation(process, found.call, found, None)
                    yield of_operation(self._request(one), one)
                elif found.header.is_ended and one_of:
                    yield NoWait()

    def _request(self, operation: Operation) -> Condition:
        request = operation.request
        assert request is not None
        procedure = request.call.procedure
        if procedure == "MPI_Grequest_start":
            return Unknown("the program itself completes it")
        if request.sharing > 1:  # MPI libraries share a handle only between complete requests
            return NoWait()
        if request.persistent and request.call.dest is None and request.call.source is None:
            return self.collectives.started(operation)
        if request.call.target_rank is not None:
            return Unknown("progress at the target is not recorded")
        if request.call.message is not None:
            return NoWait()
        return self._communication(operation)


def flattened(condition: Condition) -> Condition:
    """Return a condition without its met parts; NoWait if nothing remains."""
    if isinstance(condition, AllOf):
        rest = tuple(
            one for one in map(flattened, condition.conditions) if not isinstance(one, NoWait)
        )
        return rest[0] if len(rest) == 1 else AllOf(rest) if rest else NoWait()
    if isinstance(condition, AnyOf):
        parts = tuple(map(flattened, condition.conditions))
        return NoWait() if any(isinstance(one, NoWait) for one in parts) else AnyOf(parts)
    return condition


def waits_for(condition: Condition) -> bool:
    """Return whether a condition certainly waits for some event."""
    if isinstance(condition, (AllOf, AnyOf)):
        found = [waits_for(one) for one in condition.conditions]
        return any(found) if isinstance(condition, AllOf) else bool(found) and all(found)
    return isinstance(condition, Event)

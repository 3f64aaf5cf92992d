# SPDX-License-Identifier: MIT
"""A process's call of a collective operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mpipp.analysis.context import signature_check
from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.signature_check import Data
from mpipp.analysis.context.world import Member
from mpipp.model import Buffer
from mpipp.model.procedures import BufferArguments


class CollectiveCall(NamedTuple):
    """A process's call of a collective operation."""

    operation: Operation
    member: Member

    @property
    def rank(self) -> int:
        """On the communicator."""
        return self.member.comm.rank

    def buffer(self, role: str) -> Buffer | None:
        """The buffer of an argument; None if there is none, or MPI_IN_PLACE."""
        return self.operation.by_role.get(role)

    def gives_in_place(self, role: str) -> bool:
        """Return whether MPI_IN_PLACE stands for a buffer."""
        operation = self.operation
        return any(b.role == role and operation.process.in_place(b) for b in operation.call.buffers)

    def sent(self, peer: int) -> Data | None:
        """The data that it sends to a peer, or reduces; with MPI_IN_PLACE from the other buffer.

        Args:
            peer: a rank, or the number of a destination in the topology.
        """
        facts = self.operation.call.facts
        own, other = facts.buffers[0], facts.buffers[-1]
        in_place = facts.reduces or (facts.in_place is not None and facts.in_place.where == "all")
        if self.buffer(own.role) is None and in_place and not self.member.comm.inter:
            return self._data(other, peer if own.times else self.rank)
        return self._data(own, peer)

    def received(self, peer: int) -> Data | None:
        """The data that it expects from a peer, or from a source in the topology by its number."""
        return self._data(self.operation.call.facts.buffers[-1], peer)

    def _data(self, arguments: BufferArguments, peer: int) -> Data | None:
        buffer = self.buffer(arguments.role)
        if buffer is None:
            return None
        if arguments.times and not self.operation.call.facts.reduces:
            return signature_check.share(self.operation, buffer, peer)
        return signature_check.buffer_data(self.operation, buffer)

    @property
    def has_both_buffers(self) -> bool:
        """Return whether it has a buffer to send and another one to receive."""
        buffers = self.operation.call.facts.buffers
        return len(buffers) > 1 and all(self.buffer(one.role) is not None for one in buffers)

    @property
    def is_root(self) -> bool:
        """Return whether it is the root."""
        if self.member.comm.inter:
            return self.root == "MPI_ROOT"
        return self.rank == self.operation.call.root

    @property
    def root(self) -> str:
        """MPI_ROOT or MPI_PROC_NULL, as processes of an intercommunicator name it, else ""."""
        root, around = self.operation.call.root, self.operation.process.around
        found = None if root is None else around.constant_name(root, "MPI_ROOT", "MPI_PROC_NULL")
        return found or ""


# Buffers that must have the same type signature; None: one that is not known, or not there.
Pairs = Iterator["tuple[Data | None, Data | None]"]

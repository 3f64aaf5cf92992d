# SPDX-License-Identifier: MIT
"""The cost of checking one call or one datatype of a watched program."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.table import Figure
from benchmarks.watched import ALONE, PROGRAMS, WATCHED, WRAPPED, ran
from tests.support import MPI, ROOT, compile_program

ROUNDS = 5
_FLAGS = ("-O2", "-w")
_PENDING = 10_000
_ENTRIES = 100_000


def figures(mpi: MPI) -> Iterator[Figure]:
    """Milliseconds of an answer and of a fingerprint, and microseconds of the call filter for a
    call."""
    screens = compile_program(PROGRAMS / "screens.c", mpi, _FLAGS)

    def seconds(how: str, *words: str, options: tuple[str, ...] = ()) -> list[float]:
        runs = [ran(mpi, how, [screens, *words], 1, options).words for _ in range(ROUNDS)]
        return [min(map(float, times)) for times in zip(*runs)]

    # With --stop the program waits for each answer.
    (answered,), (alone,) = (
        seconds(WATCHED, "answers", options=("--stop",)),
        seconds(ALONE, "answers"),
    )
    what = f"{mpi.id}: one question with its answer, median"
    yield Figure(what, (answered - alone) * 1e3, 3, "ms", f"call of {alone * 1e3:.2f} ms")
    looked, wrapped = (seconds(how, "pending", str(_PENDING)) for how in (WATCHED, WRAPPED))
    for call, one, other in zip(("contiguous", "a column"), looked, wrapped):
        what = f"{mpi.id}: screens, {call}, {_PENDING:,} requests pending"
        yield Figure(what, (one - other) * 1e6, 5, "us")
    digest = ROOT / "wrapper" / "recorder" / "objects" / "signature_hash.c"
    flags = (*_FLAGS, f"-I{ROOT / 'wrapper'}", str(digest))
    digests = compile_program(PROGRAMS / "digests.c", mpi, flags)
    least = min(float(ran(mpi, ALONE, [digests, str(_ENTRIES)], 1).words[0]) for _ in range(3))
    yield Figure(f"{mpi.id}: digest of {_ENTRIES:,} entries", least * 1e3, 2, "ms")

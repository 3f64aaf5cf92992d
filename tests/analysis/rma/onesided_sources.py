# SPDX-License-Identifier: MIT
"""Random programs of one-sided operations as C text, to compare runs with the oracle.

The oracle has the same programs as events (tests/unit/analysis/rma/oracle.py). Runs with
--check=rma must report what it finds. Many programs form one C program. Each of them has windows
and lines of its own, so that a line identifies the event.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from mpipp.analysis import rules
from mpipp.analysis.rma_engine import analyse
from mpipp.model import rma_events as m
from mpipp.model.message_events import Received, Sent
from mpipp.model.rma_events import Comb, Event, Memory
from tests.unit.analysis.rma.event_programs import BASE, BUFFERS, LENGTH, buffer
from tests.unit.analysis.rma.oracle import Oracle, Told
from tests.unit.analysis.rma.random_programs import ALIKE, Made

NAME = "written.c"
RANKS = 4
_INSTEAD = 99  # the buffer for operations of a process on itself
Events = dict[int, list[Event]]
Pair = tuple[str, frozenset[int]]  # a rule, and the lines of both accesses

_HEAD = f"""\
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {{ LENGTH = {LENGTH}, OWN = 0x10000, MOST = 1000 }};
static int rank;
static volatile int use;
static char *memory, *own, *given;
static char *others[{RANKS}]; // their memory, where it is shared
static MPI_Aint where[{RANKS}];
static MPI_Comm some[{RANKS + 1}];
static MPI_Group group;
static MPI_Win win;
static MPI_Datatype three_MPI_INT, three_MPI_UNSIGNED, odd_MPI_INT, odd_MPI_UNSIGNED;
static MPI_Request requests[MOST];

#if MPI_VERSION >= 4
#define LARGE(name) name##_c
#else
#define LARGE(name) name
#endif
#define AT(place) (*(volatile int *)(place))

static void make(int kind, int size, const char *ops, const char *ordering) {{
  MPI_Aint at = 0, bytes;
  MPI_Info info;
  int unit;
  MPI_Info_create(&info);
  if (*ops) MPI_Info_set(info, "accumulate_ops", ops);
  if (*ordering) MPI_Info_set(info, "accumulate_ordering", ordering);
  memory = given;
  if (kind == 0) MPI_Win_create(memory, LENGTH, 1, info, some[size], &win);
  if (kind == 1) MPI_Win_allocate(LENGTH, 1, info, some[size], &memory, &win);
  if (kind == 2) {{
    MPI_Win_create_dynamic(info, some[size], &win);
    MPI_Win_attach(win, memory, LENGTH);
    MPI_Get_address(memory, &at);
  }}
  if (kind == 3) {{
    MPI_Win_allocate_shared(LENGTH, 1, info, some[size], &memory, &win);
    for (int i = 0; i < size; i++) MPI_Win_shared_query(win, i, &bytes, &unit, &others[i]);
  }}
  MPI_Allgather(&at, 1, MPI_AINT, where, 1, MPI_AINT, some[size]);
  MPI_Info_free(&info);
  MPI_Comm_group(some[size], &group);
}}

static MPI_Group of(int count, const int *ranks) {{
  static MPI_Group made = MPI_GROUP_NULL;
  if (made != MPI_GROUP_NULL) MPI_Group_free(&made);
  MPI_Group_incl(group, count, ranks, &made);
  return made;
}}
"""
_TAIL = """\
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int size = 1; size <= %(ranks)d; size++)
    MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &some[size]);
  MPI_Type_vector(3, 1, 3, MPI_INT, &three_MPI_INT);
  MPI_Type_vector(3, 1, 3, MPI_UNSIGNED, &three_MPI_UNSIGNED);
  MPI_Type_create_hvector(3, 1, 6, MPI_INT, &odd_MPI_INT);
  MPI_Type_create_hvector(3, 1, 6, MPI_UNSIGNED, &odd_MPI_UNSIGNED);
  MPI_Type_commit(&odd_MPI_INT);
  MPI_Type_commit(&odd_MPI_UNSIGNED);
  MPI_Type_commit(&three_MPI_INT);
  MPI_Type_commit(&three_MPI_UNSIGNED);
  MPI_Alloc_mem(LENGTH, MPI_INFO_NULL, &given);
  own = calloc(OWN, 1);
%(calls)s
  if (rank == 0) puts("done");
  MPI_Finalize();
  return 0;
}
"""


class Program(NamedTuple):
    """A program as events whose places are lines of the C text."""

    seed: int
    events: Events
    lines: frozenset[int]


class Written(NamedTuple):
    """Many programs as one C text."""

    text: str
    programs: list[Program]


def _plain(memory: Memory, bytes_: int) -> Memory:
    # The same number of bytes, but contiguous.
    return (Comb(memory[0].first, bytes_),) if memory else ()


def _real(event: Event) -> Event:
    # The synthetic events violate MPI's rules for arguments: correct them.
    if not isinstance(event, m.Operation):
        return event
    one = event.kind in ("fetch_and_op", "compare_and_swap")
    target = _plain(event.at_target, 4) if one else event.at_target
    number = sum(comb.length * comb.times for comb in target)
    op = "MPI_SUM" if event.kind == "accumulate" and event.op == "MPI_NO_OP" else event.op
    # MPICH ends a program whose buffer is at its target's address.
    itself = event.target == event.moment.process and event.origin[0].first < BUFFERS
    return event._replace(
        origin=_plain(buffer(_INSTEAD) if itself else event.origin, number),
        result=_plain(event.result, number),
        compare=_plain(event.compare, number),
        at_target=target,
        op=op,
    )


def _programs(seeds: Iterable[int], loads: bool, separate: bool) -> Iterator[tuple[int, Events]]:
    # Leave out programs with flags, because only a run knows their values.
    for seed in seeds:
        made = Made(seed)
        # Without loads, leave out shared memory, which makes the order of other accesses undecided.
        if made.flags or made.how["separate"] != separate or (made.shared and not loads):
            continue
        chosen = [None, *made.random.sample(made.removable, min(1, len(made.removable)))]
        program = made.program(made.random.choice(chosen))
        yield (
            seed,
            {
                rank: [_real(event) for event in events if loads or not isinstance(event, m.Access)]
                for rank, events in program.events().items()
            },
        )


def write(seeds: Iterable[int], *, loads: bool, separate: bool = False) -> Written:
    """The programs of these seeds with this memory model, with or without loads and stores."""
    lines = _HEAD.split("\n")
    programs, calls = [], []
    for seed, events in _programs(seeds, loads, separate):
        first, told, calling = len(lines), Events(), _Calling(events, seed % 3)
        lines.append(f"static void program_{seed}(void) {{")
        for rank, some in events.items():
            lines.append(f"  if (rank == {rank}) {{")
            told[rank] = []
            for event in some:
                text = calling.line(event, rank)
                moment = event.moment._replace(place=len(lines) + 1)
                told[rank].append(event._replace(moment=moment))
                if text:
                    lines.append(f"    {text}")
            lines.append("  }")
        lines += ["}", ""]
        calls.append(f"  if (rank < {len(events)}) program_{seed}();")
        programs.append(Program(seed, told, frozenset(range(first, len(lines) + 1))))
    text = "\n".join(lines) + _TAIL % {"ranks": RANKS, "calls": "\n".join(calls)}
    return Written(text, programs)


def _place(memory: Memory) -> str:
    first = memory[0].first
    return f"own + {first - BUFFERS}" if first >= BUFFERS else f"memory + {first - BASE}"


def _ints(event: m.Access) -> Iterator[str]:
    for first, length, stride, times in event.memory:
        for at in range(times):
            for place in range(first + at * stride, first + at * stride + length, 4):
                if event.owner in (-1, event.moment.process):
                    yield f"AT({_place((Comb(place, 4),))})"
                else:
                    yield f"AT(others[{event.owner}] + {place - BASE})"


class _Calling:
    # The calls of a program, each in a line.

    def __init__(self, events: Events, kind: int) -> None:
        self.kind = kind  # kind of window
        self.size = len(events)
        self.peers = f"some[{self.size}]"
        self.requests: dict[int, int] = {}  # the index of each request in the array
        self.roots: dict[int, int] = {}  # the roots of collective calls, by ordinal
        for rank, some in events.items():
            for event in some:
                if isinstance(event, (m.Operation, m.Collective)) and event.request:
                    self.requests[event.request] = len(self.requests)
                if isinstance(event, m.Collective):
                    to_root = event.moment.procedure == "MPI_to root"
                    if bool(event.sources) == to_root:
                        self.roots[event.ordinal] = rank

    def line(self, event: Event, rank: int) -> str:
        # The C text of an event; "" if it needs none.
        if isinstance(event, m.WindowMade):
            ops = "same_op" if event.accumulate_ops == "same_op" else ""
            ordering = ",".join(sorted(event.accumulate_ordering)) or "none"
            kind = 3 if event.flavor == "shared" else self.kind
            return f'make({kind}, {self.size}, "{ops}", "{ordering}");'
        if isinstance(event, m.Access):
            if event.store:
                return " ".join(f"{one} = {rank};" for one in _ints(event))
            return " ".join(f"use += {one};" for one in _ints(event))
        if isinstance(event, m.Operation):
            return self._operation(event)
        if isinstance(event, m.Synchronization):
            return _synchronization(event)
        if isinstance(event, Sent):
            name = "MPI_Ssend" if event.synchronous else "MPI_Send"
            return f"{name}(&rank, 1, MPI_INT, {event.channel.destination}, 0, {self.peers});"
        if isinstance(event, Received):
            words = f"(int[1]){{0}}, 1, MPI_INT, {event.channel.source}, 0, {self.peers}"
            return f"MPI_Recv({words}, MPI_STATUS_IGNORE);"
        if isinstance(event, m.Collective):
            return self._collective(event)
        if isinstance(event, m.Completed):
            # Requests of synchronous sends belong to blocking sends in C.
            wanted = [self.requests[one] for one in event.requests if one in self.requests]
            return " ".join(f"MPI_Wait(&requests[{one}], MPI_STATUS_IGNORE);" for one in wanted)
        assert isinstance(event, m.Finalized)
        return "MPI_Group_free(&group), MPI_Win_free(&win);"

    def _operation(self, event: m.Operation) -> str:
        type_ = event.types[0]
        target = event.at_target[0]
        count = sum(comb.length * comb.times for comb in event.origin) // 4
        there = f"{event.target}, where[{event.target}] + {target.first - BASE}"
        if event.kind == "fetch_and_op":
            words = [_place(event.origin), _place(event.result), type_, there]
        elif event.kind == "compare_and_swap":
            memory = (event.origin, event.compare, event.result)
            words = [*map(_place, memory), type_, there]
        else:
            words = [_place(event.origin), str(count), type_]
            if event.result:
                words += [_place(event.result), str(count), type_]
            words.append(there)
            vector = "odd" if target.stride == 6 else "three"
            words.append(
                f"1, {vector}_{type_}" if target.times > 1 else f"{target.length // 4}, {type_}"
            )
        words += [event.op] if event.op else []
        words.append("win")
        if event.request:
            words.append(f"&requests[{self.requests[event.request]}]")
        name = f"MPI_{f'R{event.kind}' if event.request else event.kind.capitalize()}"
        if event.kind not in ("fetch_and_op", "compare_and_swap") and event.moment.number % 3 == 0:
            name = f"LARGE({name})"
        return f"{name}({', '.join(words)});"

    def _collective(self, event: m.Collective) -> str:
        flow = event.moment.procedure.removeprefix("MPI_")
        data = "&(int){1}, &(int){0}, 1, MPI_INT, MPI_SUM, "
        if event.request:
            return f"MPI_Ibarrier({self.peers}, &requests[{self.requests[event.request]}]);"
        if flow == "all":
            return f"MPI_Barrier({self.peers});"
        if flow == "none":
            return f"MPI_Bcast(NULL, 0, MPI_INT, 0, {self.peers});"
        if flow == "prefix":
            return f"MPI_Exscan({data}{self.peers});"
        root = self.roots[event.ordinal]
        if flow == "from root":
            return f"MPI_Bcast((int[1]){{0}}, 1, MPI_INT, {root}, {self.peers});"
        assert flow == "to root"
        return f"MPI_Reduce({data}{root}, {self.peers});"


def _synchronization(event: m.Synchronization) -> str:
    asserted = " | ".join(sorted(event.asserted)) or "0"
    name = f"MPI_Win_{event.kind}"
    if event.kind == "wait" and event.moment.number % 2:
        return "for (int done = 0; !done;) MPI_Win_test(win, &done);"
    if event.kind in ("fence", "lock_all"):
        return f"{name}({asserted}, win);"
    if event.kind in ("start", "post"):
        ranks = ", ".join(map(str, event.group))
        return f"{name}(of({len(event.group)}, (int[]){{{ranks}}}), {asserted}, win);"
    if event.kind == "lock":
        how = "MPI_LOCK_EXCLUSIVE" if event.exclusive else "MPI_LOCK_SHARED"
        return f"{name}({how}, {event.target}, {asserted}, win);"
    return f"{name}({event.target}, win);" if event.target >= 0 else f"{name}(win);"


def expected(program: Program) -> tuple[dict[Pair, Told], set[Told]]:
    """All conflicts by the lines of both accesses, and those that must be reported.

    The latter may have any lines, because an access that covers an earlier one replaces it.
    """
    found: dict[Pair, Told] = {}
    oracle = Oracle(program.events)
    for rule, one, other in oracle.pairs():
        if oracle.polls(one, other):
            continue
        pair = _pair(rule, one.event, other.event)
        processes = one.process, other.process
        found[pair] = pair[0], min(processes), max(processes), one.owner
    undecided = {
        _pair(one.rule, one.first.event, one.second.event)
        for one in analyse(program.events).undecided
    }
    must = {told for pair, told in found.items() if pair not in undecided}
    # Flags may have ordered these.
    for places in oracle.exposed():
        found["rma-exposed", frozenset(places)] = "rma-exposed", -1, -1, -1
    return found, must


def _pair(rule: str, one: Event, other: Event) -> Pair:
    return ALIKE.get(rule, rule), frozenset((one.moment.place, other.moment.place))


def told(blocks: Iterable[str]) -> set[Pair]:
    """The conflicts in the report of a run."""
    by_sentence = {rule.sentence: rule.id for rule in rules.RULES.values()}
    for _, half in (rules.rma.WHILE_READ, rules.rma.WHILE_UPDATED):
        by_sentence[half] = "rma-local"
    found = set()
    for block in blocks:
        said = re.search(r"^  rule: .*?, section [\d.]+: (.*)$", block, re.M)
        lines = [int(line) for line in re.findall(rf"at {NAME}:(\d+) in program_", block)]
        assert said, block
        rule = by_sentence[said[1]]
        sides = 1 if rule == "rma-itself" else 2
        found.add((ALIKE.get(rule, rule), frozenset(lines[:sides])))
    return found


class Compared(NamedTuple):
    """The errors in a run's report, and the number of programs with conflicts."""

    false: list[str]
    missing: list[str]
    conflicting: int


def compare(written: Written, blocks: Iterable[str]) -> Compared:
    """Compare a run's report with the oracle."""
    found, conflicting = told(blocks), 0
    false, missing = list[str](), list[str]()
    for program in written.programs:
        mine = {pair for pair in found if pair[1] <= program.lines}
        should, must = expected(program)
        conflicting += bool(should)
        false += [f"seed {program.seed}: {_named(pair)}" for pair in mine - should.keys()]
        lacks = must - {should[pair] for pair in mine & should.keys()}
        missing += [f"seed {program.seed}: {one}" for one in sorted(lacks)]
        found -= mine
    return Compared([*false, *map(_named, found)], missing, conflicting)


def _named(pair: Pair) -> str:
    return f"{pair[0]} at lines {sorted(pair[1])}"


def put(written: Written, directory: Path) -> Path:
    """The C text as a file."""
    path = directory / NAME
    path.write_text(written.text)
    return path

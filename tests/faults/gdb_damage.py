# SPDX-License-Identifier: MIT
"""A script for gdb: damage the registry of objects.c, and check the output."""

import random
import re
import struct
import time
from typing import Any

import gdb

from mpipp.gdb.program import inferior_memory, sessions
from mpipp.registry.layout.field_table import CHUNK

KINDS = {  # for each kind, the variable in main()
    "datatype": "filetype",
    "request": "requests[0]",
    "comm": "cart",
    "group": "group",
    "win": "win",
    "op": "op",
    "file": "file",
    "info": "info",
    "errhandler": "errhandler",
    "message": "message",
}


_damage: dict[int, int] = {}  # wrong bytes, by address

registry: Any = None  # the registry of the process, once the process exists
source: Any = None


class Damaged(inferior_memory.InferiorMemory):
    """The inferior's memory, with some wrong bytes."""

    def read(self, address, length):
        data = super().read(address, length)
        found = [a for a in _damage if address <= a < address + length]
        if not found:
            return data
        changed = bytearray(data)
        for a in found:
            changed[a - address] = _damage[a]
        return bytes(changed)


def write(address, data):
    """Let reads of these addresses return `data`."""
    _damage.update(enumerate(data, address))


def heal():
    """Remove all damage, and drop cached data."""
    _damage.clear()
    forget()


def forget():
    """Make the next command search for the registry again."""
    sessions._sessions.clear()
    sessions._changed()


def start(with_sessions):
    """Make every session of mpipp in gdb read through Damaged."""
    if with_sessions:
        KINDS["session"] = "session"
    setattr(sessions, "InferiorMemory", Damaged)  # noqa: B010
    forget()
    global source, registry
    registry = sessions.required().registry
    source = registry._source


class Poke:
    """Writes fields of a record by their names."""

    def __init__(self, record, address):
        self.record = record
        self.address = address

    def __call__(self, **values):
        for name, value in values.items():
            field = source.layout.field(self.record, name)
            number = value % (1 << 8 * field.size)
            write(self.address + field.offset, number.to_bytes(field.size, "little"))


def table_address(kind):
    """The address of a table's record."""
    start = source.layout.address
    tables, _, size = struct.unpack("<QII", registry._source.memory.read(start + 48, 16))
    return tables + list(source.tables).index(kind + "s") * size


def table(kind):
    """Damage the table of a kind."""
    return Poke(1, table_address(kind))


def first_chunk(kind):
    """Damage the first chunk of the table of a kind."""
    return Poke(CHUNK, source.table(kind).chunks)


def root(offset, code, value):
    """Overwrite one of the root's first 64 bytes."""
    write(source.layout.address + offset, struct.pack("<" + code, value))


def said(command):
    """The output of a command, or its error. An unexpected error ends the test."""
    try:
        return gdb.execute(command, to_string=True)
    except gdb.error as error:
        return str(error)


def problems(text):
    """Texts that no output may contain."""
    return re.findall(r"Traceback|Python Exception|Error (?:while|occurred)", text)


def list_of(kind):
    """The command that lists all objects of a kind."""
    word = {"datatype": "types", "message": "probed"}.get(kind, f"{kind}s")
    return f"mpipp list {word} --all"


def show(kind):
    """Print one object of a kind, and list all."""
    return said(f"output {KINDS[kind]}").strip(), said(list_of(kind))


def cases(kind):
    """Ways to damage a table: name, action, expected output of print and list."""
    known = source.table(kind)
    damaged = f"the table of {kind}s in the mpipp registry is damaged: it "
    wild = 0x10
    yield "no chunks", lambda: table(kind)(chunks=0), None, "^0 |^No "
    yield "wild chunks", lambda: table(kind)(chunks=wild), None, "cannot read 64 bytes at 0x10"
    yield (
        "chunk of itself",
        lambda: first_chunk(kind)(next=known.chunks),
        None,
        damaged + "has a chunk that follows itself",
    )
    yield (
        "overfull",
        lambda: first_chunk(kind)(used=1 << 60),
        None,
        damaged + r"has a chunk with \d+ of \d+ records",
    )
    yield (
        "overfull and large",
        lambda: first_chunk(kind)(used=1 << 60, capacity=1 << 61),
        None,
        damaged + r"has \d+ records",
    )
    yield "wild slots", lambda: table(kind)(slots=wild), "cannot read 64 bytes at 0x", None
    yield "slots in the middle", lambda: table(kind)(slots=known.slots + 5), "<", None
    yield "odd capacity", lambda: table(kind)(capacity=1000), damaged + "has 1000 slots", None
    yield (
        "huge capacity",
        lambda: table(kind)(capacity=1 << 60),
        damaged + r"has \d+ slots",
        None,
    )
    yield (
        "records of no size",
        lambda: table(kind)(record_size=0),
        None,
        damaged + "has records of 0",
    )
    # Without these records mpipp cannot begin, and gdb prints handles by itself.
    plain = r"^<.*>$|^-?\d+$|^\(MPI_"
    yield (
        "huge records",
        lambda: table(kind)(record_size=1 << 31),
        plain,
        "mpipp registry.* is damaged",
    )
    yield "of another record", lambda: table(kind)(record=2), plain, "mpipp registry"
    yield "handles of 3 bytes", lambda: table(kind)(handle_size=3), "handles of 3 bytes", None


def each_table():
    """Damage each table in each way. Prints missing outputs."""
    sound = {kind: show(kind) for kind in KINDS}
    done = 0
    for kind in KINDS:
        for name, damage, printed, listed in cases(kind):
            damage()
            forget()
            texts = (*show(kind), said("mpipp info"), said("output world"))
            for text, pattern in zip(texts, (printed, listed, None, None)):
                bad = problems(text) or len(text) > 20000
                if bad or (pattern is not None and not re.search(pattern, text, re.M)):
                    print(f"wrong: {kind}, {name}: expected {pattern}: {text[:500]}")
            heal()
            done += 1
    if {kind: show(kind) for kind in KINDS} != sound:
        print("wrong: not as before")
    print("done", done)


def each_root():
    """Damage the root in each way: every command prints one sentence, also in place of a handle."""
    where = source.layout.address
    for name, offset, code, value, expected in (
        ("magic", 0, "Q", 0, f"There is no mpipp registry at {where:#x}."),
        ("major", 8, "I", 2, "has major version 2; this mpipp reads 1"),
        ("byte order", 16, "I", 0x04030201, ""),
        ("mark", 16, "I", 0x01030204, "is damaged: its byte order mark is"),
        ("size", 20, "I", 8, "is damaged: its root has 8 bytes"),
        ("self", 24, "Q", 0, "The mpipp wrapper has recorded nothing yet"),
        ("copy", 24, "Q", 16, "is a copy of the mpipp registry at 0x10"),
        ("no fields", 32, "Q", 0, "Cannot read"),
        ("many fields", 40, "I", 1 << 31, "is damaged: its field table has 2147483648 entries"),
        ("no tables", 48, "Q", 0, "Cannot read"),
        ("many tables", 56, "I", 1 << 31, "is damaged: it lists 2147483648 tables"),
        ("small tables", 60, "I", 8, "cannot hold their fields"),
    ):
        root(offset, code, value)
        forget()
        for command in ("mpipp info", "mpipp list types", "mpipp filetype", "mpipp list calls"):
            text = said(command)
            if problems(text) or expected not in text or text.count("\n") > 1:
                print(f"wrong: {name}: {command}: {text[:500]}")
        sentence = said("mpipp info").strip().rstrip(".")
        printed = said("output cart").strip()
        if name == "self":  # the records look as before the first MPI call
            good = re.fullmatch("<unknown MPI_Comm 0x[0-9a-f]+>", printed)
        else:
            good = printed.lower() == f"<{sentence}>".lower()
        if not good:
            print(f"wrong: {name}: print: {printed[:500]}, not <{sentence}>")
        heal()
    print("done")


def each_check():
    """An unreadable record is reported once, and the other checks continue."""
    table("file")(chunks=0x10)
    forget()
    print(said("mpipp check --leaks"), end="")
    heal()
    print("done")


def regions():
    """The places where damage may matter: (address, bytes)."""
    start = source.layout.address
    yield start, 64
    fields, count, size = struct.unpack("<QII", source.memory.read(start + 32, 16))
    yield fields, count * size
    tables, count, size = struct.unpack("<QII", source.memory.read(start + 48, 16))
    yield from ((tables, count * size) for _ in range(4))
    for kind in [*KINDS, "thread"]:
        for found in registry._tables.records(kind):
            if source.table(kind).slots and not source.raw_header(kind, found[1]).serial:
                continue
            yield found[0], len(found[1])
        yield source.table(kind).chunks, 24
        if source.table(kind).slots:
            yield source.table(kind).slots, source.table(kind).capacity * 16
    for kind in ("datatype",):
        for known in registry.objects(kind):
            if not known.header.predefined:
                yield known.header.record, source.table(kind).record_size


def fuzz(times, seed):
    """Run commands after random damage, many times. They may fail only with a sentence."""
    chance = random.Random(seed)
    places = list(regions())
    pointers = [address for address, _ in places]
    slowest = 0.0
    kinds = list(KINDS)
    for number in range(times):
        for _ in range(chance.randint(1, 6)):
            address, length = chance.choice(places)
            if chance.random() < 0.5:
                value = chance.choice((0, 1, 8, 0x7F, 0xFF, chance.randrange(256)))
                write(address + chance.randrange(length), bytes([value]))
            else:
                value = chance.choice((0, 1, 0x10, 1 << 20, 1 << 40, 1 << 63, (1 << 64) - 1))
                value = chance.choice((value, chance.choice(pointers), chance.getrandbits(64)))
                write(address + chance.randrange(0, length, 8), struct.pack("<Q", value))
        forget()
        commands = [f"output {KINDS[kind]}" for kind in chance.sample(kinds, 4)]
        commands += [list_of(chance.choice(kinds))]
        commands += chance.sample(
            ["mpipp filetype", "mpipp filetype[1][0]", "mpipp info", "mpipp list calls"], 1
        )
        commands += ["mpipp check --leaks"]
        commands += chance.sample(["output memory", "output numbers", "mpipp filetype numbers"], 1)
        for command in commands:
            begin = time.process_time()
            text = said(command)
            took = time.process_time() - begin
            slowest = max(slowest, took)
            if problems(text) or took > 5:
                print(f"wrong: {seed}/{number}: {took:.1f} s: {command}: {text[:500]}")
        heal()
    print("done", times, f"slowest {slowest:.2f} s")

# SPDX-License-Identifier: MIT
"""A script for gdb: damage the records of two processes of jumble.c, and type commands."""

import random
import re
import time

import gdb

from mpipp.gdb.program import inferior_memory, sessions
from tests.fuzz import places

_PATIENCE = 10  # seconds of processor time for a command
_HANDLES = (
    *(f"types[{i}]" for i in range(16)),
    *(f"requests[{i}]" for i in range(12)),
    *("ring", "grid", "empty", "marked"),
    *(f"'jumble.c'::objects::{name}" for name in ("win", "file", "info", "op", "message", "send")),
    *("types", "requests", "MPI_INT"),
)
_ADDRESSES = ("values", "&values[3]", "others", "numbers", "0", "0x7fffffffffff0000")
_KINDS = (
    "types requests comms groups wins epochs ops files infos errhandlers sessions probed".split()
)
_PROCEDURES = ("MPI_Send", "MPI_Wait", "MPI_Nothing", "main")
_NUMBERS = ("0", "1", "2", "3", "1000", "4294967296", "18446744073709551615")


_damage: dict[int, dict[int, int]] = {}  # by inferior: the wrong bytes, by address


class Damaged(inferior_memory.InferiorMemory):
    """The inferior's memory, with some wrong bytes."""

    def read(self, address, length):
        data = super().read(address, length)
        changed = _damage.get(self._inferior.num, {})
        found = [a for a in changed if address <= a < address + length]
        if not found:
            return data
        damaged = bytearray(data)
        for a in found:
            damaged[a - address] = changed[a]
        return bytes(damaged)

    def write(self, address, data):
        """Damage some bytes."""
        changed = _damage.setdefault(self._inferior.num, {})
        changed.update(enumerate(data, address))


def forget():
    """Make the next command search for the registries again."""
    sessions._sessions.clear()
    sessions._changed()


def attach(pids):
    """Stop the processes, each at its current place."""
    for number, pid in enumerate(pids, 1):
        if number > 1:
            gdb.execute("add-inferior", to_string=True)
            gdb.execute(f"inferior {number}", to_string=True)
        gdb.execute(f"attach {pid}", to_string=True)
    _begin_anew()
    setattr(sessions, "InferiorMemory", Damaged)  # noqa: B010
    forget()


def _begin_anew():
    # Reset the selection and breakpoints, which earlier commands may have changed.
    gdb.execute("delete", to_string=True)
    gdb.execute("inferior 1", to_string=True)
    frame = gdb.newest_frame()  # `frame function` may crash gdb 13
    while frame.name() != "main":
        frame = frame.older()
    frame.select()


def _command(chance):
    handle, other = chance.choices(_HANDLES, k=2)
    address, number = chance.choice(_ADDRESSES), chance.choice(_NUMBERS)
    indices = "".join(f"[{chance.choice(_NUMBERS)}]" for _ in range(chance.randint(1, 4)))
    json = chance.choice(("", "", " --json"))
    return chance.choice(
        (
            f"mpipp {handle}",
            f"mpipp {handle}{indices}",
            f"mpipp {handle} {address}",
            f"mpipp {handle} {address} {number}",
            f"mpipp {handle}{indices} {address}",
            f"mpipp {handle} at {number}",
            f"mpipp {handle} packed {number}",
            f"mpipp {handle} --expanded --depth {chance.randint(0, 5)}",
            f"mpipp list {chance.choice(_KINDS)} {chance.choice(('', '--all'))}{json}",
            f"mpipp list calls{json}",
            f"mpipp list {chance.choice((*_KINDS, 'calls', 'messages'))} --ranks",
            f"mpipp list messages{json}",
            f"mpipp list messages --all{json}",
            "mpipp info",
            f"mpipp why{json}",
            f"mpipp why {chance.choice(('--picture', '--svg /dev/null'))}",
            f"mpipp check --leaks{json}",
            f"mpipp check{json}",
            f"mpipp typesig {handle} {number}{json}",
            f"mpipp match {handle} with {other}{json}",
            f"mpipp match {handle} {number} with @2 {other}{json}",
            f"mpipp blocks {handle} {number} {chance.choice(('--map', ''))}{json}",
            f"mpipp overlap {handle} {address} with {other} values{json}",
            f"mpipp compare {handle} values {number}{json}",
            f"mpipp compare {handle} with numbers{json}",
            f"mpipp compare{json}",
            *_selecting(chance, handle, address),
            f"output {handle}",
            f"output {address}",
            f"output/r {handle}",
            f"output $mpi_size({handle}) + $mpi_extent({other})",
            "output $mpi_rank()",
            f'output $mpi_element({handle}, {address}, "{indices}")',
            f'output $mpi_arg("{chance.choice(("count", "tag", "recvbuf", "comm", "nothing"))}")',
            "info locals",
            "backtrace -5",
            *_machine(chance, handle, address),
        )
    )


def _selecting(chance, handle, address):
    # Commands that select or set something, or that belong to other programs.
    number, indices = chance.choice(_NUMBERS), f"[{chance.randrange(3)}][{chance.randrange(3)}]"
    procedure = chance.choice(_PROCEDURES)
    yield f"mpipp frame {chance.choice(('', number))}"
    yield f"mpipp rank {number}"
    yield f"mpipp watch {handle}{chance.choice(('', indices))} {address} {number}"
    yield f"mpipp watch {handle}{indices} {address} {chance.choice(('--access', '--read'))}"
    yield f"mpipp guard {chance.choice((handle, 'all'))}"
    yield f"mpipp py {chance.choice((handle, number))}"
    yield f"mpipp make {chance.choice((handle, address))}"
    yield f"mpipp break {procedure}"
    yield f'mpipp break {procedure} if $mpi_arg("tag") == {number}'


def _machine(chance, handle, address):
    # Commands of the machine interface (MI), to which gdb itself writes the answers.
    shown = chance.choice((handle, address))
    create = f'-var-create it * \\"{shown}\\"'
    yield f'interpreter-exec mi "{create}"'
    yield f'interpreter-exec mi "{create}" "-var-list-children --all-values it 0 20"'
    yield f'interpreter-exec mi "{create}" "-var-list-children --all-values it.data 0 9"'
    yield f'interpreter-exec mi "-data-evaluate-expression {shown}"'
    yield 'interpreter-exec mi "-stack-list-variables --all-values"'


def _said(command):
    begin = time.process_time()
    try:
        text = gdb.execute(command, to_string=True)
    except gdb.error as error:
        text = str(error)
    took = time.process_time() - begin
    if took > _PATIENCE:
        return f"{took:.0f} s", text
    if re.search(r"Traceback|Python Exception|Error (?:while|occurred)", text):
        return "an exception", text
    control = re.search("[\0-\x09\x0b-\x1f\x7f-\x9f]", text)
    return (f"a control character at {control.start()}", text) if control else None


def fuzz(seeds):
    """Run a case for each seed. It damages the first process, sometimes both."""
    sound = {}
    for inferior in gdb.inferiors():
        with inferior_memory.selected(inferior):
            session = sessions.required()
            sound[inferior] = places.targets(session.registry, session.memory)
    gdb.execute("interpreter-exec mi -enable-pretty-printing", to_string=True)
    for seed in seeds:
        chance = random.Random(seed)
        for inferior, targets in sound.items():
            if inferior.num == 1 or chance.random() < 0.1:
                places.damage(chance, targets, Damaged(inferior))
        print(f"case {seed}")  # the output of gdb follows
        for _ in range(4):
            forget()
            command = _command(chance)
            wrong = _said(command)
            if wrong is not None:
                print(f"wrong: {seed}: {command}: {wrong[0]}: {wrong[1][:1000]}")
            if "var-create" in command:
                _said('interpreter-exec mi "-var-delete it"')
            _begin_anew()
        _damage.clear()
        forget()
    print("done")

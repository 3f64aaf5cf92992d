# SPDX-License-Identifier: MIT
"""MPI objects and calls as structs for display. The members have the standard's names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from mpipp.common.text.sanitize import plain
from mpipp.model import (
    Broken,
    Buffer,
    Call,
    Comm,
    Constructor,
    DatatypeRecord,
    Errhandler,
    File,
    Group,
    Header,
    Info,
    Message,
    Object,
    Op,
    Request,
    Session,
    Win,
)
from mpipp.render.datatype_structs import Constant, Own
from mpipp.render.structure import Array, Shown, Struct, datatype

_TOPOLOGIES = {"cartesian": "CART", "graph": "GRAPH", "distributed graph": "DIST_GRAPH"}
_RANKS = ("MPI_PROC_NULL", "MPI_ANY_SOURCE", "MPI_ROOT")
_TARGETS = ("MPI_PROC_NULL",)  # constants for target ranks; other ranks are plain numbers
_TAGS = ("MPI_ANY_TAG",)
# The kinds of arguments, of constructors and other procedures, that are not plain numbers.
_ARGUMENT_KINDS = {
    "group": "group",
    "group1": "group",
    "group2": "group",
    "local_group": "group",
    "remote_group": "group",
    "peer_comm": "comm",
    "comm": "comm",
    "comm1": "comm",
    "comm2": "comm",
    "op": "op",
    "win": "win",
    "file": "file",
    "fh": "file",
    "datatype": "datatype",
    "session": "session",
}
# Assertions of MPI_Win_fence, MPI_Win_start, MPI_Win_post, MPI_Win_lock and MPI_Win_lock_all
# (MPI-4.1, 12.5.5).
_ASSERTIONS = tuple(
    f"MPI_MODE_{name}" for name in ("NOCHECK", "NOSTORE", "NOPUT", "NOPRECEDE", "NOSUCCEED")
)
_ARGUMENT_CONSTANTS = {
    "color": ("MPI_UNDEFINED",),
    "order": ("MPI_ORDER_C", "MPI_ORDER_FORTRAN"),
    "distribs": ("MPI_DISTRIBUTE_BLOCK", "MPI_DISTRIBUTE_CYCLIC", "MPI_DISTRIBUTE_NONE"),
    "dargs": ("MPI_DISTRIBUTE_DFLT_DARG",),
}

_TEXTS = ("datarep", "stringtag")
_NOT_SHOWN = ("members", "base", "null_output")  # of no use to readers
_NO_EXTENT = -(1 << 63)  # marks a handle that is no datatype

_Members = list[tuple[str, Shown]]


class Surroundings(Protocol):
    """Data that the description of an object needs: constants, and look-ups of objects and code."""

    @property
    def constants(self) -> Mapping[str, int]:
        """The standard's constants, except handles."""
        ...

    def constant_name(self, value: int, *names: str) -> str | None:
        """The first name in `names` whose constant has this value."""
        ...

    def find(self, kind: str, handle: int) -> Object | Broken | None:
        """The object with this handle."""
        ...

    def function(self, address: int) -> str:
        """The function at an address, as `<name>`."""
        ...

    def file(self, address: int) -> str:
        """The path of the object file that contains an address of code; "" if unknown."""
        ...


def handle(kind: str, value: int, around: Surroundings) -> Shown:
    """The object that a handle refers to."""
    found = around.find(kind, value)
    if found is None:
        return unknown(kind, value)
    return described(found, around)


def unknown(kind: str, value: int) -> Constant:
    """The text for a handle that belongs to no known object."""
    return Own(f"<unknown MPI_{kind.capitalize()} {value:#x}>")


def described(found: Object | Broken, around: Surroundings) -> Shown:
    """The struct that is shown for an object's handle."""
    if isinstance(found, Broken):
        return Constant(f"<{found.reason}>")
    header = found.header
    if header.null or (header.predefined and header.name and not isinstance(found, Comm)):
        return Constant(header.name)
    if isinstance(found, DatatypeRecord):
        return datatype(found.tree, *_datatype_state(found))
    shown = Struct([*_name(header), *_MAKERS[type(found)](found, around), *_state(header)])
    return Array(shown.members[0][1].items) if _is_plain_info(found, shown) else shown


def summary(found: Object | Broken) -> str:
    """An object in one word, for lines with many objects."""
    if isinstance(found, Broken):
        return "<?>"
    header = found.header
    if isinstance(found, DatatypeRecord) and not (header.predefined or header.null):
        numbers = [v for v in found.tree.arguments.values() if isinstance(v, int)]
        brackets = f"[{', '.join(map(str, numbers))}]" if numbers else ""
        return f"{found.tree.combiner}{brackets}"
    if header.name:
        return plain(header.name, "")
    if isinstance(found, Request):
        return f"{found.call.procedure}[{found.state}]"
    if isinstance(found, (Comm, Group)):
        return f"{header.kind.upper()}[{found.rank} of {found.size}]"
    return f"{header.kind.upper()}[#{header.serial}]"


def _name(header: Header) -> _Members:
    return [("name", header.name)] if header.name else []


def _state(header: Header) -> _Members:
    # Only freed objects have this member: `requests` have a member for their other states.
    return [("state", "freed")] if header.freed else []


def _datatype_state(record: DatatypeRecord) -> _Members:
    if record.header.freed:
        return [("state", "freed")]
    if not record.committed and not record.header.predefined:
        return [("state", "not committed")]
    return []


def _comm(comm: Comm, around: Surroundings) -> _Members:
    result: _Members = [("rank", comm.rank), ("size", comm.size)]
    result += _world_ranks("world_ranks", comm.world_ranks, comm.size)
    if comm.inter:
        result.append(("remote_size", comm.remote_size))
        result += _world_ranks("remote_world_ranks", comm.remote_world_ranks, None)
    if comm.topology != "none":
        result.append(("topology", Constant(_TOPOLOGIES.get(comm.topology, "<unknown>"))))
    if comm.dims:
        result += [
            ("dims", Array(comm.dims)),
            ("periods", Array(comm.periods)),
            ("coords", Array(comm.coords)),
        ]
    if comm.topology in ("graph", "distributed graph"):
        result += [("indegree", comm.indegree), ("outdegree", comm.outdegree)]
    if comm.errhandler is not None:
        result.append(("errhandler", reference("errhandler", comm.errhandler, around)))
    return result


def _world_ranks(name: str, ranks: Sequence[int] | None, size: int | None) -> _Members:
    if ranks is None or (size is not None and ranks == range(size)):
        return []
    return [(name, Array(ranks))]


def _group(group: Group, around: Surroundings) -> _Members:
    rank = around.constant_name(group.rank, "MPI_UNDEFINED") if group.rank < 0 else None
    return [
        ("size", group.size),
        ("rank", Constant(rank or "MPI_UNDEFINED") if group.rank < 0 else group.rank),
        *_world_ranks("world_ranks", group.world_ranks, group.size),
    ]


def _request(request: Request, around: Surroundings) -> _Members:
    result: _Members = [
        ("operation", request.call.procedure),
        ("state", Constant(request.state)),
    ]
    if request.sharing > 1:
        result.append(("shared_by", request.sharing))
    if request.persistent:
        result.append(("persistent", Constant("true")))
    partitions = next((b.peers for b in request.call.buffers), 1)
    if request.call.partitioned:
        result += [("partitions", partitions), ("ready", request.ready)]
    return result + call_members(request.call, around)


def call_members(call: Call, around: Surroundings) -> _Members:
    """The arguments of a call: its peers, tags, handles and communication buffers."""
    result: _Members = []
    for name in ("dest", "source", "root", "target_rank"):
        value = getattr(call, name)
        if value is not None:
            names = _TARGETS if name == "target_rank" else _RANKS
            result.append((name, _constant_or(value, around, *names)))
    for name in ("tag", "recvtag"):
        value = getattr(call, name)
        if value is not None:
            result.append((name, _constant_or(value, around, *_TAGS)))
    for name in ("comm", "op", "win", "file", "message"):
        value = getattr(call, name)
        if value is not None and not _is_freed(call, name, value, around):
            result.append((name, reference(name, value, around)))
    for name in ("offset", "errorcode"):
        value = getattr(call, name)
        if value is not None:
            result.append((name, value))
    if call.constructor is not None:
        result += _constructor_members(call.constructor, around)
    result += [
        (name, _argument(name, value, around))
        for name, value in call.arguments.items()
        if name not in _NOT_SHOWN and getattr(call, name, None) is None
    ]
    return result + [(buffer.role, buffer_arguments(buffer, around)) for buffer in call.buffers]


def _is_freed(call: Call, kind: str, value: int, around: Surroundings) -> bool:
    # The program may free an object of a completed call while the watcher reads the record.
    return call.state == "over" and isinstance(around.find(kind, value), Broken)


def _constructor_members(constructor: Constructor, around: Surroundings) -> _Members:
    result: _Members = []
    for name, value in constructor.arguments.items():
        result.append((name, _argument(name, value, around)))
    types = [component(found, 0) for found in constructor.types or ()]
    if constructor.combiner == "STRUCT":
        return [*result, ("types", Array(types))]
    return [*result, *zip(constructor.type_names, types)]


def _argument(name: str, value: int | tuple[int, ...] | None, around: Surroundings) -> Shown:
    if name in _TEXTS and isinstance(value, tuple):
        return bytes(item % 256 for item in value).decode("utf-8", "backslashreplace")
    if name == "etype" and isinstance(value, int):
        return Constant(f"{{extent = {value if value != _NO_EXTENT else 'unknown'}}}")
    if name == "assert" and isinstance(value, int):
        named = {one: around.constants[one] for one in _ASSERTIONS if one in around.constants}
        return Constant(flags(value, named) or str(value))
    kind = _ARGUMENT_KINDS.get(name)
    if kind is not None and isinstance(value, int):
        return reference(kind, value, around)
    names = _ARGUMENT_CONSTANTS.get(name, ())
    if isinstance(value, tuple):
        return Array([_constant_or(item, around, *names) for item in value] if names else value)
    return Constant("NULL") if value is None else _constant_or(value, around, *names)


def buffer_arguments(buffer: Buffer, around: Surroundings) -> Shown:
    """A communication buffer's address, count and datatype."""
    return Struct([("address", address_of(buffer, around)), *amount(buffer)])


def address_of(buffer: Buffer, around: Surroundings) -> Shown:
    """A communication buffer's address, or the name MPI_BOTTOM or MPI_IN_PLACE."""
    if "remote" in buffer.access:
        return buffer.displacement
    if around.constant_name(buffer.address, "MPI_IN_PLACE"):
        return Constant("MPI_IN_PLACE")
    if is_bottom(buffer, around):
        return Constant("MPI_BOTTOM")
    return Own(f"{buffer.address:#x}")


def is_bottom(buffer: Buffer, around: Surroundings) -> bool:
    """Return whether the address is MPI_BOTTOM, and not a null pointer by mistake.

    MPI_BOTTOM and a null pointer may be the same number. But a datatype for MPI_BOTTOM has absolute
    addresses, far from 0.
    """
    known = buffer.datatype
    return (
        around.constant_name(buffer.address, "MPI_BOTTOM") is not None
        and isinstance(known, DatatypeRecord)
        and known.tree.size > 0
        and known.tree.true_lb >= 1 << 12
    )


def amount(buffer: Buffer) -> _Members:
    """The amount of data in a communication buffer: count and datatype, or those for each peer."""
    shares = buffer.shares
    if shares is None:
        result: _Members = [("count", buffer.count)]
        if buffer.peers != 1:
            result.append(("peers", buffer.peers))
        return [*result, ("type", component(buffer.datatype, buffer.handle))]
    result = [
        ("counts", Array(_Column(shares, lambda share: share.count))),
        ("offsets", Array(_Column(shares, _offset))),
    ]
    if buffer.datatype is None and buffer.handle == 0:
        types = _Column(shares, lambda share: component(share.datatype, 0))
        return [*result, ("types", Array(types))]
    return [*result, ("type", component(buffer.datatype, buffer.handle))]


def component(known: DatatypeRecord | Broken | None, value: int) -> Shown:
    """A datatype as a member. A predefined datatype is shown by its name, as in figure 5 of the
    paper."""
    if known is None:
        return unknown("datatype", value) if value else Constant("<unknown MPI_Datatype>")
    if isinstance(known, Broken):
        return Constant(f"<{known.reason}>")
    if known.header.name and (known.header.predefined or known.header.null):
        return known.header.name
    freed = [("state", "freed")] if known.header.freed else []
    return datatype(known.tree, *freed)


def reference(kind: str, value: int, around: Surroundings) -> Shown:
    """Another object as a member: by its name if it has one."""
    found = around.find(kind, value)
    if found is not None and not isinstance(found, Broken) and found.header.name:
        return found.header.name
    return handle(kind, value, around)


def _offset(share: object) -> Shown:
    displacement = getattr(share, "displacement", None)
    return Constant("?") if displacement is None else displacement


class _Column(Sequence[Shown]):
    # One member of all peers' shares as a sequence; each item is converted when it is read.

    def __init__(self, shares: Sequence[object], get: Callable[..., Shown]) -> None:
        self._shares = shares
        self._get = get

    def __len__(self) -> int:
        return len(self._shares)

    def __getitem__(self, i: int) -> Shown:  # type: ignore[override]
        return self._get(self._shares[i])


def _win(win: Win, around: Surroundings) -> _Members:
    result: _Members = [
        ("base", Own(f"{win.base:#x}")),
        ("size", win.size),
        ("disp_unit", win.disp_unit),
        ("flavor", Constant(win.flavor.upper())),
        ("model", Constant(win.model.upper())),
        ("comm", reference("comm", win.comm, around)),
    ]
    if win.epochs:
        result.append(("epochs", Array([Constant(epoch) for epoch in win.epochs])))
    if win.lock_count:
        locks = [
            Struct([("rank", rank), ("type", Constant("EXCLUSIVE" if exclusive else "SHARED"))])
            for rank, exclusive in win.locks
        ]
        result.append(("locks", Array(locks)))
    for name in ("access_group", "exposure_group"):
        value = getattr(win, name)
        if value:
            result.append((name, reference("group", value, around)))
    return result


def _op(op: Op, around: Surroundings) -> _Members:
    return [
        ("function", Constant(around.function(op.function))),
        ("commute", Constant("true" if op.commute else "false")),
    ]


# Modes of MPI_File_open (MPI-4.1, section 14.2.1). Assertions for windows, such as
# MPI_MODE_NOCHECK, may have the same values.
MODES = tuple(
    f"MPI_MODE_{mode}"
    for mode in (
        "RDONLY RDWR WRONLY CREATE EXCL DELETE_ON_CLOSE UNIQUE_OPEN SEQUENTIAL APPEND".split()
    )
)


def _file(file: File, around: Surroundings) -> _Members:
    modes = {mode: around.constants[mode] for mode in MODES if mode in around.constants}
    view: _Members = [
        ("disp", file.disp),
        ("etype", _datatype_reference(file.etype, around)),
        ("filetype", _datatype_reference(file.filetype, around)),
    ]
    if file.datarep:
        view.append(("datarep", file.datarep))
    result: _Members = [
        ("filename", file.filename),
        ("amode", Constant(named) if (named := flags(file.amode, modes)) else file.amode),
        ("comm", reference("comm", file.comm, around)),
        ("view", Struct(view)),
    ]
    if file.split:
        result.append(("split", file.split.procedure))
    return result


def _datatype_reference(value: int, around: Surroundings) -> Shown:
    found = around.find("datatype", value)
    assert found is None or isinstance(found, (DatatypeRecord, Broken))
    return component(found, value)


def flags(value: int, names: Mapping[str, int]) -> str:
    """`MPI_MODE_CREATE | MPI_MODE_RDWR`; "" if a bit has no name."""
    found = [name for name, bit in sorted(names.items()) if value & bit]
    return " | ".join(found) if sum(names[name] for name in found) == value else ""


def _info(info: Info, around: Surroundings) -> _Members:
    entries = [Struct([("key", key), ("value", value)]) for key, value in info.entries]
    return [("entries", Array(entries))]


def _is_plain_info(found: Object, shown: Struct) -> bool:
    return isinstance(found, Info) and len(shown.members) == 1


def _errhandler(errhandler: Errhandler, around: Surroundings) -> _Members:
    return [("function", Constant(around.function(errhandler.function)))]


def _session(session: Session, around: Surroundings) -> _Members:
    if session.errhandler is None:
        return [("serial", session.header.serial)]
    return [("errhandler", reference("errhandler", session.errhandler, around))]


def _message(message: Message, around: Surroundings) -> _Members:
    return [
        ("source", _constant_or(message.source, around, *_RANKS)),
        ("tag", _constant_or(message.tag, around, *_TAGS)),
        ("comm", reference("comm", message.comm, around)),
    ]


def _constant_or(value: int, around: Surroundings, *names: str) -> Shown:
    name = around.constant_name(value, *names)
    return value if name is None else Constant(name)


_MAKERS: Mapping[type, Callable[..., _Members]] = {
    Comm: _comm,
    Group: _group,
    Request: _request,
    Win: _win,
    Op: _op,
    File: _file,
    Info: _info,
    Errhandler: _errhandler,
    Session: _session,
    Message: _message,
}

# SPDX-License-Identifier: MIT
"""`mpipp TYPE ...`: the tree of a datatype, the values of a buffer, an element and its address."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import gdb

from mpipp.common.errors import MpippError
from mpipp.datatypes import element_address
from mpipp.datatypes.element_address import Element
from mpipp.datatypes.values.nodes import Node, stage_node
from mpipp.gdb import console, output, settings
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import expressions
from mpipp.gdb.parser.expressions import NoHandle, Target
from mpipp.gdb.printers import token_targets
from mpipp.gdb.program import call_sites, sessions, statuses, tokens
from mpipp.gdb.program.sessions import Session
from mpipp.model import KINDS, DatatypeRecord, Header
from mpipp.render import buffers, object_structs
from mpipp.render.structure import Shown
from mpipp.render.type_tree_text import expanded_tree, meta_tree
from mpipp.render.value_text import flowing
from mpipp.typetree import Datatype

_OPTIONS = re.compile(r"(--expanded|--depth)(?:\s+|$)")
_REVERSE = re.compile(r"(at|packed)\s+(\S.*)$")
_MISSING = {"at": "OFFSET", "packed": "POSITION"}
_DEPTH = 3
_KIND = re.compile(r"(\w+)\s+(\S.*)$")
_STATUS = "status"
_RANKS = re.compile(r"(?:^|\s)--ranks(?:\s|$)")


def show(argument: str) -> Iterable[str]:
    """The output of `mpipp ARGUMENT`. Raises MpippError."""
    if re.match("--[a-z]", argument):  # gdb would evaluate --x, which changes x
        raise MpippError("write options after the datatype: mpipp TYPE --expanded [--depth N]")
    session = sessions.required()
    word = _KIND.match(argument)
    if word is None or word[1] not in (*KINDS, _STATUS):
        return about(expressions.target(argument, session), session)
    try:
        # The words can also be a variable, for example one called comm.
        return about(expressions.target(argument, session), session)
    except MpippError:
        return of_kind(word[1], word[2], session)


def of_kind(kind: str, text: str, session: Session) -> Iterable[str]:
    """The object with a Fortran INTEGER handle, the value of an expression; or a status.

    Raises MpippError.
    """
    value = expressions.evaluate(text)
    if kind == _STATUS:
        try:
            return [f"{text} = {statuses.text(value, session)}"]
        except MpippError as error:
            raise MpippError(f"{text}: {error}") from None
    found = expressions.numbered(kind, text, session)
    if found is None:
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_INT:
            noun = f"MPI_{kind.capitalize()}"
            raise MpippError(f"{text} is {int(value)}: no {noun} has this Fortran handle")
        found = expressions.denoted(value, text, session)
        if found.header.kind != kind:
            raise MpippError(f"{text} is a handle of kind {found.header.kind}")
    return about(Target(text, found, "", ""), session)


def about(target: Target, session: Session) -> Iterable[str]:
    """The description of an object. Raises MpippError."""
    found = target.found
    if not isinstance(found, DatatypeRecord):
        if target.element or target.rest:
            kind = found.header.kind
            raise MpippError(f"{target.text} is a handle of kind {kind}: only a datatype has data")
        return _object(target, session)
    reverse = _REVERSE.match(target.rest)
    expanded = _OPTIONS.match(target.rest)
    if target.element or reverse or expanded:
        expressions.expect_elements(found, target.text)
    if reverse and not target.element:
        return _reverse(target, found.tree, *reverse.groups())
    if expanded and not target.element:
        return expanded_tree(found.tree, _depth(target.rest), settings.limits())
    if target.rest.startswith("--") and not target.element:
        raise MpippError(f"there is no option {target.rest}: write --expanded [--depth N]")
    if re.search(r"(^|\s)--[a-z]", target.rest):  # gdb would evaluate --x, which changes x
        raise MpippError("options apply to a whole datatype: write TYPE --expanded [--depth N]")
    if target.element:
        return _element(target, found.tree, session)
    if target.rest:
        data = buffers.entries(*_address_and_count(target), found, session.memory)
        return _values(data)
    if found.header.null:
        return _object(target, session)
    return meta_tree(found.tree, _annotation)


def _object(target: Target, session: Session) -> Iterator[str]:
    header = target.found.header
    root = token_targets.Object.of(session, target.found)
    token = tokens.value(tokens.Key(root))
    shown = console.decoded(lambda: token.format_string(pretty_structs=True))
    yield from f"{target.text} = {shown}".split("\n")
    if header.site.address:
        yield from _made(header)


def _made(header: Header) -> Iterator[str]:
    calls = call_sites.site(header.site)
    if calls:
        yield f"made at {calls[0]}"
    for call in calls[1:]:
        yield f"  called from {call}"


def _annotation(tree: Datatype) -> str:
    # State and creation site of a datatype in the tree.
    record = tree.origin
    if not isinstance(record, DatatypeRecord) or record.header.predefined:
        return ""
    state = "freed" if record.header.freed else "committed" if record.committed else "not committed"
    made = call_sites.site(record.header.site)
    return f"{state}, made at {' from '.join(made)}" if made else state


def _address_and_count(target: Target) -> tuple[int, int]:
    try:
        return expressions.address_and_count(target.rest)
    except MpippError:
        if target.rest in _MISSING:  # it is not a variable of the user
            missing = f"mpipp {target.text} {target.rest} {_MISSING[target.rest]}"
            raise MpippError(f"a number is missing: write {missing}") from None
        raise


def _depth(options: str) -> int:
    words = options.split()
    depth = _DEPTH
    while words:
        word = words.pop(0)
        if word == "--depth" and words:
            depth = expressions.number(words.pop(0))
        elif word != "--expanded":
            raise MpippError(f'cannot read "{options}": write --expanded [--depth N]')
    return depth


def _element(target: Target, tree: Datatype, session: Session) -> Iterator[str]:
    parsed = element_address.parse(target.element)
    if not target.rest:
        yield from _described(target, element_address.resolve(tree, parsed))
        return
    address, count = expressions.address_and_count(target.rest)
    element = element_address.resolve(tree, parsed, None if count == 1 else count)
    node = element.datatype
    start = address + element.displacement
    if element.prefix:
        start -= node.shape.displacement(element.prefix)
    yield from _values(stage_node(session.memory, start, node, element.prefix))


def _described(target: Target, element: Element) -> Iterator[str]:
    yield f"{target.text}{element.path}"
    if element.repetition:
        number = element.repetition
        yield f"  repetition    {number}: the first index selects the entry of the buffer"
    yield f"  type          {_content(element)}"
    yield f"  size          {_bytes(element.size)}"
    yield f"  displacement  {_bytes(element.displacement)}"
    yield f"  packed        {_bytes(element.packed)}"


def _content(element: Element) -> str:
    # "MPI_DOUBLE"; for a block of elements "2 x MPI_DOUBLE".
    lengths, datatype = element.content
    record = datatype.origin
    if isinstance(record, DatatypeRecord) and not datatype.is_leaf:
        name = object_structs.summary(record)
    else:
        name = datatype.name or element_address.kind(datatype)
    return " x ".join([*map(str, lengths), name])


def _reverse(target: Target, tree: Datatype, how: str, number: str) -> Iterator[str]:
    offset = expressions.number(number)
    if how == "packed":
        found = [element_address.at_packed(tree, offset)]
    else:
        found = element_address.at_displacement(tree, offset)
    for element in found:
        yield from _described(target, element)


def _bytes(number: int) -> str:
    return f"{number} byte" if number == 1 else f"{number} bytes"


def _values(data: Shown) -> Iterator[str]:
    # Write parts at once: the user sees the first values early, and can interrupt gdb.
    if isinstance(data, Node):
        yield from flowing(data, settings.limits(), output.write_part).split("\n")
    else:
        yield str(data)


class Mpipp(Command):
    """Show an MPI datatype, or the data in a buffer as MPI sees it.

    mpipp TYPE                   the datatype's tree: size, bounds, extent, where it was created
    mpipp TYPE --expanded [--depth N]
                                 the expanded tree, with the byte range of every part
    mpipp TYPE ADDR [COUNT]      the values of COUNT entries at ADDR
    mpipp TYPE[2][5]             an element: its basic type, displacement, packed position
    mpipp TYPE[2][5] ADDR        the value of that element
    mpipp TYPE at OFFSET         the element at a displacement in memory, in bytes
    mpipp TYPE packed POSITION   the element at a position in the packed data, in bytes
    mpipp HANDLE                 any other MPI object, and where it was created
    mpipp KIND NUMBER            the object of a Fortran INTEGER handle; KIND is comm, request ...
    mpipp status STATUS          an MPI_Status, an integer array of Fortran, or an array of these

    TYPE is an expression of an MPI_Datatype, or a Fortran INTEGER. mpipp takes the shortest
    prefix that is a handle; brackets after it select an element.

    An element address follows the expanded tree: [block][item] for vector, indexed and struct. It
    has one index for each dimension of subarray and darray, and one for contiguous, dup and
    resized. An extra index in front selects the entry of the buffer. You can add the kind of a part
    in parentheses, and mpipp checks it: s_type(STRUCT)[2][5](CHAR).

    Write a variable in parentheses if it has the name of a subcommand.
    """

    name = "mpipp"
    prefix = True

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        return show(argument) if argument else _SHORT_HELP


_SHORT_HELP = (
    "mpipp TYPE [ADDR [COUNT]]   a datatype's tree, or a buffer's values",
    "mpipp TYPE[2][5] [ADDR]     an element of it",
    "mpipp list types            list the objects; also requests, comms, calls ...",
    "mpipp info                  the MPI library and what was recorded",
    'Type "help mpipp" for all.',
)


class Print(Command):
    """Show an MPI datatype or a buffer's data, like mpipp alone; or a variable of all ranks.

    mpipp print TYPE ...
    mpipp print EXPR --ranks [--plot | --svg FILE | --save FILE]

    --ranks     evaluate EXPR in all processes in this gdb. Equal values share one line with their
                ranks. Then come the elements in which arrays differ, the minimum, maximum and mean,
                and numbers that are not finite
    --plot      draw the numbers as text: one bar for each rank; one row for each rank if EXPR is an
                array of one dimension; else a map of the array
    --svg FILE  draw them as SVG
    --save FILE
                write the values for "mpipp compare-ranks EXPR with FILE"

    mpipp evaluates EXPR in the program's frame that called MPI, or in its first caller that knows
    all names. It never calls the program.

    Unlike "mpipp TYPE ...", mpipp print completes expressions, and accepts names of subcommands.
    """

    name = "mpipp print"
    completes = gdb.COMPLETE_EXPRESSION

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if not argument:
            raise MpippError("write mpipp print TYPE ...")
        if _RANKS.search(argument):
            from mpipp.gdb.all_ranks import values_text  # takes some time to load

            return values_text.lines(argument)
        try:
            return show(argument)
        except NoHandle as error:
            if sum(bool(one.pid) for one in gdb.inferiors()) > 1:
                hint = f"mpipp print {argument} --ranks prints its value in all ranks"
                raise MpippError(f"{error}; {hint}") from None
            raise

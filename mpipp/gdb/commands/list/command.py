# SPDX-License-Identifier: MIT
"""`mpipp list`: the MPI objects of the process, and the calls its threads are inside of."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, NoReturn

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.commands.list import all_processes, messages
from mpipp.gdb.commands.list.filters import Places, active_start, by_place, content, select
from mpipp.gdb.program import abandoned_frames, call_entry, calling_frame, sessions
from mpipp.gdb.program.sessions import Session
from mpipp.model import Broken, Call, Object, Request
from mpipp.render import json_output, one_line
from mpipp.typetree import ARGUMENTS

# Words of the command, the kind of object that each lists, and the noun for one object.
_LISTS = {
    "types": ("datatype", "type"),
    "requests": ("request", "request"),
    "comms": ("comm", "communicator"),
    "groups": ("group", "group"),
    "wins": ("win", "window"),
    "epochs": ("win", "window"),
    "ops": ("op", "operation"),
    "files": ("file", "file"),
    "infos": ("info", "info object"),
    "errhandlers": ("errhandler", "error handler"),
    "sessions": ("session", "session"),
    "probed": ("message", "message"),
}
# Lists of calls and messages, which are not MPI objects.
_OTHERS = ("calls", "messages")
_OPTIONS = (
    "--all",
    "--ranks",
    "--named",
    "--committed",
    "--uncommitted",
    "--kind",
    "--made",
    "--by-place",
    "--limit",
    "--json",
)
_LIMIT = 200
_FEW = 8


class List(Command):
    """List MPI objects and where they were created, active MPI calls, or past messages.

    mpipp list types|requests|comms|groups|wins|epochs|ops|files|infos|errhandlers|sessions|probed
    mpipp list calls
    mpipp list messages

    types, ...        the MPI objects of this kind
    epochs            windows with open epochs of this process, and the locks that it holds
    probed            message handles from matching probes
    calls             the MPI calls that threads are in
    messages          messages sent and received, and collective calls, in order, by communicator,
                      peer and tag

    --all             also freed and predefined objects, also old messages
    --ranks           all processes in this gdb, with equal lines merged
    --named           only objects with a name
    --committed, --uncommitted
                      only datatypes in this state
    --kind VECTOR     only datatypes of this combiner
    --made FILE[:LINE]
                      only objects created there
    --by-place        count the objects by the place that created them, largest count first
    --limit N         at most N lines (default 200; 0: no limit)
    --json            print one JSON object
    """

    name = "mpipp list"
    completes = None

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"list{argument}")
        options = _parse(argument)
        if options.ranks and options.json:
            raise MpippError("--json writes one process: leave out --ranks")
        if options.ranks:
            return all_processes.lines(lambda session: list(_entries(options, session)))
        session = sessions.required()
        if options.json:
            return [_document(options, session)]
        return (line for entry in _entries(options, session) for line in entry)

    def complete(self, text: str, word: str | None) -> Sequence[str]:
        """Complete the next word."""
        if word is None:  # gdb asks first how to split the words: use its default
            return []
        before = text.split()[: len(text.split()) - bool(word)]
        if before and before[-1] == "--kind":
            choices: Iterable[str] = ARGUMENTS
        elif before:
            # gdb does not count dashes as a part of the word, but completes the option with them.
            typed = text[len(text.rstrip()) :] or text.split()[-1]
            cut = len(typed.strip()) - len(word)
            return [option[cut:] for option in _OPTIONS if option.startswith(typed.strip())]
        else:
            choices = [*_LISTS, *_OTHERS]
        return [choice for choice in choices if choice.startswith(word)]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        message = message.removeprefix("argument ")
        raise MpippError(f'{message}: see "help mpipp list"')


def _parse(argument: str) -> argparse.Namespace:
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("what")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--ranks", action="store_true")
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--committed", action="store_true")
    parser.add_argument("--uncommitted", action="store_true")
    parser.add_argument("--kind")
    parser.add_argument("--made")
    parser.add_argument("--by-place", action="store_true")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--json", action="store_true")
    try:
        words = shlex.split(argument)
    except ValueError as error:
        raise MpippError(f"{error} in {argument}") from None
    choices = ", ".join([*_LISTS, *_OTHERS])
    if not words or words[0].startswith("-"):
        raise MpippError(f"write what to list: {choices}")
    options = parser.parse_args(words)
    if f"{options.what}s" in (*_LISTS, *_OTHERS):
        options.what += "s"
    if options.what not in (*_LISTS, *_OTHERS):
        raise MpippError(f"there are no {options.what} to list: write one of {choices}")
    if options.kind is not None:
        options.kind = options.kind.upper()
        if options.kind not in ARGUMENTS:
            known = ", ".join(ARGUMENTS)
            raise MpippError(f"{options.kind} is not a combiner: write one of {known}")
    _refuse_meaningless(options)
    if options.limit is None:
        options.limit = _LIMIT
    if options.limit < 0:
        raise MpippError(f"the limit {options.limit} is negative: write --limit 0 for no limit")
    return options


def _refuse_meaningless(options: argparse.Namespace) -> None:
    what = options.what
    if what != "types":
        for option in ("committed", "uncommitted", "kind"):
            if getattr(options, option):
                raise MpippError(f"--{option} selects datatypes: leave it out for {what}")
    if what in _OTHERS:
        for option, given in vars(options).items():
            if (
                option in ("named", "made", "by_place", "limit")
                and given is not None
                and given is not False
            ):
                raise MpippError(
                    f"--{option.replace('_', '-')} applies to objects: leave it out for {what}"
                )
    if options.by_place and (options.json or what == "epochs"):
        raise MpippError("--by-place counts objects: leave out --json, and list wins for epochs")
    if what == "calls" and options.all:
        raise MpippError("mpipp lists all calls without --all: leave it out")


def _document(options: argparse.Namespace, session: Session) -> str:
    if options.what == "calls":
        return _calls_document(session)
    if options.what == "messages":
        return json_output.document("list", messages.content(session, options.all))
    kind, _ = _LISTS[options.what]
    places = Places()
    found = select(options, kind, session, places)
    return json_output.document("list", content(found, kind, session, places))


def _entries(options: argparse.Namespace, session: Session) -> Iterator[list[str]]:
    # Yield the lines of each object, call or channel, and last a line with their number.
    if options.what == "messages":
        return messages.entries(session, options.all)
    return _calls(options, session) if options.what == "calls" else _objects(options, session)


def _objects(options: argparse.Namespace, session: Session) -> Iterator[list[str]]:
    kind, noun = _LISTS[options.what]
    places = Places()
    if options.by_place:
        yield from _by_place(options, kind, noun, session)
        return
    found = select(options, kind, session, places)
    rows = [("?", f"{b.record:#x}", f"<{b.reason}>", "") for b in found.broken]
    rows += [_row(one, session, places) for one in found.shown]
    yield from ([line] for line in _table(rows))
    hidden = [
        f"{number} {what}"
        for number, what in ((found.freed, "freed"), (found.predefined, "predefined"))
        if number
    ]
    text = f"{found.total} {noun}{'' if found.total == 1 else 's'}"
    if options.what == "epochs":
        text += " with an open epoch"
    if found.beyond:
        text += f", the first {len(found.shown)} shown (--limit)"
    if found.damaged:
        text += f", {found.damaged} damaged"
    if hidden:
        text += f", {' and '.join(hidden)} not shown (--all)"
    yield [text]


def _by_place(
    options: argparse.Namespace, kind: str, noun: str, session: Session
) -> Iterator[list[str]]:
    # Read only headers, because there may be 10^6 objects.
    places = Places()
    found = by_place(options, kind, session, places)
    ranked = sorted(found.items(), key=lambda one: -one[1])
    shown = ranked[: options.limit] if options.limit else ranked
    rows = []
    for site, count in shown:
        where = places[site].place
        rows.append((str(count), f"made at {where}" if where else "predefined, or place unknown"))
    yield from ([line] for line in _table(rows))
    total = sum(found.values())
    number = "1 place" if len(found) == 1 else f"{len(found)} places"
    text = f"{total} {noun}{'' if total == 1 else 's'} of {number}"
    yield [text + (f", the first {len(shown)} shown (--limit)" * (len(shown) < len(found)))]


def _row(found: Object, session: Session, places: Places) -> tuple[str, str, str, str]:
    header = found.header
    made, start = places[header.site].place, active_start(found)
    where = [f"made at {made}"] if made else []
    if start is not None and (begun := places[start.site].place):
        where.append(f"started by {start.procedure} at {begun}")
    return (
        f"#{header.serial}",
        f"{header.handle:#x}",
        one_line.described(found, session).text,
        ", ".join(where),
    )


def _calls(options: argparse.Namespace, session: Session) -> Iterator[list[str]]:
    count = 0
    # gdb writes "inferior.thread" if there are several inferiors.
    several = len(gdb.inferiors()) > 1 and not options.ranks
    prefix = f"{session.inferior.num}." if several else ""
    known = {thread.ptid[1]: f"{prefix}{thread.num}" for thread in session.inferior.threads()}
    for thread in _threads(session):
        if isinstance(thread, Broken):
            yield [f"<{thread.reason}>"]
            continue
        count += 1
        number = known.get(thread.tid)
        name = f"thread {number}" if number else f"thread with id {thread.tid}"
        place = calling_frame.place(thread.call.site, thread.tid, session)
        lines = [f"{name} in {thread.call.procedure}, called at {place}"]
        arguments = one_line.listed(one_line.arguments(thread.call, session))
        if arguments:
            lines.append(f"  {arguments}")
        elif thread.call.requests is not None:
            lines += _requests(thread.call, session)
        yield lines
    yield [f"{count} call{'' if count == 1 else 's'}"]


class _Thread(NamedTuple):
    # A thread in an MPI call: a recorded call, or one that it has just entered.
    tid: int
    call: Call


def _threads(session: Session) -> Iterator[_Thread | Broken]:
    recorded = set()
    for thread in session.registry.threads():
        if isinstance(thread, Broken):
            yield thread
        elif (call := thread.call or thread.unrecorded) is not None:
            recorded.add(thread.tid)
            yield _Thread(thread.tid, call)
    for stopped in session.inferior.threads():
        tid = stopped.ptid[1]
        if tid not in recorded and stopped.is_stopped():
            with abandoned_frames.selected(stopped):
                call = call_entry.call(session)
            if call is not None:
                yield _Thread(tid, call)


def _calls_document(session: Session) -> str:
    calls = [
        {
            "tid": thread.tid,
            "procedure": thread.call.procedure,
            "arguments": one_line.listed(one_line.arguments(thread.call, session)),
            "called": calling_frame.place(thread.call.site, thread.tid, session),
        }
        for thread in _threads(session)
        if not isinstance(thread, Broken)
    ]
    return json_output.document("list", {"kind": "call", "calls": calls})


def _requests(call: Call, session: Session) -> Iterator[str]:
    # The rows for the requests that a call waits for, tests or starts.
    try:
        given = session.registry.passed_requests(call, _LIMIT)
    except MpippError as error:
        yield f"  <{error}>"
        return
    rows, over, places = [], 0, Places()
    for i, candidates in enumerate(given):
        found = [r for r in candidates if isinstance(r, Request) and not _is_over(r)]
        if len(found) == 1:
            rows.append((f"  [{i}]", *_row(found[0], session, places)))
        elif found:
            rows.append((f"  [{i}]", *_one_of(found)))
        else:
            over += 1
    yield from _table(rows)
    if over:
        yield f"  {over} of {call.request_count} complete or null"
    if call.request_count > len(given):
        yield f"  the first {len(given)} of {call.request_count} requests shown"


def _is_over(request: Request) -> bool:
    return request.header.is_ended or request.header.null


def _one_of(requests: Sequence[Request]) -> tuple[str, str, str, str]:
    # Several operations may have one handle. Then mpipp does not know which the call means.
    numbers = ", ".join(f"#{request.header.serial}" for request in requests[:_FEW])
    more = f" and {len(requests) - _FEW} others" if len(requests) > _FEW else ""
    handle = f"{requests[0].header.handle:#x}"
    return "", handle, f"one of {numbers}{more}, which have the same handle", ""


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    line = "  ".join(f"%-{max(map(len, column))}s" for column in zip(*rows))
    for row in rows:
        yield (line % row).rstrip()

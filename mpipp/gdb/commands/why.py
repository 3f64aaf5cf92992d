# SPDX-License-Identifier: MIT
"""`mpipp why`: why the processes hang, of all inferiors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mpipp.checks.hangs import Explanation, Report, explain, picture, records
from mpipp.checks.hangs.svg import svg
from mpipp.checks.world import worlds
from mpipp.errors import MpippError
from mpipp.gdb.checked import Checked
from mpipp.gdb.commands import show
from mpipp.gdb.commands.base import Command
from mpipp.gdb.words import operands
from mpipp.show import jsontext

_FILE = re.compile(r"(?:^|\s)--svg\s+(\S+)")


class Why(Command):
    """Tell why the processes hang: who waits for whom, and what would have to happen.

    mpipp why [--picture | --svg FILE | --json]

    Looks at the MPI calls that all inferiors are inside of, their pending requests, and what each
    has sent and received so far. Processes that can never go on are named with what they lack, and
    with near misses: a message with another tag, on another communicator, to another rank.

    --picture   processes in the same state as a line, and whom they wait for
    --svg FILE  the same, drawn
    --json      one JSON object, for scripts

    The processes only stand still for it, and none is changed.
    """

    name = "mpipp why"

    def lines(self, argument: str) -> Iterable[str]:
        """What to write."""
        if argument.startswith("["):  # a variable of this name
            return show.show(f"why{argument}")
        file = _FILE.search(argument)
        rest = _FILE.sub("", argument, count=1)
        options, rest = operands.options(rest, ("--picture", "--json", "--svg"))
        if rest or "--svg" in options or len(options) + (file is not None) > 1:
            raise MpippError("write mpipp why, with one of --picture, --svg FILE and --json")
        checked = Checked()
        found = [explain(world) for world in worlds(checked.processes)]
        if file is not None:
            return [_drawn(file.group(1), found, checked)]
        if "--json" in options:
            jobs = [records.record(one, checked) for one in found]
            content = {"jobs": jobs, "not_checked": checked.failures}
            return [jsontext.document("why", content)]
        return list(_report(found, checked, "--picture" in options))


def _report(found: list[Explanation], checked: Checked, drawn: bool) -> Iterator[str]:
    for number, one in enumerate(found):
        if number:
            yield ""
        if drawn:
            yield from picture.lines(picture.groups(one, checked))
        else:
            yield from Report(one, checked).lines()
    yield from checked.failures


def _drawn(file: str, found: list[Explanation], checked: Checked) -> str:
    if len(found) != 1:
        raise MpippError(f"these are processes of {len(found)} jobs: a picture is of one")
    try:
        with open(file, "w", encoding="utf-8") as opened:
            opened.write(svg(picture.groups(found[0], checked)))
    except OSError as error:
        raise MpippError(f"cannot write {file}: {error.strerror}") from None
    return f"written to {file}"
